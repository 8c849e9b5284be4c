// Matrix products.
#include "kernels/matmul.h"

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

// grad_a and grad_b mark products made by gradients in saved graphs; they change nothing.
struct MatMulAttrs {
  bool transpose_a = false, transpose_b = false;
  bool grad_a = false, grad_b = false;
};
struct BatchMatMulAttrs {
  bool adj_x = false, adj_y = false;
  bool grad_x = false, grad_y = false;
};
struct BatchMatMulV3Attrs {
  DType out = DType::kInvalid;
  bool adj_x = false, adj_y = false;
  bool grad_x = false, grad_y = false;
};

namespace {

constexpr TypeSet kMatMulTypes = kInexact | kIndex;
constexpr int kCost =
    16;  // of one element: a product is worth threads long before its operands are

void check_inner(const ShapeCtx& c, int64_t of_a, int64_t of_b) {
  c.require(of_a == of_b || of_a < 0 || of_b < 0, c.input_name(0), " of shape ", c.input(0).shape(),
            " and ", c.input_name(1), " of shape ", c.input(1).shape(),
            " do not fit: the inner sizes ", of_a, " and ", of_b, " differ");
}

void check_count(const ShapeCtx& c, const Shape& s) {
  c.require(!s.fully_known() || checked_num_elements(s) >= 0, "the product of shape ", s,
            " is too large");
}

Shape matmul_shape(ShapeCtx& c) {
  const auto& attrs = c.attrs<MatMulAttrs>();
  for (int i = 0; i < 2; ++i) {
    c.require(c.in(i).rank() == 2 || !c.in(i).has_rank(), c.input_name(i),
              " must be a matrix, got shape ", c.in(i));
  }
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return Shape{-1, -1};
  check_inner(c, c.in(0)[attrs.transpose_a ? 0 : 1], c.in(1)[attrs.transpose_b ? 1 : 0]);
  const Shape s{c.in(0)[attrs.transpose_a ? 1 : 0], c.in(1)[attrs.transpose_b ? 0 : 1]};
  check_count(c, s);
  return s;
}

void matmul_kernel(KernelCtx& c) {
  const auto& attrs = c.attrs<MatMulAttrs>();
  const Product p{.m = c.out().dim(0),
                  .n = c.out().dim(1),
                  .k = c.in(0).dim(attrs.transpose_a ? 0 : 1),
                  .transpose_a = attrs.transpose_a,
                  .transpose_b = attrs.transpose_b};
  matmul(c.dtype(), p, {}, c.in(0).raw(), c.in(1).raw(), c.out().mutable_raw());
}

Shape batch_of(const Shape& s) { return {s.begin(), s.rank() - 2}; }

template <class A>
Shape batch_shape(ShapeCtx& c) {
  const auto& attrs = c.attrs<A>();
  for (int i = 0; i < 2; ++i) {
    c.require(c.in(i).rank() >= 2 || !c.in(i).has_rank(), c.input_name(i),
              " must be matrices, got shape ", c.in(i));
  }
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return Shape::unknown_rank();
  const int rx = c.in(0).rank(), ry = c.in(1).rank();
  check_inner(c, c.in(0)[attrs.adj_x ? rx - 2 : rx - 1], c.in(1)[attrs.adj_y ? ry - 1 : ry - 2]);
  Shape s;
  try {
    s = broadcast_shapes(batch_of(c.in(0)), batch_of(c.in(1)));
  } catch (const Error&) {
    c.require(false, "the batch sizes of x of shape ", c.in(0), " and y of shape ", c.in(1),
              " do not broadcast");
  }
  s.push_back(c.in(0)[attrs.adj_x ? rx - 1 : rx - 2]);
  s.push_back(c.in(1)[attrs.adj_y ? ry - 2 : ry - 1]);
  check_count(c, s);
  return s;
}

Shape equal_batch_shape(ShapeCtx& c) {
  const Shape s = batch_shape<BatchMatMulAttrs>(c);
  if (s.has_rank()) {
    c.require(batch_of(c.in(0)) == batch_of(c.in(1)), "x of shape ", c.in(0), " and y of shape ",
              c.in(1), " must have the same batch sizes");
  }
  return s;
}

// Which matrix of an input each output matrix reads; empty when they go in step.
std::vector<int64_t> matrices_of(const Shape& in, const Shape& out) {
  const int rank = out.rank() - 2, shift = out.rank() - in.rank();
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= out[d];
  std::vector<int64_t> of(static_cast<size_t>(count));
  int64_t index[kMaxRank] = {};
  for (int64_t& matrix : of) {
    for (int d = shift; d < rank; ++d) {
      matrix = matrix * in[d - shift] + (in[d - shift] == 1 ? 0 : index[d]);
    }
    for (int d = rank - 1; d >= 0 && ++index[d] == out[d]; --d) index[d] = 0;
  }
  return of;
}

// x, y: matrices of one dtype, stacked in any way that broadcasts to the shape of `out`.
void batch_product(DType dtype, Product p, const Tensor& x, const Tensor& y, const Tensor& out) {
  const Shape &sx = x.shape(), &sy = y.shape(), &so = out.shape();
  p.k = sx[sx.rank() - (p.transpose_a ? 2 : 1)];
  p.m = so[so.rank() - 2];
  p.n = so[so.rank() - 1];
  p.conj = true;
  Batch batch{.count = batch_of(so).num_elements()};
  const int64_t count_x = batch_of(sx).num_elements(), count_y = batch_of(sy).num_elements();
  std::vector<int64_t> of_x, of_y;
  if (count_y == 1 && count_x == batch.count && !p.transpose_a) {
    // Stacked rows times one matrix are one product.
    p.m *= batch.count;
    batch.count = 1;
  } else if (batch.count > 0) {
    if (count_x != batch.count) of_x = matrices_of(sx, so);
    if (count_y != batch.count) of_y = matrices_of(sy, so);
    batch.a_of = of_x.empty() ? nullptr : of_x.data();
    batch.b_of = of_y.empty() ? nullptr : of_y.data();
  }
  matmul(dtype, p, batch, x.raw(), y.raw(), out.mutable_raw());
}

template <class A>
Product orientation(const KernelCtx& c) {
  const auto& attrs = c.attrs<A>();
  return {.m = 0, .n = 0, .k = 0, .transpose_a = attrs.adj_x, .transpose_b = attrs.adj_y};
}

void batch_kernel(KernelCtx& c) {
  batch_product(c.dtype(), orientation<BatchMatMulAttrs>(c), c.in(0), c.in(1), c.out());
}

const ops::Caller mat_mul{"MatMul"}, batch_mat_mul{"BatchMatMulV2"};

Tensor times(Tensor a, bool transpose_a, Tensor b, bool transpose_b) {
  return mat_mul.with(MatMulAttrs{transpose_a, transpose_b}, std::move(a), std::move(b));
}
Tensor batch_times(Tensor x, bool adj_x, Tensor y, bool adj_y) {
  return batch_mat_mul.with(BatchMatMulAttrs{adj_x, adj_y}, std::move(x), std::move(y));
}

// d(op(a) op(b)): for a, dy op(b)' put back into a's orientation; for b, op(a)' dy.
void matmul_grad(GradCtx& g) {
  const auto [ta, tb, ga, gb] = g.attrs<MatMulAttrs>();
  const Tensor dy = g.dy(0);
  if (g.needs(0)) {
    const Tensor b = ops::conj(g.x(1));
    g.dx(0) = ta ? times(b, tb, dy, true) : times(dy, false, b, !tb);
  }
  if (g.needs(1)) {
    const Tensor a = ops::conj(g.x(0));
    g.dx(1) = tb ? times(dy, true, a, ta) : times(a, !ta, dy, false);
  }
}

template <class A>
void batch_grad(GradCtx& g) {
  const bool ax = g.attrs<A>().adj_x, ay = g.attrs<A>().adj_y;
  const Tensor dy = g.dy(0);
  if (g.needs(0)) {
    Tensor dx = ax ? batch_times(g.x(1), ay, dy, true) : batch_times(dy, false, g.x(1), !ay);
    g.dx(0) = ops::sum_to(std::move(dx), g.x(0).shape());
  }
  if (g.needs(1)) {
    Tensor dx = ay ? batch_times(dy, true, g.x(0), ax) : batch_times(g.x(0), !ax, dy, false);
    g.dx(1) = ops::sum_to(std::move(dx), g.x(1).shape());
  }
}

}  // namespace

