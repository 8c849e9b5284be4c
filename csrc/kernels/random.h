// Fills memory with random numbers from a stream of Philox blocks.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "core/random_state.h"

namespace agog {

// In [0, 1), normal, normal between -2 and 2: for floating types.
void fill_uniform(const RandomStream& stream, void* out, DType dtype, int64_t n);
void fill_normal(const RandomStream& stream, void* out, DType dtype, int64_t n);
void fill_truncated_normal(const RandomStream& stream, void* out, DType dtype, int64_t n);
// All bits random, or in [low, low + range): for 32 and 64-bit integers.
void fill_full_int(const RandomStream& stream, void* out, DType dtype, int64_t n);
void fill_uniform_int(const RandomStream& stream, void* out, DType dtype, int64_t n, uint64_t low,
                      uint64_t range);

// A number of [0, 1) out of 64 random bits, or 32.
double unit_double(uint32_t first, uint32_t second);

}  // namespace agog
