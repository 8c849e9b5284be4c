// Calls of array ops for gradient rules and kernels of other families.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/copy.h"
#include "op/call.h"

namespace agog {

struct UnpackAttrs {
  int64_t num = 0, axis = 0;
};
struct PackAttrs {
  int64_t axis = 0;
};

namespace ops {

inline Tensor slice(Tensor t, const Shape& begin, const Shape& size) {
  static const Caller op{"Slice"};
  return op(std::move(t), shape_tensor(begin), shape_tensor(size));
}

inline Tensor transpose(Tensor t, const std::vector<int64_t>& perm) {
  static const Caller op{"Transpose"};
  return op(std::move(t), int_vector(perm));
}

inline Tensor int_scalar(int64_t v) { return Tensor::scalar<int64_t>(v); }

inline Tensor concat(std::vector<Tensor> parts, int64_t axis) {
  static const Caller op{"ConcatV2"};
  if (parts.size() == 1) return parts[0];
  parts.push_back(int_scalar(axis));
  return execute1(op.op(), parts.data(), static_cast<int>(parts.size()));
}

inline Tensor sum(Tensor t, const std::vector<int64_t>& axes) {
  static const Caller op{"Sum"};
  return op(std::move(t), int_vector(axes));
}

inline Tensor zeros(DType dtype, const Shape& shape) { return Tensor::zeros(dtype, shape); }

}  // namespace ops

// Product of the sizes of dimensions [first, last).
inline int64_t product(const Shape& s, int first, int last) {
  int64_t n = 1;
  for (int d = first; d < last; ++d) n = wrapped_product(n, s[d]);
  return n;
}

// `size` rows from `begin` on along `axis`: over the same memory where they lie in one piece.
inline Tensor part_of(const Tensor& t, int axis, int64_t begin, int64_t size) {
  Shape shape = t.shape();
  const int64_t whole = shape[axis];
  shape[axis] = size;
  const int64_t outer = product(shape, 0, axis);
  const int64_t inner = product(shape, axis + 1, shape.rank());
  if (outer == 1 || size == whole) return t.view(begin * inner, shape);
  Tensor out = Tensor::empty(t.dtype(), shape);
  if (out.num_elements() == 0) return out;
  StridedCopy copy;
  copy.add(outer, whole * inner, size * inner);
  copy.add(size * inner, 1, 1);
  const int width = size_of(t.dtype());
  copy.run(t.data<char>() + begin * inner * width, out.mutable_raw(), width);
  return out;
}

}  // namespace agog
