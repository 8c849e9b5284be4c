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

}  // namespace agog
