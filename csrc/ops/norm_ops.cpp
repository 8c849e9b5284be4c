// Batch normalisation in one op.
#include <algorithm>
#include <limits>

#include "kernels/batch_norm.h"
#include "kernels/kernel.h"
#include "kernels/widened.h"
#include "op/call.h"
#include "op/contexts.h"
#include "ops/array_calls.h"
#include "ops/family.h"
#include "ops/window.h"

namespace agog {

struct BatchNormAttrs {
  float epsilon = 0.0001f;
  float exponential_avg_factor = 1;
  std::string data_format = "NHWC";
  bool is_training = true;
};

namespace {

const ops::Caller rsqrt{"Rsqrt"}, square{"Square"};

// --- Shapes and kernels -----------------------------------------------------------------------

// NHWC and NCHW stand for images of three dimensions, too.
ImageLayout layout_of(const OpCtx& c, int input) {
  const std::string& format = c.attrs<BatchNormAttrs>().data_format;
  const bool last = format == "NHWC" || format == "NDHWC";
  c.require(last || format == "NCHW" || format == "NCDHW",
            "data_format must be NHWC, NCHW, NDHWC or NCDHW, got ", format);
  const int rank = c.input(input).shape().rank();
  c.require(rank == 4 || rank == 5, c.input_name(input), " must have 4 or 5 dimensions, got shape ",
            c.input(input).shape());
  return {rank - 2, last};
}

void require_vector(const OpCtx& c, int input, int64_t channels) {
  const Shape& s = c.input(input).shape();
  if (!s.has_rank()) return;
  c.require(s.rank() == 1 && (s[0] == channels || s[0] < 0 || channels < 0), c.input_name(input),
            " must be a vector of ", channels, " elements, one for each channel, got shape ", s);
}

Shape forward_shape(ShapeCtx& c, bool has_reserve_3) {
  const auto& attrs = c.attrs<BatchNormAttrs>();
  const bool known = c.in(0).has_rank();
  const int64_t channels = known ? c.in(0)[layout_of(c, 0).channel()] : -1;
  require_vector(c, 1, channels);
  require_vector(c, 2, channels);
  // The averages so far are read where they count.
  const bool reads = !attrs.is_training || attrs.exponential_avg_factor != 1.0f;
  for (int i = 3; reads && i < 5; ++i) require_vector(c, i, channels);
  for (int i = 1; i < 5; ++i) c.out(i, Shape{channels});
  if (has_reserve_3) c.out(5, Shape{});
  return c.in(0);
}

BatchNorm problem_of(const OpCtx& c, int input, const ImageLayout& layout) {
  const Shape& s = c.input(input).shape();
  const int64_t channels = s[layout.channel()];
  const int64_t rows = channels > 0 ? s.num_elements() / channels : 0;
  return {rows, channels, c.attrs<BatchNormAttrs>().epsilon};
}

// Channels last, in float.
Tensor rows_of(const Tensor& t, const ImageLayout& layout) {
  const Tensor last = channels_last(t, layout);
  return is_half_type(last) ? widened(last) : last;
}

// f(float tensor with channels last) fills `out`.
template <class F>
void fill_rows(const Tensor& out, const ImageLayout& layout, F&& f) {
  const Tensor last = channels_last_output(out, layout);
  if (is_half_type(out)) {
    rounded_into(last, f);
  } else {
    f(last);
  }
  from_channels_last(last, layout, out);
}

// The outputs of moments: the next averages, and what the gradient needs.
void training_moments(KernelCtx& c, const BatchNorm& n, const float* x) {
  const float factor = c.attrs<BatchNormAttrs>().exponential_avg_factor;
  float *mean = c.out(3).mutable_data<float>(), *variance = c.out(4).mutable_data<float>();
  batch_moments(n, x, mean, variance);
  // The average is of the unbiased variance.
  const float unbiased =
      static_cast<float>(n.rows) / static_cast<float>(std::max<int64_t>(n.rows - 1, 1));
  for (int64_t i = 0; i < n.channels; ++i) {
    float next_mean = mean[i], next_variance = variance[i] * unbiased;
    if (factor != 1.0f) {
      next_mean = factor * next_mean + (1 - factor) * c.in(3).data<float>()[i];
      next_variance = factor * next_variance + (1 - factor) * c.in(4).data<float>()[i];
    }
    c.out(1).mutable_data<float>()[i] = next_mean;
    c.out(2).mutable_data<float>()[i] = next_variance;
  }
}

void forward_kernel(KernelCtx& c) {
  const ImageLayout layout = layout_of(c, 0);
  const BatchNorm n = problem_of(c, 0, layout);
  const Tensor x = rows_of(c.in(0), layout);
  if (c.attrs<BatchNormAttrs>().is_training) {
    training_moments(c, n, x.data<float>());
  } else {
    for (int i = 1; i < 5; ++i) {
      const Tensor& from = c.in(i % 2 == 1 ? 3 : 4);
      std::copy_n(from.data<float>(), n.channels, c.out(i).mutable_data<float>());
    }
  }
  if (c.num_outputs() > 5) *c.out(5).mutable_data<float>() = 0;
  fill_rows(c.out(), layout, [&](const Tensor& y) {
    batch_normalize(n, x.data<float>(), c.in(1).data<float>(), c.in(2).data<float>(),
                    c.out(3).data<float>(), c.out(4).data<float>(), y.mutable_data<float>());
  });
}

Shape grad_shape(ShapeCtx& c) {
  const bool known = c.in(1).has_rank();
  const int64_t channels = known ? c.in(1)[layout_of(c, 1).channel()] : -1;
  const Shape& dy = c.in(0);
  bool fits = !dy.has_rank() || !known || dy.rank() == c.in(1).rank();
  for (int d = 0; known && dy.has_rank() && fits && d < dy.rank(); ++d) {
    fits = dy[d] == c.in(1)[d] || dy[d] < 0 || c.in(1)[d] < 0;
  }
  c.require(fits, "y_backprop must have the shape of x, ", c.in(1), ", got ", dy);
  for (int i = 2; i < 5; ++i) require_vector(c, i, channels);
  for (int i = 1; i < 3; ++i) c.out(i, Shape{channels});
  for (int i = 3; i < 5; ++i) c.out(i, Shape{0});
  return known ? c.in(1) : dy;
}

void grad_kernel(KernelCtx& c) {
  const ImageLayout layout = layout_of(c, 1);
  const BatchNorm n = problem_of(c, 1, layout);
  const Tensor dy = rows_of(c.in(0), layout), x = rows_of(c.in(1), layout);
  fill_rows(c.out(), layout, [&](const Tensor& dx) {
    batch_norm_grad(
        n, c.attrs<BatchNormAttrs>().is_training, dy.data<float>(), x.data<float>(),
        c.in(2).data<float>(), c.in(3).data<float>(), c.in(4).data<float>(),
        {dx.mutable_data<float>(), c.out(1).mutable_data<float>(), c.out(2).mutable_data<float>()});
  });
}

// --- Gradients --------------------------------------------------------------------------------

// Channels against all else, for a rule that is written with ops.
class Channels {
 public:
  Channels(const Shape& x, const std::string& format) {
    const int channel = format == "NHWC" || format == "NDHWC" ? x.rank() - 1 : 1;
    for (int d = 0; d < x.rank(); ++d) {
      along_.push_back(d == channel ? x[d] : 1);
      if (d != channel) {
        others_.push_back(d);
        count_ *= static_cast<double>(x[d]);
      }
    }
  }
  // A vector that broadcasts along the channels; a sum over all else, as such a vector; a mean.
  Tensor spread(Tensor t) const { return ops::reshape(std::move(t), along_); }
  Tensor sum(Tensor t) const { return ops::sum(std::move(t), others_); }
  Tensor mean(Tensor t) const { return spread(sum(std::move(t))) * (1 / count_); }

