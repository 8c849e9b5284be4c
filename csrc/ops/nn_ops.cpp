// Softmax, losses, biases and the largest of rows.
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/reduce.h"
#include "kernels/softmax.h"
#include "kernels/top_k.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct BiasAttrs {
  std::string data_format = "NHWC";
};
struct KeepDimsAttrs {
  bool keep_dims = false;
};
struct TopKAttrs {
  bool sorted = true;
  DType index_type = DType::kInt32;
};

namespace {

constexpr int kSoftmaxCost = 16;
constexpr int kSortCost = 16;

const ops::Caller sum{"Sum"}, exp_of{"Exp"}, softmax_op{"Softmax"}, log_softmax_op{"LogSoftmax"},
    bias_add_grad{"BiasAddGrad"}, broadcast_to{"BroadcastTo"}, scatter{"ScatterNd"};

// Sums of rows, as a column.
Tensor row_sums(Tensor t) {
  const Tensor last = Tensor::scalar<int32_t>(t.rank() - 1);
  return sum.with(KeepDimsAttrs{true}, std::move(t), last);
}

// What flows back through softmax to its input.
Tensor through_softmax(const Tensor& y, const Tensor& dy) { return (dy - row_sums(dy * y)) * y; }

Shape row_shape(ShapeCtx& c) {
  c.require(c.in(0).rank() != 0, "logits must have at least one dimension, got shape ", c.in(0));
  return c.in(0);
}

// --- Losses -----------------------------------------------------------------------------------

Shape cross_entropy_shape(ShapeCtx& c) {
  Shape s;
  try {
    s = broadcast_shapes(c.in(0), c.in(1));
  } catch (const Error&) {
    c.require(false, "features of shape ", c.in(0), " and labels of shape ", c.in(1),
              " do not broadcast");
  }
  c.require(s.rank() == 2 || !s.has_rank(), "features and labels must be matrices, got shapes ",
            c.in(0), " and ", c.in(1));
  c.out(1, s.has_rank() ? s : Shape{-1, -1});
  return s.has_rank() ? Shape{s[0]} : Shape{-1};
}

// t itself, or a copy that is spread over the shape.
Tensor spread(const Tensor& t, const Shape& shape) {
  if (t.shape() == shape) return t;
  const Tensor out = Tensor::empty(t.dtype(), shape);
  const int64_t rows = t.rank() == 2 ? t.dim(0) : 1, columns = t.rank() ? t.dim(t.rank() - 1) : 1;
  const int64_t width = size_of(t.dtype());
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      const int64_t from = (rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j);
      std::memcpy(out.mutable_data<char>() + (i * shape[1] + j) * width,
                  t.data<char>() + from * width, static_cast<size_t>(width));
    }
  }
  return out;
}

void cross_entropy_kernel(KernelCtx& c) {
  const Shape& s = c.out(1).shape();
  cross_entropy(spread(c.in(0), s), spread(c.in(1), s), c.out(0), c.out(1));
}

Shape sparse_shape(ShapeCtx& c) {
  c.require(c.in(0).rank() == 2 || !c.in(0).has_rank(), "features must be a matrix, got shape ",
            c.in(0));
  c.require(c.in(1).rank() == 1 || !c.in(1).has_rank(), "labels must be a vector, got shape ",
            c.in(1));
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) {
    c.out(1, Shape{-1, -1});
    return Shape{-1};
  }
  const int64_t rows = c.in(0)[0], labels = c.in(1)[0];
  c.require(rows == labels || rows < 0 || labels < 0,
            "labels must have one entry for each row of features of shape ", c.in(0),
            ", got shape ", c.in(1));
  c.require(c.in(0)[1] != 0, "features must have at least one class, got shape ", c.in(0));
  c.out(1, c.in(0));
  return c.in(1);
}

void sparse_kernel(KernelCtx& c) {
  const int64_t classes = c.in(0).dim(1);
  for (int64_t i = 0; i < c.in(1).num_elements(); ++i) {
    const int64_t label = index_value(c.in(1), i);
    if (label < 0 || label >= classes) {
      c.fail("labels[", i, "] = ", label, " is not in [0, ", classes, ")");
    }
  }
  sparse_cross_entropy(c.in(0), c.in(1), c.out(0), c.out(1));
}

