// Mathematical functions for kernels: each takes a number or a Vec<T> and means the same for both. Where Eigen has a
// vectorised, NaN-correct version it is used; elsewhere the standard library runs lane by lane.
#pragma once

#include <complex>

#include "core/dtype.h"
#include "kernels/vec.h"

namespace agog::vmath {

template <class T, class A, class B>
Vec<T> select(Mask<T> m, A a, B b) {
  return Vec<T>(ei::pselect(m.p, Vec<T>(a).p, Vec<T>(b).p));
}
template <class A, class B>
A select(bool m, A a, B b) { return m ? a : static_cast<A>(b); }

template <class T> inline constexpr bool is_complex_number = false;
template <class T> inline constexpr bool is_complex_number<std::complex<T>> = true;

template <class T> Vec<T> abs(Vec<T> v) { return ei::pabs(v.p); }
template <class T> Vec<T> sqrt(Vec<T> v) { return ei::psqrt(v.p); }
template <class T> Vec<T> floor(Vec<T> v) { return ei::pfloor(v.p); }
template <class T> Vec<T> ceil(Vec<T> v) { return ei::pceil(v.p); }
template <class T> Vec<T> rint(Vec<T> v) { return ei::print(v.p); }
template <class T> Vec<T> exp(Vec<T> v) { return ei::pexp(v.p); }
template <class T> Vec<T> log(Vec<T> v) { return ei::plog(v.p); }
template <class T> Vec<T> min(Vec<T> a, Vec<T> b) { return ei::pmin<Eigen::PropagateNaN>(a.p, b.p); }
template <class T> Vec<T> max(Vec<T> a, Vec<T> b) { return ei::pmax<Eigen::PropagateNaN>(a.p, b.p); }
template <class T> Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) { return ei::pmadd(a.p, b.p, c.p); }

inline Vec<float> tanh(Vec<float> v) { return ei::ptanh(v.p); }
inline Vec<double> tanh(Vec<double> v) {
  return lanes(v, [](double x) { return std::tanh(x); });
}

template <class T> T square(T v) { return v * v; }

#define AGOG_SCALAR_MATH(fn)                                                       \
  inline float fn(float v) { return std::fn(v); }                                  \
  inline double fn(double v) { return std::fn(v); }                                \
  template <class T> std::complex<T> fn(std::complex<T> v) { return std::fn(v); }
AGOG_SCALAR_MATH(sqrt)
AGOG_SCALAR_MATH(exp)
AGOG_SCALAR_MATH(log)
AGOG_SCALAR_MATH(tanh)
#undef AGOG_SCALAR_MATH

}  // namespace agog::vmath
