#include "runtime/variable.h"

#include <cstring>

#include "runtime/dispatch.h"

namespace agog {

std::atomic<int64_t> Variable::live_{0};

VariableLock::VariableLock(Variable& v) : mutex_(v.mutex_) {
  if (mutex_.try_lock()) return;
  UnlockScope unlocked(kReleaseWork + 1);
  mutex_.lock();
}

void Variable::fail_uninitialized() const {
  fail(ErrorCode::kFailedPrecondition, "variable ", name_, " has no value yet; assign one first");
}

Tensor Variable::read() {
  const VariableLock lock(*this);
  if (!value_) fail_uninitialized();
  return value_.alias();
}

void Variable::check(const Tensor& value) const {
  if (value.dtype() != dtype_) {
    fail(ErrorCode::kInvalidType, "variable ", name_, " holds ", dtype_, ", got a value of ",
         value.dtype());
  }
  bool fits = !shape_.has_rank() || shape_.rank() == value.rank();
  for (int i = 0; fits && i < shape_.rank(); ++i) {
    fits = shape_[i] < 0 || shape_[i] == value.dim(i);
  }
  if (!fits) {
    fail(ErrorCode::kInvalidArgument, "variable ", name_, " has shape ", shape_,
         ", got a value of shape ", value.shape());
  }
}

void Variable::assign(const Tensor& value) {
  check(value);
  Tensor kept = value.alias();
  const VariableLock lock(*this);
  std::swap(value_, kept);
}

Tensor& Variable::writable() {
  if (!value_) fail_uninitialized();
  if (!value_.owns_memory_alone()) {
    Tensor copy = Tensor::empty(dtype_, value_.shape());
    std::memcpy(copy.mutable_raw(), value_.raw(), static_cast<size_t>(value_.num_bytes()));
    value_ = std::move(copy);
  }
  return value_;
}

Variable& variable_of(const Tensor& handle) {
  auto* v = handle.dtype() == DType::kResource
                ? dynamic_cast<Variable*>(handle.impl()->object.get())
                : nullptr;
  if (v == nullptr) fail(ErrorCode::kInvalidType, "the resource is not a variable");
  return *v;
}

}  // namespace agog
