#include "kernels/gather.h"

namespace agog {
namespace {

constexpr int64_t kBlock = 1 << 14;  // elements

template <class I, class Copy>
void gather_as(const I* indices, const GatherShape& s, const Copy& copy) {
  const int64_t rows = s.batch * s.outer * s.count;
  const int64_t block = std::max<int64_t>(1, kBlock / std::max<int64_t>(1, s.inner));
  parallel_for(rows, block, rows * s.inner, [&](int64_t begin, int64_t end) {
    int64_t n = begin % s.count, rest = begin / s.count;
    for (int64_t row = begin; row < end;) {
      const int64_t batch = rest / s.outer;
      const I* index = indices + batch * s.count;
      const int64_t base = rest * s.axis;
      const int64_t stop = std::min(s.count, n + end - row);
      for (; n < stop; ++n, ++row) copy(row, base + static_cast<int64_t>(index[n]));
      n = 0;
      ++rest;
    }
  });
}

template <class I>
void gather_with(const I* indices, const void* params, void* out, const GatherShape& s, int width) {
  if (s.inner == 1) {
    with_width(width, [&](auto unit) {
      using U = decltype(unit);
      const U* from = static_cast<const U*>(params);
      U* to = static_cast<U*>(out);
      gather_as(indices, s, [=](int64_t row, int64_t source) { to[row] = from[source]; });
    });
    return;
  }
  const auto bytes = static_cast<size_t>(s.inner * width);
  const char* from = static_cast<const char*>(params);
  char* to = static_cast<char*>(out);
  gather_as(indices, s, [=](int64_t row, int64_t source) {
    std::memcpy(to + static_cast<size_t>(row) * bytes, from + static_cast<size_t>(source) * bytes,
                bytes);
  });
}

template <class I>
int64_t first_bad(const I* v, int64_t n, int64_t low, int64_t bound) {
  bool bad = false;
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<int64_t>(v[i]);
    bad |= at < low || at >= bound;
  }
  if (!bad) return -1;
  int64_t i = 0;
  while (static_cast<int64_t>(v[i]) >= low && static_cast<int64_t>(v[i]) < bound) ++i;
  return i;
}

// Calls f with the typed data of a tensor of indices.
template <class F>
void with_indices(const Tensor& t, F&& f) {
  switch (t.dtype()) {
    case DType::kInt16: f(t.data<int16_t>()); break;
    case DType::kInt32: f(t.data<int32_t>()); break;
    default: f(t.data<int64_t>()); break;
  }
}

[[noreturn]] void fail_row(const Tensor& indices, int64_t row, int depth, const Shape& shape) {
  std::string index;
  for (int k = 0; k < depth; ++k) {
    if (k > 0) index += ", ";
    index += std::to_string(index_value(indices, row * depth + k));
  }
  const Shape outer(indices.shape().begin(), indices.rank() - 1);
  fail(ErrorCode::kInvalidIndex, "indices[", place_in(outer, row), "] = [", index,
       "] does not index into shape ", shape);
}

}  // namespace

void gather_rows(const void* params, const Tensor& indices, void* out, const GatherShape& shape,
                 int width) {
  with_indices(indices, [&](const auto* v) { gather_with(v, params, out, shape, width); });
}

std::string place_in(const Shape& shape, int64_t i) {
  std::string place;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    place = std::to_string(i % shape[d]) + (place.empty() ? "" : ",") + place;
    i /= shape[d];
  }
  return place;
}

void check_indices(const Tensor& indices, int64_t low, int64_t bound, const char* name) {
  int64_t i = -1;
  with_indices(indices,
               [&](const auto* v) { i = first_bad(v, indices.num_elements(), low, bound); });
  if (i < 0) return;
  const std::string place = place_in(indices.shape(), i);
  fail(ErrorCode::kInvalidIndex, name, place.empty() ? "" : "[" + place + "]", " = ",
       index_value(indices, i), " is not in [", low < 0 ? 0 : low, ", ", bound, ")");
}

std::vector<int64_t> row_numbers(const Tensor& indices, const Shape& shape, int depth,
                                 BadIndices bad) {
  const int64_t n = depth > 0 ? indices.num_elements() / depth
                              : Shape(indices.shape().begin(), indices.rank() - 1).num_elements();
  std::vector<int64_t> rows(static_cast<size_t>(n));
  with_indices(indices, [&](const auto* v) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t row = 0;
      bool outside = false;
      for (int k = 0; k < depth; ++k) {
        const auto at = static_cast<int64_t>(v[i * depth + k]);
        outside |= at < 0 || at >= shape[k];
        row = outside ? -1 : row * shape[k] + at;
      }
      if (outside && bad == BadIndices::kError) fail_row(indices, i, depth, shape);
      rows[static_cast<size_t>(i)] = row;
    }
  });
  return rows;
}

}  // namespace agog
