// Philox 4x32-10, a counter-based generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
// as easy as 1, 2, 3", 2011): each block of four 32-bit numbers is a function of a key and a
// counter.
#pragma once

#include <cstdint>

#include "core/random_state.h"

namespace agog::philox {

// Blocks that are made at a time, so that the rounds run in registers.
inline constexpr int kLanes = 16;

// N blocks from counter `low`, `high` + i on; word w of block i goes to out[w][i].
template <int N>
inline void blocks(const RandomStream& at, uint32_t (&out)[4][N]) {
  uint32_t (&c)[4][N] = out;
  for (int i = 0; i < N; ++i) {
    const uint64_t low = at.low + static_cast<uint64_t>(i);
    const uint64_t high = at.high + (low < at.low);
    c[0][i] = static_cast<uint32_t>(low);
    c[1][i] = static_cast<uint32_t>(low >> 32);
    c[2][i] = static_cast<uint32_t>(high);
    c[3][i] = static_cast<uint32_t>(high >> 32);
  }
  auto key0 = static_cast<uint32_t>(at.key), key1 = static_cast<uint32_t>(at.key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < N; ++i) {
      const uint64_t a = uint64_t{0xD2511F53u} * c[0][i];
      const uint64_t b = uint64_t{0xCD9E8D57u} * c[2][i];
      const uint32_t c1 = c[1][i], c3 = c[3][i];
      c[0][i] = static_cast<uint32_t>(b >> 32) ^ c1 ^ key0;
      c[1][i] = static_cast<uint32_t>(b);
      c[2][i] = static_cast<uint32_t>(a >> 32) ^ c3 ^ key1;
      c[3][i] = static_cast<uint32_t>(a);
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

// The key and counter that TensorFlow's ops make of two seeds: one block under a key of its own.
inline RandomStream scramble(uint64_t seed0, uint64_t seed1) {
  uint32_t out[4][1];
  blocks<1>({0x02461E293EC8F720u, seed0, seed1}, out);
  return {out[0][0] | (uint64_t{out[1][0]} << 32), 0, out[2][0] | (uint64_t{out[3][0]} << 32)};
}

// Numbers one at a time.
class Words {
 public:
  explicit Words(const RandomStream& at) : at_(at) {}
  uint32_t next() {
    if (used_ == 4) {
      blocks<1>(at_, block_);
      at_.skip(1);
      used_ = 0;
    }
    return block_[used_++][0];
  }

 private:
  RandomStream at_;
  uint32_t block_[4][1];
  int used_ = 4;
};

}  // namespace agog::philox
