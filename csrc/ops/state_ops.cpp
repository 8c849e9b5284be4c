// Variables: reading and assigning.
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"
#include "runtime/variable.h"

namespace agog {

struct VariableAttrs {
  DType dtype = DType::kInvalid;
};

struct AssignAttrs {
  bool validate_shape = false;
};

struct CountAttrs {
  int64_t limit = 0;
  DType T = DType::kInvalid;
};

struct ShapeAttrs {
  DType out_type = DType::kInt32;
};

namespace {

// value = op(value, delta), in place when no reader holds the memory.
KernelFn update_with(const char* op_name) {
  return [op_name](KernelCtx& c) {
    const Op& op = find_op(op_name);
    Variable& v = variable_of(c.in(0));
    v.check(c.in(1));
    const VariableLock lock(v);
    Tensor& value = v.writable();
    c.require(value.shape() == c.in(1).shape(), "variable ", v.name(), " has shape ", value.shape(),
              ", got a value of shape ", c.in(1).shape());
    const Tensor in[2] = {value, c.in(1)};
    run_map(op, in, 2, value, nullptr);
  };
}

// The value before, which must be under the limit; the variable goes on by one.
void count_up_to(KernelCtx& c) {
  Variable& v = variable_of(c.in(0));
  const auto& attrs = c.attrs<CountAttrs>();
  if (v.dtype() != attrs.T || !contains(kIndex, attrs.T)) {
    fail(ErrorCode::kInvalidType, "variable ", v.name(),
         " must be an int32 or int64 to count with, got dtype ", v.dtype());
  }
  const Tensor before = v.read();
  c.require(before.rank() == 0, "variable ", v.name(),
            " must be a scalar to count with, got shape ", before.shape());
  if (index_value(before, 0) >= attrs.limit) {
    fail(ErrorCode::kOutOfRange, "Reached limit of ", attrs.limit);
  }
  v.assign(ops::cast(Tensor::scalar<int64_t>(index_value(before, 0) + 1), attrs.T));
  c.set_out(0, before);
}

}  // namespace

const Family state_ops([]() -> OpRows {
  const AttrsDef attrs = attrs_of<VariableAttrs>(field_at("dtype", &VariableAttrs::dtype, false));
  return {
      {.name = "ReadVariableOp",
       .inputs = {{"resource", "resource"}},
       .outputs = {{"value", nullptr}},
       .attrs = attrs,
       .stateful = true,
       .kernel = dynamic([](KernelCtx& c) { c.set_out(0, variable_of(c.in(0)).read()); }),
       .grad = [](GradCtx& g) { g.dx(0) = g.dy(0); }},
      {.name = "VarIsInitializedOp",
       .inputs = {{"resource", "resource"}},
       .outputs = {{"is_initialized", "bool"}},
       .stateful = true,
       .shape = scalar(),
       .kernel = general([](KernelCtx& c) {
         *c.out().mutable_data<bool>() = variable_of(c.in(0)).initialized();
       }),
       .grad = no_gradient()},
      {.name = "VariableShape",
       .inputs = {{"input", "resource"}},
       .outputs = {{"output", "out_type"}},
       .attrs = attrs_of<ShapeAttrs>(field("out_type", &ShapeAttrs::out_type)),
       .stateful = true,
       .kernel = dynamic([](KernelCtx& c) {
         const Shape shape = variable_of(c.in(0)).read().shape();
         c.set_out(0, ops::cast(ops::shape_tensor(shape), c.attrs<ShapeAttrs>().out_type));
       }),
       .grad = no_gradient()},
      {.name = "AssignVariableOp",
       .inputs = {{"resource", "resource"}, {"value", nullptr}},
       .attrs = attrs_of<AssignAttrs>(field("validate_shape", &AssignAttrs::validate_shape)),
       .stateful = true,
       .kernel = dynamic([](KernelCtx& c) { variable_of(c.in(0)).assign(c.in(1)); }),
       .grad = no_gradient()},
      {.name = "ResourceCountUpTo",
       .inputs = {{"resource", "resource"}},
       .outputs = {{"output", "T"}},
       .attrs =
           attrs_of<CountAttrs>(required("limit", &CountAttrs::limit), field("T", &CountAttrs::T)),
       .stateful = true,
       .kernel = dynamic(count_up_to),
       .grad = no_gradient()},
      {.name = "AssignAddVariableOp",
       .inputs = {{"resource", "resource"}, {"value", nullptr}},
       .stateful = true,
       .kernel = dynamic(update_with("AddV2")),
       .grad = no_gradient()},
      {.name = "AssignSubVariableOp",
       .inputs = {{"resource", "resource"}, {"value", nullptr}},
       .stateful = true,
       .kernel = dynamic(update_with("Sub")),
       .grad = no_gradient()},
  };
});

}  // namespace agog