 private:
  Shape along_;
  std::vector<int64_t> others_;
  double count_ = 1;
};

void forward_grad(GradCtx& g) {
  const auto& attrs = g.attrs<BatchNormAttrs>();
  if (!g.has_dy(0)) return;
  static const Op& backward = find_op("FusedBatchNormGradV3");
  // Of fixed moments, the inputs: those of the outputs are copies, which no tape follows.
  const bool fixed = !attrs.is_training;
  const Tensor mean = fixed ? g.x(3) : g.y(3), variance = fixed ? g.x(4) : g.y(4);
  const Tensor in[6] = {g.dy(0), g.x(0), g.x(1), mean, variance, Tensor::scalar<float>(0)};
  const Tensors d = execute(backward, in, 6, &attrs);
  for (int i = 0; i < 3; ++i) {
    if (g.needs(i)) g.dx(i) = d[static_cast<size_t>(i)];
  }
  if (!fixed) return;
  const Tensor inverse = rsqrt(variance + static_cast<double>(attrs.epsilon));
  if (g.needs(3)) g.dx(3) = -(d[2] * g.x(1) * inverse);
  if (g.needs(4)) g.dx(4) = d[1] * g.x(1) * inverse * inverse * -0.5;
}

// x_backprop = scale r P(dy) with r the inverse deviation, n the normalised x, and P(dy) = dy less
// its mean less n mean(dy n); in inference P(dy) = dy. scale_backprop = sum(dy n). The moments are
// computed from x anew, so that what follows has its gradient, too. Cotangents: gx, gs, go.
struct SecondOrder {
  Channels channels;
  Tensor dy, x, scale, mean, variance;  // as float; vectors spread
  Tensor inverse, normal;

