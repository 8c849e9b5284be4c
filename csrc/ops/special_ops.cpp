// Special functions: error functions, the gamma and beta families, zeta, Bessel.
#include <numbers>

#include "kernels/map.h"
#include "kernels/special.h"
#include "kernels/vmath.h"
#include "kernels/vmath_erf.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {
namespace {

constexpr TypeSet kSingleDouble = types(DType::kFloat, DType::kDouble);
constexpr TypeSet kNoBFloat = kSingleDouble | set_of(DType::kHalf);

const ops::Caller digamma{"Digamma"}, lgamma{"Lgamma"}, polygamma{"Polygamma"}, zeta{"Zeta"},
    igamma_grad_a{"IgammaGradA"}, bessel_i0e{"BesselI0e"}, bessel_i1e{"BesselI1e"};

// dy f e^(sign x^2)
Tensor gaussian(Tensor dy, double factor, double sign, const Tensor& x) {
  return std::move(dy) * (factor * ops::exp(sign * ops::square(x)));
}

OpRows error_functions() {
  constexpr double kSlope = 2 * std::numbers::inv_sqrtpi;
  const double half_sqrt_pi = 0.5 / std::numbers::inv_sqrtpi;
  return {
      unary_row("Erf", kFloating, unary<kFloating>([](auto v) { return vmath::erf(v); }, 20),
                {in(0)}, [](GradCtx& g) { g.dx(0) = gaussian(g.dy(0), kSlope, -1, g.x(0)); }),
      unary_row("Erfc", kFloating, unary<kFloating>([](auto v) { return vmath::erfc(v); }, 20),
                {in(0)}, [](GradCtx& g) { g.dx(0) = gaussian(g.dy(0), -kSlope, -1, g.x(0)); }),
      unary_row(
          "Erfinv", kSingleDouble,
          unary<kSingleDouble>([](auto v) { return special::each(v, special::erfinv); }, 200),
          {out(0)},
          [half_sqrt_pi](GradCtx& g) { g.dx(0) = gaussian(g.dy(0), half_sqrt_pi, 1, g.y(0)); }),
      unary_row("Ndtri", kSingleDouble,
                unary<kSingleDouble>([](auto v) { return special::each(v, special::ndtri); }, 200),
                {out(0)},
                [half_sqrt_pi](GradCtx& g) {
                  g.dx(0) = gaussian(g.dy(0), 2 * half_sqrt_pi * std::numbers::sqrt2, 0.5, g.y(0));
                }),
  };
}

// Polygamma has no half types: those take the way over float.
Tensor trigamma(const Tensor& x) {
  const DType d = x.dtype();
  const DType wide = d == DType::kDouble ? d : DType::kFloat;
  return ops::cast(polygamma(ops::number(1, wide), ops::cast(x, wide)), d);
}

OpRows gamma_functions() {
  return {
      unary_row("Lgamma", kNoBFloat,
                unary<kNoBFloat>([](auto v) { return special::each(v, special::lgamma); }, 50),
                {in(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) * digamma(g.x(0)); }),
      unary_row("Digamma", kNoBFloat,
                unary<kNoBFloat>([](auto v) { return special::each(v, special::digamma); }, 100),
                {in(0)}, [](GradCtx& g) { g.dx(0) = g.dy(0) * trigamma(g.x(0)); }),
      unary_row("BesselI0e", kNoBFloat,
                unary<kNoBFloat>([](auto v) { return special::each(v, special::bessel_i0e); }, 100),
                {in(0), out(0)},
                [](GradCtx& g) {
                  g.dx(0) = g.dy(0) * (bessel_i1e(g.x(0)) - ops::sign(g.x(0)) * g.y(0));
                }),
      unary_row("BesselI1e", kNoBFloat,
                unary<kNoBFloat>([](auto v) { return special::each(v, special::bessel_i1e); }, 100),
                {in(0), out(0)},
                [](GradCtx& g) {
                  // I1(x) / x runs into 1/2 at 0.
                  const Tensor zero = ops::like(0, g.x(0)), one = ops::like(1, g.x(0));
                  const Tensor at_zero = ops::equal(g.x(0), zero);
                  const Tensor ratio = ops::select(at_zero, ops::like(0.5, g.x(0)),
                                                   g.y(0) / ops::select(at_zero, one, g.x(0)));
                  g.dx(0) = g.dy(0) * (bessel_i0e(g.x(0)) - ops::sign(g.x(0)) * g.y(0) - ratio);
                }),
  };
}

template <class F>
OpDef pair_row(const char* name, const char* a, const char* b, F f, std::vector<Save> saves,
               GradFn grad) {
  OpDef row = binary_row(name, kSingleDouble, binary<kSingleDouble>(f, 200), std::move(saves),
                         std::move(grad));
  row.inputs = {{a, "T"}, {b, "T"}};
  return row;
}

// The density of the gamma distribution: the slope of Igamma in x.
Tensor gamma_density(const Tensor& a, const Tensor& x) {
  return ops::exp(ops::xlogy(a - ops::like(1, a), x) - x - lgamma(a));
}

OpRows pairs() {
  return {
      pair_row(
          "Igamma", "a", "x", [](auto a, auto x) { return special::each(a, x, special::igamma); },
          {in(0), in(1)},
          [](GradCtx& g) {
            if (g.needs(0)) g.dx(0) = g.dy(0) * igamma_grad_a(g.x(0), g.x(1));
            if (g.needs(1)) g.dx(1) = g.dy(0) * gamma_density(g.x(0), g.x(1));
          }),
      pair_row(
          "Igammac", "a", "x", [](auto a, auto x) { return special::each(a, x, special::igammac); },
          {in(0), in(1)},
          [](GradCtx& g) {
            if (g.needs(0)) g.dx(0) = -(g.dy(0) * igamma_grad_a(g.x(0), g.x(1)));
            if (g.needs(1)) g.dx(1) = -(g.dy(0) * gamma_density(g.x(0), g.x(1)));
          }),
      pair_row(
          "IgammaGradA", "a", "x",
          [](auto a, auto x) { return special::each(a, x, special::igamma_grad_a); }, {},
          no_gradient()),
      // No slope in the order x of zeta or a of polygamma, as in TensorFlow.
      pair_row(
          "Zeta", "x", "q", [](auto x, auto q) { return special::each(x, q, special::zeta); },
          {in(0), in(1)},
          [](GradCtx& g) {
            const Tensor& x = g.x(0);
            if (g.needs(1)) g.dx(1) = -(g.dy(0) * x * zeta(x + 1.0, g.x(1)));
          }),
      pair_row(
          "Polygamma", "a", "x",
          [](auto n, auto x) { return special::each(n, x, special::polygamma); }, {in(0), in(1)},
          [](GradCtx& g) {
            if (g.needs(1)) g.dx(1) = g.dy(0) * polygamma(g.x(0) + 1.0, g.x(1));
          }),
  };
}

Tensor beta_density(const Tensor& a, const Tensor& b, const Tensor& x) {
  const Tensor log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
  return ops::exp(ops::xlog1py(b - ops::like(1, b), -x) + ops::xlogy(a - ops::like(1, a), x) -
                  log_beta);
}

OpDef betainc_row() {
  return {.name = "Betainc",
          .inputs = {{"a", "T"}, {"b", "T"}, {"x", "T"}},
          .outputs = {{"z", "T"}},
          .types = {{"T", kSingleDouble}},
          .shape =
              [](ShapeCtx& c) {
                Shape s = c.in(0);
                for (int i : {1, 2}) {
                  if (s.rank() == 0) s = c.in(i);
                  c.require(c.in(i).rank() == 0 || c.in(i) == s, c.input_name(i),
                            " must be a scalar or have the shape of the others, ", s, ", got ",
                            c.in(i));
                }
                return s;
              },
          .kernel = ternary<kSingleDouble>(
              [](auto a, auto b, auto x) { return special::each(a, b, x, special::betainc); }, 300),
          .saves = {in(0), in(1), in(2)},
          .grad =
              [](GradCtx& g) {
                if (!g.needs(2)) return;
                g.dx(2) =
                    ops::sum_to(g.dy(0) * beta_density(g.x(0), g.x(1), g.x(2)), g.x(2).shape());
              }};
}

}  // namespace

const Family special_ops([]() -> OpRows {
  return join_rows({error_functions(), gamma_functions(), pairs(), {betainc_row()}});
});

}  // namespace agog
