// Elementwise functions of one tensor: sign and powers, exponentials and logarithms.
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {
namespace {

// The slopes of Sigmoid and Tanh from x, not from y as SigmoidGrad and TanhGrad have it: y runs
// into 1 long before the slope runs into 0.
const ops::Caller sigmoid_grad_of_x{"_SigmoidGradOfX"}, tanh_grad_of_x{"_TanhGradOfX"};
const ops::Caller sqrt_grad{"SqrtGrad"}, rsqrt_grad{"RsqrtGrad"}, tanh_grad{"TanhGrad"},
    reciprocal_grad{"ReciprocalGrad"}, sigmoid_grad{"SigmoidGrad"};

void grad_reciprocal(GradCtx& g) { g.dx(0) = reciprocal_grad(g.y(0), g.dy(0)); }

OpRows powers() {
  constexpr auto reciprocal = [](auto v) { return vmath::reciprocal(v); };
  return {
      unary_row("Neg", kSigned | kInexact,
                wrapping_unary<kSigned | kInexact>([](auto v) { return vmath::neg(v); }), {},
                [](GradCtx& g) { g.dx(0) = -g.dy(0); }),
      unary_row("Abs", kSigned | kFloating,
                unary<kSigned | kFloating>([](auto v) { return vmath::abs(v); }), {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::sign(g.x(0)); }),
      unary_row("Sign", kSigned | kInexact,
                unary<kSigned | kInexact>([](auto v) { return vmath::sign(v); }), {shape_of_in(0)},
                [](GradCtx& g) { g.dx(0) = Tensor::zeros(g.dy(0).dtype(), g.x_shape(0)); }),
      unary_row("Square", kNumeric,
                wrapping_unary<kNumeric>([](auto v) { return vmath::square(v); }), {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) * (ops::conj(g.x(0)) * 2.0); }),
      unary_row("Sqrt", kInexact, unary<kInexact>([](auto v) { return vmath::sqrt(v); }, 4),
                {out(0)}, [](GradCtx& g) { g.dx(0) = sqrt_grad(g.y(0), g.dy(0)); }),
      unary_row("Rsqrt", kInexact, unary<kInexact>([](auto v) { return vmath::rsqrt(v); }, 6),
                {out(0)}, [](GradCtx& g) { g.dx(0) = rsqrt_grad(g.y(0), g.dy(0)); }),
      unary_row("Reciprocal", kInexact, unary<kInexact>(reciprocal, 2), {out(0)}, grad_reciprocal),
      unary_row("Inv", kInexact, unary<kInexact>(reciprocal, 2), {out(0)}, grad_reciprocal),
  };
}

OpRows exponentials() {
  return {
      unary_row("Exp", kInexact, unary<kInexact>([](auto v) { return vmath::exp(v); }, 8), {out(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::conj(g.y(0)); }),
      unary_row("Expm1", kInexact, unary<kInexact>([](auto v) { return vmath::expm1(v); }, 8),
                {in(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::exp(ops::conj(g.x(0))); }),
      unary_row("Log", kInexact, unary<kInexact>([](auto v) { return vmath::log(v); }, 8), {in(0)},
                [](GradCtx& g) { g.dx(0) = g.dy(0) / ops::conj(g.x(0)); }),
      unary_row("Log1p", kInexact, unary<kInexact>([](auto v) { return vmath::log1p(v); }, 10),
                {in(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) / (ops::conj(g.x(0)) + 1.0); }),
      unary_row("Sigmoid", kInexact, unary<kInexact>([](auto v) { return vmath::sigmoid(v); }, 10),
                {in(0)}, [](GradCtx& g) { g.dx(0) = sigmoid_grad_of_x(g.x(0), g.dy(0)); }),
      unary_row("Tanh", kInexact, unary<kInexact>([](auto v) { return vmath::tanh(v); }, 10),
                {in(0)}, [](GradCtx& g) { g.dx(0) = tanh_grad_of_x(g.x(0), g.dy(0)); }),
  };
}

// z = f(y, dy), of one shape: the slope of an op from its output.
OpDef grad_row(const char* name, Kernel kernel, std::vector<Save> saves, GradFn grad) {
  return {.name = name,
          .inputs = {{"y", "T"}, {"dy", "T"}},
          .outputs = {{"z", "T"}},
          .types = {{"T", kInexact}},
          .shape = all_same(),
          .kernel = std::move(kernel),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

void grad_of_reciprocal_grad(GradCtx& g) {
  const Tensor y = ops::conj(g.x(0));
  if (g.needs(0)) g.dx(0) = -2.0 * (ops::conj(g.dy(0)) * g.x(1) * y);
  if (g.needs(1)) g.dx(1) = reciprocal_grad(y, g.dy(0));
}
Kernel reciprocal_grad_kernel() {
  return binary<kInexact>([](auto y, auto dy) {
    const auto c = vmath::conj(y);
    return vmath::mul(vmath::mul(-dy, c), c);
  });
}

// With conjugates these functions of y are functions of conj(y): hence conj(dy), and not conj of
// the factor, below.
OpRows slopes_of_powers() {
  return {
      grad_row("SqrtGrad",
               binary<kInexact>([](auto y, auto dy) { return vmath::half(dy) / vmath::conj(y); }),
               {in(0), out(0)},
               [](GradCtx& g) {
                 const Tensor ratio = g.dy(0) / g.x(0);
                 if (g.needs(0)) g.dx(0) = -(ops::conj(ratio) * g.y(0));
                 if (g.needs(1)) g.dx(1) = ratio * 0.5;
               }),
      grad_row("RsqrtGrad", binary<kInexact>([](auto y, auto dy) {
                 const auto c = vmath::conj(y);
                 return vmath::mul(vmath::mul(vmath::half(-dy), c), vmath::square(c));
               }),
               {in(0), in(1)},
               [](GradCtx& g) {
                 const Tensor y = ops::conj(g.x(0));
                 if (g.needs(0)) {
                   g.dx(0) = -1.5 * (ops::conj(g.dy(0)) * g.x(1) * ops::square(y));
                 }
                 if (g.needs(1)) g.dx(1) = rsqrt_grad(y, g.dy(0));
               }),
      grad_row("ReciprocalGrad", reciprocal_grad_kernel(), {in(0), in(1)}, grad_of_reciprocal_grad),
      grad_row("InvGrad", reciprocal_grad_kernel(), {in(0), in(1)}, grad_of_reciprocal_grad),
      grad_row("TanhGrad", binary<kInexact>([](auto y, auto dy) {
                 const auto one = vmath::one(y);
                 return vmath::mul(dy, vmath::mul(one - y, one + y));
               }),
               {in(0), in(1)},
               [](GradCtx& g) {
                 const Tensor y = ops::conj(g.x(0));
                 if (g.needs(0)) g.dx(0) = -2.0 * (g.dy(0) * ops::conj(g.x(1)) * y);
                 if (g.needs(1)) g.dx(1) = tanh_grad(y, g.dy(0));
               }),
      grad_row("SigmoidGrad", binary<kInexact>([](auto y, auto dy) {
                 return vmath::mul(dy, vmath::mul(y, vmath::one(y) - y));
               }),
               {in(0), in(1)},
               [](GradCtx& g) {
                 const Tensor y = ops::conj(g.x(0));
                 if (g.needs(0)) {
                   g.dx(0) = g.dy(0) * ops::conj(g.x(1)) * (1.0 - 2.0 * y);
                 }
                 if (g.needs(1)) g.dx(1) = sigmoid_grad(y, g.dy(0));
               }),
  };
}

// z = dy conj(f'(x))
OpDef grad_of_x_row(const char* name, Kernel kernel, GradFn grad) {
  OpDef row = grad_row(name, std::move(kernel), {in(0), out(0)}, std::move(grad));
  row.inputs = {{"x", "T"}, {"dy", "T"}};
  return row;
}

OpRows slopes_of_exponentials() {
  return {
      grad_of_x_row(
          "_SigmoidGradOfX",
          binary<kInexact>(
              [](auto x, auto dy) { return vmath::mul(dy, vmath::sigmoid_slope(vmath::conj(x))); },
              10),
          [](GradCtx& g) {
            const Tensor x = ops::conj(g.x(0));
            if (g.needs(0)) {
              g.dx(0) = -(ops::conj(g.dy(0)) * g.y(0) * ops::tanh(x * 0.5));
            }
            if (g.needs(1)) g.dx(1) = sigmoid_grad_of_x(x, g.dy(0));
          }),
      grad_of_x_row(
          "_TanhGradOfX",
          binary<kInexact>(
              [](auto x, auto dy) { return vmath::mul(dy, vmath::tanh_slope(vmath::conj(x))); },
              10),
          [](GradCtx& g) {
            const Tensor x = ops::conj(g.x(0));
            if (g.needs(0)) {
              g.dx(0) = -2.0 * (ops::conj(g.dy(0)) * g.y(0) * ops::tanh(x));
            }
            if (g.needs(1)) g.dx(1) = tanh_grad_of_x(x, g.dy(0));
          }),
  };
}

}  // namespace

const Family math_unary_ops([]() -> OpRows {
  return join_rows({powers(), exponentials(), slopes_of_powers(), slopes_of_exponentials()});
});

}  // namespace agog
