// Reductions of the rows that share a segment.
#include <cstring>
#include <limits>

#include "kernels/accumulate.h"
#include "kernels/cast.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {
namespace {

const ops::Caller gather{"GatherV2"}, select{"SelectV2"}, equal{"Equal"};
const ops::Caller segment_sum{"UnsortedSegmentSum"}, segment_prod{"UnsortedSegmentProd"};

// The value of a segment without rows, and where sums start.
template <class F, class T>
T start_value() {
  constexpr bool half = is_half<T>;
  if constexpr (std::is_same_v<F, FoldMul>) {
    if constexpr (half)
      return T(1.0f);
    else
      return T(1);
  } else if constexpr (std::is_same_v<F, FoldAdd>) {
    return T{};
  } else {
    const bool low = std::is_same_v<F, FoldMax>;
    if constexpr (std::is_same_v<T, Half>) {
      return T(low ? -65504.0f : 65504.0f);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return T(low ? -0x1.FEp127f : 0x1.FEp127f);
    } else {
      return low ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    }
  }
}

Shape tail_of(const Shape& s, int from) { return Shape(s.begin() + from, s.rank() - from); }

// data is [ids..., rest...], the result [num_segments, rest...].
Shape unsorted_shape(ShapeCtx& c) {
  const Shape &data = c.in(0), &ids = c.in(1);
  bool fits = ids.rank() <= data.rank();
  for (int d = 0; fits && d < ids.rank(); ++d) {
    fits = data[d] == ids[d] || data[d] < 0 || ids[d] < 0;
  }
  c.require(fits || !data.has_rank(), "data of shape ", data,
            " must start with the shape of segment_ids, ", ids);
  c.require(c.in(2).rank() <= 0, "num_segments must be a scalar, got shape ", c.in(2));
  if (!c.has_value(2) || !data.has_rank() || !ids.has_rank()) return Shape::unknown_rank();
  const int64_t n = c.scalar_int(2);
  c.require(n >= 0, "num_segments must not be negative, got ", n);
  Shape out{n};
  for (int64_t d : tail_of(data, ids.rank())) {
    if (out.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
    out.push_back(d);
  }
  return out;
}

std::vector<int64_t> as_int64(const Tensor& t) {
  std::vector<int64_t> v(static_cast<size_t>(t.num_elements()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = index_value(t, static_cast<int64_t>(i));
  return v;
}

template <class F, TypeSet S>
void reduce_segments(const Tensor& data, const std::vector<int64_t>& ids, const Tensor& out) {
  const int64_t segments = out.dim(0);
  const int64_t inner = product(out.shape(), 1, out.rank());
  with_type_to_fold<F, S>(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const T start = start_value<F, T>();
    fill_elements(out.mutable_raw(), &start, out.num_elements(), sizeof(T));
    fold_rows<F>(data.data<T>(), ids.data(), static_cast<int64_t>(ids.size()), inner,
                 out.mutable_data<T>(), segments);
  });
}

template <class F, TypeSet S>
KernelFn unsorted() {
  return [](KernelCtx& c) {
    if (c.out().num_elements() == 0 && c.in(0).num_elements() == 0) return;
    // Negative ids drop their rows.
    check_indices(c.in(1), std::numeric_limits<int64_t>::min(), c.out().dim(0), "segment_ids");
    reduce_segments<F, S>(c.in(0), as_int64(c.in(1)), c.out());
  };
}

// OpRows of t by segment; zeros where the id is negative.
Tensor rows_of(Tensor t, const Tensor& ids) {
  bool drops = false;
  for (int64_t i = 0; i < ids.num_elements(); ++i) drops |= index_value(ids, i) < 0;
  if (!drops) return gather(std::move(t), ids, ops::int_scalar(0));
  Tensor safe = Tensor::empty(DType::kInt64, ids.shape());
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t id = index_value(ids, i);
    safe.mutable_data<int64_t>()[i] = id < 0 ? t.dim(0) : id;
  }
  Shape row = t.shape();
  row[0] = 1;
  const Tensor zero = Tensor::zeros(t.dtype(), row);
  return gather(ops::concat({std::move(t), zero}, 0), std::move(safe), ops::int_scalar(0));
}

Tensor zero_safe(Tensor count) {
  const Tensor one = ops::like(1, count);
  return select(equal(count, ops::like(0, count)), one, count);
}

// OpRows equal to the extreme of their segment share its gradient.
void extreme_grad(GradCtx& g) {
  const Tensor &data = g.x(0), &ids = g.x(1), &y = g.y(0);
  const Tensor n = ops::int_scalar(y.dim(0));
  const Tensor hit = equal(data, rows_of(y, ids));
  const Tensor count = segment_sum(ops::cast(hit, data.dtype()), ids, n);
  const Tensor share = rows_of(g.dy(0) / zero_safe(count), ids);
  g.dx(0) = select(hit, share, ops::like(0, share));
}

// A row's factor is the product of the others, which is not product / row where there are zeros.
void prod_grad(GradCtx& g) {
  const Tensor &data = g.x(0), &ids = g.x(1);
  const Tensor dy = g.dy(0);
  const Tensor n = ops::int_scalar(dy.dim(0));
  const Tensor zero = ops::like(0, data), one = ops::like(1, data);
  const Tensor is_zero = equal(data, zero);
  const Tensor safe = select(is_zero, one, data);
  const Tensor ones = ops::cast(is_zero, data.dtype());
  const Tensor other_zeros = rows_of(segment_sum(ones, ids, n), ids) - ones;
  const Tensor others = rows_of(segment_prod(safe, ids, n), ids) / safe;
  const Tensor factor = select(equal(other_zeros, zero), others, zero);
  g.dx(0) = rows_of(dy, ids) * ops::conj(factor);
}

// Sorted segments: the last id says how many there are.
Shape sorted_shape(ShapeCtx& c) {
  const Shape &data = c.in(0), &ids = c.in(1);
  c.require(data.rank() != 0, "data must have at least one dimension, got a scalar");
  c.require(ids.rank() == 1 || !ids.has_rank(), "segment_ids must be a vector, got shape ", ids);
  if (!c.has_value(1) || !data.has_rank()) return Shape::unknown_rank();
  c.require(ids[0] == data[0] || data[0] < 0, "segment_ids of shape ", ids,
            " must have one entry for each row of data of shape ", data);
  int64_t last = 0;
  for (int64_t i = 0; i < ids[0]; ++i) {
    const int64_t id = index_value(c.input(1), i);
    c.require(id >= last, "segment_ids must be sorted and not negative, got ", id, " at position ",
              i);
    last = id;
  }
  Shape out = data;
  out[0] = ids[0] > 0 ? last : 0;
  c.require(ids[0] == 0 || !__builtin_add_overflow(last, 1, &out[0]), "segment_ids are too large");
  return out;
}

// Segments without rows are zero, but one for products.
template <class F, TypeSet S>
KernelFn sorted() {
  return [](KernelCtx& c) {
    const Tensor& out = c.out();
    if (out.num_elements() == 0) return;
    const std::vector<int64_t> ids = as_int64(c.in(1));
    reduce_segments<F, S>(c.in(0), ids, out);
    if (std::is_same_v<F, FoldAdd> || std::is_same_v<F, FoldMul>) return;
    const int64_t bytes = out.num_bytes() / out.dim(0);
    int64_t next = 0;
    for (int64_t id : ids) {
      for (; next < id; ++next) {
        std::memset(out.mutable_data<char>() + next * bytes, 0, static_cast<size_t>(bytes));
      }
      next = id + 1;
    }
  };
}

template <class T>
void divide_rows(const Tensor& out, const std::vector<int64_t>& counts) {
  T* y = out.mutable_data<T>();
  const int64_t inner = product(out.shape(), 1, out.rank());
  for (int64_t s = 0; s < out.dim(0); ++s) {
    const int64_t n = counts[static_cast<size_t>(s)];
    if (n < 2) continue;
    for (int64_t i = s * inner; i < (s + 1) * inner; ++i) {
      if constexpr (std::is_integral_v<T>) {
        using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
        y[i] = static_cast<T>(static_cast<Wide>(y[i]) / static_cast<Wide>(n));
      } else if constexpr (std::is_floating_point_v<T>) {
        y[i] /= static_cast<T>(n);
      } else {
        y[i] /= static_cast<typename T::value_type>(n);
      }
    }
  }
}

std::vector<int64_t> counts_of(const Tensor& ids, int64_t segments) {
  std::vector<int64_t> counts(static_cast<size_t>(segments));
  for (int64_t i = 0; i < ids.num_elements(); ++i)
    ++counts[static_cast<size_t>(index_value(ids, i))];
  return counts;
}

constexpr TypeSet kComputing = kNumeric & ~kHalfTypes;

Tensor converted(const Tensor& t, DType to) {
  Tensor out = Tensor::empty(to, t.shape());
  cast_elements(t.raw(), t.dtype(), out.mutable_raw(), to, t.num_elements(), false);
  return out;
}

// Half types go through float, to be rounded once.
void segment_mean(KernelCtx& c) {
  const Tensor& out = c.out();
  if (out.num_elements() == 0) return;
  const bool half = contains(kHalfTypes, c.dtype());
  const Tensor data = half ? converted(c.in(0), DType::kFloat) : c.in(0);
  const Tensor sums = half ? Tensor::empty(DType::kFloat, out.shape()) : out;
  const auto counts = counts_of(c.in(1), out.dim(0));
  reduce_segments<FoldAdd, kComputing>(data, as_int64(c.in(1)), sums);
  with_type_of<kComputing>(
      sums.dtype(), [&](auto type) { divide_rows<typename decltype(type)::type>(sums, counts); });
  if (half) {
    cast_elements(sums.raw(), DType::kFloat, out.mutable_raw(), out.dtype(), out.num_elements(),
                  false);
  }
}

void segment_mean_grad(GradCtx& g) {
  const Tensor dy = g.dy(0);
  const auto counts = counts_of(g.x(1), dy.dim(0));
  Shape column = dy.shape();
  for (int d = 1; d < column.rank(); ++d) column[d] = 1;
  const Tensor n = Tensor::empty(DType::kInt64, column);
  for (size_t i = 0; i < counts.size(); ++i) {
    n.mutable_data<int64_t>()[i] = std::max<int64_t>(1, counts[i]);
  }
  g.dx(0) = rows_of(dy / ops::cast(n, dy.dtype()), g.x(1));
}

OpDef unsorted_row(const char* name, TypeSet set, TypeSet ids, KernelFn fn, std::vector<Save> saves,
                   GradFn grad) {
  return {.name = name,
          .inputs = {{"data", "T"},
                     {"segment_ids", "Tindices"},
                     {"num_segments", "Tnumsegments", kHost}},
          .outputs = {{"output", "T"}},
          .types = {{"T", set},
                    {"Tindices", ids, DType::kInt32},
                    {"Tnumsegments", kIndex, DType::kInt32}},
          .shape = unsorted_shape,
          .kernel = general(std::move(fn), 2),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

OpDef sorted_row(const char* name, TypeSet set, KernelFn fn, std::vector<Save> saves, GradFn grad) {
  return {.name = name,
          .inputs = {{"data", "T"}, {"segment_ids", "Tindices", kHost}},
          .outputs = {{"output", "T"}},
          .types = {{"T", set}, {"Tindices", kIndex, DType::kInt32}},
          .shape = sorted_shape,
          .kernel = general(std::move(fn), 2),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

void sum_grad(GradCtx& g) { g.dx(0) = rows_of(g.dy(0), g.x(1)); }

}  // namespace

const Family segment_ops([]() -> OpRows {
  const TypeSet short_ids = kIndex | set_of(DType::kInt16);
  const std::vector<Save> ids = {in(1)}, data = {in(0), in(1)}, all = {in(0), in(1), out(0)};
  return {
      unsorted_row("UnsortedSegmentSum", kNumeric, short_ids, unsorted<FoldAdd, kNumeric>(), ids,
                   sum_grad),
      unsorted_row("UnsortedSegmentProd", kNumeric, kIndex, unsorted<FoldMul, kNumeric>(), data,
                   prod_grad),
      unsorted_row("UnsortedSegmentMax", kReal, kIndex, unsorted<FoldMax, kReal>(), all,
                   extreme_grad),
      unsorted_row("UnsortedSegmentMin", kReal, kIndex, unsorted<FoldMin, kReal>(), all,
                   extreme_grad),
      sorted_row("SegmentSum", kNumeric, sorted<FoldAdd, kNumeric>(), ids, sum_grad),
      sorted_row("SegmentMean", kNumeric, segment_mean, ids, segment_mean_grad),
      sorted_row("SegmentProd", kNumeric, sorted<FoldMul, kNumeric>(), data, prod_grad),
      sorted_row("SegmentMax", kReal, sorted<FoldMax, kReal>(), all, extreme_grad),
      sorted_row("SegmentMin", kReal, sorted<FoldMin, kReal>(), all, extreme_grad),
  };
});

}  // namespace agog
