// Reductions over some dimensions.
#include "kernels/kernel.h"
#include "kernels/reduce.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct ReduceAttrs {
  bool keep_dims = false;
};
struct ArgAttrs {
  DType output_type = DType::kInt64;
};
struct CumprodAttrs {
  bool exclusive = false, reverse = false;
};

namespace {

Shape without_axes(const Shape& in, uint32_t mask, bool keep) {
  Shape s;
  for (int d = 0; d < in.rank(); ++d) {
    if (!(mask >> d & 1)) {
      s.push_back(in[d]);
    } else if (keep) {
      s.push_back(1);
    }
  }
  return s;
}

Shape reduced_shape(ShapeCtx& c) {
  const bool keep = c.attrs<ReduceAttrs>().keep_dims;
  if (!c.in(0).has_rank()) return Shape::unknown_rank();
  if (c.has_value(1)) return without_axes(c.in(0), axes_mask(c, 1, c.in(0)), keep);
  if (!keep) return Shape::unknown_rank();
  Shape s = c.in(0);
  for (int d = 0; d < s.rank(); ++d) s[d] = s[d] == 1 ? 1 : -1;
  return s;
}

Kernel reducing(const Reducers& (*of)()) {
  return general([of](KernelCtx& c) {
    const Shape& in = c.in(0).shape();
    reduce(of()[static_cast<size_t>(code(c.dtype()))], in, axes_mask(c, 1, in), c.in(0).raw(),
           c.out().mutable_raw());
  });
}

// What gradients ask of a reduction: input 0 and axes in input 1.
uint32_t mask_of(const Tensor& axes, int rank) {
  uint32_t mask = 0;
  for (int64_t k = 0; k < axes.num_elements(); ++k) {
    const int64_t a = index_value(axes, k);
    mask |= 1u << (a < 0 ? a + rank : a);
  }
  return mask;
}
Shape kept_shape(GradCtx& g) {
  const Shape x = g.x_shape(0);
  return without_axes(x, mask_of(g.x(1), x.rank()), true);
}

const ops::Caller broadcast_to{"BroadcastTo"}, equal{"Equal"}, sum{"Sum"}, cumprod{"Cumprod"},
    transpose{"Transpose"};

Tensor spread(Tensor t, const Shape& kept, const Shape& full) {
  t = ops::reshape(std::move(t), kept);
  return kept == full ? t : broadcast_to(std::move(t), ops::shape_tensor(full));
}

void sum_grad(GradCtx& g) { g.dx(0) = spread(g.dy(0), kept_shape(g), g.x_shape(0)); }

void mean_grad(GradCtx& g) {
  const Shape kept = kept_shape(g), full = g.x_shape(0);
  // Sizes multiply to more than int64 only where the tensor is empty.
  double count = 1;
  for (int d = 0; d < full.rank(); ++d) count *= kept[d] == full[d] ? 1.0 : double(full[d]);
  Tensor dy = g.dy(0);
  g.dx(0) = spread(dy / ops::like(count, dy), kept, full);
}

// Note: tie gradients. Numbers that equal the extreme share its gradient equally, as in TensorFlow.
void extreme_grad(GradCtx& g) {
  const Shape kept = kept_shape(g);
  const Tensor dy = ops::reshape(g.dy(0), kept);
  const Tensor winners = ops::cast(equal(g.x(0), ops::reshape(g.y(0), kept)), g.x(0).dtype());
  const Tensor count = sum.with(ReduceAttrs{true}, winners, g.x(1));
  g.dx(0) = winners * (dy / count);
}

// x as [kept, reduced], and how to come back.
struct Rows {
  Tensor t;
  Shape permuted;
  std::vector<int64_t> back;  // empty: nothing was moved
};
Rows as_rows(Tensor x, uint32_t mask) {
  Rows r{.t = {}, .permuted = {}, .back = {}};
  std::vector<int64_t> order;
  int64_t kept = 1, reduced = 1;
  for (int want = 0; want < 2; ++want) {
    for (int d = 0; d < x.rank(); ++d) {
      if ((mask >> d & 1) != static_cast<uint32_t>(want)) continue;
      order.push_back(d);
      r.permuted.push_back(x.dim(d));
      (want ? reduced : kept) *= x.dim(d);
    }
  }
  if (!std::is_sorted(order.begin(), order.end())) {
    r.back.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) r.back[static_cast<size_t>(order[i])] = int64_t(i);
    x = transpose(std::move(x), ops::int_vector(order));
  }
  r.t = ops::reshape(std::move(x), Shape{kept, reduced});
  return r;
}

