#include "kernels/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "kernels/half_convert.h"
#include "kernels/philox.h"

namespace agog {
namespace {

constexpr int kLanes = philox::kLanes;
constexpr int kMostPerBlock = 4;
constexpr int64_t kBatchesPerTask = 64;
using Words = uint32_t[4][kLanes];

// Runs make(words, tile) over batches of blocks, each of which gives `per_block` numbers of type T.
template <int per_block, class T, class Make>
void fill(const RandomStream& stream, T* out, int64_t n, int cost, Make make) {
  constexpr int64_t batch = per_block * kLanes;
  const int64_t batches = (n + batch - 1) / batch;
  parallel_for(batches, kBatchesPerTask, n * cost, [&](int64_t begin, int64_t end) {
    RandomStream at = stream;
    at.skip(static_cast<uint64_t>(begin) * kLanes);
    for (int64_t b = begin; b < end; ++b) {
      Words words;
      philox::blocks(at, words);
      at.skip(kLanes);
      const int64_t left = n - b * batch;
      if (left >= batch) {
        make(words, out + b * batch);
      } else {
        T tile[batch];
        make(words, tile);
        std::copy_n(tile, left, out + b * batch);
      }
    }
  });
}

// One number out of each word, by block and word.
template <class T, class F>
void by_word(const Words& words, T* out, F f) {
  for (int i = 0; i < kLanes; ++i) {
    for (int w = 0; w < 4; ++w) out[4 * i + w] = f(words[w][i]);
  }
}
// One number out of two words.
template <class T, class F>
void by_pair(const Words& words, T* out, F f) {
  for (int i = 0; i < kLanes; ++i) {
    out[2 * i] = f(words[0][i], words[1][i]);
    out[2 * i + 1] = f(words[2][i], words[3][i]);
  }
}

// The low bits of a word become the mantissa of a number of [1, 2).
float unit_float(uint32_t w) { return std::bit_cast<float>((w & 0x7fffffu) | 0x3f800000u) - 1.0f; }
Half unit_half(uint32_t w) {
  Half h;
  h.bits = static_cast<uint16_t>((w & 0x3ffu) | 0x3c00u);
  return Half(static_cast<float>(h) - 1.0f);
}
BFloat16 unit_bfloat16(uint32_t w) {
  BFloat16 h;
  h.bits = static_cast<uint16_t>((w & 0x7fu) | 0x3f80u);
  return BFloat16(static_cast<float>(h) - 1.0f);
}

constexpr double kSmallest = 1e-7;  // the logarithm of zero is not wanted

// Sine and cosine of v in [0, 2 pi), with errors far below a float's.
inline void sine_cosine(double v, double* sine, double* cosine) {
  constexpr double kHalfPi = 1.5707963267948966;
  const int quarter = static_cast<int>(v * (1 / kHalfPi) + 0.5);
  const double r = v - quarter * kHalfPi, z = r * r;
  const double s =
      r * (1 + z * (-1.0 / 6 +
                    z * (1.0 / 120 +
                         z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                                     z * (1.0 / 6227020800.0)))))));
  const double c =
      1 + z * (-0.5 +
               z * (1.0 / 24 +
                    z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 +
                                                              z * (1.0 / 479001600 +
                                                                   z * (-1.0 / 87178291200.0)))))));
  const bool swap = quarter & 1;
  const double a = swap ? c : s, b = swap ? s : c;
  *sine = quarter & 2 ? -a : a;
  *cosine = ((quarter + 1) & 2) ? -b : b;
}

// Box and Muller's pairs of normal numbers out of pairs of uniform ones, in TensorFlow's order. The
// angle and the functions are rounded to float as they are there.
template <int N>
void normal_floats(const uint32_t* first, const uint32_t* second, float* a, float* b) {
  float radius[N];
  // The C library's logarithm, as there: a better one would differ in one number of a hundred.
  for (int i = 0; i < N; ++i) {
    radius[i] = std::log(std::max(unit_float(first[i]), static_cast<float>(kSmallest)));
  }
  for (int i = 0; i < N; ++i) {
    const auto angle = static_cast<float>(2 * M_PI * static_cast<double>(unit_float(second[i])));
    double sine, cosine;
    sine_cosine(static_cast<double>(angle), &sine, &cosine);
    const float r = std::sqrt(-2.0f * radius[i]);
    a[i] = static_cast<float>(sine) * r;
    b[i] = static_cast<float>(cosine) * r;
  }
}

