// Ops that look for values: where they are, which there are, how many.
#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/accumulate.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct UniqueAttrs {
  DType out_idx = DType::kInt32;
};
struct BoundAttrs {
  DType out_type = DType::kInt32;
};
struct BincountAttrs {
  bool binary_output = false;
};

namespace {

template <class T>
bool is_set(T v) {
  if constexpr (is_half<T>) {
    return static_cast<float>(v) != 0;
  } else {
    return v != T(0);
  }
}

// Goes row by row of the last dimension: first the places in the row, without branches, then the
// whole indices.
template <class T>
Tensor where_set(const Tensor& x) {
  const T* v = x.data<T>();
  const int64_t n = x.num_elements();
  const int rank = x.rank();
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += is_set(v[i]);
  Tensor out = Tensor::empty(DType::kInt64, {count, rank});
  auto* to = out.mutable_data<int64_t>();
  if (count == 0) return out;
  const int64_t width = x.dim(rank - 1);
  std::vector<int64_t> places(static_cast<size_t>(width) + 1);
  int64_t index[kMaxRank] = {};
  for (int64_t row = 0; row < n / width; ++row) {
    int64_t found = 0;
    for (int64_t j = 0; j < width; ++j) {
      places[static_cast<size_t>(found)] = j;
      found += is_set(v[row * width + j]);
    }
    for (int64_t k = 0; k < found; ++k) {
      for (int d = 0; d < rank - 1; ++d) *to++ = index[d];
      *to++ = places[static_cast<size_t>(k)];
    }
    int d = rank - 2;
    while (d >= 0 && ++index[d] == x.dim(d)) index[d--] = 0;
  }
  return out;
}

void where(KernelCtx& c) {
  const Tensor& x = c.in(0);
  c.require(x.rank() > 0, "condition must have at least one dimension, got shape ", x.shape());
  with_type(x.dtype(),
            [&](auto type) { c.set_out(0, where_set<typename decltype(type)::type>(x)); });
}

void put(const Tensor& t, int64_t i, int64_t value) {
  if (t.dtype() == DType::kInt64) {
    t.mutable_data<int64_t>()[i] = value;
  } else {
    t.mutable_data<int32_t>()[i] = static_cast<int32_t>(value);
  }
}

void require_index(const OpCtx& c, DType d, const char* what) {
  c.require(contains(kIndex, d), what, " must be int32 or int64, got ", d);
}

// What equal elements have in common: equal numbers, so that -0.0 is 0.0 and no NaN is another.
template <class T>
auto key_of(T v) {
  if constexpr (is_half<T>) {
    return static_cast<float>(v);
  } else {
    return v;
  }
}

// The first element of each kind, and for every element the number of its kind.
struct Kinds {
  std::vector<int64_t> first, kind;
};

template <class K>
uint64_t hash_of(const K& key) {
  if constexpr (std::is_arithmetic_v<K>) {
    // Zeros of both signs are equal.
    const K v = key == K(0) ? K(0) : key;
    uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    bits *= 0x9E3779B97F4A7C15u;
    return bits ^ (bits >> 32);
  } else {
    return std::hash<K>()(key);
  }
}

// A table of the kinds seen so far, probed in line; it holds numbers of kinds, -1 for none.
template <class T>
Kinds kinds_of(const T* v, int64_t n) {
  Kinds k;
  k.kind.resize(static_cast<size_t>(n));
  std::vector<int64_t> table(256, -1);
  auto find = [&](const auto& key) {
    size_t at = hash_of(key) & (table.size() - 1);
    while (table[at] >= 0 && !(key_of(v[k.first[static_cast<size_t>(table[at])]]) == key)) {
      at = (at + 1) & (table.size() - 1);
    }
    return at;
  };
  for (int64_t i = 0; i < n; ++i) {
    const auto key = key_of(v[i]);
    const auto next = static_cast<int64_t>(k.first.size());
    // A NaN is like nothing, so it need not be found again.
    const bool lost = !(key == key);
    const size_t at = lost ? 0 : find(key);
    const bool is_new = lost || table[at] < 0;
    k.kind[static_cast<size_t>(i)] = is_new ? next : table[at];
    if (!is_new) continue;
    k.first.push_back(i);
    if (lost) continue;
    table[at] = next;
    if (2 * k.first.size() < table.size()) continue;
    table.assign(4 * table.size(), -1);
    for (size_t f = 0; f < k.first.size(); ++f) {
      const auto old = key_of(v[k.first[f]]);
      if (old == old) table[find(old)] = static_cast<int64_t>(f);
    }
  }
  return k;
}

// OpRows as strings of bytes; -0.0 and NaN are spelled so that bytes tell what comparing would.
template <class T>
Kinds kinds_of_rows(const Tensor& rows, int64_t n, int64_t inner) {
  const T* v = rows.data<T>();
  std::vector<std::string> keys(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    std::string& key = keys[static_cast<size_t>(i)];
    for (int64_t j = 0; j < inner; ++j) {
      if constexpr (std::is_same_v<T, StringRef>) {
        key += std::to_string(v[i * inner + j].size()) + ":" + std::string(v[i * inner + j]);
      } else {
        auto x = key_of(v[i * inner + j]);
        if (x == decltype(x)(0)) x = decltype(x)(0);
        if (x != x) key += "nan" + std::to_string(i) + ";";
        key.append(reinterpret_cast<const char*>(&x), sizeof x);
      }
    }
  }
  return kinds_of(keys.data(), n);
}

Kinds find_kinds(const Tensor& x, int64_t n, int64_t inner) {
  Kinds k;
  auto find = [&](auto type) {
    using T = typename decltype(type)::type;
    k = inner == 1 ? kinds_of(x.data<T>(), n) : kinds_of_rows<T>(x, n, inner);
  };
  if (x.dtype() == DType::kString) {
    find(Type<StringRef>{});
  } else {
    with_type_of<kReal | kBoolean>(x.dtype(), find);
  }
  return k;
}

// Gives out the rows of the first of each kind, the kinds, and perhaps how many of each.
void unique(KernelCtx& c, int axis) {
  const Tensor& x = c.in(0);
  const DType index = c.attrs<UniqueAttrs>().out_idx;
  require_index(c, index, "out_idx");
  const int64_t n = x.dim(axis), outer = product(x.shape(), 0, axis);
  const int64_t inner = product(x.shape(), axis + 1, x.rank());
  Tensor rows = x;
  if (outer != 1) {
    rows = Tensor::empty(x.dtype(), {n, outer * inner});
    StridedCopy copy;
    copy.add(n, inner, outer * inner);
    copy.add(outer, n * inner, inner);
    copy.add(inner, 1, 1);
    copy.run(x.raw(), rows.mutable_raw(), size_of(x.dtype()));
  }
  const Kinds k = find_kinds(rows, n, outer * inner);
  const auto count = static_cast<int64_t>(k.first.size());
  Shape shape = x.shape();
  shape[axis] = count;
  Tensor y = Tensor::empty(x.dtype(), shape);
  const Tensor first = ops::int_vector(k.first);
  gather_rows(x.raw(), first, y.mutable_raw(), {1, outer, n, count, inner}, size_of(x.dtype()));
  Tensor idx = Tensor::empty(index, {n});
  std::vector<int64_t> counts(k.first.size());
  for (int64_t i = 0; i < n; ++i) {
    const int64_t kind = k.kind[static_cast<size_t>(i)];
    ++counts[static_cast<size_t>(kind)];
    put(idx, i, kind);
  }
  c.set_out(0, std::move(y));
  c.set_out(1, std::move(idx));
  if (c.num_outputs() < 3) return;
  Tensor sizes = Tensor::empty(index, {count});
  for (int64_t i = 0; i < count; ++i) put(sizes, i, counts[static_cast<size_t>(i)]);
  c.set_out(2, std::move(sizes));
}

void unique_vector(KernelCtx& c) {
  c.require(c.in(0).rank() == 1, "x must be a vector, got shape ", c.in(0).shape());
  unique(c, 0);
}

void unique_along(KernelCtx& c) {
  const Tensor& axis = c.in(1);
  c.require(axis.num_elements() <= 1, "axis must name at most one dimension, got shape ",
            axis.shape());
  if (axis.num_elements() == 0) return unique_vector(c);
  unique(c, c.axis_input(1, c.in(0).shape()));
}

// The place of each value among sorted ones, row by row.
template <class T>
void bounds(const KernelCtx& c, bool upper) {
  const int64_t width = c.in(0).dim(1), n = c.in(1).dim(1);
  auto less = [](T a, T b) { return key_of(a) < key_of(b); };
  parallel_for(c.out().num_elements(), 1 << 10, c.out().num_elements() * 32,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const T* row = c.in(0).data<T>() + i / n * width;
                   const T v = c.in(1).data<T>()[i];
                   const T* at = upper ? std::upper_bound(row, row + width, v, less)
                                       : std::lower_bound(row, row + width, v, less);
                   put(c.out(), i, at - row);
                 }
               });
}