// The product of all others, without dividing: right where factors are zero.
void prod_grad(GradCtx& g) {
  const Tensor x = g.x(0);
  const Rows rows = as_rows(x, mask_of(g.x(1), x.rank()));
  const Tensor last = Tensor::scalar<int32_t>(1);
  const Tensor before = cumprod.with(CumprodAttrs{true, false}, rows.t, last);
  const Tensor after = cumprod.with(CumprodAttrs{true, true}, rows.t, last);
  Tensor others = ops::reshape(ops::conj(before * after), rows.permuted);
  if (!rows.back.empty()) others = transpose(std::move(others), ops::int_vector(rows.back));
  g.dx(0) = std::move(others) * ops::reshape(g.dy(0), kept_shape(g));
}

void norm_grad(GradCtx& g) {
  const Shape kept = kept_shape(g);
  g.dx(0) = g.x(0) * ops::reshape(g.dy(0) / g.y(0), kept);
}

int arg_axis(const OpCtx& c) {
  const Tensor& t = c.input(1);
  c.require(t.rank() == 0, c.input_name(1), " must be a scalar, got shape ", t.shape());
  return c.axis(t.dtype() == DType::kInt16 ? *t.data<int16_t>() : index_value(t, 0),
                c.input(0).shape(), c.input_name(1));
}

Shape arg_shape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  if (!in.has_rank()) return Shape::unknown_rank();
  if (!c.has_value(1)) {
    Shape s;
    for (int d = 0; d + 1 < in.rank(); ++d) s.push_back(-1);
    return s;
  }
  const int axis = arg_axis(c);
  c.require(in[axis] != 0, "dimension ", axis, " of shape ", in,
            " is empty: nothing there is largest or smallest");
  return without_axes(in, 1u << axis, false);
}

template <bool largest>
OpDef arg_row(const char* name, TypeSet axis_types, TypeSet output_types) {
  return {.name = name,
          .inputs = {{"input", "T"}, {"dimension", "Tidx", kHost}},
          .outputs = {{"output", "output_type"}},
          .types = {{"T", kReal | kBoolean}, {"Tidx", axis_types, DType::kInt32}},
          .attrs = attrs_of<ArgAttrs>(field("output_type", &ArgAttrs::output_type)),
          .shape =
              [output_types](ShapeCtx& c) {
                const DType out = c.attrs<ArgAttrs>().output_type;
                c.require(contains(output_types, out), "output_type ", out, " holds no index here");
                return arg_shape(c);
              },
          .kernel = general(
              [](KernelCtx& c) { (largest ? arg_max : arg_min)(c.in(0), arg_axis(c), c.out()); }),
          .grad = no_gradient()};
}

OpDef reduction(const char* name, TypeSet types, Kernel kernel, std::vector<Save> saves,
                GradFn grad) {
  return {.name = name,
          .inputs = {{"input", "T"}, {"axis", "Tidx", kHost}},
          .outputs = {{"output", "T"}},
          .types = {{"T", types}, {"Tidx", kIndex, DType::kInt32}},
          .attrs = attrs_of<ReduceAttrs>(field("keep_dims", &ReduceAttrs::keep_dims)),
          .shape = reduced_shape,
          .kernel = std::move(kernel),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}
OpDef bool_reduction(const char* name, Kernel kernel) {
  OpDef row = reduction(name, kBoolean, std::move(kernel), {}, no_gradient());
  row.types = {{"Tidx", kIndex, DType::kInt32}};
  row.inputs[0].type = row.outputs[0].type = "bool";
  return row;
}

}  // namespace

const Family reduction_ops([]() -> OpRows {
  return {
      reduction("Sum", kNumeric, reducing(sum_reducers), {shape_of_in(0), in(1)}, sum_grad),
      reduction("Mean", kNumeric, reducing(mean_reducers), {shape_of_in(0), in(1)}, mean_grad),
      reduction("Prod", kNumeric, reducing(prod_reducers), {in(0), in(1)}, prod_grad),
      reduction("Max", kReal, reducing(max_reducers), {in(0), in(1), out(0)}, extreme_grad),
      reduction("Min", kReal, reducing(min_reducers), {in(0), in(1), out(0)}, extreme_grad),
      reduction("EuclideanNorm", kNumeric, reducing(norm_reducers), {in(0), in(1), out(0)},
                norm_grad),
      bool_reduction("All", reducing(all_reducers)),
      bool_reduction("Any", reducing(any_reducers)),
      arg_row<true>("ArgMax", kIndex | set_of(DType::kInt16),
                    kIndex | types(DType::kInt16, DType::kUInt16)),
      arg_row<false>("ArgMin", kIndex, kIndex),
  };
});

}  // namespace agog
