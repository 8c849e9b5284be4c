// Elementwise functions of one tensor.
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/all.h"

namespace agog {

std::vector<OpDef> math_unary_ops() {
  return {
      {.name = "Neg",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kNumeric}},
       .shape = same_as(0),
       .kernel = unary<kNumeric>([](auto v) { return -v; }),
       .grad = [](GradCtx& g) { g.dx(0) = -g.dy(0); }},
      {.name = "Exp",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kInexact}},
       .shape = same_as(0),
       .kernel = unary<kInexact>([](auto v) { return vmath::exp(v); }, 8),
       .saves = {out(0)},
       .grad = [](GradCtx& g) { g.dx(0) = g.dy(0) * ops::conj(g.y(0)); }},
      {.name = "Conj",
       .inputs = {{"input", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kComplex}},
       .shape = same_as(0),
       .kernel = unary<kComplex>([](auto v) { return std::conj(v); }),
       .grad = [](GradCtx& g) { g.dx(0) = ops::conj(g.dy(0)); }},
  };
}

}  // namespace agog
