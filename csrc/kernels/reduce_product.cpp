// Products, norms and sums of squares.
#include "kernels/reduce_lanes.h"

namespace agog {
namespace {

// Half types and floats multiply in double: no product of few numbers overflows on the way.
template <class T>
struct ProdOp {
  using Acc = WideType<T>;
  using Lane = Acc;
  template <class V>
  static V start() {
    return V(1);
  }
  template <class V>
  static V step(V lane, V x) {
    return wrapping_mul(lane, x);
  }
  template <class V>
  static V join(V a, V b) {
    return wrapping_mul(a, b);
  }
  template <class R>
  static R finish(Acc acc, int64_t) {
    return narrowed<R>(acc);
  }
};

// |x|^2 in the accumulator's type, where the square of no float overflows.
template <class T>
struct SquaresOp {
  using Acc = WideType<T>;
  using Lane = Acc;
  template <class V>
  static V start() {
    return V(0);
  }
  template <class V>
  static V step(V lane, V x) {
    if constexpr (is_complex(dtype_of<V>)) {
      return V(lane.real() + x.real() * x.real() + x.imag() * x.imag(), 0);
    } else {
      return wrapping_add(lane, wrapping_mul(x, x));
    }
  }
  template <class V>
  static V join(V a, V b) {
    return wrapping_add(a, b);
  }
};
template <class T>
struct NormOp : SquaresOp<T> {
  template <class R>
  static R finish(typename SquaresOp<T>::Acc acc, int64_t) {
    if constexpr (is_complex(dtype_of<T>)) {
      return narrowed<R>(typename SquaresOp<T>::Acc(std::sqrt(acc.real()), 0));
    } else if constexpr (std::is_integral_v<T>) {
      return acc < 0 ? R(0) : static_cast<R>(std::sqrt(static_cast<double>(acc)));
    } else {
      return narrowed<R>(std::sqrt(acc));
    }
  }
};
// Half the sum of squares, in lanes of the number's own type: the result would overflow, too.
template <class T>
struct HalfSquaresOp {
  using Lane = LaneType<T>;
  using Acc = WideType<T>;
  template <class V>
  static V start() {
    return V(0);
  }
  template <class V>
  static V step(V lane, V x) {
    return lane + x * x;
  }
  template <class V>
  static V join(V a, V b) {
    return a + b;
  }
  template <class R>
  static R finish(Acc acc, int64_t) {
    return narrowed<R>(acc / 2);
  }
};

}  // namespace

const Reducers& prod_reducers() {
  static const Reducers all = wrapping_reducers<kNumeric, ProdOp>();
  return all;
}
const Reducers& norm_reducers() {
  static const Reducers all = reducers<kNumeric, NormOp>();
  return all;
}
const Reducers& half_squares_reducers() {
  static const Reducers all = reducers<kFloating, HalfSquaresOp>();
  return all;
}

}  // namespace agog
