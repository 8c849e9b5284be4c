// Complex numbers: made, taken apart, their size and angle.
#include "kernels/map.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {

// What Complex, Real, Imag, Angle and ComplexAbs have as their only attr: the output's dtype.
struct ComplexAttrs {
  DType Tout = DType::kComplex64;
};
struct RealAttrs {
  DType Tout = DType::kFloat;
};

namespace {

const ops::Caller complex_op{"Complex"}, real_op{"Real"}, imag_op{"Imag"};

DType complex_type(DType real) {
  return real == DType::kFloat ? DType::kComplex64 : DType::kComplex128;
}
Tensor make_complex(Tensor real, Tensor imag) {
  const ComplexAttrs attrs{complex_type(real.dtype())};
  return complex_op.with(attrs, std::move(real), std::move(imag));
}
// t + 0i
Tensor to_complex(Tensor t) {
  Tensor zero = ops::like(0, t);
  return make_complex(std::move(t), std::move(zero));
}
Tensor real_part(Tensor t) {
  const RealAttrs attrs{real_part_type(t.dtype())};
  return real_op.with(attrs, std::move(t));
}
Tensor imag_part(Tensor t) {
  const RealAttrs attrs{real_part_type(t.dtype())};
  return imag_op.with(attrs, std::move(t));
}

// A function of complex numbers to real ones.
template <class F>
OpDef to_real(const char* name, F f, const char* input, const char* output, std::vector<Save> saves,
              GradFn grad, int cost = 1) {
  return {.name = name,
          .inputs = {{input, "T"}},
          .outputs = {{output, "Tout"}},
          .types = {{"T", kComplex, DType::kComplex64}},
          .attrs = attrs_of<RealAttrs>(field("Tout", &RealAttrs::Tout)),
          .shape =
              [](ShapeCtx& c) {
                const DType want = real_part_type(c.dtype());
                c.require(c.attrs<RealAttrs>().Tout == want, "Tout must be ", want,
                          " for an input of dtype ", c.dtype(), ", got ",
                          c.attrs<RealAttrs>().Tout);
                return c.in(0);
              },
          .kernel = unary_to<kComplex>(f, cost),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

OpDef complex_row() {
  constexpr TypeSet kParts = types(DType::kFloat, DType::kDouble);
  return {.name = "Complex",
          .inputs = {{"real", "T"}, {"imag", "T"}},
          .outputs = {{"out", "Tout"}},
          .types = {{"T", kParts, DType::kFloat}},
          .attrs = attrs_of<ComplexAttrs>(field("Tout", &ComplexAttrs::Tout)),
          .broadcasts = true,
          .shape =
              [](ShapeCtx& c) {
                const DType want = complex_type(c.dtype());
                c.require(c.attrs<ComplexAttrs>().Tout == want, "Tout must be ", want,
                          " for inputs of dtype ", c.dtype(), ", got ",
                          c.attrs<ComplexAttrs>().Tout);
                return broadcast_shapes(c.in(0), c.in(1));
              },
          .kernel = binary_to<kParts>([](auto re, auto im) { return std::complex(re, im); }),
          .grad =
              [](GradCtx& g) {
                if (g.needs(0)) g.dx(0) = real_part(g.dy(0));
                if (g.needs(1)) g.dx(1) = imag_part(g.dy(0));
              }};
}

OpDef conj_row() {
  OpDef row = unary_row("Conj", kComplex, unary<kComplex>([](auto v) { return std::conj(v); }), {},
                        [](GradCtx& g) { g.dx(0) = ops::conj(g.dy(0)); });
  row.inputs = {{"input", "T"}};
  row.outputs = {{"output", "T"}};
  return row;
}

// d|x| = dy x / |x|, and 0 where x is 0.
void grad_of_abs(GradCtx& g) {
  g.dx(0) = ops::div_no_nan(to_complex(g.dy(0)) * g.x(0), to_complex(g.y(0)));
}
// The angle turns by dy i x / |x|^2 = dy i / conj(x).
void grad_of_angle(GradCtx& g) {
  Tensor zero = ops::like(0, g.dy(0));
  g.dx(0) = make_complex(std::move(zero), g.dy(0)) / ops::conj(g.x(0));
}

}  // namespace

const Family complex_ops([]() -> OpRows {
  return {
      complex_row(),
      conj_row(),
      to_real(
          "Real", [](auto v) { return v.real(); }, "input", "output", {},
          [](GradCtx& g) { g.dx(0) = to_complex(g.dy(0)); }),
      to_real(
          "Imag", [](auto v) { return v.imag(); }, "input", "output", {},
          [](GradCtx& g) {
            Tensor zero = ops::like(0, g.dy(0));
            g.dx(0) = make_complex(std::move(zero), g.dy(0));
          }),
      to_real(
          "Angle", [](auto v) { return std::arg(v); }, "input", "output", {in(0)}, grad_of_angle,
          40),
      to_real(
          "ComplexAbs", [](auto v) { return std::abs(v); }, "x", "y", {in(0), out(0)}, grad_of_abs,
          10),
  };
});

}  // namespace agog
