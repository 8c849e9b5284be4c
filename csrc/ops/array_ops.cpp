// Ops that make tensors, look at their shapes, and change shapes without touching data.
#include <cstring>
#include <limits>

#include "kernels/copy.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct OutTypeAttrs {
  DType out_type = DType::kInt32;
};
struct SqueezeAttrs {
  std::vector<int64_t> axis;
};
struct EnsureShapeAttrs {
  Shape shape;
};
struct PreventGradientAttrs {
  std::string message;
};

namespace {

Shape reshaped(ShapeCtx& c) {
  if (!c.has_value(1)) return Shape::unknown_rank();
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
  if (n < 0) return s;
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

Shape broadcast_to_shape(ShapeCtx& c) {
  if (!c.has_value(1)) return Shape::unknown_rank();
  c.require(c.in(1).rank() == 1, "shape must be a vector, got shape ", c.in(1));
  const Shape to = c.shape_input(1);
  const Shape& from = c.in(0);
  const int shift = to.rank() - from.rank();
  bool fits = shift >= 0;
  for (int d = 0; fits && d < from.rank(); ++d) {
    fits = from[d] == 1 || from[d] < 0 || from[d] == to[d + shift];
  }
  c.require(fits, "input of shape ", from, " does not broadcast to ", to);
  return to;
}

void broadcast_to(KernelCtx& c) {
  const Shape& to = c.out().shape();
  const Shape& from = c.in(0).shape();
  const Strides step(to), own(from);
  const int shift = to.rank() - from.rank();
  StridedCopy copy;
  for (int d = 0; d < to.rank(); ++d) {
    const bool repeats = d < shift || from[d - shift] == 1;
    copy.add(to[d], repeats ? 0 : own[d - shift], step[d]);
  }
  copy.run(c.in(0).raw(), c.out().mutable_raw(), size_of(c.dtype()));
}

Shape expanded(ShapeCtx& c) {
  if (!c.has_value(1) || !c.in(0).has_rank()) return Shape::unknown_rank();
  const Shape& s = c.in(0);
  const int64_t dim = c.scalar_int(1);
  const int rank = s.rank();
  c.require(dim >= -rank - 1 && dim <= rank, "axis ", dim, " is not in [", -rank - 1, ", ", rank,
            "] for input of shape ", s);
  if (s.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
  const int at = static_cast<int>(dim < 0 ? dim + rank + 1 : dim);
  Shape out;
  for (int d = 0; d <= rank; ++d) {
    if (d == at) out.push_back(1);
    if (d < rank) out.push_back(s[d]);
  }
  return out;
}

Shape squeezed(ShapeCtx& c) {
  const Shape& s = c.in(0);
  const auto& dims = c.attrs<SqueezeAttrs>().axis;
  if (!s.has_rank()) return s;
  bool named[kMaxRank] = {};
  for (int64_t v : dims) {
    const int d = c.axis(v, s);
    c.require(s[d] == 1 || s[d] < 0, "dimension ", d, " of input of shape ", s,
              " cannot be squeezed: its size is ", s[d], ", not 1");
    named[d] = true;
  }
  Shape out;
  for (int d = 0; d < s.rank(); ++d) {
    if (dims.empty() ? s[d] != 1 : !named[d]) out.push_back(s[d]);
  }
  return out;
}

Shape ensured(ShapeCtx& c) {
  const Shape& want = c.attrs<EnsureShapeAttrs>().shape;
  const Shape& s = c.in(0);
  if (!want.has_rank() || !s.has_rank()) return s.has_rank() ? s : want;
  bool fits = want.rank() == s.rank();
  Shape out = s;
  for (int d = 0; fits && d < s.rank(); ++d) {
    fits = want[d] < 0 || s[d] < 0 || want[d] == s[d];
    if (out[d] < 0) out[d] = want[d];
  }
  c.require(fits, "input of shape ", s, " does not have the expected shape ", want);
  return out;
}

void require_index_type(const OpCtx& c) {
  const DType d = c.attrs<OutTypeAttrs>().out_type;
  c.require(contains(kIndex, d), "out_type must be int32 or int64, got ", d);
}

void put_index(const KernelCtx& c, const Tensor& t, int64_t i, int64_t value) {
  if (t.dtype() == DType::kInt64) {
    t.mutable_data<int64_t>()[i] = value;
    return;
  }
  c.require(value <= std::numeric_limits<int32_t>::max(), "the value ", value,
            " does not fit into int32; ask for out_type int64");
  t.mutable_data<int32_t>()[i] = static_cast<int32_t>(value);
}

void put_shape(const KernelCtx& c, const Shape& s, const Tensor& to) {
  for (int d = 0; d < s.rank(); ++d) put_index(c, to, d, s[d]);
}

Shape shape_of_shape(ShapeCtx& c) {
  require_index_type(c);
  return {c.in(0).rank()};
}

Shape shapes_of_shapes(ShapeCtx& c) {
  require_index_type(c);
  c.require(c.num_inputs() > 0, "input must be a list of at least one tensor");
  c.out_count(c.num_inputs());
  for (int i = 1; i < c.num_inputs(); ++i) c.out(i, {c.in(i).rank()});
  return {c.in(0).rank()};
}

Shape size_shape(ShapeCtx& c) {
  require_index_type(c);
  return {};
}

Shape same_list(ShapeCtx& c) {
  c.out_count(c.num_inputs());
  return c.num_inputs() > 0 ? c.in(0) : Shape{};
}

Shape fill_shape(ShapeCtx& c) {
  c.require(c.in(1).num_elements() == 1 || !c.in(1).fully_known(),
            "value must be a scalar, got shape ", c.in(1));
  if (!c.has_value(0)) return Shape::unknown_rank();
  return c.shape_input(0);
}

void ones_like(KernelCtx& c) {
  with_type(c.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    T one;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      one = T(1.0f);
    } else {
      one = static_cast<T>(1);
    }
    fill_elements(c.out().mutable_raw(), &one, c.out().num_elements(), sizeof(T));
  });
}

void give_shape_back(GradCtx& g) { g.dx(0) = ops::reshape(g.dy(0), g.x_shape(0)); }
void pass_on(GradCtx& g) { g.dx(0) = g.dy(0); }

// Sizes that s0 and s1 broadcast to, counted from the last.
int64_t size_from_end(const Tensor& t, int64_t i) {
  return i < t.num_elements() ? index_value(t, t.num_elements() - 1 - i) : 1;
}

[[noreturn]] void fail_apart(const Tensor& a, const Tensor& b, int64_t x, int64_t y) {
  fail(ErrorCode::kInvalidArgument, "s0 of ", a.num_elements(), " sizes and s1 of ",
       b.num_elements(), " do not broadcast: ", x, " and ", y, " differ and neither is 1");
}

void require_vectors(ShapeCtx& c) {
  for (int i = 0; i < 2; ++i) {
    c.require(c.in(i).rank() == 1, c.input_name(i), " must be a vector, got shape ", c.in(i));
  }
}

void broadcast_args(KernelCtx& c) {
  const Tensor &a = c.in(0), &b = c.in(1);
  const int64_t rank = c.out().num_elements();
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t x = size_from_end(a, i), y = size_from_end(b, i);
    if (x != y && x != 1 && y != 1) fail_apart(a, b, x, y);
    put_index(c, c.out(), rank - 1 - i, x == 1 ? y : x);
  }
}

