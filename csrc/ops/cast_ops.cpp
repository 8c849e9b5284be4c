// Changes of dtype.
#include "kernels/cast.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct CastAttrs {
  DType to = DType::kInvalid;
  bool truncate = false;
};
struct BitcastAttrs {
  DType type = DType::kInvalid;
};

namespace {

void cast(KernelCtx& c) {
  const auto& attrs = c.attrs<CastAttrs>();
  const Tensor& x = c.in(0);
  if (x.dtype() == attrs.to) {
    c.set_out(0, x.alias());
    return;
  }
  if (!contains(kPlain, attrs.to) || !contains(kPlain, x.dtype())) {
    fail(ErrorCode::kUnimplemented, "there is no cast from ", x.dtype(), " to ", attrs.to);
  }
  Tensor y = Tensor::empty(attrs.to, x.shape());
  {
    UnlockScope unlocked(x.num_elements());
    cast_elements(x.raw(), x.dtype(), y.mutable_raw(), attrs.to, x.num_elements(), attrs.truncate);
  }
  c.set_out(0, std::move(y));
}

Shape bitcast_shape(ShapeCtx& c) {
  const DType to = c.attrs<BitcastAttrs>().type;
  c.require(contains(kNumeric, to), "type must be a number type, got ", to);
  const int from_size = size_of(c.dtype()), to_size = size_of(to);
  Shape s = c.in(0);
  if (!s.has_rank()) return s;
  if (from_size > to_size) {
    if (s.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
    s.push_back(from_size / to_size);
  } else if (from_size < to_size) {
    const int64_t ratio = to_size / from_size;
    const bool fits = s.rank() > 0 && (s[s.rank() - 1] == ratio || s[s.rank() - 1] < 0);
    c.require(fits, "input of shape ", s, " and dtype ", c.dtype(), " cannot be seen as ", to,
              ": its last dimension must be ", ratio);
    s = Shape(s.begin(), s.rank() - 1);
  }
  return s;
}

}  // namespace

const Family cast_ops([]() -> OpRows {
  return {
      {.name = "Cast",
       .inputs = {{"x", "SrcT"}},
       .outputs = {{"y", "DstT"}},
       .types = {{"SrcT", kAnyData}},
       .attrs = attrs_of<CastAttrs>(field("DstT", &CastAttrs::to),
                                    field("Truncate", &CastAttrs::truncate)),
       .shape = same_as(0),
       .kernel = dynamic(cast),
       .saves = {shape_of_in(0)},
       .grad =
           [](GradCtx& g) {
             const DType from = g.x_dtype(0);
             if (is_differentiable(from)) g.dx(0) = ops::cast(g.dy(0), from);
           }},
      {.name = "Bitcast",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "type"}},
       .types = {{"T", kNumeric}},
       .attrs = attrs_of<BitcastAttrs>(field("type", &BitcastAttrs::type)),
       .shape = bitcast_shape,
       .kernel = dynamic([](KernelCtx& c) {
         ShapeCtx shapes(c.op(), c.inputs(), c.num_inputs(), c.raw_attrs());
         c.set_out(0, c.in(0).with_dtype(c.attrs<BitcastAttrs>().type, bitcast_shape(shapes)));
       }),
       .grad = no_gradient()},
  };
});

}  // namespace agog
