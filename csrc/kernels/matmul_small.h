// Products that are not worth a library: tiny ones, and matrix times vector.
#pragma once

#include <algorithm>

#include "core/parallel.h"
#include "kernels/map.h"
#include "kernels/matmul.h"
#include "kernels/vec.h"

namespace agog::detail {

// Tiny: at most this much of b (in numbers) is copied to the stack, padded to whole registers.
inline constexpr int64_t kPanel = 1024;
inline constexpr int64_t kTinyWork = 4096;  // measured: beyond it oneDNN's 0.4 us per call pays

template <class T>
constexpr int64_t padded(int64_t n) {
  return (n + Vec<T>::width - 1) / Vec<T>::width * Vec<T>::width;
}

template <class T>
bool is_tiny(const Product& p) {
  return p.m * p.n * p.k <= kTinyWork && p.k * padded<T>(p.n) <= kPanel;
}

// R rows of c, one register of columns (`n` of them real). Rows of a are `row` apart, columns
// `col`.
template <class T, int R>
inline void tiny_rows(const T* a, int64_t row, int64_t col, const T* b, int64_t ldb, T* c,
                      int64_t ldc, int64_t k, int64_t n) {
  Vec<T> sum[R];
  for (int r = 0; r < R; ++r) sum[r] = Vec<T>(T(0));
  for (int64_t i = 0; i < k; ++i) {
    const Vec<T> vb = Vec<T>::load(b + i * ldb);
    for (int r = 0; r < R; ++r) {
      sum[r] = ei::pmadd(Vec<T>(a[r * row + i * col]).p, vb.p, sum[r].p);
    }
  }
  if (n == Vec<T>::width) {
    for (int r = 0; r < R; ++r) sum[r].store(c + r * ldc);
  } else {
    for (int r = 0; r < R; ++r) store_some(sum[r], c + r * ldc, n);
  }
}

// b as k rows of `width` numbers, the last ones zero.
template <class T>
void copy_panel(const Product& p, const T* b, T* panel, int64_t width) {
  for (int64_t i = 0; i < p.k; ++i) {
    T* to = panel + i * width;
    for (int64_t j = 0; j < p.n; ++j) to[j] = p.transpose_b ? b[j * p.k + i] : b[i * p.n + j];
    for (int64_t j = p.n; j < width; ++j) to[j] = T(0);
  }
}

template <class T>
void tiny_product(const Product& p, const Operands<T>& x) {
  constexpr int64_t W = Vec<T>::width;
  alignas(64) T panel[kPanel];
  const T* b = x.b;
  int64_t ldb = p.n;
  if (p.transpose_b || p.n % W != 0) {
    ldb = padded<T>(p.n);
    copy_panel(p, x.b, panel, ldb);
    b = panel;
  }
  const int64_t row = p.transpose_a ? 1 : p.k, col = p.transpose_a ? p.m : 1;
  for (int64_t j = 0; j < p.n; j += W) {
    const int64_t n = std::min(W, p.n - j);
    int64_t i = 0;
    for (; i + 4 <= p.m; i += 4) {
      tiny_rows<T, 4>(x.a + i * row, row, col, b + j, ldb, x.c + i * p.n + j, p.n, p.k, n);
    }
    for (; i < p.m; ++i) {
      tiny_rows<T, 1>(x.a + i * row, row, col, b + j, ldb, x.c + i * p.n + j, p.n, p.k, n);
    }
  }
}

template <class T>
T sum_of(Vec<T> v) {
  return ei::predux(v.p);
}

// The dot product of n numbers, in four registers; their order is fixed by n alone.
template <class T>
T dot(const T* x, const T* y, int64_t n) {
  constexpr int64_t W = Vec<T>::width;
  Vec<T> sum[4] = {Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0))};
  int64_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    for (int r = 0; r < 4; ++r) {
      sum[r] = ei::pmadd(Vec<T>::load(x + i + r * W).p, Vec<T>::load(y + i + r * W).p, sum[r].p);
    }
  }
  for (; i + W <= n; i += W) {
    sum[0] = ei::pmadd(Vec<T>::load(x + i).p, Vec<T>::load(y + i).p, sum[0].p);
  }
  T rest = 0;
  for (; i < n; ++i) rest += x[i] * y[i];
  return sum_of((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

// y[j] = sum of x[i] * matrix[i, j]: n columns of `ld` apart rows, four rows at a time.
template <class T>
void combine_rows(const T* matrix, int64_t ld, const T* x, T* y, int64_t k, int64_t n) {
  std::fill(y, y + n, T(0));
  int64_t i = 0;
  for (; i + 4 <= k; i += 4) {
    const T* r = matrix + i * ld;
    const T x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
    for (int64_t j = 0; j < n; ++j) {
      y[j] += (x0 * r[j] + x1 * r[ld + j]) + (x2 * r[2 * ld + j] + x3 * r[3 * ld + j]);
    }
  }
  for (; i < k; ++i) {
    for (int64_t j = 0; j < n; ++j) y[j] += x[i] * matrix[i * ld + j];
  }
}

// m == 1 or n == 1: one read of the matrix, whose rows are either dotted or combined.
template <class T>
void vector_product(const Product& p, const Operands<T>& x) {
  const bool a_is_matrix = p.n == 1;
  const T* matrix = a_is_matrix ? x.a : x.b;
  const T* vector = a_is_matrix ? x.b : x.a;
  const int64_t outputs = a_is_matrix ? p.m : p.n;
  const bool dots = a_is_matrix ? !p.transpose_a : p.transpose_b;
  const int64_t work = p.k * outputs;
  if (dots) {
    const int64_t block = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, p.k));
    parallel_for(outputs, block, work, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) x.c[i] = dot(matrix + i * p.k, vector, p.k);
    });
    return;
  }
  parallel_for(outputs, 512, work, [&](int64_t begin, int64_t end) {
    combine_rows(matrix + begin, outputs, vector, x.c + begin, p.k, end - begin);
  });
}

}  // namespace agog::detail