Tensor column(Tensor t) {
  const int64_t n = t.num_elements();
  return ops::reshape(std::move(t), Shape{n, 1});
}

// The slope takes the sum of the labels as one, as TensorFlow's does; it is an output, and has a
// gradient as one.
void cross_entropy_grad(GradCtx& g) {
  const Shape shape = g.y(1).shape();
  Tensor x = g.x(0);
  if (x.shape() != shape) x = broadcast_to(std::move(x), ops::shape_tensor(shape));
  Tensor to_x, to_labels;
  if (g.has_dy(0)) {
    const Tensor dy = column(g.dy(0));
    to_x = dy * g.y(1);
    if (g.needs(1)) to_labels = dy * -log_softmax_op(x);
  }
  if (g.has_dy(1)) {
    const Tensor back = through_softmax(softmax_op(x), g.dy(1));
    to_x = to_x ? to_x + back : back;
    if (g.needs(1)) to_labels = to_labels ? to_labels - g.dy(1) : -g.dy(1);
  }
  if (g.needs(0)) g.dx(0) = ops::sum_to(std::move(to_x), g.x_shape(0));
  if (g.needs(1)) g.dx(1) = ops::sum_to(std::move(to_labels), g.x_shape(1));
}

void sparse_grad(GradCtx& g) {
  Tensor dx;
  if (g.has_dy(0)) dx = column(g.dy(0)) * g.y(1);
  if (g.has_dy(1)) {
    const Tensor back = through_softmax(softmax_op(g.x(0)), g.dy(1));
    dx = dx ? dx + back : back;
  }
  g.dx(0) = std::move(dx);
}

// --- Bias -------------------------------------------------------------------------------------

// The dimension that a bias runs along.
int channel_of(const OpCtx& c) {
  const std::string& format = c.attrs<BiasAttrs>().data_format;
  c.require(format == "NHWC" || format == "NCHW", "data_format must be NHWC or NCHW, got ", format);
  const Shape& s = c.input(0).shape();
  c.require(s.rank() >= 2, c.input_name(0), " must have at least two dimensions, got shape ", s);
  return format == "NHWC" ? s.rank() - 1 : 1;
}

Shape bias_shape(ShapeCtx& c) {
  c.require(c.in(1).rank() == 1 || !c.in(1).has_rank(), "bias must be a vector, got shape ",
            c.in(1));
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return c.in(0);
  const int channel = channel_of(c);
  const int64_t of_value = c.in(0)[channel], of_bias = c.in(1)[0];
  c.require(of_value == of_bias || of_value < 0 || of_bias < 0, "bias must have ", of_value,
            " elements for a value of shape ", c.in(0), ", got shape ", c.in(1));
  return c.in(0);
}

// The shape that lets a vector broadcast along the channels of `s`.
Shape along(const Shape& s, int channel) {
  Shape kept;
  for (int d = channel; d < s.rank(); ++d) kept.push_back(d == channel ? s[d] : 1);
  return kept;
}

void bias_kernel(KernelCtx& c) {
  static const Op& add = find_op("AddV2");
  const Tensor in[2] = {c.in(0), c.in(1).with_shape(along(c.in(0).shape(), channel_of(c)))};
  run_map(add, in, 2, c.out(), nullptr);
}

void bias_grad_kernel(KernelCtx& c) {
  const Shape& s = c.in(0).shape();
  const uint32_t all = (1u << s.rank()) - 1;
  reduce(sum_reducers()[static_cast<size_t>(code(c.dtype()))], s, all & ~(1u << channel_of(c)),
         c.in(0).raw(), c.out().mutable_raw());
}

void bias_grad_grad(GradCtx& g) {
  const Shape s = g.x_shape(0);
  const bool last = g.attrs<BiasAttrs>().data_format == "NHWC";
  g.dx(0) =
      broadcast_to(ops::reshape(g.dy(0), along(s, last ? s.rank() - 1 : 1)), ops::shape_tensor(s));
}

