// The error function and its complement for Vec<float> and Vec<double>.
#pragma once

#include "kernels/vmath_trig.h"

namespace agog::vmath {
namespace detail {

// e^(x^2) erfc(x) as a polynomial of (x - k) / (x + k), over 1 + 2 x.
inline Double erfc_for_float(Double x) {
  constexpr double kErfc[] = {0x1.3ccda0b67c520p+0,  -0x1.1f36768bec548p-3, 0x1.d5f1a9df5b903p-9,
                              0x1.5101692f6cce3p-4,  -0x1.bda859a7bfd57p-4, 0x1.7a14d023d086fp-4,
                              -0x1.e0e21f202c810p-5, 0x1.d07c41f89f533p-6,  -0x1.3e600e1277e48p-7,
                              0x1.df689313de4e4p-10, 0x1.2ba9fc679ad49p-12, -0x1.be7ec950bd7e9p-12,
                              -0x1.215dcedb03effp-14};
  const Double a = clamp(abs(x), 0.0, 10.5);  // erfc is 0 in float from here on
  const Double scaled = polynomial((a - 3.75) / (a + 3.75), kErfc) / (a + a + 1);
  const Double y = exp(-(a * a)) * scaled;
  return select(x < Double(0), 2 - y, y);
}

}  // namespace detail

inline Vec<float> erf(Vec<float> x) {
  constexpr float kSmall[] = {0x1.06eba8p-3f, -0x1.812746p-2f,  0x1.ce2f08p-4f,  -0x1.b829c8p-6f,
                              0x1.562a60p-8f, -0x1.bccf66p-11f, 0x1.d88750p-14f, -0x1.445f48p-17f};
  // log erfc(x), for 1 <= x <= 4; erf is 1 beyond
  constexpr float kLarge[] = {0x1.1ec26ep-12f,  -0x1.2145a8p+0f, -0x1.43d454p-1f, -0x1.bf17fap-4f,
                              0x1.a3375cp-6f,   -0x1.17414cp-8f, 0x1.9fbf84p-12f, 0x1.f3cc62p-18f,
                              -0x1.f51ae6p-18f, 0x1.df2cb0p-21f, -0x1.496642p-25f};
  const Vec<float> a = clamp(abs(x), 0.0f, 4.0f);
  const Vec<float> z = x * x;
  const Vec<float> small = fma(x, polynomial(z, kSmall), x);
  const Vec<float> large = copysign(1 - exp(polynomial(a, kLarge)), x);
  return select(a < 1.0f, small, large);
}
inline Vec<double> erf(Vec<double> x) {
  return lanes(x, [](double v) { return std::erf(v); });
}
inline Vec<float> erfc(Vec<float> x) { return in_double(x, detail::erfc_for_float); }
inline Vec<double> erfc(Vec<double> x) {
  return lanes(x, [](double v) { return std::erfc(v); });
}

}  // namespace agog::vmath
