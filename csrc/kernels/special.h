// Special functions of doubles, computed one number at a time; floats go through them and round
// once.
#pragma once

#include "kernels/vec.h"

namespace agog::special {

double lgamma(double x);
double digamma(double x);
// Hurwitz: the sum over k >= 0 of (q + k)^-x.
double zeta(double x, double q);
// Derivative number n of digamma.
double polygamma(double n, double x);
double erfinv(double x);
// The inverse of the normal distribution.
double ndtri(double p);
// Regularised incomplete gamma functions, lower and upper, and the slope of the lower one in a.
double igamma(double a, double x);
double igammac(double a, double x);
double igamma_grad_a(double a, double x);
// Regularised incomplete beta function.
double betainc(double a, double b, double x);
// Modified Bessel functions times e^-|x|.
double bessel_i0e(double x);
double bessel_i1e(double x);

// The function on every lane, in double.
template <class T, class F>
Vec<T> each(Vec<T> x, F f) {
  return lanes(x, [f](T v) { return static_cast<T>(f(static_cast<double>(v))); });
}
template <class T, class F>
Vec<T> each(Vec<T> a, Vec<T> b, F f) {
  return lanes(a, b, [f](T u, T v) {
    return static_cast<T>(f(static_cast<double>(u), static_cast<double>(v)));
  });
}

template <class T, class F>
Vec<T> each(Vec<T> a, Vec<T> b, Vec<T> c, F f) {
  alignas(64) T x[Vec<T>::width], y[Vec<T>::width], z[Vec<T>::width];
  a.store(x);
  b.store(y);
  c.store(z);
  for (int i = 0; i < Vec<T>::width; ++i) x[i] = static_cast<T>(f(x[i], y[i], z[i]));
  return Vec<T>::load(x);
}

}  // namespace agog::special
