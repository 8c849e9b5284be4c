// Matrix products: c[m,n] = op(a)[m,k] op(b)[k,n], row-major.
//
// Tiny products and matrix-vector products are written out here; larger ones of floats go to
// oneDNN, the rest to Eigen; integers have loops of their own. Half types compute in float and
// round once.
#pragma once

#include <cstdint>

#include "core/dtype.h"

namespace agog {

struct Product {
  int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  bool conj = false;  // transposing also conjugates
};

// Products i of a batch, at a + a_of(i) * m * k and so on; the offsets count matrices.
struct Batch {
  int64_t count = 1;
  const int64_t* a_of = nullptr;  // null: i
  const int64_t* b_of = nullptr;
};

// Only the dtypes of kProductTypes.
inline constexpr TypeSet kProductTypes =
    kInexact | types(DType::kInt16, DType::kInt32, DType::kInt64);
void matmul(DType dtype, const Product& p, const Batch& batch, const void* a, const void* b,
            void* c);

namespace detail {

template <class T>
struct Operands {
  const T* a;
  const T* b;
  T* c;
};
// Through Eigen: float, double, complex64, complex128. Single-threaded: rows [begin, end) of c.
template <class T>
void eigen_product(const Product& p, const Operands<T>& x, int64_t begin, int64_t end);

}  // namespace detail
}  // namespace agog
