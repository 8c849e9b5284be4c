// The families of ops.
#pragma once

#include <vector>

#include "op/op_def.h"

namespace agog {

using Family = std::vector<OpDef> (*)();

std::vector<OpDef> math_unary_ops();
std::vector<OpDef> math_binary_ops();
std::vector<OpDef> reduction_ops();
std::vector<OpDef> array_ops();
std::vector<OpDef> state_ops();
std::vector<OpDef> matmul_ops();

}  // namespace agog
