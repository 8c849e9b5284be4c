// Whether the user asked for results that are the same bits each time.
#pragma once

#include "core/api.h"

namespace agog {

AGOG_API bool op_determinism();
AGOG_API void set_op_determinism(bool on);

}  // namespace agog
