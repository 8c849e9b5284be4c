// Powers.
#pragma once

#include <cmath>

#include "kernels/vmath.h"

namespace agog::vmath {

inline Vec<float> pow(Vec<float> x, Vec<float> y) {
  return lanes(x, y, [](float a, float b) { return b == 2 ? a * a : std::pow(a, b); });
}
inline Vec<double> pow(Vec<double> x, Vec<double> y) {
  return lanes(x, y, [](double a, double b) { return b == 2 ? a * a : std::pow(a, b); });
}
template <class T>
std::complex<T> pow(std::complex<T> x, std::complex<T> y) {
  if (x == std::complex<T>(0) && y == std::complex<T>(0)) return {T(NAN), T(NAN)};
  return std::pow(x, y);
}

// Wraps around; b must not be negative.
template <Integer T>
T integer_pow(T a, T b) {
  T result = 1;
  while (b > 0) {
    if (b & 1) result = mul(result, a);
    b = static_cast<T>(b >> 1);
    if (b > 0) a = mul(a, a);
  }
  return result;
}

}  // namespace agog::vmath
