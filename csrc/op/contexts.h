// What shape rules, kernels and gradient rules see of a call.
#pragma once

#include <vector>

#include "core/error.h"
#include "core/tensor.h"
#include "op/registry.h"

namespace agog {

using Ints = std::vector<int64_t>;

// Inputs and attrs, and the checks that every rule needs.
class OpCtx {
 public:
  OpCtx(const Op& op, const Tensor* inputs, int num_inputs, const void* attrs)
      : op_(op), inputs_(inputs), num_inputs_(num_inputs), attrs_(attrs) {}

  const Op& op() const { return op_; }
  int num_inputs() const { return num_inputs_; }
  const Tensor& input(int i) const { return inputs_[i]; }
  const Tensor* inputs() const { return inputs_; }
  DType dtype(int i = 0) const { return inputs_[i].dtype(); }
  template <class A>
  const A& attrs() const {
    return *static_cast<const A*>(attrs_);
  }
  const void* raw_attrs() const { return attrs_; }
  const char* input_name(int i) const { return op_.def.inputs[op_.arg_of(i, num_inputs_)].name; }

  template <class... Args>
  void require(bool ok, const Args&... args) const {
    if (AGOG_UNLIKELY(!ok)) agog::fail(ErrorCode::kInvalidArgument, args...);
  }

  // The value of a kHost input: false while it is only a symbol.
  bool has_value(int i) const { return !inputs_[i].is_symbolic(); }
  // The integers of a kHost input.
  Ints ints(int i) const {
    const Tensor& t = inputs_[i];
    Ints v(static_cast<size_t>(t.num_elements()));
    for (size_t k = 0; k < v.size(); ++k) v[k] = index_value(t, static_cast<int64_t>(k));
    return v;
  }
  int64_t scalar_int(int i) const {
    require(inputs_[i].num_elements() == 1, input_name(i), " must be a scalar, got shape ",
            inputs_[i].shape());
    return index_value(inputs_[i], 0);
  }
  // `value` as a dimension of `shape`: the one place where axes are checked and made positive.
  int axis(int64_t value, const Shape& shape, const char* what = "axis") const {
    const int rank = shape.rank();
    require(value >= -rank && value < rank, what, " ", value, " is not in [", -rank, ", ", rank,
            ") for shape ", shape);
    return static_cast<int>(value < 0 ? value + rank : value);
  }
  int axis_input(int i, const Shape& shape) const {
    return axis(scalar_int(i), shape, input_name(i));
  }
  // The distinct dimensions of `shape` that input i names; ascending.
  std::vector<int> axes_input(int i, const Shape& shape) const {
    bool used[kMaxRank] = {};
    for (int64_t v : ints(i)) {
      const int a = axis(v, shape, input_name(i));
      require(!used[a], input_name(i), " names dimension ", a, " twice");
      used[a] = true;
    }
    std::vector<int> axes;
    for (int a = 0; a < shape.rank(); ++a) {
      if (used[a]) axes.push_back(a);
    }
    return axes;
  }
  // The shape that input i spells out; `allow_unknown` lets one size be -1.
  Shape shape_input(int i, bool allow_unknown = false) const {
    const Tensor& t = inputs_[i];
    require(t.rank() <= 1, input_name(i), " must be a vector, got shape ", t.shape());
    if (t.num_elements() > kMaxRank) {
      agog::fail(ErrorCode::kUnimplemented, input_name(i), " asks for rank ", t.num_elements(),
                 "; the largest rank is ", kMaxRank);
    }
    Shape s;
    for (int64_t k = 0; k < t.num_elements(); ++k) {
      const int64_t d = index_value(t, k);
      require(d >= 0 || (allow_unknown && d == -1), input_name(i), "[", k, "] = ", d,
              " is negative");
      s.push_back(d);
    }
    return s;
  }

 protected:
  const Op& op_;
  const Tensor* inputs_;
  int num_inputs_;
  const void* attrs_;
};

class ShapeCtx : public OpCtx {
 public:
  using OpCtx::OpCtx;
  const Shape& in(int i) const { return inputs_[i].shape(); }
  // For rows with several outputs; a rule's return value is output 0.
  void out(int i, const Shape& s) {
    if (static_cast<int>(extra_.size()) < i) extra_.resize(static_cast<size_t>(i));
    extra_[static_cast<size_t>(i) - 1] = s;
  }
  // For a list output: how many tensors, all of the shape that the rule returns unless out() says
  // otherwise.
  void out_count(int64_t n) { count_ = n; }
  int64_t count() const { return count_; }
  const std::vector<Shape>& extra() const { return extra_; }

 private:
  std::vector<Shape> extra_;
  int64_t count_ = -1;
};

class KernelCtx : public OpCtx {
 public:
  KernelCtx(const Op& op, const Tensor* inputs, int num_inputs, const void* attrs, Tensor* outputs,
            int num_outputs)
      : OpCtx(op, inputs, num_inputs, attrs), outputs_(outputs), num_outputs_(num_outputs) {}
  const Tensor& in(int i) const { return inputs_[i]; }
  const Tensor& out(int i = 0) const { return outputs_[i]; }
  int num_outputs() const { return num_outputs_; }
  // For kDynamic and kAlias kernels.
  void set_out(int i, Tensor t) { outputs_[i] = std::move(t); }
  template <class... Args>
  [[noreturn]] void fail(const Args&... args) const {
    agog::fail(ErrorCode::kInvalidArgument, args...);
  }

 private:
  Tensor* outputs_;
  int num_outputs_;
};

struct Record;

// A gradient that is zero but in some rows: values[i] belongs to row indices[i] of `shape`; what
// names a row twice adds up.
struct RowsGradient {
  Tensor values, indices;
  Shape shape;
};

// A gradient rule reads x, y, dy and sets dx; all of them are tensors, and all it does goes through
// execute().
class AGOG_API GradCtx {
 public:
  // `rows`, where given, may be filled instead of dx(0).
  GradCtx(const Record& record, std::vector<Tensor>& dy, const std::vector<bool>& needs,
          RowsGradient* rows = nullptr)
      : record_(record), dy_(dy), needs_(needs), dx_(needs.size()), rows_(rows) {}

  int num_inputs() const { return static_cast<int>(needs_.size()); }
  int num_outputs() const { return static_cast<int>(dy_.size()); }
  // Whether anybody wants the gradient of input i.
  bool needs(int i) const { return needs_[static_cast<size_t>(i)]; }
  // Kept because the row saves it; anything else is an internal error.
  const Tensor& x(int i) const;
  const Tensor& y(int i) const;
  Shape x_shape(int i) const;
  DType x_dtype(int i) const;
  // Gradient of output i: zeros when nothing flowed back to it (the row must save its shape then).
  Tensor dy(int i);
  bool has_dy(int i) const { return static_cast<bool>(dy_[static_cast<size_t>(i)]); }
  Tensor& dx(int i) { return dx_[static_cast<size_t>(i)]; }
  // Null, or the gradient of input 0 as rows, for a rule to fill instead of dx(0).
  RowsGradient* rows() const { return rows_; }
  const void* raw_attrs() const;
  template <class A>
  const A& attrs() const {
    return *static_cast<const A*>(raw_attrs());
  }
  std::vector<Tensor>& results() { return dx_; }

 private:
  const Record& record_;
  std::vector<Tensor>& dy_;
  const std::vector<bool>& needs_;
  std::vector<Tensor> dx_;
  RowsGradient* rows_;
};

}  // namespace agog