Shape bound_shape(ShapeCtx& c) {
  const DType out = c.attrs<BoundAttrs>().out_type;
  require_index(c, out, "out_type");
  for (int i = 0; i < 2; ++i) {
    c.require(c.in(i).rank() == 2 || !c.in(i).has_rank(), c.input_name(i),
              " must be a matrix, got shape ", c.in(i));
  }
  if (!c.in(0).fully_known() || !c.in(1).fully_known()) return c.in(1);
  c.require(c.in(0)[0] == c.in(1)[0], "sorted_inputs of shape ", c.in(0), " and values of shape ",
            c.in(1), " must have as many rows");
  c.require(out == DType::kInt64 || c.in(0)[1] <= std::numeric_limits<int32_t>::max(),
            "sorted_inputs has too many columns for int32 results");
  return c.in(1);
}

OpDef bound_row(const char* name, bool upper) {
  return {.name = name,
          .inputs = {{"sorted_inputs", "T"}, {"values", "T"}},
          .outputs = {{"output", "out_type"}},
          .types = {{"T", kReal}},
          .attrs = attrs_of<BoundAttrs>(field("out_type", &BoundAttrs::out_type)),
          .shape = bound_shape,
          .kernel = general(
              [upper](KernelCtx& c) {
                with_type_of<kReal>(
                    c.dtype(), [&](auto type) { bounds<typename decltype(type)::type>(c, upper); });
              },
              32),
          .grad = no_gradient()};
}

