// Mathematical functions for kernels: each takes a number or a Vec<T> and means the same for both.
#pragma once

#include <complex>
#include <limits>

#include "core/dtype.h"
#include "kernels/vec.h"
#include "kernels/vmath_exp.h"
#include "kernels/vmath_trig.h"

namespace agog::vmath {

template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class T>
Vec<T> sqrt(Vec<T> v) {
  return ei::psqrt(v.p);
}
// What rounding `v` gave, a zero with the sign of `v`: where the CPU has no instructions to round
// (before SSE4.1), Eigen adds a large number and takes it away again, which leaves +0.
template <class T>
Vec<T> rounded(Vec<T> result, [[maybe_unused]] Vec<T> v) {
#if defined(__SSE2__) && !defined(__SSE4_1__)
  return copysign(result, v);
#else
  return result;
#endif
}
template <class T>
Vec<T> floor(Vec<T> v) {
  return rounded(Vec<T>(ei::pfloor(v.p)), v);
}
template <class T>
Vec<T> ceil(Vec<T> v) {
  return rounded(Vec<T>(ei::pceil(v.p)), v);
}
template <class T>
Vec<T> rint(Vec<T> v) {
  return rounded(Vec<T>(ei::print(v.p)), v);
}
// Towards zero.
template <class T>
Vec<T> trunc(Vec<T> v) {
  return copysign(floor(abs(v)), v);
}

// NaN in either makes NaN; of two equal numbers (zeros of both signs) the first.
template <class T>
Vec<T> min(Vec<T> a, Vec<T> b) {
  return select(is_nan(b), b, select(b < a, b, a));
}
template <class T>
Vec<T> max(Vec<T> a, Vec<T> b) {
  return select(is_nan(b), b, select(a < b, b, a));
}
template <class T>
  requires std::is_arithmetic_v<T>
T min(T a, T b) {
  return b < a || b != b ? b : a;
}
template <class T>
  requires std::is_arithmetic_v<T>
T max(T a, T b) {
  return a < b || b != b ? b : a;
}

// Arithmetic that wraps around for integers, where C++ would leave it undefined.
template <class T>
concept Integer = std::is_integral_v<T>;
template <Integer T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <class V>
V add(V a, V b) {
  return a + b;
}
template <class V>
V sub(V a, V b) {
  return a - b;
}
template <class V>
V mul(V a, V b) {
  return a * b;
}
template <class V>
V neg(V a) {
  return -a;
}
template <Integer T>
T add(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
}
template <Integer T>
T sub(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
}
template <Integer T>
T mul(T a, T b) {
  return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
}
template <Integer T>
T neg(T a) {
  return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(a));
}
template <Integer T>
T abs(T a) {
  return a < T(0) ? neg(a) : a;
}
// -v that is not folded into what surrounds it: GCC 12 makes fused products of a difference beside
// a sum of products, whatever -ffp-contract says.
template <class T>
T negated(T v) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
  return __builtin_assoc_barrier(-v);
#else
  return -v;
