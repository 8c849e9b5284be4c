// Where the generators of stateful random ops stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/api.h"

namespace agog {

// A key and a 128-bit counter: the start of a stream of Philox blocks.
struct RandomStream {
  uint64_t key = 0, low = 0, high = 0;

  void skip(uint64_t blocks) {
    low += blocks;
    high += low < blocks;
  }
};

// The next `blocks` blocks of the generator that belongs to an op, its dtypes and its seeds, as if
// each such combination were a kernel with a state of its own. Seeds of 0 and 0 start anywhere.
AGOG_API RandomStream reserve_random(std::string_view op, uint64_t dtypes, int64_t seed,
                                     int64_t seed2, uint64_t blocks);

// All generators start afresh.
AGOG_API void reset_random_kernels();

// A generator by what it belongs to, and where it stands.
struct RandomPlace {
  std::string op;
  uint64_t dtypes = 0;
  int64_t seed = 0, seed2 = 0;
  RandomStream stream;
};

// Where all generators stand that were used so far, for checkpoints.
AGOG_API std::vector<RandomPlace> random_places();

// They go on from these places; all others start afresh.
AGOG_API void set_random_places(const std::vector<RandomPlace>& places);

}  // namespace agog
