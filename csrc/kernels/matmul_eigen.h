// Matrix products through Eigen's blocked kernel, called without its expression templates: those
// take a minute to compile and bring paths that the callers have anyway.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "kernels/matmul.h"

namespace agog::detail {

// The row-major c = op(a) op(b) seen as the column-major c' = op(b)' op(a)'.
template <class T, int OrderB, bool ConjB, int OrderA, bool ConjA>
void run_eigen(const Product& p, const Operands<T>& x, int64_t rows) {
  namespace ei = Eigen::internal;
  ei::gemm_blocking_space<Eigen::ColMajor, T, T, Eigen::Dynamic, Eigen::Dynamic, Eigen::Dynamic>
      blocking(p.n, rows, p.k, 1, true);
  ei::general_matrix_matrix_product<Eigen::Index, T, OrderB, ConjB, T, OrderA, ConjA,
                                    Eigen::ColMajor, 1>::run(p.n, rows, p.k, x.b,
                                                             p.transpose_b ? p.k : p.n, x.a,
                                                             p.transpose_a ? p.m : p.k, x.c, 1, p.n,
                                                             T(1), blocking, nullptr);
}

template <class T, int OrderB, bool ConjB>
void run_eigen(const Product& p, const Operands<T>& x, int64_t rows) {
  if (!p.transpose_a) return run_eigen<T, OrderB, ConjB, Eigen::ColMajor, false>(p, x, rows);
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    if (p.conj) return run_eigen<T, OrderB, ConjB, Eigen::RowMajor, true>(p, x, rows);
  }
  run_eigen<T, OrderB, ConjB, Eigen::RowMajor, false>(p, x, rows);
}

template <class T>
void eigen_product(const Product& p, const Operands<T>& whole, int64_t begin, int64_t end) {
  const Operands<T> x{whole.a + begin * (p.transpose_a ? 1 : p.k), whole.b, whole.c + begin * p.n};
  std::fill(x.c, x.c + (end - begin) * p.n, T(0));
  if (!p.transpose_b) return run_eigen<T, Eigen::ColMajor, false>(p, x, end - begin);
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    if (p.conj) return run_eigen<T, Eigen::RowMajor, true>(p, x, end - begin);
  }
  run_eigen<T, Eigen::RowMajor, false>(p, x, end - begin);
}

}  // namespace agog::detail
