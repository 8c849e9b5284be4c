// Rows folded into the rows of another tensor, each into the one that its target says.
#pragma once

#include <cmath>
#include <type_traits>

#include "core/tensor.h"
#include "kernels/gather.h"

namespace agog {

template <class T>
inline constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// The unsigned type in which sums and products of T wrap without being undefined.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// kWraps: the same bits for signed and unsigned integers.
struct FoldAdd {
  static constexpr bool kWraps = true;
  template <class T>
  static T fold(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      using W = Wrapping<T>;
      return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
    } else {
      return a + b;
    }
  }
};
struct FoldSub {
  static constexpr bool kWraps = true;
  template <class T>
  static T fold(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using W = Wrapping<T>;
      return static_cast<T>(static_cast<W>(a) - static_cast<W>(b));
    } else {
      return a - b;
    }
  }
};
struct FoldMul {
  static constexpr bool kWraps = true;
  template <class T>
  static T fold(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using W = Wrapping<T>;
      return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
    } else {
      return a * b;
    }
  }
};
// A NaN that comes is ignored, one that is there stays.
struct FoldLess {
  static constexpr bool kWraps = false;
  template <class T>
  static T fold(T a, T b) {
    return b < a ? b : a;
  }
};
struct FoldGreater {
  static constexpr bool kWraps = false;
  template <class T>
  static T fold(T a, T b) {
    return b > a ? b : a;
  }
};
// NaN wins.
struct FoldMin {
  static constexpr bool kWraps = false;
  template <class T>
  static T fold(T a, T b) {
    return b < a || b != b ? b : a;
  }
};
struct FoldMax {
  static constexpr bool kWraps = false;
  template <class T>
  static T fold(T a, T b) {
    return b > a || b != b ? b : a;
  }
};

// out[target[r]] = fold(out[target[r]], rows[r]), row after row; `out` starts filled. Half types
// are folded in float and rounded once.
template <class F, class T>
void fold_rows(const T* rows, const int64_t* target, int64_t count, int64_t inner, T* out,
               int64_t targets) {
  if constexpr (is_half<T>) {
    const int64_t n = targets * inner;
    const Tensor wide = Tensor::empty(DType::kFloat, {n});
    auto* sum = wide.mutable_data<float>();
    for (int64_t i = 0; i < n; ++i) sum[i] = static_cast<float>(out[i]);
    for_each_target(target, count, targets, inner,
                    [&](int64_t r, int64_t t, int64_t begin, int64_t end) {
                      const T* from = rows + r * inner;
                      float* to = sum + t * inner;
                      for (int64_t i = begin; i < end; ++i) {
                        to[i] = F::fold(to[i], static_cast<float>(from[i]));
                      }
                    });
    for (int64_t i = 0; i < n; ++i) out[i] = T(sum[i]);
  } else {
    for_each_target(target, count, targets, inner,
                    [&](int64_t r, int64_t t, int64_t begin, int64_t end) {
                      const T* from = rows + r * inner;
                      T* to = out + t * inner;
                      for (int64_t i = begin; i < end; ++i) to[i] = F::fold(to[i], from[i]);
                    });
  }
}

// Calls f(Type<T>{}) for the type of a dtype of `S`.
template <TypeSet S, class F>
void with_type_of(DType d, F&& f) {
  with_type(d, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(S, dtype_of<T>)) f(type);
  });
}

// Calls f(Type<T>{}) for the type in which F folds numbers of a dtype of `S`.
template <class F, TypeSet S, class G>
void with_type_to_fold(DType d, G&& f) {
  if constexpr (F::kWraps) {
    with_type_of<as_unsigned(S)>(unsigned_type(d), f);
  } else {
    with_type_of<S>(d, f);
  }
}

}  // namespace agog