int64_t bincount_size(const OpCtx& c) {
  c.require(c.input(1).rank() == 0, "size must be a scalar, got shape ", c.input(1).shape());
  const int64_t size = c.scalar_int(1);
  c.require(size >= 0, "size must not be negative, got ", size);
  return size;
}

void check_weights(const ShapeCtx& c) {
  const Shape &x = c.in(0), &weights = c.in(2);
  if (!x.fully_known() || !weights.fully_known()) return;
  c.require(weights.num_elements() == 0 || weights == x, "weights must be empty or have the shape ",
            "of ", c.input_name(0), ", ", x, ", got ", weights);
}

// Counts the values of each row of n; those from `size` on are left out.
template <class T>
void count_rows(const KernelCtx& c, int64_t rows, int64_t n, int64_t size, bool binary) {
  const Tensor& x = c.in(0);
  const T* weights = c.in(2).num_elements() > 0 ? c.in(2).data<T>() : nullptr;
  T* bins = c.out().mutable_data<T>();
  std::memset(bins, 0, static_cast<size_t>(c.out().num_bytes()));
  for (int64_t i = 0; i < rows * n; ++i) {
    const int64_t v = index_value(x, i);
    c.require(v >= 0, c.input_name(0), " must not hold negative values, got ", v);
    if (v >= size) continue;
    T& bin = bins[i / n * size + v];
    bin = binary ? T(1) : FoldAdd::fold(bin, weights ? weights[i] : T(1));
  }
}

