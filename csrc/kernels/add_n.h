// The sum of many tensors of one shape.
#pragma once

#include "kernels/kernel.h"

namespace agog {

void add_n(KernelCtx& c);

}  // namespace agog