void normal_doubles(uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3, double* pair) {
  const double radius = std::sqrt(-2 * std::log(std::max(unit_double(w0, w1), kSmallest)));
  const double angle = 2 * M_PI * unit_double(w2, w3);
  pair[0] = std::sin(angle) * radius;
  pair[1] = std::cos(angle) * radius;
}

void normal_batch(const Words& words, float* out) {
  float pairs[4][kLanes];
  normal_floats<kLanes>(words[0], words[1], pairs[0], pairs[1]);
  normal_floats<kLanes>(words[2], words[3], pairs[2], pairs[3]);
  for (int i = 0; i < kLanes; ++i) {
    for (int w = 0; w < 4; ++w) out[4 * i + w] = pairs[w][i];
  }
}

template <class H>
void normal_halves(const RandomStream& stream, H* out, int64_t n) {
  fill<4>(stream, out, n, 16, [](const Words& words, H* to) {
    float tile[4 * kLanes];
    normal_batch(words, tile);
    from_float(tile, to, 4 * kLanes);
  });
}

// The normal numbers of one block, and of the first blocks of kLanes groups.
struct FloatBlock {
  static constexpr int count = 4;
  using Number = float;
  static void make(const RandomStream& at, float* to) {
    uint32_t w[4][1];
    philox::blocks<1>(at, w);
    normal_floats<1>(w[0], w[1], to, to + 1);
    normal_floats<1>(w[2], w[3], to + 2, to + 3);
  }
  static void make_batch(const Words& words, float* to) { normal_batch(words, to); }
};
struct DoubleBlock {
  static constexpr int count = 2;
  using Number = double;
  static void make(const RandomStream& at, double* to) {
    uint32_t w[4][1];
    philox::blocks<1>(at, w);
    normal_doubles(w[0][0], w[1][0], w[2][0], w[3][0], to);
  }
  static void make_batch(const Words& words, double* to) {
    for (int i = 0; i < kLanes; ++i) {
      normal_doubles(words[0][i], words[1][i], words[2][i], words[3][i], to + 2 * i);
    }
  }
};

// Each group of numbers has blocks of its own, 64 for each of its numbers, and takes the first
// normal ones that are small enough: mostly those of its first block.
template <class Block, class T>
void truncated_group(RandomStream at, const typename Block::Number* first, T* out, int64_t want) {
  constexpr int count = Block::count;
  typename Block::Number made[count];
  std::copy_n(first, count, made);
  for (int64_t have = 0;;) {
    for (int k = 0; k < count && have < want; ++k) {
      if (std::abs(made[k]) < 2) out[have++] = static_cast<T>(made[k]);
    }
    if (have == want) return;
    at.skip(1);
    Block::make(at, made);
  }
}

template <class Block, class T>
void truncated(const RandomStream& stream, T* out, int64_t n) {
  constexpr int count = Block::count;
  constexpr uint64_t step = 64 * count;
  const int64_t groups = (n + count - 1) / count;
  const int64_t batches = (groups + kLanes - 1) / kLanes;
  parallel_for(batches, 16, n * 32, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      RandomStream at = stream;
      at.skip(static_cast<uint64_t>(b) * kLanes * step);
      Words words;
      philox::blocks(at, words, step);
      typename Block::Number first[kLanes * count];
      Block::make_batch(words, first);
      const int64_t last = std::min<int64_t>(groups, (b + 1) * kLanes);
      for (int64_t g = b * kLanes; g < last; ++g) {
        const int64_t want = std::min<int64_t>(count, n - g * count);
        truncated_group<Block>(at, first + (g - b * kLanes) * count, out + g * count, want);
        at.skip(step);
      }
    }
  });
}

uint64_t joined(uint32_t low, uint32_t high) { return low | (uint64_t{high} << 32); }

