// The error function and its complement for Vec<float> and Vec<double>.
#pragma once

#include "kernels/vmath_trig.h"

namespace agog::vmath {
namespace detail {

// What a * a rounds away, exactly (Dekker, 1971), for 2^-40 < a < 2^50.
inline Vec<float> lost_by_square(Vec<float> a, Vec<float> square) {
  const Vec<float> wide = a * Vec<float>(4097.0f);
  const Vec<float> high = wide - (wide - a), low = a - high;
  return ((high * high - square) + (high + high) * low) + low * low;
}

// erf(x) for |x| < 1
inline Vec<float> small_erf(Vec<float> x) {
  constexpr float kSmall[] = {0x1.06eba8p-3f, -0x1.812746p-2f,  0x1.ce2f08p-4f,  -0x1.b829c8p-6f,
                              0x1.562a60p-8f, -0x1.bccf66p-11f, 0x1.d88750p-14f, -0x1.445f48p-17f};
  return fma(x, polynomial(x * x, kSmall), x);
}

}  // namespace detail

inline Vec<float> erf(Vec<float> x) {
  // log erfc(x), for 1 <= x <= 4; erf is 1 beyond
  constexpr float kLarge[] = {0x1.1ec26ep-12f,  -0x1.2145a8p+0f, -0x1.43d454p-1f, -0x1.bf17fap-4f,
                              0x1.a3375cp-6f,   -0x1.17414cp-8f, 0x1.9fbf84p-12f, 0x1.f3cc62p-18f,
                              -0x1.f51ae6p-18f, 0x1.df2cb0p-21f, -0x1.496642p-25f};
  const Vec<float> a = clamp(abs(x), 0.0f, 4.0f);
  const Vec<float> large = copysign(1 - exp(polynomial(a, kLarge)), x);
  return select(a < 1.0f, detail::small_erf(x), large);
}
inline Vec<double> erf(Vec<double> x) {
  return lanes(x, [](double v) { return std::erf(v); });
}
inline Vec<float> erfc(Vec<float> x) {
  // e^(x^2) erfc(x) as a polynomial of (x - k) / (x + k), over 1 + 2 x
  constexpr float kErfc[] = {
      0x1.3ccda0b67c520p+0f,  -0x1.1f36768bec548p-3f, 0x1.d5f1a9df5b903p-9f,
      0x1.5101692f6cce3p-4f,  -0x1.bda859a7bfd57p-4f, 0x1.7a14d023d086fp-4f,
      -0x1.e0e21f202c810p-5f, 0x1.d07c41f89f533p-6f,  -0x1.3e600e1277e48p-7f,
      0x1.df689313de4e4p-10f, 0x1.2ba9fc679ad49p-12f, -0x1.be7ec950bd7e9p-12f,
      -0x1.215dcedb03effp-14f};
  const Vec<float> a = clamp(abs(x), 0.0f, 10.5f);  // erfc is 0 in float from here on
  const Vec<float> scaled = polynomial((a - 3.75f) / (a + 3.75f), kErfc) / (a + a + 1.0f);
  const Vec<float> square = a * a;
  const Vec<float> near = exp(-square) * scaled;
  const Vec<float> y = near - near * detail::lost_by_square(a, square);
  // Near 0 the difference is as good, and 1 at 0.
  return select(a < 0.4f, 1.0f - detail::small_erf(x), select(x < Vec<float>(0.0f), 2.0f - y, y));
}
inline Vec<double> erfc(Vec<double> x) {
  return lanes(x, [](double v) { return std::erfc(v); });
}

}  // namespace agog::vmath
