// Forward mode: tangents that travel along with the tensors while ops run.
//
// No row has a second rule for it. The gradient rule of a row is linear in dy, so its own
// derivative with respect to dy, applied to the tangents of the inputs, is the tangent of the
// output: a row's rule is run once under a tape that watches dy, and that tape is walked back.
#pragma once

#include <atomic>
#include <unordered_map>

#include "core/tensor.h"
#include "runtime/tape.h"

namespace agog {

inline constexpr uint32_t kAccumulatorsActive = 4;  // of Context::flags

class AGOG_API Accumulator final : public Object {
 public:
  void set(const Tensor& t, Tensor tangent);
  // Empty where none is known.
  Tensor tangent(const Tensor& t) const;
  bool knows_any(const Tensor* t, int n) const;
  // Gives the outputs of a call the tangents that follow from those of its inputs.
  void push(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out, int n_out);
  // The same for a rule of the user's, where the function's own ops left no tangent.
  void push_custom(CustomBackward& backward, const Tensors& in, const Tensors& out);
  void forget(int64_t id);

  // As for tapes.
  int64_t session() const { return session_.load(std::memory_order_relaxed); }
  void set_session(int64_t session) { session_.store(session, std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> session_{0};
  std::unordered_map<int64_t, Tensor> tangents_;  // by the tensor's id
};

// Start on this thread; stop, whatever thread it is on. Ops that make tangents are seen by the
// tapes and accumulators that were there before this one, and by no others.
AGOG_API void push_accumulator(Accumulator* accumulator);
AGOG_API void pop_accumulator(Accumulator* accumulator);

// For the tape's files.
void push_tangents(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                   int n_out);
void push_custom_tangents(CustomBackward& backward, const Tensors& in, const Tensors& out);
void forget_tangents(int64_t id);

}  // namespace agog
