// Sums and means.
#include "kernels/reduce_lanes.h"

namespace agog {
namespace {

template <class T>
struct SumOp {
  using Lane = LaneType<T>;
  using Acc = WideType<T>;
  template <class V>
  static V start() {
    return V(0);
  }
  template <class V>
  static V step(V lane, V x) {
    return wrapping_add(lane, x);
  }
  template <class V>
  static V join(V a, V b) {
    return wrapping_add(a, b);
  }
  template <class R>
  static R finish(Acc acc, int64_t) {
    return narrowed<R>(acc);
  }
};

// Integers: the sum in 64 bits, divided towards zero; of nothing, zero.
template <class T>
struct MeanOp : SumOp<T> {
  using Acc =
      std::conditional_t<std::is_integral_v<T>,
                         std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>, WideType<T>>;
  using Lane = std::conditional_t<std::is_integral_v<T>, Acc, LaneType<T>>;
  template <class R>
  static R finish(Acc acc, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      return count == 0 ? R(0) : static_cast<R>(acc / static_cast<Acc>(count));
    } else if constexpr (is_complex(dtype_of<T>)) {
      return count == 0 ? R(0) : narrowed<R>(acc / static_cast<double>(count));
    } else {
      return narrowed<R>(acc / static_cast<Acc>(count));
    }
  }
};

}  // namespace

const Reducers& sum_reducers() {
  static const Reducers all = wrapping_reducers<kNumeric, SumOp>();
  return all;
}
const Reducers& mean_reducers() {
  static const Reducers all = reducers<kNumeric, MeanOp>();
  return all;
}

}  // namespace agog
