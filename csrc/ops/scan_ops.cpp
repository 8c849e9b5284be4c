// Running sums, products and log-sum-exps.
#include "kernels/scan.h"

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/family.h"

namespace agog {

struct ScanAttrs {
  bool exclusive = false, reverse = false;
};

namespace {

Scan scan_of(const KernelCtx& c, int axis_input) {
  const auto& attrs = c.attrs<ScanAttrs>();
  return {c.axis_input(axis_input, c.in(0).shape()), attrs.exclusive, attrs.reverse};
}

const ops::Caller cumsum_op{"Cumsum"}, cumprod_op{"Cumprod"}, logsumexp_op{"CumulativeLogsumexp"},
    recurrence{"LinearRecurrence"}, exp_op{"Exp"}, maximum{"Maximum"};

void cumsum_grad(GradCtx& g) {
  const auto [exclusive, reverse] = g.attrs<ScanAttrs>();
  g.dx(0) = cumsum_op.with(ScanAttrs{exclusive, !reverse}, g.dy(0), g.x(1));
}

// Note: adjoint of a recurrence. What flows back to y[i] = a[i] y[i-1] + b[i] is
// flow[i] = dy[i] + a[i+1] flow[i+1]: a recurrence from the other end, which shows the value before
// the element. Nothing is divided, so zeros among the factors are like any others.
Tensor flow_back(Tensor a, Tensor dy, Tensor axis, const ScanAttrs& s) {
  const ScanAttrs back{true, !s.reverse};
  if (s.exclusive) return recurrence.with(back, std::move(a), std::move(dy), std::move(axis));
  Tensor carried = a * dy;
  return dy + recurrence.with(back, std::move(a), std::move(carried), std::move(axis));
}

// y[i] = y[i-1] x[i] with y[-1] = 1.
void cumprod_grad(GradCtx& g) {
  const auto& s = g.attrs<ScanAttrs>();
  const Tensor x = g.x(0), axis = g.x(1);
  const Tensor before = cumprod_op.with(ScanAttrs{true, s.reverse}, x, axis);
  g.dx(0) = flow_back(ops::conj(x), g.dy(0), axis, s) * ops::conj(before);
}

// The recurrence of exp(y[i]) = exp(y[i-1]) + exp(x[i]), relative to y: all exponents are negative.
void logsumexp_grad(GradCtx& g) {
  const auto& s = g.attrs<ScanAttrs>();
  const Tensor x = g.x(0), axis = g.x(1),
               other = logsumexp_op.with(ScanAttrs{!s.exclusive, s.reverse}, x, axis);
  const Tensor before = s.exclusive ? g.y(0) : other;
  // Where nothing has been added yet, infinity must not be taken from infinity.
  const double lowest = x.dtype() == DType::kHalf     ? -65504.0
                        : x.dtype() == DType::kDouble ? -1.797e308
                                                      : -3.38e38;
  const Tensor after = maximum(s.exclusive ? other : g.y(0), ops::like(lowest, x));
  g.dx(0) = exp_op(x - after) * flow_back(exp_op(before - after), g.dy(0), axis, s);
}

void recurrence_grad(GradCtx& g) {
  const auto& s = g.attrs<ScanAttrs>();
  const Tensor a = g.x(0), b = g.x(1), axis = g.x(2);
  const Tensor flow = flow_back(ops::conj(a), g.dy(0), axis, s);
  if (g.needs(0)) {
    g.dx(0) = flow * ops::conj(recurrence.with(ScanAttrs{true, s.reverse}, a, b, axis));
  }
  if (g.needs(1)) g.dx(1) = flow;
}

template <void (*run)(const Tensor&, const Scan&, const Tensor&)>
OpDef scan_row(const char* name, TypeSet types, std::vector<Save> saves, GradFn grad) {
  return {.name = name,
          .inputs = {{"x", "T"}, {"axis", "Tidx", kHost}},
          .outputs = {{"out", "T"}},
          .types = {{"T", types}, {"Tidx", kIndex, DType::kInt32}},
          .attrs = attrs_of<ScanAttrs>(field("exclusive", &ScanAttrs::exclusive),
                                       field("reverse", &ScanAttrs::reverse)),
          .shape =
              [](ShapeCtx& c) {
                if (c.has_value(1) && c.in(0).has_rank()) c.axis_input(1, c.in(0));
                return c.in(0);
              },
          .kernel = general([](KernelCtx& c) { run(c.in(0), scan_of(c, 1), c.out()); }, 4),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

}  // namespace

const Family scan_ops([]() -> OpRows {
  return {
      scan_row<cumsum>("Cumsum", kNumeric, {in(1)}, cumsum_grad),
      scan_row<cumprod>("Cumprod", kNumeric, {in(0), in(1)}, cumprod_grad),
      scan_row<cumulative_logsumexp>("CumulativeLogsumexp", kFloating, {in(0), in(1), out(0)},
                                     logsumexp_grad),
      // Ours: what gradients of the others need. y[i] = a[i] y[i-1] + b[i], with y[-1] = 0.
      {.name = "LinearRecurrence",
       .inputs = {{"a", "T"}, {"b", "T"}, {"axis", "Tidx", kHost}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kInexact}, {"Tidx", kIndex, DType::kInt32}},
       .attrs = attrs_of<ScanAttrs>(field("exclusive", &ScanAttrs::exclusive),
                                    field("reverse", &ScanAttrs::reverse)),
       .shape =
           [](ShapeCtx& c) {
             c.require(!c.in(0).fully_known() || !c.in(1).fully_known() || c.in(0) == c.in(1),
                       "b must have the shape of a, ", c.in(0), ", got ", c.in(1));
             if (c.has_value(2) && c.in(0).has_rank()) c.axis_input(2, c.in(0));
             return c.in(0);
           },
       .kernel = general(
           [](KernelCtx& c) { linear_recurrence(c.in(0), c.in(1), scan_of(c, 2), c.out()); }, 4),
       .saves = {in(0), in(1), in(2)},
       .grad = recurrence_grad},
  };
});

}  // namespace agog
