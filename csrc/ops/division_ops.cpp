// Divisions, remainders, and products and quotients that are 0 where a factor is.
#include <cmath>

#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/math_calls.h"
#include "ops/rows.h"

namespace agog {
namespace {

constexpr const char* kZeroDivisor = "integer division by zero";

// Integer division that neither traps nor overflows: the least number over -1 wraps around to
// itself.
struct TruncateDiv {
  template <class T>
  T operator()(T a, T b, int& trouble) const {
    trouble |= b == 0;
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return vmath::neg(a);
    }
    return static_cast<T>(a / b);
  }
};
struct TruncateMod {
  template <class T>
  T operator()(T a, T b, int& trouble) const {
    trouble |= b == 0;
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct FloorDiv {
  template <class T>
  T operator()(T a, T b, int& trouble) const {
    const T q = TruncateDiv{}(a, b, trouble);
    if constexpr (std::is_signed_v<T>) {
      const bool rounded_up = (a < 0) != (b < 0) && vmath::mul(q, b) != a;
      return static_cast<T>(q - (rounded_up && b != 0));
    }
    return q;
  }
};
struct FloorMod {
  template <class T>
  T operator()(T a, T b, int& trouble) const {
    const T r = TruncateMod{}(a, b, trouble);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
};

template <TypeSet S, class Floats, class Integers>
Kernel division(Floats floats, Integers integers, int cost) {
  return merge(binary<(S & ~kInteger)>(floats, cost),
               checked_binary<(S & kInteger)>(integers, kZeroDivisor));
}

// -x / y / y rather than -x / y^2: the square overflows long before the quotient does.
void grad_of_quotient(GradCtx& g) {
  const Tensor y = ops::conj(g.x(1));
  if (g.needs(0)) g.dx(0) = g.dy(0) / y;
  if (g.needs(1)) g.dx(1) = g.dy(0) * ((-ops::conj(g.x(0)) / y) / y);
}

OpRows quotients() {
  const auto divide = [](auto a, auto b) { return a / b; };
  const auto floor_divide = [](auto a, auto b) { return vmath::floor(a / b); };
  const auto truncate_divide = [](auto a, auto b) { return vmath::trunc(a / b); };
  return {
      binary_row("RealDiv", kInexact, binary<kInexact>(divide), {in(0), in(1)}, grad_of_quotient),
      binary_row("Div", kNumeric, division<kNumeric>(divide, TruncateDiv{}, 1), {in(0), in(1)},
                 grad_of_quotient),
      binary_row("FloorDiv", kReal, division<kReal>(floor_divide, FloorDiv{}, 2), {},
                 no_gradient()),
      binary_row("TruncateDiv", kReal, division<kReal>(truncate_divide, TruncateDiv{}, 2), {},
                 no_gradient()),
  };
}

// d(x - y q)/dy = -q: the whole quotient is constant between its steps.
GradFn grad_of_remainder(const ops::Caller& quotient) {
  return [&quotient](GradCtx& g) {
    if (g.needs(0)) g.dx(0) = g.dy(0);
    if (g.needs(1)) g.dx(1) = -(g.dy(0) * quotient(g.x(0), g.x(1)));
  };
}

OpRows remainders() {
  constexpr TypeSet kFew = kIndex | types(DType::kFloat, DType::kDouble);
  const auto truncate_mod = [](auto a, auto b) {
    return lanes(a, b, [](auto x, auto y) { return std::fmod(x, y); });
  };
  const auto floor_mod = [](auto a, auto b) {
    return lanes(a, b, [](auto x, auto y) {
      const auto r = std::fmod(x, y);
      return r != 0 && (r < 0) != (y < 0) ? r + y : r;
    });
  };
  return {
      binary_row("FloorMod", kReal, division<kReal>(floor_mod, FloorMod{}, 20), {in(0), in(1)},
                 grad_of_remainder(ops::floor_div)),
      binary_row("TruncateMod", kFew, division<kFew>(truncate_mod, TruncateMod{}, 20),
                 {in(0), in(1)}, grad_of_remainder(ops::truncate_div)),
      binary_row("Mod", kFew, division<kFew>(truncate_mod, TruncateMod{}, 20), {in(0), in(1)},
                 grad_of_remainder(ops::truncate_div)),
  };
}

// 1 where x is not 0, in x's dtype: TensorFlow's slope of x f(y) at x = 0 is 0.
Tensor is_not_zero(const Tensor& x) {
  return ops::select(ops::not_equal(x, ops::like(0, x)), ops::like(1, x), ops::like(0, x));
}

template <class V>
V zero_where_zero(V guard, V value) {
  const V zero(Lane<V>(0));
  return vmath::select(guard == zero, zero, value);
}

void grad_of_div_no_nan(GradCtx& g) {
  const Tensor y = ops::conj(g.x(1));
  if (g.needs(0)) g.dx(0) = ops::div_no_nan(g.dy(0), y);
  if (g.needs(1)) {
    g.dx(1) = g.dy(0) * ops::div_no_nan(ops::div_no_nan(-ops::conj(g.x(0)), y), y);
  }
}

// x f(y), with slopes f(y) where x is not 0, and x f'(y) as `slope` has it.
GradFn grad_of_guarded(const ops::Caller& self, Tensor (*slope)(Tensor x, Tensor y)) {
  return [&self, slope](GradCtx& g) {
    const Tensor x = ops::conj(g.x(0)), y = ops::conj(g.x(1));
    if (g.needs(0)) g.dx(0) = g.dy(0) * self(is_not_zero(x), y);
    if (g.needs(1)) g.dx(1) = g.dy(0) * slope(x, y);
  };
}

OpRows guarded() {
  return {
      binary_row("DivNoNan", kInexact,
                 binary<kInexact>([](auto a, auto b) { return zero_where_zero(b, a / b); }, 2),
                 {in(0), in(1)}, grad_of_div_no_nan),
      binary_row(
          "Xlogy", kInexact,
          binary<kInexact>(
              [](auto a, auto b) { return zero_where_zero(a, vmath::mul(a, vmath::log(b))); }, 10),
          {in(0), in(1)},
          grad_of_guarded(ops::xlogy, [](Tensor x, Tensor y) { return ops::xdivy(x, y); })),
      binary_row(
          "Xlog1py", kInexact,
          binary<kInexact>(
              [](auto a, auto b) { return zero_where_zero(a, vmath::mul(a, vmath::log1p(b))); },
              10),
          {in(0), in(1)},
          grad_of_guarded(ops::xlog1py, [](Tensor x, Tensor y) { return ops::xdivy(x, y + 1.0); })),
      binary_row(
          "Xdivy", kInexact,
          binary<kInexact>([](auto a, auto b) { return zero_where_zero(a, a / b); }, 2),
          {in(0), in(1)},
          grad_of_guarded(ops::xdivy,
                          [](Tensor x, Tensor y) { return ops::xdivy(ops::xdivy(-x, y), y); })),
  };
}

}  // namespace

const Family division_ops([]() -> OpRows {
  return join_rows({quotients(), remainders(), guarded()});
});

}  // namespace agog
