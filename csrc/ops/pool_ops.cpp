// Pooling of images of two and three dimensions.
#include "kernels/pool.h"

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/window.h"

namespace agog {
namespace {

struct PoolKind {
  int dims;
  const char *max, *max_grad, *max_grad_grad, *avg, *avg_grad;
};
constexpr PoolKind kPool2D{2,         "MaxPool",    "MaxPoolGrad", "MaxPoolGradGrad",
                           "AvgPool", "AvgPoolGrad"};
constexpr PoolKind kPool3D{3,           "MaxPool3D",    "MaxPool3DGrad", "MaxPool3DGradGrad",
                           "AvgPool3D", "AvgPool3DGrad"};

struct Plan {
  ImageLayout layout;
  Pool pool;
  Shape out;
};

// Of images of shape x, whose rank is right; sizes of -1 are unknown.
Plan plan_of(const OpCtx& c, const PoolKind& kind, const Shape& x) {
  const auto& attrs = c.attrs<WindowAttrs>();
  Plan p;
  p.layout = image_layout(c, kind.dims, attrs.data_format);
  Windows windows = read_windows(c, attrs, p.layout);
  read_sizes(c, "ksize", attrs.ksize, p.layout, windows.size);
  Pool& pool = p.pool;
  pool.batch = x[0];
  pool.channels = x[p.layout.channel()];
  for (int d = p.layout.first(); d < 3; ++d) {
    c.require(windows.before[d] < windows.size[d] && windows.after[d] < windows.size[d],
              "explicit_paddings of ", windows.before[d], " and ", windows.after[d],
              " must be smaller than ksize, ", windows.size[d]);
    pool.in[d] = x[p.layout.space(d)];
    pool.size[d] = windows.size[d];
    pool.stride[d] = windows.stride[d];
    pool.out[d] = windows.count(c, d, pool.in[d], &pool.before[d]);
  }
  p.out = image_shape(p.layout, pool.batch, pool.out, pool.channels);
  return p;
}

Shape ranked(const OpCtx& c, const PoolKind& kind, int input) {
  const Shape& s = c.input(input).shape();
  c.require(!s.has_rank() || s.rank() == kind.dims + 2, c.input_name(input), " must have ",
            kind.dims + 2, " dimensions, got shape ", s);
  if (s.has_rank()) return s;
  Shape unknown;
  for (int d = 0; d < kind.dims + 2; ++d) unknown.push_back(-1);
  return unknown;
}

void require_shape(const OpCtx& c, const PoolKind& kind, int input, const Shape& wanted) {
  const Shape got = ranked(c, kind, input);
  bool fits = true;
  for (int d = 0; d < got.rank(); ++d) {
    fits &= got[d] == wanted[d] || got[d] < 0 || wanted[d] < 0;
  }
  c.require(fits, c.input_name(input), " must have shape ", wanted, ", got ", got);
}

// --- Shapes -----------------------------------------------------------------------------------

Shape forward_shape(ShapeCtx& c, const PoolKind& kind) {
  return plan_of(c, kind, ranked(c, kind, 0)).out;
}

Shape max_grad_shape(ShapeCtx& c, const PoolKind& kind) {
  const Shape x = ranked(c, kind, 0);
  const Plan p = plan_of(c, kind, x);
  require_shape(c, kind, 1, p.out);
  require_shape(c, kind, 2, p.out);
  return x;
}

Shape max_grad_grad_shape(ShapeCtx& c, const PoolKind& kind) {
  const Shape x = ranked(c, kind, 0);
  const Plan p = plan_of(c, kind, x);
  require_shape(c, kind, 1, p.out);
  require_shape(c, kind, 2, x);
  return p.out;
}

Shape avg_grad_shape(ShapeCtx& c, const PoolKind& kind) {
  const Tensor& sizes = c.input(0);
  c.require(sizes.rank() == 1 && sizes.dim(0) == kind.dims + 2,
            "orig_input_shape must be a vector of ", kind.dims + 2, " elements, got shape ",
            sizes.shape());
  Shape x;
  if (c.has_value(0)) {
    x = c.shape_input(0);
  } else {
    for (int d = 0; d < kind.dims + 2; ++d) x.push_back(-1);
  }
  require_shape(c, kind, 1, plan_of(c, kind, x).out);
  return x;
}

// --- Kernels ----------------------------------------------------------------------------------

// f(pool, output with channels last) for images of shape x.
template <class F>
void run(KernelCtx& c, const PoolKind& kind, const Shape& x, F&& f) {
  const Plan p = plan_of(c, kind, x);
  const Tensor out = channels_last_output(c.out(), p.layout);
  if (out.num_elements() > 0) f(p, out);
  from_channels_last(out, p.layout, c.out());
}

void max_kernel(KernelCtx& c, const PoolKind& kind) {
  run(c, kind, c.in(0).shape(), [&](const Plan& p, const Tensor& out) {
    max_pool(p.pool, channels_last(c.in(0), p.layout), out);
  });
}
void max_grad_kernel(KernelCtx& c, const PoolKind& kind) {
  run(c, kind, c.in(0).shape(), [&](const Plan& p, const Tensor& out) {
    max_pool_grad(p.pool, channels_last(c.in(0), p.layout), channels_last(c.in(2), p.layout), out);
  });
}
void max_grad_grad_kernel(KernelCtx& c, const PoolKind& kind) {
  run(c, kind, c.in(0).shape(), [&](const Plan& p, const Tensor& out) {
    max_pool_grad_grad(p.pool, channels_last(c.in(0), p.layout), channels_last(c.in(2), p.layout),
                       out);
  });
}
void avg_kernel(KernelCtx& c, const PoolKind& kind) {
  run(c, kind, c.in(0).shape(), [&](const Plan& p, const Tensor& out) {
    avg_pool(p.pool, channels_last(c.in(0), p.layout), out);
  });
}
void avg_grad_kernel(KernelCtx& c, const PoolKind& kind) {
  run(c, kind, c.out().shape(), [&](const Plan& p, const Tensor& out) {
    avg_pool_grad(p.pool, channels_last(c.in(1), p.layout), out);
  });
}

// --- OpRows -------------------------------------------------------------------------------------

Tensor call(const char* name, const WindowAttrs& attrs, std::initializer_list<Tensor> inputs) {
  return execute1(find_op(name), inputs.begin(), static_cast<int>(inputs.size()), &attrs);
}

// Explicit paddings where TensorFlow's op has them.
AttrsDef pool_attrs(const PoolKind& kind, bool pads) {
  const auto ksize = required("ksize", &WindowAttrs::ksize);
  const auto strides = required("strides", &WindowAttrs::strides);
  const auto padding = required("padding", &WindowAttrs::padding);
  const auto format = field("data_format", &WindowAttrs::data_format);
  const auto explicit_pads = field("explicit_paddings", &WindowAttrs::explicit_paddings);
  if (kind.dims == 3) {
    return window_attrs_3d(attrs_of<WindowAttrs>(ksize, strides, padding, format));
  }
  return pads ? attrs_of<WindowAttrs>(ksize, strides, padding, explicit_pads, format)
              : attrs_of<WindowAttrs>(ksize, strides, padding, format);
}

template <void (*F)(KernelCtx&, const PoolKind&)>
Kernel kernel_of(const PoolKind& kind) {
  return general([kind](KernelCtx& c) { F(c, kind); }, 4);
}
template <Shape (*F)(ShapeCtx&, const PoolKind&)>
ShapeFn shape_of(const PoolKind& kind) {
  return [kind](ShapeCtx& c) { return F(c, kind); };
}

OpRows max_rows(const PoolKind& kind) {
  constexpr TypeSet k3D = types(DType::kBFloat16, DType::kFloat);
  constexpr TypeSet kWideUnsigned = types(DType::kUInt32, DType::kUInt64);
  const bool flat = kind.dims == 2;
  const TypeVar forward{"T", flat ? kReal & ~kWideUnsigned : k3D};
  const TypeVar backward{"T", flat ? kReal : k3D};
  const std::vector<InputDef> grad_inputs = {
      {"orig_input", flat ? "T" : "TInput"}, {"orig_output", flat ? "T" : "TInput"}, {"grad", "T"}};
  std::vector<TypeVar> grad_types = {backward};
  if (!flat) grad_types.push_back({"TInput", k3D});
  return {
      {.name = kind.max,
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {forward},
       .attrs = pool_attrs(kind, true),
       .shape = shape_of<forward_shape>(kind),
       .kernel = kernel_of<max_kernel>(kind),
       .saves = {in(0), out(0)},
       .grad =
           [kind](GradCtx& g) {
             g.dx(0) = call(kind.max_grad, g.attrs<WindowAttrs>(), {g.x(0), g.y(0), g.dy(0)});
           }},
      {.name = kind.max_grad,
       .inputs = grad_inputs,
       .outputs = {{"output", "T"}},
       .types = grad_types,
       .attrs = pool_attrs(kind, true),
       .shape = shape_of<max_grad_shape>(kind),
       .kernel = kernel_of<max_grad_kernel>(kind),
       .saves = {in(0), in(1)},
       .grad =
           [kind](GradCtx& g) {
             if (!g.needs(2)) return;
             g.dx(2) = call(kind.max_grad_grad, g.attrs<WindowAttrs>(), {g.x(0), g.x(1), g.dy(0)});
           }},
      {.name = kind.max_grad_grad,
       .inputs = {{"orig_input", "T"}, {"orig_output", "T"}, {"grad", "T"}},
       .outputs = {{"output", "T"}},
       .types = {backward},
       .attrs = pool_attrs(kind, false),
       .shape = shape_of<max_grad_grad_shape>(kind),
       .kernel = kernel_of<max_grad_grad_kernel>(kind),
       .saves = {in(0), in(1)},
       .grad =
           [kind](GradCtx& g) {
             if (!g.needs(2)) return;
             g.dx(2) = call(kind.max_grad, g.attrs<WindowAttrs>(), {g.x(0), g.x(1), g.dy(0)});
           }},
  };
}

OpRows avg_rows(const PoolKind& kind) {
  const TypeVar t{"T", kind.dims == 2 ? kFloating : types(DType::kBFloat16, DType::kFloat)};
  return {
      {.name = kind.avg,
       .inputs = {{kind.dims == 2 ? "value" : "input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {t},
       .attrs = pool_attrs(kind, false),
       .shape = shape_of<forward_shape>(kind),
       .kernel = kernel_of<avg_kernel>(kind),
       .saves = {shape_of_in(0)},
       .grad =
           [kind](GradCtx& g) {
             g.dx(0) =
                 call(kind.avg_grad, g.attrs<WindowAttrs>(), {sizes_tensor(g.x_shape(0)), g.dy(0)});
           }},
      {.name = kind.avg_grad,
       .inputs = {{"orig_input_shape", "int32", kHost}, {"grad", "T"}},
       .outputs = {{"output", "T"}},
       .types = {t},
       .attrs = pool_attrs(kind, false),
       .shape = shape_of<avg_grad_shape>(kind),
       .kernel = kernel_of<avg_grad_kernel>(kind),
       .grad =
           [kind](GradCtx& g) {
             if (g.needs(1)) g.dx(1) = call(kind.avg, g.attrs<WindowAttrs>(), {g.dy(0)});
           }},
  };
}

}  // namespace

const Family pool_ops([]() -> OpRows {
  return join_rows({max_rows(kPool2D), avg_rows(kPool2D), max_rows(kPool3D), avg_rows(kPool3D)});
});

}  // namespace agog
