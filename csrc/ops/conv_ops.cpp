// Convolutions of images of two and three dimensions, and their gradients, which are convolutions
// again.
#include "kernels/conv.h"

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/window.h"

namespace agog {
namespace {

// The three ops of one kind of convolution: each is the gradient of the others.
struct ConvKind {
  int dims;
  bool depthwise;  // a filter [kernel..., channels, multiplier]
  const char *forward, *input_grad, *filter_grad;
};
constexpr ConvKind kConv2D{2, false, "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"};
constexpr ConvKind kConv3D{3, false, "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"};
constexpr ConvKind kDepthwise{2, true, "DepthwiseConv2dNative",
                              "DepthwiseConv2dNativeBackpropInput",
                              "DepthwiseConv2dNativeBackpropFilter"};

// A convolution of inputs of shape x with filters of shape w.
struct Plan {
  ImageLayout layout;
  Conv conv;
  Shape out;
};

int64_t times(int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : a * b; }

// Both shapes have the right rank; sizes of -1 are unknown.
void set_channels(const OpCtx& c, const ConvKind& kind, const Shape& x, const Shape& w, Plan& p) {
  Conv& conv = p.conv;
  const int64_t of_input = x[p.layout.channel()], of_filter = w[kind.dims];
  conv.in_channels = of_input;
  conv.out_channels = w[kind.dims + 1];
  c.require(of_filter != 0, "filter must have at least one input channel, got shape ", w);
  if (kind.depthwise) {
    c.require(of_filter == of_input || of_filter < 0 || of_input < 0, "filter of shape ", w,
              " must have ", of_input, " input channels, as input of shape ", x);
    conv.groups = of_input;
    conv.out_channels = times(of_filter, w[kind.dims + 1]);
    return;
  }
  if (of_input < 0 || of_filter < 0) return;
  c.require(of_input % of_filter == 0, "the ", of_input, " channels of input of shape ", x,
            " must be a multiple of the ", of_filter, " that filter of shape ", w, " reads");
  conv.groups = std::max<int64_t>(1, of_input / of_filter);
  c.require(conv.out_channels % conv.groups == 0 || conv.out_channels < 0, "the ",
            conv.out_channels, " output channels of filter of shape ", w,
            " must be a multiple of the ", conv.groups, " groups of input channels");
}

Plan plan_of(const OpCtx& c, const ConvKind& kind, const Shape& x, const Shape& w) {
  const auto& attrs = c.attrs<WindowAttrs>();
  Plan p;
  p.layout = image_layout(c, kind.dims, attrs.data_format);
  Windows windows = read_windows(c, attrs, p.layout);
  set_channels(c, kind, x, w, p);
  Conv& conv = p.conv;
  conv.batch = x[0];
  for (int d = p.layout.first(); d < 3; ++d) {
    conv.in[d] = x[p.layout.space(d)];
    conv.kernel[d] = windows.size[d] = w[d - p.layout.first()];
    c.require(conv.kernel[d] != 0, "filter must have no zero sizes in space, got shape ", w);
    conv.stride[d] = windows.stride[d];
    conv.dilation[d] = windows.dilation[d];
    conv.out[d] = windows.count(c, d, conv.in[d], &conv.before[d]);
  }
  p.out = image_shape(p.layout, conv.batch, conv.out, conv.out_channels);
  return p;
}

// The same, for inputs whose ranks may be unknown or wrong.
Shape unknown_images(const ConvKind& kind) {
  Shape s;
  for (int d = 0; d < kind.dims + 2; ++d) s.push_back(-1);
  return s;
}

void check_rank(const OpCtx& c, const ConvKind& kind, int input) {
  const Shape& s = c.input(input).shape();
  c.require(!s.has_rank() || s.rank() == kind.dims + 2, c.input_name(input), " must have ",
            kind.dims + 2, " dimensions, got shape ", s);
}

// What a sizes input spells out, for each dimension.
Shape sizes_input(const OpCtx& c, const ConvKind& kind, int input) {
  const Tensor& t = c.input(input);
  c.require(t.rank() == 1 && t.dim(0) == kind.dims + 2, c.input_name(input),
            " must be a vector of ", kind.dims + 2, " elements, got shape ", t.shape());
  return c.shape_input(input);
}

Shape ranked(const Shape& s, const ConvKind& kind) {
  return s.has_rank() ? s : unknown_images(kind);
}

// Sizes of an image for which only those of space may be given.
Shape image_sizes(const OpCtx& c, const ConvKind& kind) {
  const Tensor &t = c.input(0), &dy = c.input(2);
  if (kind.depthwise || t.rank() != 1 || t.dim(0) != kind.dims) return sizes_input(c, kind, 0);
  const ImageLayout layout = image_layout(c, kind.dims, c.attrs<WindowAttrs>().data_format);
  const Shape space = c.shape_input(0);
  int64_t sizes[3] = {1, 1, 1};
  for (int d = layout.first(); d < 3; ++d) sizes[d] = space[d - layout.first()];
  const Shape& w = c.input(1).shape();
  return image_shape(layout, dy.rank() > 0 ? dy.dim(0) : -1, sizes,
                     w.has_rank() ? w[kind.dims] : -1);
}

void check_output(const OpCtx& c, const Plan& p) {
  const Shape& dy = c.input(2).shape();
  bool fits = true;
  for (int d = 0; dy.has_rank() && d < dy.rank(); ++d) {
    fits &= dy[d] == p.out[d] || dy[d] < 0 || p.out[d] < 0;
  }
  c.require(fits, "out_backprop must have the shape of the output, ", p.out, ", got ", dy);
}

Shape forward_shape(ShapeCtx& c, const ConvKind& kind) {
  check_rank(c, kind, 0);
  check_rank(c, kind, 1);
  return plan_of(c, kind, ranked(c.in(0), kind), ranked(c.in(1), kind)).out;
}

Shape input_grad_shape(ShapeCtx& c, const ConvKind& kind) {
  check_rank(c, kind, 1);
  check_rank(c, kind, 2);
  const Shape x = c.has_value(0) ? image_sizes(c, kind) : unknown_images(kind);
  check_output(c, plan_of(c, kind, x, ranked(c.in(1), kind)));
  return x;
}

Shape filter_grad_shape(ShapeCtx& c, const ConvKind& kind) {
  check_rank(c, kind, 0);
  check_rank(c, kind, 2);
  const Shape w = c.has_value(1) ? sizes_input(c, kind, 1) : unknown_images(kind);
  check_output(c, plan_of(c, kind, ranked(c.in(0), kind), w));
  return w;
}

void forward_kernel(KernelCtx& c, const ConvKind& kind) {
  const Plan p = plan_of(c, kind, c.in(0).shape(), c.in(1).shape());
  const Tensor y = channels_last_output(c.out(), p.layout);
  conv(p.conv, channels_last(c.in(0), p.layout), c.in(1), y);
  from_channels_last(y, p.layout, c.out());
}

void input_grad_kernel(KernelCtx& c, const ConvKind& kind) {
  const Plan p = plan_of(c, kind, c.out().shape(), c.in(1).shape());
  const Tensor dx = channels_last_output(c.out(), p.layout);
  conv_input_grad(p.conv, c.in(1), channels_last(c.in(2), p.layout), dx);
  from_channels_last(dx, p.layout, c.out());
}

void filter_grad_kernel(KernelCtx& c, const ConvKind& kind) {
  const Plan p = plan_of(c, kind, c.in(0).shape(), c.out().shape());
  conv_filter_grad(p.conv, channels_last(c.in(0), p.layout), channels_last(c.in(2), p.layout),
                   c.out());
}

// --- Gradients --------------------------------------------------------------------------------

// The three ops as functions; all of them take the attrs of any.
struct ConvCalls {
  const WindowAttrs& attrs;
  const ConvKind& kind;

