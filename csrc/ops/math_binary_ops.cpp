// Elementwise arithmetic of two tensors that broadcast.
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/all.h"

namespace agog {

std::vector<OpDef> math_binary_ops() {
  return {
      {.name = "AddV2",
       .inputs = {{"x", "T"}, {"y", "T"}},
       .outputs = {{"z", "T"}},
       .types = {{"T", kNumeric}},
       .broadcasts = true,
       .shape = broadcast(),
       .kernel = binary<kNumeric>([](auto a, auto b) { return a + b; }),
       .grad =
           [](GradCtx& g) {
             if (g.needs(0)) g.dx(0) = g.dy(0);
             if (g.needs(1)) g.dx(1) = g.dy(0);
           }},
      {.name = "Sub",
       .inputs = {{"x", "T"}, {"y", "T"}},
       .outputs = {{"z", "T"}},
       .types = {{"T", kNumeric}},
       .broadcasts = true,
       .shape = broadcast(),
       .kernel = binary<kNumeric>([](auto a, auto b) { return a - b; }),
       .grad =
           [](GradCtx& g) {
             if (g.needs(0)) g.dx(0) = g.dy(0);
             if (g.needs(1)) g.dx(1) = -g.dy(0);
           }},
      {.name = "Mul",
       .inputs = {{"x", "T"}, {"y", "T"}},
       .outputs = {{"z", "T"}},
       .types = {{"T", kNumeric}},
       .broadcasts = true,
       .shape = broadcast(),
       .kernel = binary<kNumeric>([](auto a, auto b) { return a * b; }),
       .saves = {in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             if (g.needs(0)) g.dx(0) = g.dy(0) * ops::conj(g.x(1));
             if (g.needs(1)) g.dx(1) = g.dy(0) * ops::conj(g.x(0));
           }},
  };
}

}  // namespace agog