  SecondOrder(GradCtx& g, const BatchNormAttrs& attrs)
      : channels(g.x_shape(1), attrs.data_format),
        dy(ops::cast(g.x(0), DType::kFloat)),
        x(ops::cast(g.x(1), DType::kFloat)),
        scale(channels.spread(g.x(2))) {
    mean = attrs.is_training ? channels.mean(x) : channels.spread(g.x(3));
    variance = attrs.is_training ? channels.mean(square(x - mean)) : channels.spread(g.x(4));
    inverse = rsqrt(variance + static_cast<double>(attrs.epsilon));
    normal = (x - mean) * inverse;
  }
  Tensor project(const Tensor& t) const {
    return t - channels.mean(t) - normal * channels.mean(t * normal);
  }
};

void fixed_grad_grad(GradCtx& g, const SecondOrder& s, const Tensor& gx, const Tensor& gs,
                     const Tensor& go) {
  const Tensor factor = s.scale * s.inverse;
  if (g.needs(0)) g.dx(0) = ops::cast(gx * factor + gs * s.normal + go, g.x_dtype(0));
  if (g.needs(1)) g.dx(1) = ops::cast(gs * s.dy * s.inverse, g.x_dtype(1));
  if (g.needs(2)) g.dx(2) = s.channels.sum(gx * s.dy * s.inverse);
  if (g.needs(3)) g.dx(3) = -s.channels.sum(gs * s.dy * s.inverse);
  if (g.needs(4)) {
    const Tensor by_inverse = (gx * s.scale + gs * (s.x - s.mean)) * s.dy;
    g.dx(4) = s.channels.sum(by_inverse * s.inverse * s.inverse * s.inverse) * -0.5;
  }
}

void training_grad_grad(GradCtx& g, const SecondOrder& s, const Tensor& gx, const Tensor& gs,
                        const Tensor& go) {
  const Channels& ch = s.channels;
  const Tensor factor = s.scale * s.inverse, projected = s.project(s.dy);
  if (g.needs(0)) g.dx(0) = ops::cast(factor * s.project(gx) + gs * s.normal + go, g.x_dtype(0));
  if (g.needs(2)) g.dx(2) = ch.sum(gx * projected * s.inverse);
  if (!g.needs(1)) return;
  // By the normalised x, and through it to x; then by r, on which x_backprop depends directly.
  const Tensor by_normal =
      gs * s.dy - factor * (gx * ch.mean(s.dy * s.normal) + s.dy * ch.mean(gx * s.normal));
  const Tensor by_inverse = s.scale * ch.mean(gx * projected);
  const Tensor dx =
      s.inverse * s.project(by_normal) - by_inverse * s.inverse * s.inverse * s.normal;
  g.dx(1) = ops::cast(dx, g.x_dtype(1));
}

void grad_grad(GradCtx& g) {
  const auto& attrs = g.attrs<BatchNormAttrs>();
  const SecondOrder s(g, attrs);
  const Tensor gx = ops::cast(g.dy(0), DType::kFloat);
  const Tensor gs = s.channels.spread(g.dy(1)), go = s.channels.spread(g.dy(2));
  (attrs.is_training ? training_grad_grad : fixed_grad_grad)(g, s, gx, gs, go);
}

// --- OpRows -------------------------------------------------------------------------------------

OpDef forward_row(const char* name, const TypeSet& types, bool has_reserve_3) {
  const bool wide = has_reserve_3 || types != set_of(DType::kFloat);
  const char* u = wide ? "U" : "T";
  OpDef row{.name = name,
            .inputs = {{"x", "T"}, {"scale", u}, {"offset", u}, {"mean", u}, {"variance", u}},
            .outputs = {{"y", "T"},
                        {"batch_mean", u},
                        {"batch_variance", u},
                        {"reserve_space_1", u},
                        {"reserve_space_2", u}},
            .types = {{"T", types}},
            .attrs = attrs_of<BatchNormAttrs>(
                field("epsilon", &BatchNormAttrs::epsilon),
                field("exponential_avg_factor", &BatchNormAttrs::exponential_avg_factor),
                field("data_format", &BatchNormAttrs::data_format),
                field("is_training", &BatchNormAttrs::is_training)),
            .shape = [has_reserve_3](ShapeCtx& c) { return forward_shape(c, has_reserve_3); },
            .kernel = general(forward_kernel, 8),
            .saves = {in(0), in(1), in(3), in(4), out(3), out(4)},
            .grad = forward_grad};
  if (wide) row.types.push_back({"U", set_of(DType::kFloat)});
  if (has_reserve_3) row.outputs.push_back({"reserve_space_3", u});
  return row;
}

OpDef grad_row() {
  return {.name = "FusedBatchNormGradV3",
          .inputs = {{"y_backprop", "T"},
                     {"x", "T"},
                     {"scale", "float32"},
                     {"reserve_space_1", "U"},
                     {"reserve_space_2", "U"},
                     {"reserve_space_3", "U"}},
          .outputs = {{"x_backprop", "T"},
                      {"scale_backprop", "U"},
                      {"offset_backprop", "U"},
                      {"reserve_space_4", "U"},
                      {"reserve_space_5", "U"}},
          .types = {{"T", kHalfTypes | set_of(DType::kFloat)}, {"U", set_of(DType::kFloat)}},
          .attrs = attrs_of<BatchNormAttrs>(field("epsilon", &BatchNormAttrs::epsilon),
                                            field("data_format", &BatchNormAttrs::data_format),
                                            field("is_training", &BatchNormAttrs::is_training)),
          .shape = grad_shape,
          .kernel = general(grad_kernel, 8),
          .saves = {in(0), in(1), in(2), in(3), in(4), shape_of_out(0), shape_of_out(1),
                    shape_of_out(2)},
          .grad = grad_grad};
}

}  // namespace

const Family norm_ops([]() -> OpRows {
  const TypeSet narrow = kHalfTypes | set_of(DType::kFloat);
  return {forward_row("FusedBatchNorm", set_of(DType::kFloat), false),
          forward_row("FusedBatchNormV2", narrow, false),
          forward_row("FusedBatchNormV3", narrow, true), grad_row()};
});

}  // namespace agog
