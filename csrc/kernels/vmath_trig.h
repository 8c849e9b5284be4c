// Trigonometric and hyperbolic functions and their inverses. Floats are computed in double, which
// makes range reduction easy and rounds nearly right; doubles take the standard library's functions
// lane by lane.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/vmath_exp.h"

namespace agog::vmath {

// f, a function of Vec<double>, on floats.
template <class F>
Vec<float> in_double(Vec<float> v, F f) {
  constexpr int W = Vec<double>::width;
  alignas(64) float lanes[Vec<float>::width];
  v.store(lanes);
  for (int i = 0; i < Vec<float>::width; i += W) {
    alignas(64) double wide[W];
    for (int k = 0; k < W; ++k) wide[k] = lanes[i + k];
    Vec<double>(f(Vec<double>::load(wide))).store(wide);
    for (int k = 0; k < W; ++k) lanes[i + k] = static_cast<float>(wide[k]);
  }
  return Vec<float>::load(lanes);
}

namespace detail {

using Double = Vec<double>;

// Beyond this, n * kHalfPiHigh is no longer exact.
inline constexpr float kTrigLimit = 0x1p20f;

// x = n pi / 2 + r: sine and cosine of r, and the quarter that n falls into.
struct Quarter {
  Double sin, cos;
  Bits<double> n;
};
inline Quarter quarter(Double x) {
  constexpr double kHigh = 0x1.921fb544p0, kLow = 0x1.0b4611a626331p-34;
  constexpr double kSin[] = {-0x1.555555545df18p-3, 0x1.11110deef0ae3p-7, -0x1.a013a740c35cep-13,
                             0x1.6dbded5452c9cp-19};
  constexpr double kCos[] = {0x1.5555555502c6dp-5, -0x1.6c16bf54be1f5p-10, 0x1.a015c4462d9e2p-16,
                             -0x1.25243c2f39550p-22};
  const Double shifted = x * (2 * std::numbers::inv_pi) + ExpConstants<double>::magic;
  const Double n = shifted - ExpConstants<double>::magic;
  const Double r = fma(n, Double(-kLow), fma(n, Double(-kHigh), x));
  const Double z = r * r;
  return {fma(r * z, polynomial(z, kSin), r),
          fma(z * z, polynomial(z, kCos), fma(z, Double(-0.5), Double(1.0))), bits(shifted)};
}
inline Mask<double> is_odd(Bits<double> n) { return {from_bits<double>(-(n & 1)).p}; }
// Negative where bit 1 of n is set.
inline Double with_sign_of(Double v, Bits<double> n) {
  return from_bits<double>(bits(v) ^ ((n & 2) << 62));
}

inline Double sin_for_float(Double x) {
  const Quarter q = quarter(x);
  return with_sign_of(select(is_odd(q.n), q.cos, q.sin), q.n);
}
inline Double cos_for_float(Double x) {
  const Quarter q = quarter(x);
  return with_sign_of(select(is_odd(q.n), q.sin, q.cos), q.n + 1);
}
inline Double tan_for_float(Double x) {
  const Quarter q = quarter(x);
  const Mask<double> odd = is_odd(q.n);
  return select(odd, -q.cos, q.sin) / select(odd, q.sin, q.cos);
}

inline Double atan_for_float(Double x) {
  constexpr double kAtan[] = {-0x1.55555555020aap-2, 0x1.9999982560b1bp-3,  -0x1.2491c07b55c0bp-3,
                              0x1.c6f683c68ff3fp-4,  -0x1.71d3963f586fcp-4, 0x1.24425ba99f811p-4,
                              -0x1.4b348fe081416p-5};
  constexpr double kTan1 = 0.41421356237309503, kTan3 = 2.414213562373095;  // of pi/8, 3 pi/8
  const Double a = abs(x);
  const Mask<double> middle = a > Double(kTan1), large = a > Double(kTan3);
  const Double t =
      select(large, -1.0, select(middle, a - 1, a)) / select(large, a, select(middle, a + 1, 1.0));
  const Double base =
      select(large, std::numbers::pi / 2, select(middle, std::numbers::pi / 4, 0.0));
  const Double z = t * t;
  return copysign(base + fma(t * z, polynomial(z, kAtan), t), x);
}

// asin(s) for s = |x| <= 1/2, else for s = sqrt((1 - |x|) / 2).
inline Double half_asin(Double a, Mask<double> large) {
  constexpr double kAsin[] = {0x1.5555555554f05p-3, 0x1.33333335a9cd6p-4, 0x1.6db6d8e71341bp-5,
                              0x1.f1c81c59ea536p-6, 0x1.6e72146fda29ep-6, 0x1.1dc2ef640046fp-6,
                              0x1.b02442413f6bap-7, 0x1.00d47e7966d94p-6, -0x1.815314c864b09p-9,
                              0x1.c93a92d53b4f1p-6};
  const Double z = select(large, (1 - a) * 0.5, a * a);
  const Double s = select(large, Double(ei::psqrt(z.p)), a);
  return fma(s * z, polynomial(z, kAsin), s);
}
inline Double asin_for_float(Double x) {
  const Double a = abs(x);
  const Mask<double> large = a > Double(0.5);
  const Double p = half_asin(a, large);
  return copysign(select(large, std::numbers::pi / 2 - (p + p), p), x);
}
inline Double acos_for_float(Double x) {
  const Double a = abs(x);
  const Mask<double> large = a > Double(0.5);
  const Double p = half_asin(a, large);
  const Double ends = select(x < Double(0), std::numbers::pi - (p + p), p + p);
  return select(large, ends, std::numbers::pi / 2 - copysign(p, x));
}

inline Double asinh_for_float(Double x) {
  const Double a = abs(x);
  const Double square = clamp(a * a, 0.0, 1e300);
  return copysign(log1p(a + square / (Double(ei::psqrt((square + 1).p)) + 1)), x);
}
inline Double acosh_for_float(Double x) {
  const Double t = x - 1;
  const Double y = log1p(t + Double(ei::psqrt((t * (t + 2)).p)));
  return select(x < Double(1), NAN, y);
}
inline Double atanh_for_float(Double x) {
  const Double a = abs(x);
  return copysign(log1p((a + a) / (1 - a)) * 0.5, x);
}

}  // namespace detail

inline Vec<float> sin(Vec<float> x) {
  const Vec<float> y = in_double(x, detail::sin_for_float);
  return patch(select(x == 0.0f, x, y), abs(x) > detail::kTrigLimit, x,
               [](float v) { return std::sin(v); });
}
inline Vec<float> cos(Vec<float> x) {
  return patch(in_double(x, detail::cos_for_float), abs(x) > detail::kTrigLimit, x,
               [](float v) { return std::cos(v); });
}
inline Vec<float> tan(Vec<float> x) {
  const Vec<float> y = in_double(x, detail::tan_for_float);
  return patch(select(x == 0.0f, x, y), abs(x) > detail::kTrigLimit, x,
               [](float v) { return std::tan(v); });
}
inline Vec<float> atan(Vec<float> x) { return in_double(x, detail::atan_for_float); }
inline Vec<float> asin(Vec<float> x) { return in_double(x, detail::asin_for_float); }
inline Vec<float> acos(Vec<float> x) { return in_double(x, detail::acos_for_float); }
inline Vec<float> asinh(Vec<float> x) { return in_double(x, detail::asinh_for_float); }
inline Vec<float> acosh(Vec<float> x) { return in_double(x, detail::acosh_for_float); }
inline Vec<float> atanh(Vec<float> x) { return in_double(x, detail::atanh_for_float); }
inline Vec<float> atan2(Vec<float> y, Vec<float> x) {
  return lanes(y, x, [](float b, float a) {
    return static_cast<float>(std::atan2(static_cast<double>(b), static_cast<double>(a)));
  });
}

inline Vec<double> sin(Vec<double> x) {
  return lanes(x, [](double v) { return std::sin(v); });
}
inline Vec<double> cos(Vec<double> x) {
  return lanes(x, [](double v) { return std::cos(v); });
}
inline Vec<double> tan(Vec<double> x) {
  return lanes(x, [](double v) { return std::tan(v); });
}
inline Vec<double> asin(Vec<double> x) {
  return lanes(x, [](double v) { return std::asin(v); });
}
inline Vec<double> acos(Vec<double> x) {
  return lanes(x, [](double v) { return std::acos(v); });
}
inline Vec<double> atan(Vec<double> x) {
  return lanes(x, [](double v) { return std::atan(v); });
}
inline Vec<double> asinh(Vec<double> x) {
  return lanes(x, [](double v) { return std::asinh(v); });
}
inline Vec<double> acosh(Vec<double> x) {
  return lanes(x, [](double v) { return std::acosh(v); });
}
inline Vec<double> atanh(Vec<double> x) {
  return lanes(x, [](double v) { return std::atanh(v); });
}
inline Vec<double> atan2(Vec<double> y, Vec<double> x) {
  return lanes(y, x, [](double b, double a) { return std::atan2(b, a); });
}

}  // namespace agog::vmath
