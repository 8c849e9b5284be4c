// Shape rules that many rows share.
#pragma once

#include "op/contexts.h"
#include "runtime/dispatch.h"

namespace agog {

inline ShapeFn same_as(int i) {
  return [i](ShapeCtx& c) { return c.in(i); };
}
// All inputs broadcast together.
inline ShapeFn broadcast() {
  return [](ShapeCtx& c) {
    Shape s = c.in(0);
    for (int i = 1; i < c.num_inputs(); ++i) s = broadcast_shapes(s, c.in(i));
    return s;
  };
}
// All inputs have one shape.
inline ShapeFn all_same() {
  return [](ShapeCtx& c) {
    for (int i = 1; i < c.num_inputs(); ++i) {
      c.require(c.in(i) == c.in(0), c.input_name(i), " must have the shape of ", c.input_name(0),
                ", ", c.in(0), ", got ", c.in(i));
    }
    return c.in(0);
  };
}
inline ShapeFn scalar() {
  return [](ShapeCtx&) { return Shape{}; };
}

// A few integers without a heap block: permutations, begins, sizes, strides.
struct SmallInts {
  static constexpr int kMost = 2 * kMaxRank;
  int count = 0;
  int64_t at[kMost];
  int64_t operator[](int i) const { return at[i]; }
  int64_t& operator[](int i) { return at[i]; }
};

// The integers of a kHost input that says something about each dimension of a tensor.
inline SmallInts small_ints(const OpCtx& c, int i) {
  const Tensor& t = c.input(i);
  if (t.num_elements() > SmallInts::kMost) {
    fail(ErrorCode::kInvalidArgument, c.input_name(i), " must have at most ", SmallInts::kMost,
         " elements, got shape ", t.shape());
  }
  SmallInts v;
  v.count = static_cast<int>(t.num_elements());
  for (int k = 0; k < v.count; ++k) v[k] = index_value(t, k);
  return v;
}

// The same, for a vector with one entry for each of `rank` dimensions.
inline SmallInts small_ints(const OpCtx& c, int i, int rank) {
  const Tensor& t = c.input(i);
  c.require(t.rank() == 1 && t.dim(0) == rank, c.input_name(i), " must be a vector of ", rank,
            " elements, one for each dimension, got shape ", t.shape());
  return small_ints(c, i);
}

// The distinct dimensions of `s` that input i names, one bit each.
inline uint32_t axes_mask(const OpCtx& c, int i, const Shape& s) {
  uint32_t mask = 0;
  const Tensor& axes = c.input(i);
  for (int64_t k = 0; k < axes.num_elements(); ++k) {
    const uint32_t bit = 1u << c.axis(index_value(axes, k), s, c.input_name(i));
    c.require(!(mask & bit), c.input_name(i), " names dimension ", index_value(axes, k),
              " of shape ", s, " twice");
    mask |= bit;
  }
  return mask;
}

}  // namespace agog
