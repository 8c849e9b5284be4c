// Activations, and their slopes as ops of their own.
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct LeakyAttrs {
  float alpha = 0.2f;
};

namespace {

constexpr double kScale = 1.0507009873554804934193349852946;
constexpr double kScaleAlpha = kScale * 1.6732632423543772848170429916717;

template <class V>
V number(double x) {
  return V(static_cast<Lane<V>>(x));
}

const ops::Caller relu_grad{"ReluGrad"}, relu6_grad{"Relu6Grad"}, elu_grad{"EluGrad"},
    selu_grad{"SeluGrad"}, softplus_grad{"SoftplusGrad"}, softsign_grad{"SoftsignGrad"},
    leaky_grad{"LeakyReluGrad"}, sign{"Sign"}, absolute{"Abs"};

OpDef activation(const char* name, TypeSet types, Kernel kernel, Save save, GradFn grad) {
  return {.name = name,
          .inputs = {{"features", "T"}},
          .outputs = {{"activations", "T"}},
          .types = {{"T", types}},
          .shape = same_as(0),
          .kernel = std::move(kernel),
          .saves = {save},
          .grad = std::move(grad)};
}

// Two inputs of one shape; `of` names the one that the slope is of.
OpDef slope(const char* name, const char* of, TypeSet types, Kernel kernel, std::vector<Save> saves,
            GradFn grad) {
  return {.name = name,
          .inputs = {{"gradients", "T"}, {of, "T"}},
          .outputs = {{"backprops", "T"}},
          .types = {{"T", types}},
          .shape = all_same(),
          .kernel = std::move(kernel),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

// A slope that is constant on both sides of its corners.
template <const ops::Caller& self>
void step_grad(GradCtx& g) {
  if (g.needs(0)) g.dx(0) = self(g.dy(0), g.x(1));
  if (g.needs(1)) g.dx(1) = ops::filled(0, g.x(1).dtype(), g.x(1).shape());
}

// Slopes of exponentials, of their outputs: linear where those are negative.
template <const ops::Caller& self>
void exponential_grad(GradCtx& g) {
  if (g.needs(0)) g.dx(0) = self(g.dy(0), g.x(1));
  if (g.needs(1)) g.dx(1) = relu_grad(g.dy(0) * g.x(0), -g.x(1));
}

// sigmoid' = sigmoid(x) sigmoid(-x), right in both tails.
void softplus_grad_grad(GradCtx& g) {
  const Tensor x = g.x(1);
  if (g.needs(0)) g.dx(0) = softplus_grad(g.dy(0), x);
  if (g.needs(1)) g.dx(1) = softplus_grad(softplus_grad(g.dy(0) * g.x(0), x), -x);
}

// 1 / (1 + |x|)^2 has the slope -2 sign(x) / (1 + |x|)^3.
void softsign_grad_grad(GradCtx& g) {
  const Tensor x = g.x(1);
  if (g.needs(0)) g.dx(0) = softsign_grad(g.dy(0), x);
  if (g.needs(1)) {
    g.dx(1) = softsign_grad(g.dy(0) * g.x(0), x) * sign(x) * -2.0 / (absolute(x) + 1.0);
  }
}

template <TypeSet S>
Kernel relu_kernel() {
  return unary<S>([](auto x) {
    using V = decltype(x);
    return vmath::max(x, number<V>(0));
  });
}
template <TypeSet S>
Kernel relu6_kernel() {
  return unary<S>([](auto x) {
    using V = decltype(x);
    return vmath::min(vmath::max(x, number<V>(0)), number<V>(6));
  });
}
template <TypeSet S>
Kernel relu_grad_kernel() {
  return binary<S>([](auto g, auto y) {
    using V = decltype(g);
    return vmath::select(y > number<V>(0), g, number<V>(0));
  });
}
template <TypeSet S>
Kernel relu6_grad_kernel() {
  return binary<S>([](auto g, auto y) {
    using V = decltype(g);
    const V none = number<V>(0);
    return vmath::select(y > none, vmath::select(y < number<V>(6), g, none), none);
  });
}

OpRows relu_rows() {
  const auto relu = [](GradCtx& g) { g.dx(0) = relu_grad(g.dy(0), g.y(0)); };
  const auto relu6 = [](GradCtx& g) { g.dx(0) = relu6_grad(g.dy(0), g.y(0)); };
  return {
      activation("Relu", kReal, relu_kernel<kReal>(), out(0), relu),
      slope("ReluGrad", "features", kReal, relu_grad_kernel<kReal>(), {in(1)},
            step_grad<relu_grad>),
      activation("Relu6", kReal, relu6_kernel<kReal>(), out(0), relu6),
      slope("Relu6Grad", "features", kReal, relu6_grad_kernel<kReal>(), {in(1)},
            step_grad<relu6_grad>),
  };
}

OpRows exponential_rows() {
  return {
      activation("Elu", kFloating,
                 unary<kFloating>(
                     [](auto x) {
                       using V = decltype(x);
                       return vmath::select(x < number<V>(0), vmath::expm1(x), x);
                     },
                     8),
                 out(0), [](GradCtx& g) { g.dx(0) = elu_grad(g.dy(0), g.y(0)); }),
      slope("EluGrad", "outputs", kFloating, binary<kFloating>([](auto g, auto y) {
              using V = decltype(g);
              return vmath::select(y < number<V>(0), g * (y + number<V>(1)), g);
            }),
            {in(0), in(1)}, exponential_grad<elu_grad>),
      activation("Selu", kFloating,
                 unary<kFloating>(
                     [](auto x) {
                       using V = decltype(x);
                       return vmath::select(x < number<V>(0),
                                            number<V>(kScaleAlpha) * vmath::expm1(x),
                                            number<V>(kScale) * x);
                     },
                     8),
                 out(0), [](GradCtx& g) { g.dx(0) = selu_grad(g.dy(0), g.y(0)); }),
      slope("SeluGrad", "outputs", kFloating, binary<kFloating>([](auto g, auto y) {
              using V = decltype(g);
              return vmath::select(y < number<V>(0), g * (y + number<V>(kScaleAlpha)),
                                   g * number<V>(kScale));
            }),
            {in(0), in(1)}, exponential_grad<selu_grad>),
      activation("Softplus", kFloating,
                 unary<kFloating>(
                     [](auto x) {
                       using V = decltype(x);
                       return vmath::max(x, number<V>(0)) +
                              vmath::log1p(vmath::exp(-vmath::abs(x)));
                     },
                     16),
                 in(0), [](GradCtx& g) { g.dx(0) = softplus_grad(g.dy(0), g.x(0)); }),
      slope("SoftplusGrad", "features", kFloating,
            binary<kFloating>([](auto g, auto x) { return g * vmath::sigmoid(x); }, 8),
            {in(0), in(1)}, softplus_grad_grad),
  };
}

OpRows other_rows() {
  const AttrsDef leaky = attrs_of<LeakyAttrs>(field("alpha", &LeakyAttrs::alpha));
  OpRows rows = {
      activation("Softsign", kFloating, unary<kFloating>([](auto x) {
                   using V = decltype(x);
                   return x / (vmath::abs(x) + number<V>(1));
                 }),
                 in(0), [](GradCtx& g) { g.dx(0) = softsign_grad(g.dy(0), g.x(0)); }),
      slope("SoftsignGrad", "features", kFloating, binary<kFloating>([](auto g, auto x) {
              using V = decltype(g);
              const V down = vmath::abs(x) + number<V>(1);
              return g / (down * down);
            }),
            {in(0), in(1)}, softsign_grad_grad),
      activation(
          "LeakyRelu", kFloating, unary<kFloating, LeakyAttrs>([](auto x, const LeakyAttrs& a) {
            using V = decltype(x);
            return vmath::select(x > number<V>(0), x, x * number<V>(a.alpha));
          }),
          in(0),
          [](GradCtx& g) { g.dx(0) = leaky_grad.with(g.attrs<LeakyAttrs>(), g.dy(0), g.x(0)); }),
      slope("LeakyReluGrad", "features", kFloating,
            binary<kFloating, LeakyAttrs>([](auto g, auto x, const LeakyAttrs& a) {
              using V = decltype(g);
              return vmath::select(x > number<V>(0), g, g * number<V>(a.alpha));
            }),
            {in(1)},
            [](GradCtx& g) {
              if (g.needs(0)) {
                g.dx(0) = leaky_grad.with(g.attrs<LeakyAttrs>(), g.dy(0), g.x(1));
              }
              if (g.needs(1)) g.dx(1) = ops::filled(0, g.x(1).dtype(), g.x(1).shape());
            }),
  };
  for (OpDef& row : rows) {
    if (row.name[0] == 'L') row.attrs = leaky;
  }
  return rows;
}

}  // namespace

const Family activation_ops([]() -> OpRows {
  OpRows rows;
  for (auto& family : {relu_rows(), exponential_rows(), other_rows()}) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  return rows;
});

}  // namespace agog
