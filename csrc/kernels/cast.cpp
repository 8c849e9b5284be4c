#include "kernels/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "kernels/half_convert.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace agog {
namespace {

constexpr int64_t kTile = 512;       // elements on the way through float
constexpr int64_t kBlock = 1 << 14;  // elements, a multiple of the tile

// Note: float to integer. C++ leaves values out of range undefined; these are the machine's.
template <class F>
int32_t to_int32(F v) {
#if defined(__SSE2__)
  if constexpr (std::is_same_v<F, float>) {
    return _mm_cvttss_si32(_mm_set_ss(v));
  } else {
    return _mm_cvttsd_si32(_mm_set_sd(v));
  }
#else
  constexpr auto low = std::numeric_limits<int32_t>::min();
  return v > F(-2147483649.0) && v < F(2147483648.0) ? static_cast<int32_t>(v) : low;
#endif
}

template <class F>
int64_t to_int64(F v) {
#if defined(__SSE2__) && defined(__x86_64__)
  if constexpr (std::is_same_v<F, float>) {
    return _mm_cvttss_si64(_mm_set_ss(v));
  } else {
    return _mm_cvttsd_si64(_mm_set_sd(v));
  }
#else
  constexpr auto low = std::numeric_limits<int64_t>::min();
  return v >= F(-0x1p63) && v < F(0x1p63) ? static_cast<int64_t>(v) : low;
#endif
}

// Negative numbers wrap; what fits neither way becomes 2^31 or 2^63.
template <class F>
uint32_t to_uint32(F v) {
  const int64_t wide = to_int64(v);
  const bool fits =
      wide >= std::numeric_limits<int32_t>::min() && wide <= std::numeric_limits<uint32_t>::max();
  return fits ? static_cast<uint32_t>(wide) : uint32_t{1} << 31;
}
template <class F>
uint64_t to_uint64(F v) {
  constexpr uint64_t high = uint64_t{1} << 63;
  if (!(v >= F(0x1p63) && v < F(0x1p64))) return static_cast<uint64_t>(to_int64(v));
  return static_cast<uint64_t>(to_int64(v - F(0x1p63))) | high;
}

template <class F, class D>
D float_to_int(F v) {
  if constexpr (sizeof(D) < 4 || std::is_same_v<D, int32_t>) {
    return static_cast<D>(to_int32(v));
  } else if constexpr (std::is_same_v<D, uint32_t>) {
    return to_uint32(v);
  } else if constexpr (std::is_same_v<D, uint64_t>) {
    return to_uint64(v);
  } else {
    return static_cast<D>(to_int64(v));
  }
}

template <class S, class D>
D convert(S v) {
  if constexpr (std::is_same_v<D, bool>) {
    return v != S(0);
  } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D>) {
    return float_to_int<S, D>(v);
  } else {
    return static_cast<D>(v);
  }
}

template <class S, class D>
void convert_run(const S* from, D* to, int64_t n) {
  int64_t i = 0;
#if defined(__AVX2__)
  if constexpr (std::is_same_v<S, float> && std::is_same_v<D, int32_t>) {
    for (; i + 8 <= n; i += 8) {
      const __m256i v = _mm256_cvttps_epi32(_mm256_loadu_ps(from + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), v);
    }
  }
#endif
  if constexpr (std::is_same_v<S, float> && std::is_integral_v<D> && sizeof(D) < 4 &&
                !std::is_same_v<D, bool>) {
    int32_t whole[kTile];
    for (; i < n; i += kTile) {
      const int64_t count = std::min(kTile, n - i);
      convert_run(from + i, whole, count);
      for (int64_t k = 0; k < count; ++k) to[i + k] = static_cast<D>(whole[k]);
    }
  }
  for (; i < n; ++i) to[i] = convert<S, D>(from[i]);
}

// Drops the mantissa bits that a narrower type does not have.
template <class F, class Bits>
void drop_bits(F* v, int64_t n, int bits) {
  const Bits mask = ~((Bits{1} << bits) - 1);
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isnan(v[i]))
      v[i] = std::bit_cast<F>(static_cast<Bits>(std::bit_cast<Bits>(v[i]) & mask));
  }
}

int mantissa_bits(DType d) {
  switch (real_part_type(d)) {
    case DType::kDouble: return 52;
    case DType::kFloat: return 23;
    case DType::kHalf: return 10;
    case DType::kBFloat16: return 7;
    default: return 0;
  }
}

