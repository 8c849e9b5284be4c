// Optimizer steps on variables.
#include "kernels/training.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

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

// The variables behind the first N inputs, held still: in order of address, so that two steps over
// the same variables never wait for each other.
template <int N>
class Held {
 public:
  explicit Held(const KernelCtx& c) {
    for (int i = 0; i < N; ++i) variables_[i] = &variable_of(c.in(i));
    std::array<Variable*, N> sorted = variables_;
    std::sort(sorted.begin(), sorted.end(), std::less<>());
    for (int i = 1; i < N; ++i) {
      c.require(sorted[i] != sorted[i - 1], "the variables of a step must differ, got ",
                sorted[i]->name(), " twice");
    }
    for (int i = 0; i < N; ++i) locks_[i] = std::make_unique<VariableLock>(*sorted[i]);
  }

  // The value of variable i, to be written to; it must match `grad`.
  const Tensor& value(const KernelCtx& c, int i, const Tensor& grad) const {
    Variable& v = *variables_[i];
    c.require(v.dtype() == grad.dtype(), c.input_name(i), " holds ", v.dtype(),
              ", got a gradient of ", grad.dtype());
    const Tensor& t = v.writable();
    c.require(t.shape() == grad.shape(), c.input_name(i), " has shape ", t.shape(),
              ", got a gradient of shape ", grad.shape());
    return t;
  }

 private:
  std::array<Variable*, N> variables_;
  std::array<std::unique_ptr<VariableLock>, N> locks_;
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
  const Held<1> held(c);
  gradient_descent_step(held.value(c, 0, c.in(2)), c.in(1), c.in(2));
}

void momentum(KernelCtx& c) {
  require_scalars(c, 2, 3);
  require_scalars(c, 4, 5);
  const Held<2> held(c);
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
  const Held<3> held(c);
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
  };
});

}  // namespace agog
