// ArgMax and ArgMin.
#include <algorithm>
#include <limits>

#include "core/parallel.h"
#include "kernels/map.h"
#include "kernels/reduce.h"
#include "kernels/vmath.h"

namespace agog {
namespace {

// `better` than anything seen: plain comparisons, which NaN fails.
template <bool largest, class T>
bool better(T x, T than) {
  return largest ? x > than : x < than;
}
template <bool largest, class T>
Mask<T> better(Vec<T> x, Vec<T> than) {
  return largest ? x > than : x < than;
}

template <bool largest, class T>
T worst() {
  using L = std::numeric_limits<T>;
  if constexpr (L::has_infinity) return largest ? -L::infinity() : L::infinity();
  return largest ? L::lowest() : L::max();
}

template <bool largest, class T>
int64_t arg_of_run(const T* x, int64_t n) {
  T best = worst<largest, T>();
  if constexpr (kVectorised<T>) {
    constexpr int64_t W = Vec<T>::width;
    Vec<T> lanes(best);
    int64_t i = 0;
    for (; i + W <= n; i += W) {
      const Vec<T> v = Vec<T>::load(x + i);
      lanes = vmath::select(better<largest>(v, lanes), v, lanes);
    }
    alignas(64) T each[W];
    lanes.store(each);
    for (T v : each) best = better<largest>(v, best) ? v : best;
    for (; i < n; ++i) best = better<largest>(x[i], best) ? x[i] : best;
    if (best == worst<largest, T>()) return 0;
    return std::find(x, x + n, best) - x;
  } else {
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (better<largest>(x[i], best)) {
        best = x[i];
        at = i;
      }
    }
    return at;
  }
}

// Columns [0, width) of n rows; width at most kArgTile.
constexpr int64_t kArgTile = 256;
template <bool largest, class T>
void arg_of_columns(const T* x, int64_t n, int64_t stride, int64_t width, int64_t* at) {
  T best[kArgTile];
  std::fill(best, best + width, worst<largest, T>());
  std::fill(at, at + width, int64_t{0});
  for (int64_t i = 0; i < n; ++i, x += stride) {
    for (int64_t j = 0; j < width; ++j) {
      const bool take = better<largest>(x[j], best[j]);
      best[j] = take ? x[j] : best[j];
      at[j] = take ? i : at[j];
    }
  }
}

void store_indices(const int64_t* at, int64_t n, const Tensor& out, int64_t offset) {
  with_type(out.dtype(), [&](auto type) {
    using I = typename decltype(type)::type;
    if constexpr (std::is_integral_v<I>) {
      I* to = out.mutable_data<I>() + offset;
      for (int64_t j = 0; j < n; ++j) to[j] = static_cast<I>(at[j]);
    }
  });
}

// Half types are compared as floats, bool as bytes.
template <bool largest, class T>
void arg_reduce_typed(const T* x, int64_t outer, int64_t n, int64_t inner, const Tensor& out) {
  const int64_t tiles = (inner + kArgTile - 1) / kArgTile, work = outer * inner * n;
  const int64_t block = std::max<int64_t>(1, (1 << 14) / (n * std::min(inner, kArgTile)));
  parallel_for(outer * tiles, block, work, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t o = t / tiles, column = t % tiles * kArgTile;
      const int64_t width = std::min(kArgTile, inner - column);
      int64_t at[kArgTile];
      const T* from = x + o * n * inner + column;
      if (inner == 1) {
        at[0] = arg_of_run<largest>(from, n);
      } else {
        arg_of_columns<largest>(from, n, inner, width, at);
      }
      store_indices(at, width, out, o * inner + column);
    }
  });
}

template <bool largest>
void arg_reduce(const Tensor& in, int axis, const Tensor& out) {
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < axis; ++d) outer *= in.dim(d);
  for (int d = axis + 1; d < in.rank(); ++d) inner *= in.dim(d);
  if (outer * inner == 0) return;
  with_type(in.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_same_v<T, bool>) {
      arg_reduce_typed<largest>(in.data<uint8_t>(), outer, in.dim(axis), inner, out);
    } else if constexpr (kHalfType<T>) {
      const Tensor wide = Tensor::empty(DType::kFloat, in.shape());
      float* to = wide.mutable_data<float>();
      for (int64_t i = 0; i < in.num_elements(); ++i) to[i] = static_cast<float>(in.data<T>()[i]);
      arg_reduce_typed<largest, float>(to, outer, in.dim(axis), inner, out);
    } else if constexpr (!is_complex(dtype_of<T>)) {
      arg_reduce_typed<largest>(in.data<T>(), outer, in.dim(axis), inner, out);
    }
  });
}

}  // namespace

void arg_max(const Tensor& in, int axis, const Tensor& out) { arg_reduce<true>(in, axis, out); }
void arg_min(const Tensor& in, int axis, const Tensor& out) { arg_reduce<false>(in, axis, out); }

}  // namespace agog