const Family matmul_ops([]() -> OpRows {
  const AttrsDef batch_attrs = attrs_of<BatchMatMulAttrs>(
      field("adj_x", &BatchMatMulAttrs::adj_x), field("adj_y", &BatchMatMulAttrs::adj_y),
      field("grad_x", &BatchMatMulAttrs::grad_x), field("grad_y", &BatchMatMulAttrs::grad_y));
  return {
      {.name = "MatMul",
       .inputs = {{"a", "T"}, {"b", "T"}},
       .outputs = {{"product", "T"}},
       .types = {{"T", kMatMulTypes}},
       .attrs = attrs_of<MatMulAttrs>(field("transpose_a", &MatMulAttrs::transpose_a),
                                      field("transpose_b", &MatMulAttrs::transpose_b),
                                      field("grad_a", &MatMulAttrs::grad_a),
                                      field("grad_b", &MatMulAttrs::grad_b)),
       .shape = matmul_shape,
       .kernel = general(matmul_kernel, kCost),
       .saves = {in(0), in(1)},
       .grad = matmul_grad},
      {.name = "BatchMatMul",
       .inputs = {{"x", "T"}, {"y", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kMatMulTypes}},
       .attrs = batch_attrs,
       .shape = equal_batch_shape,
       .kernel = general(batch_kernel, kCost),
       .saves = {in(0), in(1)},
       .grad = batch_grad<BatchMatMulAttrs>},
      {.name = "BatchMatMulV2",
       .inputs = {{"x", "T"}, {"y", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kProductTypes}},
       .attrs = batch_attrs,
       .shape = batch_shape<BatchMatMulAttrs>,
       .kernel = general(batch_kernel, kCost),
       .saves = {in(0), in(1)},
       .grad = batch_grad<BatchMatMulAttrs>},
  };
});

}  // namespace agog
