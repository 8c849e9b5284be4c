// exp, log and their relatives for Vec<float> and Vec<double>: within about an ulp on the whole
// range, subnormal numbers, infinities and NaN included. The coefficients come from
// tools/fit_polynomials.py.
#pragma once

#include "kernels/vec.h"

namespace agog::vmath {

template <class T>
Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return ei::pmadd(a.p, b.p, c.p);
}
template <class T>
Vec<T> abs(Vec<T> v) {
  return ei::pabs(v.p);
}

template <class T, class A, class B>
Vec<T> select(Mask<T> m, A a, B b) {
  return Vec<T>(ei::pselect(m.p, Vec<T>(a).p, Vec<T>(b).p));
}
template <class A, class B>
A select(bool m, A a, B b) {
  return m ? a : static_cast<A>(b);
}

// NaN stays NaN.
template <class T>
Vec<T> clamp(Vec<T> v, T low, T high) {
  return ei::pmax(ei::pmin(v.p, Vec<T>(high).p), Vec<T>(low).p);
}
// The magnitude of `a` with the sign of `b`.
template <class T>
Vec<T> copysign(Vec<T> a, Vec<T> b) {
  const auto sign = bits(Vec<T>(T(-0.0)));
  return from_bits<T>((bits(a) & ~sign) | (bits(b) & sign));
}
template <class T>
Mask<T> is_nan(Vec<T> v) {
  return {ei::pcmp_lt_or_nan(v.p, Vec<T>(-INFINITY).p)};
}

// c[0] + c[1] x + ... + c[N - 1] x^(N - 1)
template <class T, size_t N>
Vec<T> polynomial(Vec<T> x, const T (&c)[N]) {
  Vec<T> y = c[N - 1];
  for (size_t i = N - 1; i-- > 0;) y = fma(y, x, Vec<T>(c[i]));
  return y;
}

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
  static constexpr int mantissa = 23;
  static constexpr float log2_e = 0x1.715476p0f;
  static constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  static constexpr float magic = 0x1.8p23f;        // adding it leaves an integer in the low bits
  static constexpr float least = -104, most = 89;  // exp is 0 below and infinite above
  static constexpr float expm1_least = -20;        // expm1 is -1 below
  static constexpr float expm1_tiny = 0x1p-25f;
  static constexpr float expm1[] = {0x1p-1f,        0x1.555556p-3f,  0x1.5554eap-5f,
                                    0x1.1110e0p-7f, 0x1.6d4324p-10f, 0x1.a124f2p-13f};
  static constexpr float log[] = {0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c40p-2f, 0x1.ddcf72p-3f};
  static constexpr float least_normal = 0x1p-126f, normalise = 0x1p24f, normalised = 24;
  static constexpr uint32_t sqrt_half_bits = 0x3f3504f3u;
  static constexpr uint32_t one_bits = 0x3f800000u, unit_bits = 0x4b000000u;  // 2^23
  static constexpr float unit_bias = 0x1p23f + 127;
};

template <>
struct ExpConstants<double> {
  static constexpr int mantissa = 52;
  static constexpr double log2_e = 0x1.71547652b82fep0;
  static constexpr double ln2_high = 0x1.62e42ffp-1, ln2_low = -0x1.718432a1b0e26p-35;
  static constexpr double magic = 0x1.8p52;
  static constexpr double least = -746, most = 710;
  static constexpr double expm1_least = -40;
  static constexpr double expm1_tiny = 0x1p-54;
  static constexpr double expm1[] = {0x1p-1,
                                     0x1.5555555555557p-3,
                                     0x1.5555555555556p-5,
                                     0x1.11111111100dcp-7,
                                     0x1.6c16c16c162d4p-10,
                                     0x1.a01a01abe7fe1p-13,
                                     0x1.a01a01a6d889cp-16,
                                     0x1.71de0231960ebp-19,
                                     0x1.27e4db646b17ep-22,
                                     0x1.af4de97ca4194p-26,
                                     0x1.1f730349868cep-29};
  static constexpr double log[] = {0x1.5555555555558p-1, 0x1.99999999952d7p-2, 0x1.2492492df281ap-2,
                                   0x1.c71c62e3f11e6p-3, 0x1.7462b51cb66b1p-3, 0x1.39fe51a7c18f9p-3,
                                   0x1.2b5900de53b32p-3};
  static constexpr double least_normal = 0x1p-1022, normalise = 0x1p54, normalised = 54;
  static constexpr uint64_t sqrt_half_bits = 0x3fe6a09e667f3bcdull;
  static constexpr uint64_t one_bits = 0x3ff0000000000000ull, unit_bits = 0x4330000000000000ull;
  static constexpr double unit_bias = 0x1p52 + 1023;
};

