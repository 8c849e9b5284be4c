// Ops as C++ functions, for gradient rules. Arguments are taken by value: a temporary that nobody
// else holds may be overwritten by the op that consumes it.
#pragma once

#include <array>
#include <initializer_list>
#include <utility>

#include "core/tensor.h"
#include "op/registry.h"
#include "runtime/dispatch.h"

namespace agog::ops {

// Finds its row when first called: rows of one family may call those of another.
class Caller {
 public:
  explicit constexpr Caller(const char* name) : name_(name) {}
  const Op& op() const {
    if (op_ == nullptr) op_ = &find_op(name_);
    return *op_;
  }
  template <class... T>
  Tensor operator()(T... inputs) const {
    return run(nullptr, std::move(inputs)...);
  }
  // The first argument is the op's attrs struct.
  template <class A, class... T>
  Tensor with(const A& attrs, T... inputs) const {
    return run(&attrs, std::move(inputs)...);
  }

 private:
  template <class... T>
  Tensor run(const void* attrs, T... inputs) const {
    const std::array<Tensor, sizeof...(T)> in{std::move(inputs)...};
    return execute1(op(), in.data(), static_cast<int>(in.size()), attrs, true);
  }
  const char* name_;
  mutable const Op* op_ = nullptr;
};

// A number in another tensor's dtype.
AGOG_API Tensor number(double value, DType dtype);
inline Tensor like(double value, const Tensor& t) { return number(value, t.dtype()); }
AGOG_API Tensor int_vector(const std::vector<int64_t>& values);
AGOG_API Tensor shape_tensor(const Shape& shape);
AGOG_API Tensor filled(double value, DType dtype, const Shape& shape);
// Undoes broadcasting: sums t down to `shape`.
AGOG_API Tensor sum_to(Tensor t, const Shape& shape);
AGOG_API Tensor reshape(Tensor t, const Shape& shape);
// The conjugate of a complex tensor; any other tensor as it is.
AGOG_API Tensor conj(Tensor t);
AGOG_API Tensor cast(Tensor t, DType dtype);

inline const Caller add{"AddV2"}, sub{"Sub"}, mul{"Mul"}, div{"RealDiv"}, neg{"Neg"};

}  // namespace agog::ops

namespace agog {

inline Tensor operator+(Tensor a, Tensor b) { return ops::add(std::move(a), std::move(b)); }
inline Tensor operator-(Tensor a, Tensor b) { return ops::sub(std::move(a), std::move(b)); }
inline Tensor operator*(Tensor a, Tensor b) { return ops::mul(std::move(a), std::move(b)); }
inline Tensor operator/(Tensor a, Tensor b) { return ops::div(std::move(a), std::move(b)); }
inline Tensor operator-(Tensor a) { return ops::neg(std::move(a)); }
inline Tensor operator*(Tensor a, double b) {
  Tensor n = ops::like(b, a);
  return ops::mul(std::move(a), std::move(n));
}
inline Tensor operator*(double a, Tensor b) { return std::move(b) * a; }
inline Tensor operator+(Tensor a, double b) {
  Tensor n = ops::like(b, a);
  return ops::add(std::move(a), std::move(n));
}
inline Tensor operator-(double a, Tensor b) {
  Tensor n = ops::like(a, b);
  return ops::sub(std::move(n), std::move(b));
}

}  // namespace agog
