// The loops behind a Reducer, for a lane-wise op.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/map.h"
#include "kernels/reduce.h"
#include "kernels/vmath.h"

namespace agog {
namespace detail {

template <class Lane, class T>
Lane to_lane(T v) {
  if constexpr (is_complex(dtype_of<T>)) {
    return Lane(v.real(), v.imag());
  } else if constexpr (kHalfType<T>) {
    return static_cast<Lane>(static_cast<float>(v));
  } else {
    return static_cast<Lane>(v);
  }
}

template <class Op, class T>
typename Op::Lane run_of_vectors(const T* x, int64_t n) {
  constexpr int64_t W = Vec<T>::width;
  using V = Vec<T>;
  const V start(Op::template start<T>());
  V lane[4] = {start, start, start, start};
  int64_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    for (int r = 0; r < 4; ++r) lane[r] = Op::step(lane[r], V::load(x + i + r * W));
  }
  for (; i + W <= n; i += W) lane[0] = Op::step(lane[0], V::load(x + i));
  lane[0] = Op::join(Op::join(lane[0], lane[1]), Op::join(lane[2], lane[3]));
  alignas(64) T each[W];
  lane[0].store(each);
  for (int64_t w = W / 2; w > 0; w /= 2) {
    for (int64_t j = 0; j < w; ++j) each[j] = Op::join(each[j], each[j + w]);
  }
  for (; i < n; ++i) each[0] = Op::step(each[0], x[i]);
  return each[0];
}

// Several lanes hide the latency of one; integers are left to the compiler, which may reorder them.
template <class Op, class T>
typename Op::Lane run_of_numbers(const T* x, int64_t n) {
  using Lane = typename Op::Lane;
  if constexpr (std::is_integral_v<T>) {
    Lane lane = Op::template start<Lane>();
    for (int64_t i = 0; i < n; ++i) lane = Op::step(lane, static_cast<Lane>(x[i]));
    return lane;
  } else {
    Lane lane[8];
    for (Lane& l : lane) l = Op::template start<Lane>();
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      for (int r = 0; r < 8; ++r) lane[r] = Op::step(lane[r], to_lane<Lane>(x[i + r]));
    }
    for (; i < n; ++i) lane[0] = Op::step(lane[0], to_lane<Lane>(x[i]));
    for (int w = 4; w > 0; w /= 2) {
      for (int r = 0; r < w; ++r) lane[r] = Op::join(lane[r], lane[r + w]);
    }
    return lane[0];
  }
}

template <class Op, class T>
typename Op::Lane short_run(const T* x, int64_t n) {
  using Lane = typename Op::Lane;
  if (n <= kFewNumbers) {
    Lane lane = Op::template start<Lane>();
    for (int64_t i = 0; i < n; ++i) lane = Op::step(lane, to_lane<Lane>(x[i]));
    return lane;
  }
  if constexpr (kVectorised<T> && std::is_same_v<Lane, T>) {
    return run_of_vectors<Op>(x, n);
  } else if constexpr (kHalfType<T> && std::is_same_v<Lane, float>) {
    alignas(64) float wide[kLaneRun];
    for (int64_t i = 0; i < n; ++i) wide[i] = static_cast<float>(x[i]);
    return run_of_vectors<Op>(wide, n);
  } else {
    return run_of_numbers<Op>(x, n);
  }
}

template <class Op, class T>
void reduce_short_rows(const void* from, int64_t rows, int64_t n, void* to) {
  using Acc = typename Op::Acc;
  const T* x = static_cast<const T*>(from);
  Acc* acc = static_cast<Acc*>(to);
  for (int64_t j = 0; j < rows; ++j) {
    acc[j] = Op::join(acc[j], to_lane<Acc>(short_run<Op>(x + j * n, n)));
  }
}

template <class Op, class T>
void reduce_run(const void* from, int64_t n, void* to) {
  using Acc = typename Op::Acc;
  const T* x = static_cast<const T*>(from);
  Acc& acc = *static_cast<Acc*>(to);
  for (int64_t i = 0; i < n; i += kLaneRun) {
    acc = Op::join(acc, to_lane<Acc>(short_run<Op>(x + i, std::min(kLaneRun, n - i))));
  }
}

// Up to kLaneRows rows into lane[j]; width at most kTile.
template <class Op, class T>
void few_rows(const T* x, int64_t rows, int64_t stride, int64_t width, typename Op::Lane* lane) {
  using Lane = typename Op::Lane;
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    const T *a = x + i * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    for (int64_t j = 0; j < width; ++j) {
      Lane l = Op::step(lane[j], to_lane<Lane>(a[j]));
      l = Op::step(l, to_lane<Lane>(b[j]));
      l = Op::step(l, to_lane<Lane>(c[j]));
      lane[j] = Op::step(l, to_lane<Lane>(d[j]));
    }
  }
  for (; i < rows; ++i) {
    const T* a = x + i * stride;
    for (int64_t j = 0; j < width; ++j) lane[j] = Op::step(lane[j], to_lane<Lane>(a[j]));
  }
}