#endif
}
// Without the recovery of infinities that C demands, which no vector unit does.
template <class T>
std::complex<T> mul(std::complex<T> a, std::complex<T> b) {
  const T minus = negated(a.imag());
  return {a.real() * b.real() + minus * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// v conj(v)
template <class V>
V squared_modulus(V v) {
  return mul(v, v);
}
template <class T>
std::complex<T> squared_modulus(std::complex<T> v) {
  return std::norm(v);
}
template <class V>
V one(V) {
  return V(Lane<V>(1));
}
template <class V>
V half(V v) {
  return v * V(Lane<V>(0.5));
}
template <class T>
std::complex<T> half(std::complex<T> v) {
  return v * T(0.5);
}
template <class V>
V square(V v) {
  return mul(v, v);
}

template <class T>
Vec<T> sign(Vec<T> v) {
  const Vec<T> one = select(v < Vec<T>(0), Vec<T>(-1), Vec<T>(1));
  // Zeros lose their sign; NaN stays.
  return select(v == Vec<T>(0), Vec<T>(0), select(is_nan(v), v, one));
}
template <Integer T>
T sign(T v) {
  return static_cast<T>((v > T(0)) - (v < T(0)));
}
template <class T>
std::complex<T> sign(std::complex<T> v) {
  return v == std::complex<T>(0) ? std::complex<T>(0) : v / std::abs(v);
}

template <class T>
Vec<T> reciprocal(Vec<T> v) {
  return Vec<T>(1) / v;
}
template <class T>
std::complex<T> reciprocal(std::complex<T> v) {
  return T(1) / v;
}
template <class T>
Vec<T> rsqrt(Vec<T> v) {
  return Vec<T>(1) / sqrt(v);
}
template <class T>
std::complex<T> rsqrt(std::complex<T> v) {
  return T(1) / std::sqrt(v);
}

// The conjugate; other numbers as they are.
template <class V>
V conj(V v) {
  return v;
}
template <class T>
std::complex<T> conj(std::complex<T> v) {
  return std::conj(v);
}

#define AGOG_COMPLEX_MATH(fn)             \
  template <class T>                      \
  std::complex<T> fn(std::complex<T> v) { \
    return std::fn(v);                    \
  }
AGOG_COMPLEX_MATH(sqrt)
AGOG_COMPLEX_MATH(exp)
AGOG_COMPLEX_MATH(log)
AGOG_COMPLEX_MATH(sin)
AGOG_COMPLEX_MATH(cos)
AGOG_COMPLEX_MATH(tan)
AGOG_COMPLEX_MATH(asin)
AGOG_COMPLEX_MATH(acos)
AGOG_COMPLEX_MATH(atan)
AGOG_COMPLEX_MATH(sinh)
AGOG_COMPLEX_MATH(cosh)
AGOG_COMPLEX_MATH(tanh)
AGOG_COMPLEX_MATH(asinh)
AGOG_COMPLEX_MATH(acosh)
AGOG_COMPLEX_MATH(atanh)
#undef AGOG_COMPLEX_MATH

// e^x - 1 = (e^re - 1) cos im - 2 sin^2(im / 2) + i e^re sin im
template <class T>
std::complex<T> expm1(std::complex<T> v) {
  const T s = std::sin(v.imag() / 2), e = std::expm1(v.real());
  return {e * std::cos(v.imag()) - 2 * s * s, (e + 1) * std::sin(v.imag())};
}
template <class T>
std::complex<T> log1p(std::complex<T> v) {
  const T re = v.real(), im = v.imag();
  // |1 + v|^2 - 1 without cancellation; far from 0 the plain logarithm is as good and does not
  // overflow.
  if (std::abs(re) < T(0.5) && std::abs(im) < T(0.5)) {
    return {std::log1p(re * (re + 2) + im * im) / 2, std::atan2(im, re + 1)};
  }
  return std::log(v + T(1));
}
template <class T>
std::complex<T> sigmoid(std::complex<T> v) {
  if (v.real() >= 0) return T(1) / (T(1) + std::exp(-v));
  const std::complex<T> e = std::exp(v);
  return e / (T(1) + e);
}
template <class T>
std::complex<T> sigmoid_slope(std::complex<T> v) {
  const std::complex<T> e = std::exp(v.real() < 0 ? v : -v), d = T(1) + e;
  return e / (d * d);
}

// 1 / cosh(x)^2
template <class V>
V tanh_slope(V x) {
  const V half_slope = sigmoid_slope(x + x);
  const V twice = half_slope + half_slope;
  return twice + twice;
}

// Plain floats run the vector code on one lane, so that they agree with it to the bit.
template <class T, class F>
  requires std::is_floating_point_v<T>
T one_lane(T x, F f) {
  alignas(64) T lanes[Vec<T>::width];
  f(Vec<T>(x)).store(lanes);
  return lanes[0];
}
inline float exp(float x) {
  return one_lane(x, [](auto v) { return exp(v); });
}
inline double exp(double x) {
  return one_lane(x, [](auto v) { return exp(v); });
}
inline float log(float x) {
  return one_lane(x, [](auto v) { return log(v); });
}
inline double log(double x) {
  return one_lane(x, [](auto v) { return log(v); });
}
inline float tanh(float x) {
  return one_lane(x, [](auto v) { return tanh(v); });
}
inline double tanh(double x) {
  return one_lane(x, [](auto v) { return tanh(v); });
}
inline float sigmoid(float x) {
  return one_lane(x, [](auto v) { return sigmoid(v); });
}
inline double sigmoid(double x) {
  return one_lane(x, [](auto v) { return sigmoid(v); });
}
inline float log1p(float x) {
  return one_lane(x, [](auto v) { return log1p(v); });
}
inline double log1p(double x) {
  return one_lane(x, [](auto v) { return log1p(v); });
}
inline float sqrt(float x) { return std::sqrt(x); }
inline double sqrt(double x) { return std::sqrt(x); }

}  // namespace agog::vmath