// --- The largest ------------------------------------------------------------------------------

int64_t k_of(const OpCtx& c, int i) {
  const Tensor& t = c.input(i);
  c.require(t.rank() == 0, "k must be a scalar, got shape ", t.shape());
  return t.dtype() == DType::kInt16 ? *t.data<int16_t>() : index_value(t, 0);
}

Shape top_k_shape(ShapeCtx& c) {
  if (!c.in(0).has_rank()) {
    c.out(1, c.in(0));
    return c.in(0);
  }
  c.require(c.in(0).rank() >= 1, "input must have at least one dimension, got shape ", c.in(0));
  const DType index = c.attrs<TopKAttrs>().index_type;
  c.require(contains(kIndex | set_of(DType::kInt16), index), "index_type ", index,
            " is not an index");
  Shape s = c.in(0);
  int64_t& last = s[s.rank() - 1];
  if (c.has_value(1)) {
    const int64_t k = k_of(c, 1);
    c.require(k >= 0, "k must not be negative, got ", k);
    c.require(k <= last || last < 0, "k = ", k, " is more than the ", last,
              " columns of an input of shape ", c.in(0));
    const int64_t most = index == DType::kInt16 ? 32767 : 2147483647;
    c.require(last <= most, "input of shape ", c.in(0), " has rows too long for their indices");
    last = k;
  } else {
    last = -1;
  }
  c.out(1, s);
  return s;
}

// Each gradient goes back to where its value came from.
void top_k_grad(GradCtx& g) {
  const Shape shape = g.x_shape(0);
  const int64_t n = shape[shape.rank() - 1];
  const int64_t k = g.y(1).dim(shape.rank() - 1), count = g.y(1).num_elements();
  const int64_t rows = k > 0 ? count / k : 0;
  const Tensor starts = Tensor::empty(DType::kInt64, Shape{rows, 1});
  for (int64_t i = 0; i < rows; ++i) starts.mutable_data<int64_t>()[i] = i * n;
  // Positions in the flattened input.
  const Tensor indices = ops::reshape(ops::cast(g.y(1), DType::kInt64), Shape{rows, k});
  const Tensor places = ops::reshape(indices + starts, Shape{count, 1});
  const Tensor flat =
      scatter(places, ops::reshape(g.dy(0), Shape{count}), ops::int_vector({shape.num_elements()}));
  g.dx(0) = ops::reshape(flat, shape);
}

Shape in_top_k_shape(ShapeCtx& c) {
  c.require(c.in(0).rank() == 2 || !c.in(0).has_rank(), "predictions must be a matrix, got shape ",
            c.in(0));
  c.require(c.in(1).rank() == 1 || !c.in(1).has_rank(), "targets must be a vector, got shape ",
            c.in(1));
  if (c.has_value(2)) k_of(c, 2);
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return Shape{-1};
  c.require(c.in(0)[0] == c.in(1)[0] || c.in(0)[0] < 0 || c.in(1)[0] < 0,
            "targets must have one entry for each row of predictions of shape ", c.in(0),
            ", got shape ", c.in(1));
  return c.in(1);
}

// --- OpRows -------------------------------------------------------------------------------------

