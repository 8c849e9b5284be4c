// Conversion between dtypes.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace agog {

// Converts n elements. Out of range, floats become what x86 instructions make of them: the lowest
// int32 or int64, of which narrower and unsigned integers keep the low bits. Complex numbers lose
// their imaginary part. With `truncate`, floats become narrower floats by dropping bits instead of
// rounding.
void cast_elements(const void* from, DType from_type, void* to, DType to_type, int64_t n,
                   bool truncate);

}  // namespace agog
