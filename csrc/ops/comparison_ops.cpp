// Comparisons, logic, tests of numbers, and choices between two tensors.
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {
namespace {

struct EqualAttrs {
  bool incompatible_shape_error = true;
};
struct ToleranceAttrs {
  float tolerance = 1e-5f;
};

OpRows orders() {
  constexpr auto less = [](auto a, auto b) { return a < b; };
  constexpr auto less_equal = [](auto a, auto b) { return a <= b; };
  return {
      compare_row("Less", kReal, compare<kReal>(less)),
      compare_row("LessEqual", kReal, compare<kReal>(less_equal)),
      compare_row("Greater", kReal, compare_swapped<kReal>(less)),
      compare_row("GreaterEqual", kReal, compare_swapped<kReal>(less_equal)),
  };
}

bool do_broadcast(const Shape& a, const Shape& b) {
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t m = a[a.rank() - i], n = b[b.rank() - i];
    if (m != n && m != 1 && n != 1 && m >= 0 && n >= 0) return false;
  }
  return true;
}

// Without incompatible_shape_error, tensors whose shapes do not broadcast differ as a whole.
template <class F>
OpDef equality_row(const char* name, F f, bool if_incompatible) {
  Kernel kernel = wrapping_compare<kPlain>(f);
  kernel.loops[code(DType::kString)] = compare_loop<StringRef, F, NoAttrs>;
  kernel.kind = Kernel::kGeneral;
  kernel.fn = [if_incompatible](KernelCtx& c) {
    if (do_broadcast(c.in(0).shape(), c.in(1).shape())) {
      run_map(c.op(), c.inputs(), 2, c.out(), nullptr);
    } else {
      *c.out().mutable_data<bool>() = if_incompatible;
    }
  };
  OpDef row = compare_row(name, kAnyData, std::move(kernel));
  row.attrs = attrs_of<EqualAttrs>(
      field("incompatible_shape_error", &EqualAttrs::incompatible_shape_error));
  row.broadcasts = false;
  row.shape = [](ShapeCtx& c) {
    if (!c.attrs<EqualAttrs>().incompatible_shape_error && !do_broadcast(c.in(0), c.in(1))) {
      return Shape{};
    }
    return broadcast_shapes(c.in(0), c.in(1));
  };
  return row;
}

OpDef approximate_equal_row() {
  constexpr TypeSet kTypes = types(DType::kFloat, DType::kDouble);
  OpDef row =
      compare_row("ApproximateEqual", kTypes,
                  compare<kTypes, ToleranceAttrs>([](auto a, auto b, const ToleranceAttrs& attrs) {
                    return std::abs(a - b) <= attrs.tolerance;
                  }));
  row.attrs = attrs_of<ToleranceAttrs>(field("tolerance", &ToleranceAttrs::tolerance));
  row.broadcasts = false;
  row.shape = all_same();
  return row;
}

OpDef logical_row(const char* name, Kernel kernel, bool two) {
  OpDef row = compare_row(name, kBoolean, std::move(kernel));
  row.types = {};
  row.inputs = {{"x", "bool"}, {"y", "bool"}};
  if (two) return row;
  row.inputs = {{"x", "bool"}};
  row.outputs = {{"y", "bool"}};
  row.broadcasts = false;
  row.shape = same_as(0);
  return row;
}

template <class F>
OpDef test_row(const char* name, F f) {
  OpDef row = unary_row(name, kFloating, test<kFloating>(f), {}, no_gradient());
  row.outputs = {{"y", "bool"}};
  return row;
}

OpRows tests() {
  return {
      equality_row(
          "Equal", [](auto a, auto b) { return a == b; }, false),
      equality_row(
          "NotEqual", [](auto a, auto b) { return a != b; }, true),
      approximate_equal_row(),
      logical_row("LogicalAnd", compare<kBoolean>([](bool a, bool b) { return a && b; }), true),
      logical_row("LogicalOr", compare<kBoolean>([](bool a, bool b) { return a || b; }), true),
      logical_row("LogicalNot", test<kBoolean>([](bool a) { return !a; }), false),
      test_row("IsNan", [](auto v) { return v != v; }),
      test_row("IsInf", [](auto v) { return std::abs(v) == INFINITY; }),
      test_row("IsFinite", [](auto v) { return std::abs(v) < INFINITY; }),
  };
}

OpDef select_v2_row() {
  return {.name = "SelectV2",
          .inputs = {{"condition", "bool"}, {"t", "T"}, {"e", "T"}},
          .outputs = {{"output", "T"}},
          .types = {{"T", kAnyData}},
          .broadcasts = true,
          .shape = broadcast(),
          .kernel = select_kernel<kAnyData>(),
          .saves = {in(0)},
          .grad = [](GradCtx& g) {
            if (g.needs(1)) g.dx(1) = ops::only_where(g.x(0), g.dy(0));
            if (g.needs(2)) g.dx(2) = ops::unless(g.x(0), g.dy(0));
          }};
}

// The condition has the tensors' shape, or is a scalar, or a vector that chooses whole rows.
Shape select_shape(ShapeCtx& c) {
  const Shape &condition = c.in(0), &x = c.in(1);
  c.require(c.in(2) == x, "y must have the shape of x, ", x, ", got ", c.in(2));
  const bool rows = condition.rank() == 1 && x.rank() > 0 && condition[0] == x[0];
  c.require(condition == x || condition.rank() == 0 || rows, "condition must have the shape of x, ",
            x, ", or that of its first dimension, got ", condition);
  return x;
}

OpDef select_row() {
  static const ops::Caller select_op{"Select"};
  return {.name = "Select",
          .inputs = {{"condition", "bool"}, {"x", "T"}, {"y", "T"}},
          .outputs = {{"output", "T"}},
          .types = {{"T", kAnyData}},
          .shape = select_shape,
          .kernel = general([](KernelCtx& c) {
            Shape rows = c.in(0).shape();
            while (rows.rank() > 0 && rows.rank() < c.in(1).rank()) rows.push_back(1);
            const Tensor in[3] = {c.in(0).with_shape(rows), c.in(1), c.in(2)};
            run_map(ops::select.op(), in, 3, c.out(), nullptr);
          }),
          .saves = {in(0)},
          .grad = [](GradCtx& g) {
            const Tensor dy = g.dy(0);
            const Tensor zeros = Tensor::zeros(dy.dtype(), dy.shape());
            if (g.needs(1)) g.dx(1) = select_op(g.x(0), dy, zeros);
            if (g.needs(2)) g.dx(2) = select_op(g.x(0), zeros, dy);
          }};
}

Shape clip_shape(ShapeCtx& c) {
  for (int i : {1, 2}) {
    c.require(c.in(i) == c.in(0) || c.in(i).rank() == 0, c.input_name(i),
              " must be a scalar or have the shape of t, ", c.in(0), ", got ", c.in(i));
  }
  return c.in(0);
}

OpDef clip_row() {
  constexpr TypeSet kTypes = kFloating | kSigned | types(DType::kUInt8, DType::kUInt16);
  return {.name = "ClipByValue",
          .inputs = {{"t", "T"}, {"clip_value_min", "T"}, {"clip_value_max", "T"}},
          .outputs = {{"output", "T"}},
          .types = {{"T", kTypes}},
          .shape = clip_shape,
          .kernel = ternary<kTypes>(
              [](auto v, auto low, auto high) { return vmath::max(vmath::min(v, high), low); }, 2),
          .saves = {in(0), in(1), in(2)},
          .grad = [](GradCtx& g) {
            const Tensor below = ops::less(g.x(0), g.x(1)), above = ops::greater(g.x(0), g.x(2));
            if (g.needs(0)) g.dx(0) = ops::unless(ops::logical_or(below, above), g.dy(0));
            if (g.needs(1)) g.dx(1) = ops::sum_to(ops::only_where(below, g.dy(0)), g.x(1).shape());
            if (g.needs(2)) g.dx(2) = ops::sum_to(ops::only_where(above, g.dy(0)), g.x(2).shape());
          }};
}

}  // namespace

const Family comparison_ops([]() -> OpRows {
  return join_rows({orders(), tests(), {select_v2_row(), select_row(), clip_row()}});
});

}  // namespace agog
