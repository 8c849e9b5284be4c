// Elementwise arithmetic of two tensors that broadcast, and sums of many. Divisions are in
// division_ops.cpp.
#include "kernels/add_n.h"
#include "kernels/map.h"
#include "kernels/pow.h"
#include "kernels/vmath.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {
namespace {

void grad_of_add(GradCtx& g) {
  if (g.needs(0)) g.dx(0) = g.dy(0);
  if (g.needs(1)) g.dx(1) = g.dy(0);
}

OpRows sums_and_products() {
  constexpr TypeSet kOldAdd = kSigned | set_of(DType::kUInt8) | kInexact;
  constexpr auto add = [](auto a, auto b) { return vmath::add(a, b); };
  return {
      binary_row("Add", kOldAdd, wrapping_binary<kOldAdd>(add), {}, grad_of_add),
      binary_row("AddV2", kNumeric, wrapping_binary<kNumeric>(add), {}, grad_of_add),
      binary_row("Sub", kNumeric,
                 wrapping_binary<kNumeric>([](auto a, auto b) { return vmath::sub(a, b); }), {},
                 [](GradCtx& g) {
                   if (g.needs(0)) g.dx(0) = g.dy(0);
                   if (g.needs(1)) g.dx(1) = -g.dy(0);
                 }),
      binary_row("Mul", kNumeric,
                 wrapping_binary<kNumeric>([](auto a, auto b) { return vmath::mul(a, b); }),
                 {in(0), in(1)},
                 [](GradCtx& g) {
                   if (g.needs(0)) g.dx(0) = g.dy(0) * ops::conj(g.x(1));
                   if (g.needs(1)) g.dx(1) = g.dy(0) * ops::conj(g.x(0));
                 }),
      // Products that are 0 where y is, whatever x is there.
      binary_row("MulNoNan", kInexact, binary<kInexact>([](auto a, auto b) {
                   using V = decltype(a);
                   return vmath::select(b == V(Lane<V>(0)), V(Lane<V>(0)), vmath::mul(a, b));
                 }),
                 {in(0), in(1)},
                 [](GradCtx& g) {
                   if (g.needs(0)) g.dx(0) = ops::mul_no_nan(g.dy(0), ops::conj(g.x(1)));
                   if (g.needs(1)) g.dx(1) = ops::mul_no_nan(ops::conj(g.x(0)), g.dy(0));
                 }),
      binary_row("SquaredDifference", kIndex | kInexact,
                 wrapping_binary<kIndex | kInexact>(
                     [](auto a, auto b) { return vmath::squared_modulus(vmath::sub(a, b)); }),
                 {in(0), in(1)},
                 [](GradCtx& g) {
                   const Tensor d = 2.0 * g.dy(0) * (g.x(0) - g.x(1));
                   if (g.needs(0)) g.dx(0) = d;
                   if (g.needs(1)) g.dx(1) = -d;
                 }),
  };
}

// At ties the first input takes the whole gradient, as in TensorFlow.
GradFn grad_of_extreme(const ops::Caller& first_wins) {
  return [&first_wins](GradCtx& g) {
    const Tensor first = first_wins(g.x(0), g.x(1));
    if (g.needs(0)) g.dx(0) = ops::only_where(first, g.dy(0));
    if (g.needs(1)) g.dx(1) = ops::unless(first, g.dy(0));
  };
}

OpRows extremes() {
  return {
      binary_row("Maximum", kReal, binary<kReal>([](auto a, auto b) { return vmath::max(a, b); }),
                 {in(0), in(1)}, grad_of_extreme(ops::greater_equal)),
      binary_row("Minimum", kReal, binary<kReal>([](auto a, auto b) { return vmath::min(a, b); }),
                 {in(0), in(1)}, grad_of_extreme(ops::less_equal)),
  };
}

void grad_of_pow(GradCtx& g) {
  const Tensor x = ops::conj(g.x(0)), y = ops::conj(g.x(1));
  // x^0 has slope 0 everywhere: at x = 0, too, where x^-1 is infinite.
  if (g.needs(0)) g.dx(0) = g.dy(0) * ops::mul_no_nan(ops::pow(x, y - ops::like(1, y)), y);
  if (!g.needs(1)) return;
  const Tensor zero = ops::like(0, x);
  const Tensor has_log = is_complex(x.dtype()) ? ops::not_equal(x, zero) : ops::greater(x, zero);
  const Tensor log_x = ops::only_where(has_log, ops::log(ops::select(has_log, x, ops::like(1, x))));
  g.dx(1) = g.dy(0) * ops::conj(g.y(0)) * log_x;
}

OpDef pow_row() {
  Kernel kernel = binary<kInexact>([](auto a, auto b) { return vmath::pow(a, b); }, 40);
  const Kernel integers = checked_binary<kSigned>(
      [](auto a, auto b, int& trouble) {
        trouble |= b < 0;
        return vmath::integer_pow(a, b);
      },
      "integers to negative integer powers are not allowed", 10);
  return binary_row("Pow", kSigned | kInexact, merge(std::move(kernel), integers),
                    {in(0), in(1), out(0)}, grad_of_pow);
}

OpDef next_after_row() {
  constexpr TypeSet kTypes = types(DType::kFloat, DType::kDouble);
  OpDef row =
      binary_row("NextAfter", kTypes,
                 binary<kTypes>(
                     [](auto a, auto b) {
                       return lanes(a, b, [](auto x, auto y) { return std::nextafter(x, y); });
                     },
                     10),
                 {shape_of_in(1)}, [](GradCtx& g) {
                   if (g.needs(0)) g.dx(0) = g.dy(0);
                   if (g.needs(1)) {
                     g.dx(1) = Tensor::zeros(g.dy(0).dtype(), g.x_shape(1));
                   }
                 });
  row.inputs = {{"x1", "T"}, {"x2", "T"}};
  row.outputs = {{"output", "T"}};
  row.types[0].preferred = DType::kFloat;
  return row;
}

struct AccumulateAttrs {
  Shape shape;
};

void grad_of_add_n(GradCtx& g) {
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.needs(i)) g.dx(i) = g.dy(0);
  }
}

OpDef add_n_row(const char* name) {
  return {.name = name,
          .inputs = {{"inputs", "T", 0, "N"}},
          .outputs = {{"sum", "T"}},
          .types = {{"T", kNumeric}},
          .shape =
              [](ShapeCtx& c) {
                c.require(c.num_inputs() > 0, "inputs must have at least one tensor");
                for (int i = 1; i < c.num_inputs(); ++i) {
                  c.require(c.in(i) == c.in(0), "inputs must all have the shape of the first, ",
                            c.in(0), ", got ", c.in(i), " at ", i);
                }
                return c.in(0);
              },
          .kernel = general(add_n),
          .grad = grad_of_add_n};
}

OpDef accumulate_n_row() {
  OpDef row = add_n_row("AccumulateNV2");
  row.attrs = attrs_of<AccumulateAttrs>(required("shape", &AccumulateAttrs::shape));
  return row;
}

}  // namespace

const Family math_binary_ops([]() -> OpRows {
  return join_rows({sums_and_products(),
                    extremes(),
                    {pow_row(), next_after_row(), add_n_row("AddN"), accumulate_n_row()}});
});

}  // namespace agog
