#include "kernels/top_k.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "kernels/map.h"

namespace agog {
namespace {

constexpr int64_t kFew = 32;  // beyond it, sorting

template <class T>
auto comparable(T v) {
  if constexpr (kHalfType<T>) {
    return static_cast<float>(v);
  } else {
    return v;
  }
}

// A total order, so that sorting is safe and has one result.
template <class T>
struct Before {
  const T* x;
  bool operator()(int32_t i, int32_t j) const {
    const auto a = comparable(x[i]), b = comparable(x[j]);
    if (a > b) return true;
    if (a < b) return false;
    const bool nan_a = a != a, nan_b = b != b;
    return nan_a == nan_b ? i < j : nan_a;
  }
};

// The k largest so far in a sorted list: most numbers lose against its last one and are done.
template <class T>
void insert_largest(const T* x, int32_t* order, int64_t n, int64_t k) {
  const Before<T> before{x};
  int64_t count = 0;
  for (int32_t i = 0; i < n; ++i) {
    if (count == k && comparable(x[i]) <= comparable(x[order[k - 1]])) continue;
    if (count == k && !before(i, order[k - 1])) continue;
    int64_t at = count < k ? count++ : k - 1;
    for (; at > 0 && before(i, order[at - 1]); --at) order[at] = order[at - 1];
    order[at] = i;
  }
}

template <class T>
void largest_first(const T* x, int32_t* order, int64_t n, int64_t k) {
  const Before<T> before{x};
  if (k <= kFew) return insert_largest(x, order, n, k);
  std::iota(order, order + n, 0);
  if (k < n) std::nth_element(order, order + k, order + n, before);
  std::sort(order, order + k, before);
}

}  // namespace

void top_k(const Tensor& x, int64_t k, const Tensor& values, const Tensor& indices) {
  if (values.num_elements() == 0) return;
  const int64_t n = x.dim(x.rank() - 1), rows = x.num_elements() / n;
  const Tensor scratch = Tensor::empty(DType::kInt32, Shape{rows, n});
  with_type(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(kReal, dtype_of<T>)) {
      const int64_t block = std::max<int64_t>(1, (1 << 12) / n);
      parallel_for(rows, block, rows * n * 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* row = x.data<T>() + i * n;
          int32_t* order = scratch.mutable_data<int32_t>() + i * n;
          largest_first(row, order, n, k);
          for (int64_t j = 0; j < k; ++j) {
            values.mutable_data<T>()[i * k + j] = row[order[j]];
            switch (indices.dtype()) {
              case DType::kInt16:
                indices.mutable_data<int16_t>()[i * k + j] = static_cast<int16_t>(order[j]);
                break;
              case DType::kInt32: indices.mutable_data<int32_t>()[i * k + j] = order[j]; break;
              default: indices.mutable_data<int64_t>()[i * k + j] = order[j];
            }
          }
        }
      });
    }
  });
}

void in_top_k(const Tensor& predictions, const Tensor& targets, int64_t k, const Tensor& out) {
  const int64_t rows = predictions.dim(0), n = predictions.dim(1);
  const int64_t block = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, n));
  parallel_for(rows, block, rows * n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* row = predictions.data<float>() + i * n;
      const int64_t target = index_value(targets, i);
      bool in = target >= 0 && target < n;
      int64_t larger = 0;
      for (int64_t j = 0; in && j < n; ++j) {
        in = std::isfinite(row[j]);
        larger += row[j] > row[target];
      }
      out.mutable_data<bool>()[i] = in && larger < k;
    }
  });
}

}  // namespace agog