void broadcast_gradient_args(KernelCtx& c) {
  const Tensor &a = c.in(0), &b = c.in(1);
  const int64_t rank = std::max(a.num_elements(), b.num_elements());
  Ints axes[2];
  bool same = a.num_elements() == b.num_elements();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t x = size_from_end(a, rank - 1 - d), y = size_from_end(b, rank - 1 - d);
    if (x != y && x != 1 && y != 1) fail_apart(a, b, x, y);
    same &= x == y;
    if (x == 1) axes[0].push_back(d);
    if (y == 1) axes[1].push_back(d);
  }
  for (int k = 0; k < 2; ++k) {
    if (same) axes[k].clear();
    Tensor t = Tensor::empty(c.dtype(), {static_cast<int64_t>(axes[k].size())});
    for (size_t i = 0; i < axes[k].size(); ++i) {
      put_index(c, t, static_cast<int64_t>(i), axes[k][i]);
    }
    c.set_out(k, std::move(t));
  }
}

AttrsDef out_type_attrs() {
  return attrs_of<OutTypeAttrs>(field("out_type", &OutTypeAttrs::out_type));
}

OpRows identity_rows() {
  return {
      {.name = "Identity",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}},
       .shape = same_as(0),
       .kernel = alias(),
       .grad = pass_on},
      {.name = "IdentityN",
       .inputs = {{"input", nullptr, 0, "N"}},
       .outputs = {{"output", nullptr, "N"}},
       .shape = same_list,
       .kernel = dynamic([](KernelCtx& c) {
         for (int i = 0; i < c.num_inputs(); ++i) c.set_out(i, c.in(i).alias());
       }),
       .saves = {shape_of_out(0)},
       .grad =
           [](GradCtx& g) {
             for (int i = 0; i < g.num_inputs(); ++i) {
               if (g.needs(i)) g.dx(i) = g.dy(i);
             }
           }},
      {.name = "StopGradient",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}},
       .shape = same_as(0),
       .kernel = alias(),
       .grad = no_gradient()},
      {.name = "PreventGradient",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}},
       .attrs = attrs_of<PreventGradientAttrs>(field("message", &PreventGradientAttrs::message)),
       .shape = same_as(0),
       .kernel = alias(),
       .grad =
           [](GradCtx& g) {
             fail(ErrorCode::kInvalidArgument, "a gradient was asked for where it is forbidden: ",
                  g.attrs<PreventGradientAttrs>().message);
           }},
      {.name = "EnsureShape",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}},
       .attrs = attrs_of<EnsureShapeAttrs>(required("shape", &EnsureShapeAttrs::shape)),
       .shape = ensured,
       .kernel = alias(),
       .grad = pass_on},
  };
}

