// Ops that make sequences and indicators.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/accumulate.h"
#include "kernels/kernel.h"
#include "kernels/rounded.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct OneHotAttrs {
  int64_t axis = -1;
};

namespace {

constexpr TypeSet kRangeTypes = kIndex | kFloating;

void require_scalar(const ShapeCtx& c, int i) {
  c.require(c.in(i).rank() <= 0, c.input_name(i), " must be a scalar, got shape ", c.in(i));
}

template <class T>
auto number_in(const Tensor& t) {
  if constexpr (is_half<T>) {
    return static_cast<float>(*t.data<T>());
  } else {
    return *t.data<T>();
  }
}

// Numbers from start, delta apart, before limit; the distance of integers may need all 64 bits.
template <class T>
int64_t range_size(const OpCtx& c) {
  const auto start = number_in<T>(c.input(0)), limit = number_in<T>(c.input(1));
  const auto delta = number_in<T>(c.input(2));
  c.require(delta != 0, "delta must not be zero");
  c.require(!(delta > 0 ? start > limit : start < limit), "limit ", limit, " is not ",
            delta > 0 ? "above" : "below", " start ", start, " as delta ", delta, " demands");
  if constexpr (std::is_integral_v<T>) {
    const auto from = static_cast<uint64_t>(static_cast<int64_t>(start));
    const auto to = static_cast<uint64_t>(static_cast<int64_t>(limit));
    const auto step = static_cast<uint64_t>(static_cast<int64_t>(delta));
    const uint64_t span = delta > 0 ? to - from : from - to;
    const uint64_t by = delta > 0 ? step : -step;
    const uint64_t n = span / by + (span % by != 0);
    c.require(n <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
              "the sequence is too long");
    return static_cast<int64_t>(n);
  } else {
    // Half types round here, too, for TensorFlow's number of elements.
    auto in_type = [](auto v) { return static_cast<decltype(v)>(static_cast<T>(v)); };
    const auto n = std::ceil(std::abs(in_type(in_type(limit - start) / delta)));
    c.require(n < 0x1p63, "the sequence from ", start, " to ", limit, " by ", delta,
              " is too long");
    return static_cast<int64_t>(n);
  }
}

Shape range_shape(ShapeCtx& c) {
  for (int i = 0; i < 3; ++i) require_scalar(c, i);
  if (!c.has_value(0) || !c.has_value(1) || !c.has_value(2)) return {-1};
  int64_t n = 0;
  with_type_of<kRangeTypes>(c.dtype(),
                            [&](auto type) { n = range_size<typename decltype(type)::type>(c); });
  return {n};
}

void range(KernelCtx& c) {
  with_type_of<kRangeTypes>(c.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    T* y = c.out().mutable_data<T>();
    const auto start = number_in<T>(c.in(0)), delta = number_in<T>(c.in(2));
    const int64_t n = c.out().num_elements();
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) {
        y[i] = static_cast<T>(static_cast<uint64_t>(start) +
                              static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
      } else {
        using F = std::remove_const_t<decltype(start)>;
        y[i] = static_cast<T>(start + rounded(static_cast<F>(i) * delta));
      }
    }
  });
}

Shape lin_space_shape(ShapeCtx& c) {
  for (int i = 0; i < 3; ++i) require_scalar(c, i);
  if (!c.has_value(2)) return {-1};
  const int64_t n = c.scalar_int(2);
  c.require(n > 0, "num must be positive, got ", n);
  return {n};
}

template <class T>
void lin_space(const KernelCtx& c) {
  const T start = *c.in(0).data<T>(), stop = *c.in(1).data<T>();
  T* y = c.out().mutable_data<T>();
  const int64_t n = c.out().num_elements();
  const T step = n > 1 ? (stop - start) / static_cast<T>(n - 1) : T(0);
  for (int64_t i = 0; i < n; ++i) y[i] = start + rounded(step * static_cast<T>(i));
  if (n > 1) y[n - 1] = stop;
}

int one_hot_axis(const OpCtx& c) {
  const int64_t axis = c.attrs<OneHotAttrs>().axis;
  const int rank = c.input(0).rank();
  c.require(axis >= -1 && axis <= rank, "axis ", axis, " is neither -1 nor in [0, ", rank, "]");
  return static_cast<int>(axis < 0 ? rank : axis);
}

