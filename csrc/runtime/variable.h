// A variable: a named place that holds a tensor. Reads share memory with it; a write makes new
// memory while any reader is alive, so a value read earlier never changes.
#pragma once

#include <mutex>
#include <string>

#include "core/error.h"
#include "core/tensor.h"

namespace agog {

class AGOG_API Variable final : public Object {
 public:
  Variable(std::string name, DType dtype, Shape shape, bool trainable)
      : name_(std::move(name)), dtype_(dtype), shape_(shape), trainable_(trainable) {
    ++live_;
  }
  ~Variable() override { --live_; }

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  // The shape that every value must have; may be partly unknown.
  const Shape& shape() const { return shape_; }
  bool trainable() const { return trainable_; }
  bool initialized() const { return static_cast<bool>(value_); }

  // A tensor of its own identity over the current memory.
  Tensor read();
  void assign(const Tensor& value);
  // The value, in memory that may be overwritten; call with a VariableLock held.
  Tensor& writable();
  void check(const Tensor& value) const;

  static int64_t live_count() { return live_; }

 private:
  friend class VariableLock;
  [[noreturn]] void fail_uninitialized() const;

  std::string name_;
  DType dtype_;
  Shape shape_;
  bool trainable_;
  Tensor value_;
  std::mutex mutex_;
  static std::atomic<int64_t> live_;
};

// Holds a variable still. A kernel may let the interpreter's lock go and take it back while it
// holds a variable, so nobody may wait for a variable with the interpreter's lock in hand.
class AGOG_API VariableLock {
 public:
  explicit VariableLock(Variable& v);
  ~VariableLock() { mutex_.unlock(); }
  VariableLock(const VariableLock&) = delete;
  VariableLock& operator=(const VariableLock&) = delete;

 private:
  std::mutex& mutex_;
};

// The variable behind a tensor of dtype resource.
AGOG_API Variable& variable_of(const Tensor& handle);

}  // namespace agog
