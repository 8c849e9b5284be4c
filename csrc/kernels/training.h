// Optimizer steps, each in one pass over memory.
#pragma once

#include <vector>

#include "core/tensor.h"

namespace agog {

// The dtypes of steps.
inline constexpr TypeSet kStepTypes = kInexact;

// var, accum, m, v and grad have one shape and dtype; the others are scalars of that dtype.
void gradient_descent_step(const Tensor& var, const Tensor& alpha, const Tensor& delta);

struct MomentumStep {
  Tensor var, accum, lr, grad, momentum;
  bool nesterov;
};
void momentum_step(const MomentumStep& s);

struct AdamStep {
  Tensor var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad;
  bool nesterov;
};
void adam_step(const AdamStep& s);
// Steps on variables that differ, of one dtype, with the work of all shared out together.
void adam_steps(const std::vector<AdamStep>& steps);

}  // namespace agog
