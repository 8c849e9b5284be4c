// Largest and smallest; all and any.
#include "kernels/reduce_lanes.h"

namespace agog {
namespace {

// Greater<V>: NaN wins, as in TensorFlow.
struct GreaterOf {
  template <class V>
  static V lowest() {
    using L = std::numeric_limits<V>;
    return L::has_infinity ? -L::infinity() : L::lowest();
  }
  template <class T>
  static Vec<T> pick(Vec<T> a, Vec<T> b) {
    return vmath::max(a, b);
  }
  template <class V>
  static V pick(V a, V b) {
    return a > b || a != a ? a : b;
  }
};
struct LesserOf {
  template <class V>
  static V lowest() {
    using L = std::numeric_limits<V>;
    return L::has_infinity ? L::infinity() : L::max();
  }
  template <class T>
  static Vec<T> pick(Vec<T> a, Vec<T> b) {
    return vmath::min(a, b);
  }
  template <class V>
  static V pick(V a, V b) {
    return a < b || a != a ? a : b;
  }
};

template <class T, class Of>
struct ExtremeOp {
  using Lane = LaneType<T>;
  using Acc = Lane;
  template <class V>
  static V start() {
    return Of::template lowest<V>();
  }
  template <class V>
  static V step(V lane, V x) {
    return Of::pick(lane, x);
  }
  template <class V>
  static V join(V a, V b) {
    return Of::pick(a, b);
  }
  template <class R>
  static R finish(Acc acc, int64_t) {
    return narrowed<R>(acc);
  }
};
template <class T>
using MaxOp = ExtremeOp<T, GreaterOf>;
template <class T>
using MinOp = ExtremeOp<T, LesserOf>;

template <class T>
struct AllOp {
  using Lane = uint8_t;
  using Acc = uint8_t;
  template <class V>
  static V start() {
    return V(1);
  }
  template <class V>
  static V step(V lane, V x) {
    return lane & x;
  }
  template <class V>
  static V join(V a, V b) {
    return a & b;
  }
  template <class R>
  static R finish(Acc acc, int64_t) {
    return acc != 0;
  }
};
template <class T>
struct AnyOp : AllOp<T> {
  template <class V>
  static V start() {
    return V(0);
  }
  template <class V>
  static V step(V lane, V x) {
    return lane | x;
  }
  template <class V>
  static V join(V a, V b) {
    return a | b;
  }
};

}  // namespace

const Reducers& max_reducers() {
  static const Reducers all = reducers<kReal, MaxOp>();
  return all;
}
const Reducers& min_reducers() {
  static const Reducers all = reducers<kReal, MinOp>();
  return all;
}
const Reducers& all_reducers() {
  static const Reducers all = reducers<kBoolean, AllOp>();
  return all;
}
const Reducers& any_reducers() {
  static const Reducers all = reducers<kBoolean, AnyOp>();
  return all;
}

}  // namespace agog
