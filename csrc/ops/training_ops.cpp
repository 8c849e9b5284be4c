// Optimizer steps on variables.
#include "kernels/training.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/kernel.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "runtime/variable.h"

namespace agog {

// use_locking changes nothing: a step always holds its variables.
struct LockingAttrs {
  bool use_locking = false;
};
struct NesterovAttrs {
  bool use_locking = false, use_nesterov = false;
};

namespace {

// The variables behind the first `count` inputs, held still: in order of address, so that two steps
// over the same variables never wait for each other.
class Held {
 public:
  Held(const KernelCtx& c, int count) {
    for (int i = 0; i < count; ++i) variables_.push_back(&variable_of(c.in(i)));
    std::vector<Variable*> sorted = variables_;
    std::sort(sorted.begin(), sorted.end(), std::less<>());
    for (size_t i = 1; i < sorted.size(); ++i) {
      c.require(sorted[i] != sorted[i - 1], "the variables of a step must differ, got ",
                sorted[i]->name(), " twice");
    }
    for (Variable* v : sorted) locks_.push_back(std::make_unique<VariableLock>(*v));
  }

  // The value of variable i, to be written to; it must match `grad`.
  const Tensor& value(const KernelCtx& c, int i, const Tensor& grad) const {
    Variable& v = *variables_[static_cast<size_t>(i)];
    c.require(v.dtype() == grad.dtype(), c.input_name(i), " holds ", v.dtype(),
              ", got a gradient of ", grad.dtype());
    const Tensor& t = v.writable();
    c.require(t.shape() == grad.shape(), c.input_name(i), " has shape ", t.shape(),
              ", got a gradient of shape ", grad.shape());
    return t;
  }

 private:
  std::vector<Variable*> variables_;
  std::vector<std::unique_ptr<VariableLock>> locks_;
};

// Inputs [first, last) must be scalars.
void require_scalars(const KernelCtx& c, int first, int last) {
  for (int i = first; i < last; ++i) {
    c.require(c.in(i).rank() == 0, c.input_name(i), " must be a scalar, got shape ",
              c.in(i).shape());
  }
}

void gradient_descent(KernelCtx& c) {
  require_scalars(c, 1, 2);
  const Held held(c, 1);
  gradient_descent_step(held.value(c, 0, c.in(2)), c.in(1), c.in(2));
}

void momentum(KernelCtx& c) {
  require_scalars(c, 2, 3);
  require_scalars(c, 4, 5);
  const Held held(c, 2);
  const Tensor& grad = c.in(3);
  momentum_step({.var = held.value(c, 0, grad),
                 .accum = held.value(c, 1, grad),
                 .lr = c.in(2),
                 .grad = grad,
                 .momentum = c.in(4),
                 .nesterov = c.attrs<NesterovAttrs>().use_nesterov});
}

void adam(KernelCtx& c) {
  require_scalars(c, 3, 9);
  const Held held(c, 3);
  const Tensor& grad = c.in(9);
  adam_step({.var = held.value(c, 0, grad),
             .m = held.value(c, 1, grad),
             .v = held.value(c, 2, grad),
             .beta1_power = c.in(3),
             .beta2_power = c.in(4),
             .lr = c.in(5),
             .beta1 = c.in(6),
             .beta2 = c.in(7),
             .epsilon = c.in(8),
             .grad = grad,
             .nesterov = c.attrs<NesterovAttrs>().use_nesterov});
}

// Lists of n variables, of their m, of their v and of their gradients, then the settings of all.
void adam_of_all(KernelCtx& c) {
  constexpr int kLists = 4, kSettings = 6;
  const int n = (c.num_inputs() - kSettings) / kLists, settings = kLists * n;
  require_scalars(c, settings, settings + kSettings);
  const Held held(c, 3 * n);
  std::vector<AdamStep> steps;
  for (int i = 0; i < n; ++i) {
    const Tensor& grad = c.in(3 * n + i);
    steps.push_back({.var = held.value(c, i, grad),
                     .m = held.value(c, n + i, grad),
                     .v = held.value(c, 2 * n + i, grad),
                     .beta1_power = c.in(settings),
                     .beta2_power = c.in(settings + 1),
                     .lr = c.in(settings + 2),
                     .beta1 = c.in(settings + 3),
                     .beta2 = c.in(settings + 4),
                     .epsilon = c.in(settings + 5),
                     .grad = grad,
                     .nesterov = c.attrs<NesterovAttrs>().use_nesterov});
  }
  adam_steps(steps);
}

OpDef step(const char* name, std::vector<InputDef> inputs, AttrsDef attrs, KernelFn kernel) {
  return {.name = name,
          .inputs = std::move(inputs),
          .types = {{"T", kStepTypes}},
          .attrs = std::move(attrs),
          .stateful = true,
          .kernel = dynamic(std::move(kernel)),
          .grad = no_gradient()};
}

}  // namespace

const Family training_ops([]() -> OpRows {
  const AttrsDef locking = attrs_of<LockingAttrs>(field("use_locking", &LockingAttrs::use_locking));
  const AttrsDef nesterov =
      attrs_of<NesterovAttrs>(field("use_locking", &NesterovAttrs::use_locking),
                              field("use_nesterov", &NesterovAttrs::use_nesterov));
  return {
      step("ResourceApplyGradientDescent", {{"var", "resource"}, {"alpha", "T"}, {"delta", "T"}},
           locking, gradient_descent),
      step("ResourceApplyMomentum",
           {{"var", "resource"},
            {"accum", "resource"},
            {"lr", "T"},
            {"grad", "T"},
            {"momentum", "T"}},
           nesterov, momentum),
      step("ResourceApplyAdam",
           {{"var", "resource"},
            {"m", "resource"},
            {"v", "resource"},
            {"beta1_power", "T"},
            {"beta2_power", "T"},
            {"lr", "T"},
            {"beta1", "T"},
            {"beta2", "T"},
            {"epsilon", "T"},
            {"grad", "T"}},
           nesterov, adam),
      step("_ApplyAdamToAll",
           {{"var", "resource", 0, "N"},
            {"m", "resource", 0, "N"},
            {"v", "resource", 0, "N"},
            {"grad", "T", 0, "N"},
            {"beta1_power", "T"},
            {"beta2_power", "T"},
            {"lr", "T"},
            {"beta1", "T"},
            {"beta2", "T"},
            {"epsilon", "T"}},
           nesterov, adam_of_all),
  };
});

}  // namespace agog