void bincount(KernelCtx& c, bool binary) {
  const Tensor& x = c.in(0);
  if (c.out().num_elements() == 0) return;
  const bool matrix = c.out().rank() == 2;
  const int64_t rows = matrix ? x.dim(0) : 1;
  const int64_t n = rows > 0 ? x.num_elements() / rows : 0;
  const int64_t size = c.out().dim(c.out().rank() - 1);
  with_type_of<types(DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble)>(
      c.dtype(2),
      [&](auto type) { count_rows<typename decltype(type)::type>(c, rows, n, size, binary); });
}

OpRows unique_rows() {
  const TypeVar t{"T", kReal | kBoolean | set_of(DType::kString)};
  const AttrsDef attrs = attrs_of<UniqueAttrs>(field("out_idx", &UniqueAttrs::out_idx));
  return {
      {.name = "Where",
       .inputs = {{"condition", "T"}},
       .outputs = {{"index", "int64"}},
       .types = {{"T", kPlain, DType::kBool}},
       .kernel = dynamic(where),
       .grad = no_gradient()},
      {.name = "Unique",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}, {"idx", "out_idx"}},
       .types = {t},
       .attrs = attrs,
       .kernel = dynamic(unique_vector),
       .grad = no_gradient()},
      {.name = "UniqueWithCounts",
       .inputs = {{"x", "T"}},
       .outputs = {{"y", "T"}, {"idx", "out_idx"}, {"count", "out_idx"}},
       .types = {t},
       .attrs = attrs,
       .kernel = dynamic(unique_vector),
       .grad = no_gradient()},
      {.name = "UniqueV2",
       .inputs = {{"x", "T"}, {"axis", "Taxis", kHost}},
       .outputs = {{"y", "T"}, {"idx", "out_idx"}},
       .types = {t, {"Taxis", kIndex, DType::kInt64}},
       .attrs = attrs,
       .kernel = dynamic(unique_along),
       .grad = no_gradient()},
      {.name = "UniqueWithCountsV2",
       .inputs = {{"x", "T"}, {"axis", "Taxis", kHost}},
       .outputs = {{"y", "T"}, {"idx", "out_idx"}, {"count", "out_idx"}},
       .types = {t, {"Taxis", kIndex, DType::kInt64}},
       .attrs = attrs,
       .kernel = dynamic(unique_along),
       .grad = no_gradient()},
  };
}

OpRows counting_rows() {
  const TypeSet weights = types(DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble);
  return {
      bound_row("LowerBound", false),
      bound_row("UpperBound", true),
      {.name = "Bincount",
       .inputs = {{"arr", "int32"}, {"size", "int32", kHost}, {"weights", "T"}},
       .outputs = {{"bins", "T"}},
       .types = {{"T", weights}},
       .shape =
           [](ShapeCtx& c) {
             check_weights(c);
             return c.has_value(1) ? Shape{bincount_size(c)} : Shape{-1};
           },
       .kernel = general([](KernelCtx& c) { bincount(c, false); }),
       .grad = no_gradient()},
      {.name = "DenseBincount",
       .inputs = {{"input", "Tidx"}, {"size", "Tidx", kHost}, {"weights", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"Tidx", kIndex, DType::kInt32}, {"T", weights}},
       .attrs = attrs_of<BincountAttrs>(field("binary_output", &BincountAttrs::binary_output)),
       .shape =
           [](ShapeCtx& c) {
             c.require(c.in(0).rank() <= 2, "input must have at most 2 dimensions, got shape ",
                       c.in(0));
             check_weights(c);
             const int64_t size = c.has_value(1) ? bincount_size(c) : -1;
             return c.in(0).rank() == 2 ? Shape{c.in(0)[0], size} : Shape{size};
           },
       .kernel = general([](KernelCtx& c) { bincount(c, c.attrs<BincountAttrs>().binary_output); }),
       .grad = no_gradient()},
  };
}

}  // namespace

const Family search_ops([]() -> OpRows { return join_rows({unique_rows(), counting_rows()}); });

}  // namespace agog
