// Philox 4x32-10, a counter-based generator (Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
// as easy as 1, 2, 3", 2011): each block of four 32-bit numbers is a function of a key and a
// counter.
#pragma once

#include <cstdint>

#include "core/random_state.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace agog::philox {

// Blocks that are made at a time, so that the rounds run in registers.
inline constexpr int kLanes = 16;

inline constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
inline constexpr uint32_t kKeyStep0 = 0x9E3779B9u, kKeyStep1 = 0xBB67AE85u;
inline constexpr int kRounds = 10;

template <int N>
inline void rounds(uint32_t key0, uint32_t key1, uint32_t (&c)[4][N]) {
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < N; ++i) {
      const uint64_t a = uint64_t{kMultiplier0} * c[0][i];
      const uint64_t b = uint64_t{kMultiplier1} * c[2][i];
      const uint32_t c1 = c[1][i], c3 = c[3][i];
      c[0][i] = static_cast<uint32_t>(b >> 32) ^ c1 ^ key0;
      c[1][i] = static_cast<uint32_t>(b);
      c[2][i] = static_cast<uint32_t>(a >> 32) ^ c3 ^ key1;
      c[3][i] = static_cast<uint32_t>(a);
    }
    key0 += kKeyStep0;
    key1 += kKeyStep1;
  }
}

#if defined(__AVX2__)
// Low and high halves of eight products: those of even lanes and of odd lanes, put back together.
inline void multiply(__m256i c, __m256i by, __m256i* low, __m256i* high) {
  const __m256i even = _mm256_mul_epu32(c, by);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(c, 32), by);
  *low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
  *high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
}

// The same in registers, twice as fast as what the compiler makes of the loops.
inline void rounds(uint32_t key0, uint32_t key1, uint32_t (&words)[4][kLanes]) {
  constexpr int kParts = kLanes / 8;
  const __m256i by0 = _mm256_set1_epi64x(kMultiplier0), by1 = _mm256_set1_epi64x(kMultiplier1);
  __m256i c[4][kParts];
  for (int w = 0; w < 4; ++w) {
    for (int p = 0; p < kParts; ++p) {
      c[w][p] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&words[w][8 * p]));
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    const __m256i k0 = _mm256_set1_epi32(static_cast<int>(key0));
    const __m256i k1 = _mm256_set1_epi32(static_cast<int>(key1));
    for (int p = 0; p < kParts; ++p) {
      __m256i low0, high0, low1, high1;
      multiply(c[0][p], by0, &low0, &high0);
      multiply(c[2][p], by1, &low1, &high1);
      c[0][p] = _mm256_xor_si256(_mm256_xor_si256(high1, c[1][p]), k0);
      c[1][p] = low1;
      c[2][p] = _mm256_xor_si256(_mm256_xor_si256(high0, c[3][p]), k1);
      c[3][p] = low0;
    }
    key0 += kKeyStep0;
    key1 += kKeyStep1;
  }
  for (int w = 0; w < 4; ++w) {
    for (int p = 0; p < kParts; ++p) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(&words[w][8 * p]), c[w][p]);
    }
  }
}
#endif

// N blocks, `step` apart; word w of block i goes to out[w][i].
template <int N>
inline void blocks(const RandomStream& at, uint32_t (&out)[4][N], uint64_t step = 1) {
  for (int i = 0; i < N; ++i) {
    const uint64_t low = at.low + static_cast<uint64_t>(i) * step;
    const uint64_t high = at.high + (low < at.low);
    out[0][i] = static_cast<uint32_t>(low);
    out[1][i] = static_cast<uint32_t>(low >> 32);
    out[2][i] = static_cast<uint32_t>(high);
    out[3][i] = static_cast<uint32_t>(high >> 32);
  }
  rounds(static_cast<uint32_t>(at.key), static_cast<uint32_t>(at.key >> 32), out);
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
