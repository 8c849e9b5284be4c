// Half types, computed in float and rounded once.
#pragma once

#include "core/tensor.h"
#include "kernels/cast.h"

namespace agog {

inline bool is_half_type(const Tensor& t) { return contains(kHalfTypes, t.dtype()); }

// A float copy.
inline Tensor widened(const Tensor& t) {
  Tensor wide = Tensor::empty(DType::kFloat, t.shape());
  cast_elements(t.raw(), t.dtype(), wide.mutable_raw(), DType::kFloat, t.num_elements(), false);
  return wide;
}

// Calls f with a float tensor to fill, which is then rounded into `out`.
template <class F>
void rounded_into(const Tensor& out, F&& f) {
  const Tensor wide = Tensor::empty(DType::kFloat, out.shape());
  f(wide);
  cast_elements(wide.raw(), DType::kFloat, out.mutable_raw(), out.dtype(), out.num_elements(),
                false);
}

}  // namespace agog
