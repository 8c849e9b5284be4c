// Layer normalisation in one op, which TensorFlow composes of many.
#include "kernels/kernel.h"
#include "kernels/layer_norm.h"
#include "op/call.h"
#include "op/contexts.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct LayerNormAttrs {
  float epsilon = 0.001f;
};

namespace {

constexpr int kCost = 8;

const ops::Caller rsqrt{"Rsqrt"}, square{"Square"}, mean_op{"Mean"};

struct MeanAttrs {
  bool keep_dims = true;
};

void require_vector(const OpCtx& c, int input, int64_t columns) {
  const Shape& s = c.input(input).shape();
  if (!s.has_rank()) return;
  c.require(s.rank() == 1 && (s[0] == columns || s[0] < 0 || columns < 0), c.input_name(input),
            " must be a vector of ", columns, " elements, one for each column of x, got shape ", s);
}

// The length of a row of x.
int64_t columns_of(const OpCtx& c, int input) {
  const Shape& s = c.input(input).shape();
  if (!s.has_rank()) return -1;
  c.require(s.rank() >= 1, "x must have at least one dimension, got shape ", s);
  return s[s.rank() - 1];
}

Shape forward_shape(ShapeCtx& c) {
  const int64_t columns = columns_of(c, 0);
  for (int i = 1; i < 3; ++i) require_vector(c, i, columns);
  return c.in(0);
}

Shape grad_shape(ShapeCtx& c) {
  const int64_t columns = columns_of(c, 1);
  c.require(!c.in(0).has_rank() || !c.in(1).has_rank() || c.in(0) == c.in(1),
            "dy must have the shape of x, ", c.in(1), ", got ", c.in(0));
  require_vector(c, 2, columns);
  for (int i = 1; i < 3; ++i) c.out(i, Shape{columns});
  return c.in(1);
}

LayerNorm problem_of(const KernelCtx& c, int input) {
  const int64_t columns = columns_of(c, input);
  const int64_t rows = columns > 0 ? c.in(input).num_elements() / columns : 0;
  return {rows, columns, static_cast<double>(c.attrs<LayerNormAttrs>().epsilon)};
}

void forward_grad(GradCtx& g) {
  static const Op& backward = find_op("_LayerNormGrad");
  const Tensor in[3] = {g.dy(0), g.x(0), g.x(1)};
  const Tensors d = execute(backward, in, 3, g.raw_attrs());
  for (int i = 0; i < 3; ++i) {
    if (g.needs(i)) g.dx(i) = d[static_cast<size_t>(i)];
  }
}

Tensor row_mean(Tensor t) {
  Tensor last = Tensor::scalar<int32_t>(t.rank() - 1);
  return mean_op.with(MeanAttrs{}, std::move(t), std::move(last));
}
// Over all rows.
Tensor column_sum(const Tensor& t, const Shape& columns) { return ops::sum_to(t, columns); }

// dx = r P(a) with a = dy scale, r the inverse deviation, n the normalised x, and P(a) = a less its
// mean less n mean(a n), all by row; dscale = sum(dy n). The moments are computed with ops, so that
// what follows has its gradient, too. Cotangents: gx, gs, go.
void grad_grad(GradCtx& g) {
  const Tensor dy = g.x(0), x = g.x(1), scale = g.x(2);
  const Tensor gx = g.dy(0), gs = g.dy(1), go = g.dy(2);
  const Tensor centred = x - row_mean(x);
  const auto epsilon = static_cast<double>(g.attrs<LayerNormAttrs>().epsilon);
  const Tensor r = rsqrt(row_mean(square(centred)) + epsilon), n = centred * r;
  const auto project = [&](const Tensor& t) { return t - row_mean(t) - n * row_mean(t * n); };
  if (g.needs(0)) g.dx(0) = scale * r * project(gx) + gs * n + go;
  if (g.needs(2)) g.dx(2) = column_sum(dy * r * project(gx), scale.shape());
  if (!g.needs(1)) return;
  // By n, and through it to x; then by r, on which dx depends directly.
  const Tensor a = dy * scale;
  const Tensor by_n = gs * dy - r * (gx * row_mean(a * n) + a * row_mean(gx * n));
  g.dx(1) = r * project(by_n) - row_mean(gx * project(a)) * r * r * n;
}

}  // namespace

const Family layer_norm_ops([]() -> OpRows {
  const AttrsDef attrs = attrs_of<LayerNormAttrs>(field("epsilon", &LayerNormAttrs::epsilon));
  const TypeSet types = set_of(DType::kFloat) | set_of(DType::kDouble);
  return {
      {.name = "_LayerNorm",
       .inputs = {{"x", "T"}, {"scale", "T"}, {"offset", "T"}},
       .outputs = {{"y", "T"}},
       .types = {{"T", types}},
       .attrs = attrs,
       .shape = forward_shape,
       .kernel = general(
           [](KernelCtx& c) { layer_norm(problem_of(c, 0), c.in(0), c.in(1), c.in(2), c.out()); },
           kCost),
       .saves = {in(0), in(1)},
       .grad = forward_grad},
      {.name = "_LayerNormGrad",
       .inputs = {{"dy", "T"}, {"x", "T"}, {"scale", "T"}},
       .outputs = {{"dx", "T"}, {"dscale", "T"}, {"doffset", "T"}},
       .types = {{"T", types}},
       .attrs = attrs,
       .shape = grad_shape,
       .kernel = general(
           [](KernelCtx& c) {
             layer_norm_grad(problem_of(c, 1), c.in(0), c.in(1), c.in(2), c.out(0), c.out(1),
                             c.out(2));
           },
           kCost),
       .saves = {in(0), in(1), in(2), shape_of_out(0), shape_of_out(1), shape_of_out(2)},
       .grad = grad_grad},
  };
});

}  // namespace agog
