// The only way to run an op.
#pragma once

#include <vector>

#include "core/tensor.h"
#include "op/registry.h"
#include "runtime/context.h"

namespace agog {

using Tensors = std::vector<Tensor>;

// Runs an op with one output. `attrs` null means the row's defaults. With `reuse`, the caller gives
// its inputs up: one that nobody else holds may be overwritten.
AGOG_API Tensor execute1(const Op& op, const Tensor* inputs, int num_inputs,
                         const void* attrs = nullptr, bool reuse = false);

// Runs any op; list outputs come flattened.
AGOG_API Tensors execute(const Op& op, const Tensor* inputs, int num_inputs,
                         const void* attrs = nullptr);

// Puts map(op, inputs) into `out`, of dtype and shape already right; it may be one of the inputs.
AGOG_API void run_map(const Op& op, const Tensor* inputs, int arity, const Tensor& out,
                      const void* attrs);

// The shape that two shapes broadcast to; throws with both shapes.
AGOG_API Shape broadcast_shapes(const Shape& a, const Shape& b);

// Kernels with more work than this (in simple element operations) run without the interpreter's
// lock.
inline constexpr int64_t kReleaseWork = 1 << 15;

namespace hooks {
// Set by the Python extension: let other Python threads run, and come back.
extern AGOG_API void* (*release_interpreter)();
extern AGOG_API void (*take_interpreter)(void*);
}  // namespace hooks

// While alive, other Python threads may run, if `work` is worth the switch.
class UnlockScope {
 public:
  explicit UnlockScope(int64_t work) {
    if (work > kReleaseWork && hooks::release_interpreter) state_ = hooks::release_interpreter();
  }
  ~UnlockScope() {
    if (state_) hooks::take_interpreter(state_);
  }
  UnlockScope(const UnlockScope&) = delete;
  UnlockScope& operator=(const UnlockScope&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace agog
