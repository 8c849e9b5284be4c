// Trigonometric and hyperbolic functions and their inverses.
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {
namespace {

// 1 - x^2 as (1 - x)(1 + x), which keeps its digits near 1.
Tensor one_minus_square(const Tensor& x) { return (1.0 - x) * (x + 1.0); }

OpRows circular() {
  return {
      unary_row("Sin", kInexact, unary<kInexact>([](auto v) { return vmath::sin(v); }, 20), {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::cos(ops::conj(g.x(0))); }),
      unary_row("Cos", kInexact, unary<kInexact>([](auto v) { return vmath::cos(v); }, 20), {in(0)},
                [](GradCtx& g) { g.dx(0) = -(g.dy(0) * ops::sin(ops::conj(g.x(0)))); }),
      unary_row("Tan", kInexact, unary<kInexact>([](auto v) { return vmath::tan(v); }, 20), {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) / ops::square(ops::cos(ops::conj(g.x(0)))); }),
      unary_row(
          "Asin", kInexact, unary<kInexact>([](auto v) { return vmath::asin(v); }, 20), {in(0)},
          [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::rsqrt(one_minus_square(ops::conj(g.x(0)))); }),
      unary_row("Acos", kInexact, unary<kInexact>([](auto v) { return vmath::acos(v); }, 20),
                {in(0)},
                [](GradCtx& g) {
                  g.dx(0) = -(g.dy(0) * ops::rsqrt(one_minus_square(ops::conj(g.x(0)))));
                }),
      unary_row("Atan", kInexact, unary<kInexact>([](auto v) { return vmath::atan(v); }, 20),
                {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) / (ops::square(ops::conj(g.x(0))) + 1.0); }),
  };
}

OpRows hyperbolic() {
  return {
      unary_row("Sinh", kInexact, unary<kInexact>([](auto v) { return vmath::sinh(v); }, 20),
                {in(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::cosh(ops::conj(g.x(0))); }),
      unary_row("Cosh", kInexact, unary<kInexact>([](auto v) { return vmath::cosh(v); }, 20),
                {in(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::sinh(ops::conj(g.x(0))); }),
      unary_row("Asinh", kInexact, unary<kInexact>([](auto v) { return vmath::asinh(v); }, 20),
                {out(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) / ops::cosh(ops::conj(g.y(0))); }),
      unary_row("Acosh", kInexact, unary<kInexact>([](auto v) { return vmath::acosh(v); }, 20),
                {out(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) / ops::sinh(ops::conj(g.y(0))); }),
      unary_row("Atanh", kInexact, unary<kInexact>([](auto v) { return vmath::atanh(v); }, 20),
                {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) / one_minus_square(ops::conj(g.x(0))); }),
  };
}

OpDef atan2_row() {
  OpDef row = binary_row("Atan2", kFloating,
                         binary<kFloating>([](auto y, auto x) { return vmath::atan2(y, x); }, 40),
                         {in(0), in(1)}, [](GradCtx& g) {
                           const Tensor &y = g.x(0), &x = g.x(1);
                           const Tensor scaled = g.dy(0) / (ops::square(x) + ops::square(y));
                           if (g.needs(0)) g.dx(0) = x * scaled;
                           if (g.needs(1)) g.dx(1) = -(y * scaled);
                         });
  row.inputs = {{"y", "T"}, {"x", "T"}};
  return row;
}

}  // namespace

const Family trig_ops([]() -> OpRows {
  return join_rows({circular(), hyperbolic(), {atan2_row()}});
});

}  // namespace agog