OpRows reshape_rows() {
  return {
      {.name = "Reshape",
       .inputs = {{"tensor", "T"}, {"shape", "Tshape", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}, {"Tshape", kIndex, DType::kInt32}},
       .shape = reshaped,
       .kernel = alias(),
       .saves = {shape_of_in(0)},
       .grad = give_shape_back},
      {.name = "ExpandDims",
       .inputs = {{"input", "T"}, {"axis", "Tdim", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}, {"Tdim", kIndex, DType::kInt32}},
       .shape = expanded,
       .kernel = alias(),
       .saves = {shape_of_in(0)},
       .grad = give_shape_back},
      {.name = "Squeeze",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAny}},
       .attrs = attrs_of<SqueezeAttrs>(field("axis", &SqueezeAttrs::axis)),
       .shape = squeezed,
       .kernel = alias(),
       .saves = {shape_of_in(0)},
       .grad = give_shape_back},
  };
}

OpRows shape_rows() {
  return {
      {.name = "Shape",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "out_type"}},
       .types = {{"T", kAny}},
       .attrs = out_type_attrs(),
       .shape = shape_of_shape,
       .kernel = general([](KernelCtx& c) { put_shape(c, c.in(0).shape(), c.out()); }, 0),
       .grad = no_gradient()},
      {.name = "ShapeN",
       .inputs = {{"input", "T", 0, "N"}},
       .outputs = {{"output", "out_type", "N"}},
       .types = {{"T", kAny}},
       .attrs = out_type_attrs(),
       .shape = shapes_of_shapes,
       .kernel = general(
           [](KernelCtx& c) {
             for (int i = 0; i < c.num_inputs(); ++i) put_shape(c, c.in(i).shape(), c.out(i));
           },
           0),
       .grad = no_gradient()},
      {.name = "Size",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "out_type"}},
       .types = {{"T", kAny}},
       .attrs = out_type_attrs(),
       .shape = size_shape,
       .kernel = general([](KernelCtx& c) { put_index(c, c.out(), 0, c.in(0).num_elements()); }, 0),
       .grad = no_gradient()},
      {.name = "Rank",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "int32"}},
       .types = {{"T", kAny}},
       .shape = scalar(),
       .kernel = general([](KernelCtx& c) { put_index(c, c.out(), 0, c.in(0).rank()); }, 0),
       .grad = no_gradient()},
      {.name = "BroadcastArgs",
       .inputs = {{"s0", "T"}, {"s1", "T"}},
       .outputs = {{"r0", "T"}},
       .types = {{"T", kIndex, DType::kInt32}},
       .shape =
           [](ShapeCtx& c) {
             require_vectors(c);
             return c.in(0)[0] > c.in(1)[0] ? c.in(0) : c.in(1);
           },
       .kernel = general(broadcast_args),
       .grad = no_gradient()},
      {.name = "BroadcastGradientArgs",
       .inputs = {{"s0", "T"}, {"s1", "T"}},
       .outputs = {{"r0", "T"}, {"r1", "T"}},
       .types = {{"T", kIndex, DType::kInt32}},
       .shape =
           [](ShapeCtx& c) {
             require_vectors(c);
             c.out(1, {-1});
             return Shape{-1};
           },
       .kernel = dynamic(broadcast_gradient_args),
       .grad = no_gradient()},
  };
}

OpRows fill_rows() {
  return {
      {.name = "ZerosLike",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kAnyData}},
       .shape = same_as(0),
       .kernel = general([](KernelCtx& c) {
         std::memset(c.out().mutable_raw(), 0, static_cast<size_t>(c.out().num_bytes()));
       }),
       .grad = no_gradient()},
      {.name = "OnesLike",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kPlain}},
       .shape = same_as(0),
       .kernel = general(ones_like),
       .grad = no_gradient()},
      {.name = "Fill",
       .inputs = {{"dims", "index_type", kHost}, {"value", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"index_type", kIndex, DType::kInt32}, {"T", kAnyData}},
       .shape = fill_shape,
       .kernel = general([](KernelCtx& c) {
         fill_elements(c.out().mutable_raw(), c.in(1).raw(), c.out().num_elements(),
                       size_of(c.dtype(1)));
       }),
       .saves = {shape_of_in(1)},
       .grad =
           [](GradCtx& g) {
             if (g.needs(1)) g.dx(1) = ops::reshape(ops::sum_to(g.dy(0), {}), g.x_shape(1));
           }},
      {.name = "BroadcastTo",
       .inputs = {{"input", "T"}, {"shape", "Tidx", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Tidx", kIndex, DType::kInt32}},
       .shape = broadcast_to_shape,
       .kernel = general(broadcast_to),
       .saves = {shape_of_in(0)},
       .grad = [](GradCtx& g) { g.dx(0) = ops::sum_to(g.dy(0), g.x_shape(0)); }},
  };
}

}  // namespace

const Family array_ops([]() -> OpRows {
  return join_rows({identity_rows(), reshape_rows(), shape_rows(), fill_rows()});
});

}  // namespace agog
