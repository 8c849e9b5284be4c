#include "op/call.h"

#include "core/error.h"

namespace agog::ops {

Tensor filled(double value, DType dtype, const Shape& shape) {
  Tensor t = Tensor::empty(dtype, shape);
  const bool known = with_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    T v;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      v = T(static_cast<float>(value));
    } else if constexpr (std::is_same_v<T, complex64>) {
      v = T(static_cast<float>(value), 0.0f);
    } else {
      v = static_cast<T>(value);
    }
    T* data = t.mutable_data<T>();
    for (int64_t i = 0; i < t.num_elements(); ++i) data[i] = v;
  });
  if (!known) fail(ErrorCode::kInvalidType, "dtype ", dtype, " holds no numbers");
  return t;
}

Tensor number(double value, DType dtype) { return filled(value, dtype, Shape{}); }

Tensor int_vector(const std::vector<int64_t>& values) {
  Tensor t = Tensor::empty(DType::kInt64, Shape{static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) t.mutable_data<int64_t>()[i] = values[i];
  return t;
}

Tensor shape_tensor(const Shape& shape) {
  return int_vector(std::vector<int64_t>(shape.begin(), shape.end()));
}

Tensor reshape(Tensor t, const Shape& shape) {
  static const Caller op{"Reshape"};
  if (t.shape() == shape) return t;
  return op(std::move(t), shape_tensor(shape));
}

Tensor sum_to(Tensor t, const Shape& shape) {
  static const Caller op{"Sum"};
  if (t.shape() == shape) return t;
  std::vector<int64_t> axes;
  const int shift = t.rank() - shape.rank();
  for (int d = 0; d < t.rank(); ++d) {
    if (d < shift || (shape[d - shift] == 1 && t.dim(d) != 1)) axes.push_back(d);
  }
  if (!axes.empty()) t = op(std::move(t), int_vector(axes));
  return reshape(std::move(t), shape);
}

Tensor conj(Tensor t) {
  static const Caller op{"Conj"};
  return is_complex(t.dtype()) ? op(std::move(t)) : t;
}

Tensor cast(Tensor t, DType dtype) {
  if (t.dtype() == dtype) return t;
  static const Op& op = find_op("Cast");
  struct {
    DType to;
    bool truncate;
  } attrs{dtype, false};
  return execute1(op, &t, 1, &attrs);
}

}  // namespace agog::ops