// Real numbers of a type that computes, to any type but the half ones.
template <class S>
void from_real(const S* from, void* to, DType to_type, int64_t n) {
  switch (to_type) {
    case DType::kHalf:
    case DType::kBFloat16: break;
    case DType::kComplex64:
    case DType::kComplex128:
      with_type(to_type, [&](auto type) {
        using C = typename decltype(type)::type;
        if constexpr (std::is_same_v<C, complex64> || std::is_same_v<C, complex128>) {
          C* out = static_cast<C*>(to);
          using R = typename C::value_type;
          for (int64_t i = 0; i < n; ++i) out[i] = C(static_cast<R>(from[i]), R(0));
        }
      });
      break;
    default:
      with_type(to_type, [&](auto type) {
        using D = typename decltype(type)::type;
        if constexpr (std::is_arithmetic_v<D>) convert_run(from, static_cast<D*>(to), n);
      });
  }
}

template <class S>
void to_floats(const S* from, float* to, int64_t n) {
  if constexpr (std::is_arithmetic_v<S>) {
    convert_run(from, to, n);
  } else {
    to_float(from, to, n);
  }
}

// At most a tile, from a real type.
template <class S>
void cast_tile(const S* from, void* to, DType to_type, int64_t n) {
  float tile[kTile];
  if (to_type == DType::kHalf || to_type == DType::kBFloat16) {
    to_floats(from, tile, n);
    if (to_type == DType::kHalf) from_float(tile, static_cast<Half*>(to), n);
    if (to_type == DType::kBFloat16) from_float(tile, static_cast<BFloat16*>(to), n);
  } else if constexpr (std::is_arithmetic_v<S>) {
    from_real(from, to, to_type, n);
  } else {
    to_float(from, tile, n);
    from_real(tile, to, to_type, n);
  }
}

template <class F, class Bits>
void cast_truncated(const F* from, void* to, DType to_type, int64_t n, int bits) {
  F tile[kTile] = {};
  std::copy_n(from, n, tile);
  drop_bits<F, Bits>(tile, n, bits);
  cast_tile(tile, to, to_type, n);
}

// At most a tile, from any type.
template <class S>
void cast_any(const S* from, void* to, DType to_type, int64_t n, int drop) {
  if constexpr (std::is_same_v<S, complex64> || std::is_same_v<S, complex128>) {
    using R = typename S::value_type;
    R tile[kTile] = {};
    for (int64_t i = 0; i < n; ++i) tile[i] = from[i].real();
    cast_any(tile, to, to_type, n, drop);
    if (to_type == DType::kComplex64) {
      for (int64_t i = 0; i < n; ++i) tile[i] = from[i].imag();
      if constexpr (std::is_same_v<R, double>) {
        if (drop > 0) drop_bits<double, uint64_t>(tile, n, drop);
      }
      auto* out = static_cast<complex64*>(to);
      for (int64_t i = 0; i < n; ++i) out[i].imag(static_cast<float>(tile[i]));
    } else if (to_type == DType::kComplex128) {
      auto* out = static_cast<complex128*>(to);
      for (int64_t i = 0; i < n; ++i) out[i].imag(from[i].imag());
    }
  } else if constexpr (std::is_same_v<S, float>) {
    if (drop > 0) return cast_truncated<float, uint32_t>(from, to, to_type, n, drop);
    cast_tile(from, to, to_type, n);
  } else if constexpr (std::is_same_v<S, double>) {
    if (drop > 0) return cast_truncated<double, uint64_t>(from, to, to_type, n, drop);
    cast_tile(from, to, to_type, n);
  } else if constexpr (std::is_same_v<S, bool>) {
    cast_tile(reinterpret_cast<const uint8_t*>(from), to, to_type, n);
  } else {
    cast_tile(from, to, to_type, n);
  }
}

}  // namespace

void cast_elements(const void* from, DType from_type, void* to, DType to_type, int64_t n,
                   bool truncate) {
  // As in TensorFlow, what goes from double to bfloat16 is cut to float and rounded from there.
  const bool in_steps = to_type == DType::kBFloat16 && mantissa_bits(from_type) == 52;
  const int narrower = mantissa_bits(from_type) - (in_steps ? 23 : mantissa_bits(to_type));
  const int drop = truncate && mantissa_bits(to_type) > 0 && narrower > 0 ? narrower : 0;
  with_type(from_type, [&](auto type) {
    using S = typename decltype(type)::type;
    const S* source = static_cast<const S*>(from);
    char* target = static_cast<char*>(to);
    parallel_for(n, kBlock, n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kTile) {
        cast_any(source + i, target + i * size_of(to_type), to_type, std::min(kTile, end - i),
                 drop);
      }
    });
  });
}

}  // namespace agog