OpRows softmax_rows() {
  return {
      {.name = "Softmax",
       .inputs = {{"logits", "T"}},
       .outputs = {{"softmax", "T"}},
       .types = {{"T", kFloating}},
       .shape = row_shape,
       .kernel = general([](KernelCtx& c) { softmax(c.in(0), c.out()); }, kSoftmaxCost),
       .saves = {out(0)},
       .grad = [](GradCtx& g) { g.dx(0) = through_softmax(g.y(0), g.dy(0)); }},
      {.name = "LogSoftmax",
       .inputs = {{"logits", "T"}},
       .outputs = {{"logsoftmax", "T"}},
       .types = {{"T", kFloating}},
       .shape = row_shape,
       .kernel = general([](KernelCtx& c) { log_softmax(c.in(0), c.out()); }, kSoftmaxCost),
       .saves = {out(0)},
       .grad =
           [](GradCtx& g) {
             const Tensor dy = g.dy(0);
             g.dx(0) = dy - row_sums(dy) * exp_of(g.y(0));
           }},
      {.name = "SoftmaxCrossEntropyWithLogits",
       .inputs = {{"features", "T"}, {"labels", "T"}},
       .outputs = {{"loss", "T"}, {"backprop", "T"}},
       .types = {{"T", kFloating}},
       .shape = cross_entropy_shape,
       .kernel = general(cross_entropy_kernel, kSoftmaxCost),
       .saves = {in(0), shape_of_in(1), out(1)},
       .grad = cross_entropy_grad},
      {.name = "SparseSoftmaxCrossEntropyWithLogits",
       .inputs = {{"features", "T"}, {"labels", "Tlabels"}},
       .outputs = {{"loss", "T"}, {"backprop", "T"}},
       .types = {{"T", kFloating}, {"Tlabels", kIndex, DType::kInt64}},
       .shape = sparse_shape,
       .kernel = general(sparse_kernel, kSoftmaxCost),
       .saves = {in(0), out(1)},
       .grad = sparse_grad},
  };
}

OpRows bias_rows() {
  const AttrsDef attrs = attrs_of<BiasAttrs>(field("data_format", &BiasAttrs::data_format));
  return {
      {.name = "BiasAdd",
       .inputs = {{"value", "T"}, {"bias", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kNumeric}},
       .attrs = attrs,
       .shape = bias_shape,
       .kernel = general(bias_kernel),
       .grad =
           [](GradCtx& g) {
             if (g.needs(0)) g.dx(0) = g.dy(0);
             if (g.needs(1)) g.dx(1) = bias_add_grad.with(g.attrs<BiasAttrs>(), g.dy(0));
           }},
      {.name = "BiasAddGrad",
       .inputs = {{"out_backprop", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kNumeric}},
       .attrs = attrs,
       .shape =
           [](ShapeCtx& c) {
             return c.in(0).has_rank() ? Shape{c.in(0)[channel_of(c)]} : Shape{-1};
           },
       .kernel = general(bias_grad_kernel),
       .saves = {shape_of_in(0)},
       .grad = bias_grad_grad},
      {.name = "L2Loss",
       .inputs = {{"t", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kFloating}},
       .shape = scalar(),
       .kernel = general([](KernelCtx& c) {
         const Shape& s = c.in(0).shape();
         reduce(half_squares_reducers()[static_cast<size_t>(code(c.dtype()))], s,
                (1u << s.rank()) - 1, c.in(0).raw(), c.out().mutable_raw());
       }),
       .saves = {in(0)},
       .grad = [](GradCtx& g) { g.dx(0) = g.x(0) * g.dy(0); }},
  };
}

OpRows top_k_rows() {
  const TypeSet index = kIndex | set_of(DType::kInt16);
  return {
      {.name = "TopKV2",
       .inputs = {{"input", "T"}, {"k", "Tk", kHost}},
       .outputs = {{"values", "T"}, {"indices", "index_type"}},
       .types = {{"T", kReal}, {"Tk", index, DType::kInt32}},
       .attrs = attrs_of<TopKAttrs>(field("sorted", &TopKAttrs::sorted),
                                    field("index_type", &TopKAttrs::index_type)),
       .shape = top_k_shape,
       .kernel =
           general([](KernelCtx& c) { top_k(c.in(0), k_of(c, 1), c.out(0), c.out(1)); }, kSortCost),
       .saves = {shape_of_in(0), out(1)},
       .grad = top_k_grad},
      {.name = "InTopKV2",
       .inputs = {{"predictions", "float32"}, {"targets", "T"}, {"k", "T", kHost}},
       .outputs = {{"precision", "bool"}},
       .types = {{"T", kIndex, DType::kInt32}},
       .shape = in_top_k_shape,
       .kernel = general([](KernelCtx& c) { in_top_k(c.in(0), c.in(1), k_of(c, 2), c.out()); }),
       .grad = no_gradient()},
  };
}

}  // namespace

const Family nn_ops([]() -> OpRows {
  OpRows rows;
  for (auto& family : {softmax_rows(), bias_rows(), top_k_rows()}) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  return rows;
});

}  // namespace agog
