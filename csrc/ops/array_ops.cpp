// Ops that build tensors and change their shapes.
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/map.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/all.h"

namespace agog {
namespace {

Shape reshaped(ShapeCtx& c) {
  Shape s = c.shape_input(1, true);
  const int64_t n = c.in(0).num_elements();
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < s.rank(); ++d) {
    if (s[d] >= 0) {
      c.require(!__builtin_mul_overflow(known, s[d], &known), "shape ", s, " is too large");
      continue;
    }
    c.require(unknown < 0, "shape ", s, " has more than one -1");
    unknown = d;
  }
  if (unknown >= 0) {
    c.require(known > 0 && n % known == 0, "tensor of shape ", c.in(0), " with ", n,
              " elements cannot be reshaped to ", s);
    s[unknown] = n / known;
  } else {
    c.require(known == n, "tensor of shape ", c.in(0), " with ", n,
              " elements cannot be reshaped to ", s, " with ", known);
  }
  return s;
}

}  // namespace

std::vector<OpDef> array_ops() {
  return {
      {.name = "Reshape",
       .inputs = {{"tensor", "T"}, {"shape", "Tshape", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}, {"Tshape", kIndex, DType::kInt32}},
       .shape = reshaped,
       .kernel = alias(),
       .saves = {shape_of_in(0)},
       .grad = [](GradCtx& g) { g.dx(0) = ops::reshape(g.dy(0), g.x_shape(0)); }},
      {.name = "Identity",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}},
       .shape = same_as(0),
       .kernel = alias(),
       .grad = [](GradCtx& g) { g.dx(0) = g.dy(0); }},
      {.name = "BroadcastTo",
       .inputs = {{"input", "T"}, {"shape", "Tidx", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Tidx", kIndex, DType::kInt32}},
       .shape =
           [](ShapeCtx& c) {
             const Shape to = c.shape_input(1);
             c.require(broadcast_shapes(c.in(0), to) == to, "input of shape ", c.in(0),
                       " does not broadcast to ", to);
             return to;
           },
       .kernel = general([](KernelCtx& c) {
         const int width = size_of(c.dtype());
         if (c.in(0).num_elements() != 1) c.fail("not yet");
         for (int64_t i = 0; i < c.out().num_elements(); ++i) {
           std::memcpy(c.out().mutable_data<char>() + i * width, c.in(0).raw(), width);
         }
       }),
       .saves = {shape_of_in(0)},
       .grad = [](GradCtx& g) { g.dx(0) = ops::sum_to(g.dy(0), g.x_shape(0)); }},
  };
}

}  // namespace agog