// The upper 64 bits of a product.
uint64_t high_half(uint64_t a, uint32_t b) {
  return ((a >> 32) * b + ((a & 0xffffffffu) * b >> 32)) >> 32;
}

}  // namespace

double unit_double(uint32_t first, uint32_t second) {
  return std::bit_cast<double>(joined(second, (first & 0xfffffu) | 0x3ff00000u)) - 1.0;
}

void fill_uniform(const RandomStream& stream, void* out, DType dtype, int64_t n) {
  switch (dtype) {
    case DType::kHalf:
      return fill<4>(stream, static_cast<Half*>(out), n, 4,
                     [](const Words& w, Half* to) { by_word(w, to, unit_half); });
    case DType::kBFloat16:
      return fill<4>(stream, static_cast<BFloat16*>(out), n, 4,
                     [](const Words& w, BFloat16* to) { by_word(w, to, unit_bfloat16); });
    case DType::kFloat:
      return fill<4>(stream, static_cast<float*>(out), n, 4,
                     [](const Words& w, float* to) { by_word(w, to, unit_float); });
    default:
      return fill<2>(stream, static_cast<double*>(out), n, 8,
                     [](const Words& w, double* to) { by_pair(w, to, unit_double); });
  }
}

void fill_normal(const RandomStream& stream, void* out, DType dtype, int64_t n) {
  switch (dtype) {
    case DType::kHalf: return normal_halves(stream, static_cast<Half*>(out), n);
    case DType::kBFloat16: return normal_halves(stream, static_cast<BFloat16*>(out), n);
    case DType::kFloat: return fill<4>(stream, static_cast<float*>(out), n, 16, normal_batch);
    default:
      return fill<2>(stream, static_cast<double*>(out), n, 64, [](const Words& w, double* to) {
        for (int i = 0; i < kLanes; ++i) {
          normal_doubles(w[0][i], w[1][i], w[2][i], w[3][i], to + 2 * i);
        }
      });
  }
}

void fill_truncated_normal(const RandomStream& stream, void* out, DType dtype, int64_t n) {
  switch (dtype) {
    case DType::kHalf: return truncated<FloatBlock>(stream, static_cast<Half*>(out), n);
    case DType::kBFloat16: return truncated<FloatBlock>(stream, static_cast<BFloat16*>(out), n);
    case DType::kFloat: return truncated<FloatBlock>(stream, static_cast<float*>(out), n);
    default: return truncated<DoubleBlock>(stream, static_cast<double*>(out), n);
  }
}

void fill_full_int(const RandomStream& stream, void* out, DType dtype, int64_t n) {
  if (size_of(dtype) == 4) {
    fill<4>(stream, static_cast<uint32_t*>(out), n, 4,
            [](const Words& w, uint32_t* to) { by_word(w, to, [](uint32_t v) { return v; }); });
  } else {
    fill<2>(stream, static_cast<uint64_t*>(out), n, 8,
            [](const Words& w, uint64_t* to) { by_pair(w, to, joined); });
  }
}

void fill_uniform_int(const RandomStream& stream, void* out, DType dtype, int64_t n, uint64_t low,
                      uint64_t range) {
  if (size_of(dtype) == 4) {
    // v % range is the fraction of v / range, in 64 bits, times range (Lemire and others, "Faster
    // remainder by direct computation", 2019); for a range of 1 the reciprocal wraps to 0, rightly.
    const auto low32 = static_cast<uint32_t>(low), range32 = static_cast<uint32_t>(range);
    const uint64_t reciprocal = ~uint64_t{0} / range32 + 1;
    fill<4>(stream, static_cast<uint32_t*>(out), n, 8, [=](const Words& w, uint32_t* to) {
      by_word(w, to, [=](uint32_t v) {
        const uint64_t fraction = reciprocal * v;
        return low32 + static_cast<uint32_t>(high_half(fraction, range32));
      });
    });
  } else {
    fill<2>(stream, static_cast<uint64_t*>(out), n, 16, [=](const Words& w, uint64_t* to) {
      by_pair(w, to, [=](uint32_t a, uint32_t b) { return low + joined(a, b) % range; });
    });
  }
}

}  // namespace agog