Shape one_hot_shape(ShapeCtx& c) {
  for (int i = 1; i < 4; ++i) require_scalar(c, i);
  if (!c.in(0).has_rank()) return Shape::unknown_rank();
  const int axis = one_hot_axis(c);
  const int64_t depth = c.has_value(1) ? c.scalar_int(1) : -1;
  c.require(depth >= 0 || !c.has_value(1), "depth must not be negative, got ", depth);
  if (c.in(0).full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
  Shape out;
  for (int d = 0; d <= c.in(0).rank(); ++d) {
    if (d == axis) out.push_back(depth);
    if (d < c.in(0).rank()) out.push_back(c.in(0)[d]);
  }
  return out;
}

// indices is [outer, inner], the result [outer, depth, inner]; an index out of range is off
// everywhere.
template <class I>
void one_hot(const KernelCtx& c, int64_t inner, int64_t depth, int width) {
  const I* index = c.in(0).data<I>();
  const char* on = c.in(2).data<char>();
  char* y = c.out().mutable_data<char>();
  const int64_t n = c.in(0).num_elements();
  for (int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<int64_t>(index[i]);
    if (k < 0 || k >= depth) continue;
    const int64_t at = (i / inner * depth + k) * inner + i % inner;
    std::memcpy(y + at * width, on, static_cast<size_t>(width));
  }
}

void one_hot(KernelCtx& c) {
  if (c.out().num_elements() == 0) return;
  const int width = size_of(c.dtype(2)), axis = one_hot_axis(c);
  fill_elements(c.out().mutable_raw(), c.in(3).raw(), c.out().num_elements(), width);
  const int64_t inner = product(c.in(0).shape(), axis, c.in(0).rank());
  const int64_t depth = c.out().dim(axis);
  switch (c.dtype(0)) {
    case DType::kUInt8: return one_hot<uint8_t>(c, inner, depth, width);
    case DType::kInt8: return one_hot<int8_t>(c, inner, depth, width);
    case DType::kInt32: return one_hot<int32_t>(c, inner, depth, width);
    default: return one_hot<int64_t>(c, inner, depth, width);
  }
}

template <class T>
void invert_permutation(const KernelCtx& c) {
  const T* x = c.in(0).data<T>();
  T* y = c.out().mutable_data<T>();
  const int64_t n = c.in(0).num_elements();
  for (int64_t i = 0; i < n; ++i) y[i] = T(-1);
  for (int64_t i = 0; i < n; ++i) {
    c.require(x[i] >= 0 && x[i] < n, "x[", i, "] = ", x[i], " is not in [0, ", n, ")");
    c.require(y[x[i]] < 0, "x is no permutation: it holds ", x[i], " twice");
    y[x[i]] = static_cast<T>(i);
  }
}

}  // namespace

const Family sequence_ops([]() -> OpRows {
  return {
      {.name = "Range",
       .inputs = {{"start", "Tidx", kHost}, {"limit", "Tidx", kHost}, {"delta", "Tidx", kHost}},
       .outputs = {{"output", "Tidx"}},
       .types = {{"Tidx", kRangeTypes, DType::kInt32}},
       .shape = range_shape,
       .kernel = general(range),
       .grad = no_gradient()},
      {.name = "LinSpace",
       .inputs = {{"start", "T"}, {"stop", "T"}, {"num", "Tidx", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", types(DType::kFloat, DType::kDouble)}, {"Tidx", kIndex, DType::kInt32}},
       .shape = lin_space_shape,
       .kernel = general([](KernelCtx& c) {
         if (c.dtype() == DType::kFloat) lin_space<float>(c);
         if (c.dtype() == DType::kDouble) lin_space<double>(c);
       }),
       .grad = no_gradient()},
      {.name = "OneHot",
       .inputs =
           {{"indices", "TI"}, {"depth", "int32", kHost}, {"on_value", "T"}, {"off_value", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"TI", kIndex | types(DType::kUInt8, DType::kInt8), DType::kInt64},
                 {"T", kAnyData}},
       .attrs = attrs_of<OneHotAttrs>(field("axis", &OneHotAttrs::axis)),
       .shape = one_hot_shape,
       .kernel = general([](KernelCtx& c) { one_hot(c); }),
       .grad = no_gradient()},
      {.name = "InvertPermutation",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kIndex, DType::kInt32}},
       .shape =
           [](ShapeCtx& c) {
             c.require(c.in(0).rank() == 1 || !c.in(0).has_rank(), "x must be a vector, got shape ",
                       c.in(0));
             return c.in(0);
           },
       .kernel = general([](KernelCtx& c) {
         if (c.dtype() == DType::kInt32) invert_permutation<int32_t>(c);
         if (c.dtype() == DType::kInt64) invert_permutation<int64_t>(c);
       }),
       .grad = no_gradient()},
  };
});

}  // namespace agog