namespace detail {

// The nearest integer, for arguments far below 2^mantissa.
template <class T>
Vec<T> nearest(Vec<T> v) {
  return (v + ExpConstants<T>::magic) - ExpConstants<T>::magic;
}
// 2^n for integers n that are exponents of normal numbers.
template <class T>
Vec<T> power_of_two(Vec<T> n) {
  using C = ExpConstants<T>;
  return from_bits<T>((bits(n + C::magic) << C::mantissa) + C::one_bits);
}
// x = n log 2 + r; expm1(r).
template <class T>
Vec<T> reduced_expm1(Vec<T> x, Vec<T>& n) {
  using C = ExpConstants<T>;
  n = nearest(x * C::log2_e);
  Vec<T> r = fma(n, Vec<T>(-C::ln2_high), x);
  r = fma(n, Vec<T>(-C::ln2_low), r);
  return fma(r * r, polynomial(r, C::expm1), r);
}

// 2^shift e^x: for results whose factor e^x alone would overflow.
template <class T>
Vec<T> scaled_exp(Vec<T> x, T shift) {
  using C = ExpConstants<T>;
  Vec<T> n;
  const Vec<T> p = reduced_expm1(clamp(x, C::least, C::most + 1), n) + 1;
  // In two steps: the scale may lie beyond the normal numbers.
  const Vec<T> half = nearest(n * T(0.5));
  return p * power_of_two(half) * power_of_two(n - half + shift);
}

// log(x) + rest, where rest is far below an ulp of x.
template <class T>
Vec<T> log_plus(Vec<T> x, Vec<T> rest) {
  using C = ExpConstants<T>;
  const Mask<T> small = x < Vec<T>(C::least_normal);
  const Bits<T> shifted =
      bits(select(small, x * C::normalise, x)) + (C::one_bits - C::sqrt_half_bits);
  const Vec<T> exponent = from_bits<T>((shifted >> C::mantissa) | C::unit_bits) -
                          select(small, Vec<T>(C::unit_bias + C::normalised), Vec<T>(C::unit_bias));
  const auto fraction = (typename BitsOf<T>::Lane{1} << C::mantissa) - 1;
  const Vec<T> f = from_bits<T>((shifted & fraction) + C::sqrt_half_bits) - 1;
  const Vec<T> half_square = f * f * T(0.5);
  const Vec<T> s = f / (f + 2);
  const Vec<T> z = s * s;
  const Vec<T> tail = z * polynomial(z, C::log);
  const Vec<T> low = fma(exponent, Vec<T>(C::ln2_low), rest);
  const Vec<T> minus = (half_square - fma(s, half_square + tail, low)) - f;
  const Vec<T> y = fma(exponent, Vec<T>(C::ln2_high), -minus);
  const Vec<T> at_ends = select(x == Vec<T>(0), Vec<T>(-INFINITY), x + Vec<T>(INFINITY));
  const Mask<T> ordinary = (x > Vec<T>(0)) & (x < Vec<T>(INFINITY));
  return select(ordinary, y, select(x < Vec<T>(0), Vec<T>(NAN), at_ends));
}

}  // namespace detail

template <class T>
Vec<T> exp(Vec<T> x) {
  return detail::scaled_exp(x, T(0));
}

template <class T>
Vec<T> expm1(Vec<T> x) {
  using C = ExpConstants<T>;
  Vec<T> n;
  const Vec<T> p = detail::reduced_expm1(clamp(x, C::expm1_least, C::most), n);
  const Vec<T> half = detail::power_of_two(n - 1);  // half the scale: the whole may overflow
  const Vec<T> y = fma(half, p, half - T(0.5)) * 2;
  return select(abs(x) < Vec<T>(C::expm1_tiny), x, y);
}

template <class T>
Vec<T> log(Vec<T> x) {
  return detail::log_plus(x, Vec<T>(0));
}

template <class T>
Vec<T> log1p(Vec<T> x) {
  const Vec<T> u = x + 1;
  const Vec<T> lost = select(x < Vec<T>(1), x - (u - 1), 1 - (u - x));
  return select(x == Vec<T>(0), x, detail::log_plus(u, lost / u));
}

template <class T>
Vec<T> sigmoid(Vec<T> x) {
  const Vec<T> e = exp(-abs(x));
  return select(x < Vec<T>(0), e, Vec<T>(1)) / (e + 1);
}
// The slope of the sigmoid, right in the tails, too: e^-|x| / (1 + e^-|x|)^2.
template <class T>
Vec<T> sigmoid_slope(Vec<T> x) {
  const Vec<T> e = exp(-abs(x));
  return e / ((e + 1) * (e + 1));
}

template <class T>
Vec<T> tanh(Vec<T> x) {
  const Vec<T> a = clamp(abs(x), T(0), T(22));  // 1 from here on
  const Vec<T> e = expm1(a + a);
  return copysign(e / (e + 2), x);
}

template <class T>
Vec<T> cosh(Vec<T> x) {
  const Vec<T> half = detail::scaled_exp(abs(x), T(-1));
  return half + T(0.25) / half;
}
template <class T>
Vec<T> sinh(Vec<T> x) {
  const Vec<T> a = abs(x);
  const Vec<T> half = detail::scaled_exp(a, T(-1));
  const Vec<T> e = expm1(clamp(a, T(0), T(2)));
  const Vec<T> y = select(a < Vec<T>(1), (e + e / (e + 1)) * T(0.5), half - T(0.25) / half);
  return copysign(y, x);
}

}  // namespace agog::vmath
