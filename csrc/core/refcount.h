// Intrusive reference counting.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/api.h"

namespace agog {

// Base of all else that is shared beside tensors and buffers: variables, Python objects, nodes.
class AGOG_API Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  void add_ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  virtual ~Object();

 private:
  mutable std::atomic<int32_t> refs_{0};
};

// Shared pointer to anything with add_ref() and release().
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* p) : p_(p) {
    if (p_) p_->add_ref();
  }
  static Ref adopt(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_) p_->release();
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* leak() { return std::exchange(p_, nullptr); }

 private:
  T* p_ = nullptr;
};

}  // namespace agog