  Tensor forward(const Tensor& x, const Tensor& w) const { return call(kind.forward, {x, w}); }
  Tensor input_grad(const Shape& x, const Tensor& w, const Tensor& dy) const {
    return call(kind.input_grad, {sizes_tensor(x), w, dy});
  }
  Tensor filter_grad(const Tensor& x, const Shape& w, const Tensor& dy) const {
    return call(kind.filter_grad, {x, sizes_tensor(w), dy});
  }

 private:
  Tensor call(const char* name, std::initializer_list<Tensor> inputs) const {
    return execute1(find_op(name), inputs.begin(), static_cast<int>(inputs.size()), &attrs);
  }
};

void forward_grad(GradCtx& g, const ConvKind& kind) {
  const ConvCalls ops{g.attrs<WindowAttrs>(), kind};
  if (g.needs(0)) g.dx(0) = ops.input_grad(g.x_shape(0), g.x(1), g.dy(0));
  if (g.needs(1)) g.dx(1) = ops.filter_grad(g.x(0), g.x_shape(1), g.dy(0));
}

void input_grad_grad(GradCtx& g, const ConvKind& kind) {
  const ConvCalls ops{g.attrs<WindowAttrs>(), kind};
  if (g.needs(1)) g.dx(1) = ops.filter_grad(g.dy(0), g.x_shape(1), g.x(2));
  if (g.needs(2)) g.dx(2) = ops.forward(g.dy(0), g.x(1));
}

void filter_grad_grad(GradCtx& g, const ConvKind& kind) {
  const ConvCalls ops{g.attrs<WindowAttrs>(), kind};
  if (g.needs(0)) g.dx(0) = ops.input_grad(g.x_shape(0), g.dy(0), g.x(2));
  if (g.needs(2)) g.dx(2) = ops.forward(g.x(0), g.dy(0));
}

// --- OpRows -------------------------------------------------------------------------------------

AttrsDef conv_attrs(const ConvKind& kind) {
  const auto strides = required("strides", &WindowAttrs::strides);
  const auto padding = required("padding", &WindowAttrs::padding);
  const auto format = field("data_format", &WindowAttrs::data_format);
  const auto dilations = field("dilations", &WindowAttrs::dilations);
  const auto pads = field("explicit_paddings", &WindowAttrs::explicit_paddings);
  const auto cudnn = field("use_cudnn_on_gpu", &WindowAttrs::use_cudnn_on_gpu);
  if (kind.dims == 3) {
    return window_attrs_3d(attrs_of<WindowAttrs>(strides, padding, format, dilations));
  }
  if (kind.depthwise) return attrs_of<WindowAttrs>(strides, padding, pads, format, dilations);
  return attrs_of<WindowAttrs>(strides, padding, cudnn, pads, format, dilations);
}

// A product's worth of work for each number that goes in or comes out.
constexpr int kCost = 256;

template <void (*F)(KernelCtx&, const ConvKind&)>
Kernel kernel_of(const ConvKind& kind) {
  return general([kind](KernelCtx& c) { F(c, kind); }, kCost);
}
template <Shape (*F)(ShapeCtx&, const ConvKind&)>
ShapeFn shape_of(const ConvKind& kind) {
  return [kind](ShapeCtx& c) { return F(c, kind); };
}
template <void (*F)(GradCtx&, const ConvKind&)>
GradFn grad_of(const ConvKind& kind) {
  return [kind](GradCtx& g) { F(g, kind); };
}

OpRows rows_of(const ConvKind& kind) {
  const AttrsDef attrs = conv_attrs(kind);
  const bool wide_sizes = kind.dims == 3;
  const TypeVar t{"T", kFloating};
  const bool ints = kind.dims == 2 && !kind.depthwise;
  const TypeVar t_or_int{"T", ints ? kConvTypes : kFloating};
  std::vector<TypeVar> of_input_grad = {t_or_int};
  if (wide_sizes) of_input_grad.push_back({"Tshape", kIndex, DType::kInt32});
  return {
      {.name = kind.forward,
       .inputs = {{"input", "T"}, {"filter", "T"}},
       .outputs = {{"output", "T"}},
       .types = {t_or_int},
       .attrs = attrs,
       .shape = shape_of<forward_shape>(kind),
       .kernel = kernel_of<forward_kernel>(kind),
       .saves = {in(0), in(1)},
       .grad = grad_of<forward_grad>(kind)},
      {.name = kind.input_grad,
       .inputs = {{"input_sizes", wide_sizes ? "Tshape" : "int32", kHost},
                  {"filter", "T"},
                  {"out_backprop", "T"}},
       .outputs = {{"output", "T"}},
       .types = of_input_grad,
       .attrs = attrs,
       .shape = shape_of<input_grad_shape>(kind),
       .kernel = kernel_of<input_grad_kernel>(kind),
       .saves = {in(1), in(2)},
       .grad = grad_of<input_grad_grad>(kind)},
      {.name = kind.filter_grad,
       .inputs = {{"input", "T"}, {"filter_sizes", "int32", kHost}, {"out_backprop", "T"}},
       .outputs = {{"output", "T"}},
       .types = {t},
       .attrs = attrs,
       .shape = shape_of<filter_grad_shape>(kind),
       .kernel = kernel_of<filter_grad_kernel>(kind),
       .saves = {in(0), in(2)},
       .grad = grad_of<filter_grad_grad>(kind)},
  };
}

}  // namespace

const Family conv_ops([]() -> OpRows {
  return join_rows({rows_of(kConv2D), rows_of(kConv3D), rows_of(kDepthwise)});
});

}  // namespace agog
