// Reductions over some dimensions.
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/all.h"

namespace agog {

struct ReduceAttrs {
  bool keep_dims = false;
};

namespace {

Shape reduced_shape(ShapeCtx& c) {
  const auto axes = c.axes_input(1, c.in(0));
  const bool keep = c.attrs<ReduceAttrs>().keep_dims;
  Shape s;
  size_t next = 0;
  for (int d = 0; d < c.in(0).rank(); ++d) {
    const bool reduced = next < axes.size() && axes[next] == d;
    next += reduced;
    if (!reduced) s.push_back(c.in(0)[d]);
    if (reduced && keep) s.push_back(1);
  }
  return s;
}

}  // namespace

std::vector<OpDef> reduction_ops() {
  return {
      {.name = "Sum",
       .inputs = {{"input", "T"}, {"reduction_indices", "Tidx", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kNumeric}, {"Tidx", kIndex, DType::kInt32}},
       .attrs = attrs_of<ReduceAttrs>(field("keep_dims", &ReduceAttrs::keep_dims)),
       .shape = reduced_shape,
       .kernel = general([](KernelCtx& c) {
         if (c.dtype() != DType::kFloat || c.out().num_elements() != 1) c.fail("not yet");
         float s = 0;
         for (int64_t i = 0; i < c.in(0).num_elements(); ++i) s += c.in(0).data<float>()[i];
         *c.out().mutable_data<float>() = s;
       }),
       .saves = {shape_of_in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             static const ops::Caller broadcast_to{"BroadcastTo"};
             Shape kept = g.x_shape(0);
             const Shape full = kept;
             for (int64_t i = 0; i < g.x(1).num_elements(); ++i) {
               const int64_t a = index_value(g.x(1), i);
               kept[static_cast<int>(a < 0 ? a + full.rank() : a)] = 1;
             }
             g.dx(0) = broadcast_to(ops::reshape(g.dy(0), kept), ops::shape_tensor(full));
           }},
  };
}

}  // namespace agog