template <class Op, class T>
void reduce_columns(const void* from, int64_t rows, int64_t stride, int64_t width, void* to) {
  using Lane = typename Op::Lane;
  using Acc = typename Op::Acc;
  const T* x = static_cast<const T*>(from);
  Acc* acc = static_cast<Acc*>(to);
  // Narrow rows: several side by side make one wide row.
  const int64_t fold = width == stride && width <= kFold ? kTile / width : 1;
  const int64_t span = fold * width;
  alignas(64) Lane lane[kTile];
  for (int64_t i = 0; i < rows;) {
    const int64_t wide = std::min(kLaneRows, (rows - i) / fold);
    std::fill(lane, lane + span, Op::template start<Lane>());
    few_rows<Op>(x + i * stride, wide, fold * stride, span, lane);
    i += wide * fold;
    if (wide < kLaneRows && i < rows) {
      few_rows<Op>(x + i * stride, 1, 0, (rows - i) * width, lane);
      i = rows;
    }
    for (int64_t f = 0; f < fold; ++f) {
      for (int64_t j = 0; j < width; ++j) {
        acc[j] = Op::join(acc[j], to_lane<Acc>(lane[f * width + j]));
      }
    }
  }
}

template <class Op>
void reduce_start(void* to, int64_t n) {
  auto* acc = static_cast<typename Op::Acc*>(to);
  std::fill(acc, acc + n, Op::template start<typename Op::Acc>());
}
template <class Op>
void reduce_merge(void* to, const void* from, int64_t n) {
  auto* acc = static_cast<typename Op::Acc*>(to);
  const auto* other = static_cast<const typename Op::Acc*>(from);
  for (int64_t j = 0; j < n; ++j) acc[j] = Op::join(acc[j], other[j]);
}
template <class Op, class T>
void reduce_finish(const void* from, void* to, int64_t n, int64_t count) {
  const auto* acc = static_cast<const typename Op::Acc*>(from);
  for (int64_t j = 0; j < n; ++j) static_cast<T*>(to)[j] = Op::template finish<T>(acc[j], count);
}

template <class Op, class T>
constexpr Reducer reducer_of() {
  return {.acc_size = sizeof(typename Op::Acc),
          .in_size = sizeof(T),
          .out_size = sizeof(T),
          .start = reduce_start<Op>,
          .run = reduce_run<Op, T>,
          .short_rows = reduce_short_rows<Op, T>,
          .columns = reduce_columns<Op, T>,
          .merge = reduce_merge<Op>,
          .finish = reduce_finish<Op, T>};
}

}  // namespace detail

// The reducers of Op<T> for every dtype of the set.
template <TypeSet S, template <class> class Op>
Reducers reducers() {
  Reducers all{};
  detail::for_each_plain_type([&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(S, dtype_of<T>)) {
      all[code(dtype_of<T>)] = detail::reducer_of<Op<T>, T>();
    }
  });
  return all;
}

// For ops that give the same bits for signed and unsigned integers.
template <TypeSet S, template <class> class Op>
Reducers wrapping_reducers() {
  Reducers all = reducers<as_unsigned(S), Op>();
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (contains(S, dtype)) {
      all[static_cast<size_t>(d)] = all[static_cast<size_t>(code(unsigned_type(dtype)))];
    }
  }
  return all;
}

// The ops. start<V>() is the identity; step(lane, x) takes a number in; join(a, b) brings two
// results together, of lanes or accumulators; finish<T>(acc, count) makes the output.

// Lanes for half types are floats; accumulators for narrow types are wider.
template <class T>
using LaneType = std::conditional_t<kHalfType<T>, float, T>;
template <class T>
struct WideOf {
  using type = T;
};
template <>
struct WideOf<float> {
  using type = double;
};
template <>
struct WideOf<complex64> {
  using type = complex128;
};
template <class T>
using WideType = typename WideOf<LaneType<T>>::type;

template <class T, class Acc>
T narrowed(Acc v) {
  if constexpr (is_complex(dtype_of<T>)) {
    return T(static_cast<typename T::value_type>(v.real()),
             static_cast<typename T::value_type>(v.imag()));
  } else if constexpr (kHalfType<T>) {
    return T(static_cast<float>(v));
  } else {
    return static_cast<T>(v);
  }
}

// Integer sums and products wrap.
template <class V>
V wrapping_add(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    using U = std::make_unsigned_t<V>;
    return static_cast<V>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return a + b;
  }
}
template <class V>
V wrapping_mul(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<V>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

}  // namespace agog
