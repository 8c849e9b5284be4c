// Ops that join tensors and take them apart.
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct StringJoinAttrs {
  std::string separator;
};

struct SplitAttrs {
  int64_t num_split = 0;
};

namespace {

// Concat has the axis first, ConcatV2 last.
struct Parts {
  int first, last, axis_input;
};
Parts parts_of(const OpCtx& c) {
  const bool v2 = c.op().def.inputs[0].count != nullptr;
  const int n = c.num_inputs();
  return v2 ? Parts{0, n - 1, n - 1} : Parts{1, n, 0};
}

Shape concat_shape(ShapeCtx& c) {
  const Parts p = parts_of(c);
  c.require(p.last > p.first, "values must hold at least one tensor");
  Shape out = c.in(p.first);
  for (int i = p.first; i < p.last; ++i) {
    const Shape& s = c.in(i);
    c.require(s.rank() == out.rank() || !s.has_rank() || !out.has_rank(),
              "all values must have the same rank, got shapes ", out, " and ", s);
  }
  if (!out.has_rank() || !c.has_value(p.axis_input)) return Shape::unknown_rank();
  c.require(out.rank() > 0,
            "values must not be scalars, which have no axis to be joined along; pack them instead");
  const int axis = c.axis_input(p.axis_input, out);
  for (int i = p.first + 1; i < p.last; ++i) {
    const Shape& s = c.in(i);
    for (int d = 0; d < out.rank(); ++d) {
      if (d == axis) {
        const bool known = out[d] >= 0 && s[d] >= 0;
        c.require(!known || !__builtin_add_overflow(out[d], s[d], &out[d]), "too many elements");
        if (!known) out[d] = -1;
        continue;
      }
      c.require(out[d] == s[d] || out[d] < 0 || s[d] < 0, "values[0] of shape ", c.in(p.first),
                " and values[", i - p.first, "] of shape ", s, " must agree in dimension ", d);
      if (out[d] < 0) out[d] = s[d];
    }
  }
  return out;
}

// Puts `t` behind the first `done` rows along `axis` of the output.
void put_part(const Tensor& t, const Tensor& out, int axis, int64_t rows, int64_t done) {
  if (t.num_elements() == 0) return;
  const int64_t outer = product(out.shape(), 0, axis);
  const int64_t inner = product(out.shape(), axis + 1, out.rank());
  StridedCopy copy;
  copy.add(outer, rows * inner, out.dim(axis) * inner);
  copy.add(rows * inner, 1, 1);
  const int width = size_of(t.dtype());
  copy.run(t.raw(), out.mutable_data<char>() + done * inner * width, width);
}

void concat(KernelCtx& c) {
  const Parts p = parts_of(c);
  const int axis = c.axis_input(p.axis_input, c.out().shape());
  int64_t done = 0;
  for (int i = p.first; i < p.last; ++i) {
    put_part(c.in(i), c.out(), axis, c.in(i).dim(axis), done);
    done += c.in(i).dim(axis);
  }
}

void concat_grad(GradCtx& g, int first, int last, int axis_input) {
  const Tensor dy = g.dy(0);
  const Tensor& axis_value = g.x(axis_input);
  const int64_t value = index_value(axis_value, 0);
  const int axis = static_cast<int>(value < 0 ? value + dy.rank() : value);
  Shape begin = dy.shape();
  for (int d = 0; d < begin.rank(); ++d) begin[d] = 0;
  for (int i = first; i < last; ++i) {
    const Shape size = g.x_shape(i);
    if (g.needs(i)) g.dx(i) = ops::slice(dy, begin, size);
    begin[axis] += size[axis];
  }
}

Shape offset_shape(ShapeCtx& c) {
  c.require(c.num_inputs() > 1, "shape must hold at least one tensor");
  const Shape& first = c.in(1);
  for (int i = 1; i < c.num_inputs(); ++i) {
    c.require(c.in(i).rank() == 1 && c.in(i) == first,
              "all of shape must be vectors of one length, got shapes ", first, " and ", c.in(i));
  }
  c.out_count(c.num_inputs() - 1);
  return first;
}

// Where each of several shapes begins when they are joined.
template <class T>
void offsets(const KernelCtx& c, int axis) {
  T done = 0;
  for (int i = 0; i < c.num_outputs(); ++i) {
    const T* shape = c.in(i + 1).data<T>();
    for (int d = 0; d < c.out(i).num_elements(); ++d) {
      c.require(d == axis || shape[d] == c.in(1).data<T>()[d], "shape[0][", d,
                "] = ", c.in(1).data<T>()[d], " and shape[", i, "][", d, "] = ", shape[d],
                " must agree");
      c.out(i).mutable_data<T>()[d] = d == axis ? done : T{0};
    }
    const T size = shape[axis];
    c.require(!__builtin_add_overflow(done, size, &done), "the sizes add up to too much");
  }
}

void concat_offset(KernelCtx& c) {
  const int64_t rank = c.in(1).num_elements();
  const int64_t dim = c.scalar_int(0);
  c.require(dim >= -rank && dim < rank, "concat_dim ", dim, " is not in [", -rank, ", ", rank, ")");
  const int axis = static_cast<int>(dim < 0 ? dim + rank : dim);
  if (c.dtype(1) == DType::kInt32) offsets<int32_t>(c, axis);
  if (c.dtype(1) == DType::kInt64) offsets<int64_t>(c, axis);
}

Shape pack_shape(ShapeCtx& c) {
  c.require(c.num_inputs() > 0, "values must hold at least one tensor");
  Shape s = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (!s.fully_known() || !c.in(i).fully_known()) continue;
    c.require(c.in(i) == s, "all values must have one shape, got values[0] of shape ", s,
              " and values[", i, "] of shape ", c.in(i));
  }
  if (!s.has_rank()) return s;
  if (s.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
  s.push_back(1);
  const int axis = c.axis(c.attrs<PackAttrs>().axis, s);
  for (int d = s.rank() - 1; d > axis; --d) s[d] = s[d - 1];
  s[axis] = c.num_inputs();
  return s;
}

void pack(KernelCtx& c) {
  const int axis = c.axis(c.attrs<PackAttrs>().axis, c.out().shape());
  for (int i = 0; i < c.num_inputs(); ++i) put_part(c.in(i), c.out(), axis, 1, i);
}

void pack_grad(GradCtx& g) {
  static const ops::Caller unpack{"Unpack"};
  const UnpackAttrs attrs{g.num_inputs(), g.attrs<PackAttrs>().axis};
  const Tensor dy = g.dy(0);
  Tensors dx = execute(unpack.op(), &dy, 1, &attrs);
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.needs(i)) g.dx(i) = dx[static_cast<size_t>(i)];
  }
}

Shape without(const Shape& s, int axis) {
  Shape out;
  for (int d = 0; d < s.rank(); ++d) {
    if (d != axis) out.push_back(s[d]);
  }
  return out;
}

Shape unpack_shape(ShapeCtx& c) {
  const auto& attrs = c.attrs<UnpackAttrs>();
  c.require(attrs.num >= 0, "num must not be negative, got ", attrs.num);
  c.out_count(attrs.num);
  if (!c.in(0).has_rank()) return c.in(0);
  const int axis = c.axis(attrs.axis, c.in(0));
  c.require(c.in(0)[axis] == attrs.num || c.in(0)[axis] < 0, "value of shape ", c.in(0), " has ",
            c.in(0)[axis], " rows along axis ", axis, ", not num = ", attrs.num);
  return without(c.in(0), axis);
}

void unpack(KernelCtx& c) {
  const Tensor& x = c.in(0);
  const int axis = c.axis(c.attrs<UnpackAttrs>().axis, x.shape());
  const Shape shape = without(x.shape(), axis);
  UnlockScope unlocked(axis == 0 ? 0 : x.num_elements());
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_out(i, part_of(x, axis, i, 1).with_shape(shape));
  }
}

std::vector<Tensor> all_dy(GradCtx& g) {
  std::vector<Tensor> dy;
  for (int i = 0; i < g.num_outputs(); ++i) dy.push_back(g.dy(i));
  return dy;
}

void unpack_grad(GradCtx& g) {
  static const ops::Caller op{"Pack"};
  const PackAttrs attrs{g.attrs<UnpackAttrs>().axis};
  const std::vector<Tensor> dy = all_dy(g);
  g.dx(0) = execute1(op.op(), dy.data(), static_cast<int>(dy.size()), &attrs);
}

int64_t num_split(const OpCtx& c) {
  const int64_t n = c.attrs<SplitAttrs>().num_split;
  c.require(n >= 1, "num_split must be at least 1, got ", n);
  return n;
}

Shape split_shape(ShapeCtx& c) {
  const int64_t n = num_split(c);
  c.out_count(n);
  if (!c.has_value(0) || !c.in(1).has_rank()) return Shape::unknown_rank();
  Shape s = c.in(1);
  const int axis = c.axis_input(0, s);
  if (s[axis] < 0) return s;
  c.require(s[axis] % n == 0, "value of shape ", s, " cannot be split into ", n,
            " equal parts along axis ", axis);
  s[axis] /= n;
  return s;
}

void split(KernelCtx& c) {
  const Tensor& x = c.in(1);
  const int axis = c.axis_input(0, x.shape());
  const int64_t rows = x.dim(axis) / c.num_outputs();
  UnlockScope unlocked(axis == 0 ? 0 : x.num_elements());
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, part_of(x, axis, i * rows, rows));
}

// The sizes of a SplitV along the axis, with the rest in place of a -1.
Ints split_sizes(const OpCtx& c, int64_t whole) {
  Ints sizes = c.ints(1);
  int64_t known = 0, rest = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      c.require(rest < 0, "size_splits has more than one -1");
      rest = static_cast<int64_t>(i);
      continue;
    }
    c.require(sizes[i] >= 0, "size_splits[", i, "] = ", sizes[i], " is negative");
    c.require(!__builtin_add_overflow(known, sizes[i], &known), "size_splits is too large");
  }
  c.require(rest < 0 ? known == whole : known <= whole, "size_splits adds up to ", known, ", not ",
            rest < 0 ? "" : "at most ", "the ", whole, " rows of value");
  if (rest >= 0) sizes[static_cast<size_t>(rest)] = whole - known;
  return sizes;
}

Shape split_v_shape(ShapeCtx& c) {
  const int64_t n = num_split(c);
  c.out_count(n);
  c.require(c.in(1).rank() == 1 && c.in(1)[0] == n,
            "size_splits must be a vector of num_split = ", n, " elements, got shape ", c.in(1));
  if (!c.has_value(1) || !c.has_value(2) || !c.in(0).has_rank()) return Shape::unknown_rank();
  Shape s = c.in(0);
  const int axis = c.axis_input(2, s);
  const Ints sizes = split_sizes(c, s[axis]);
  for (int i = 1; i < n; ++i) {
    s[axis] = sizes[static_cast<size_t>(i)];
    c.out(i, s);
  }
  s[axis] = sizes[0];
  return s;
}

void split_v(KernelCtx& c) {
  const Tensor& x = c.in(0);
  const int axis = c.axis_input(2, x.shape());
  const Ints sizes = split_sizes(c, x.dim(axis));
  UnlockScope unlocked(axis == 0 ? 0 : x.num_elements());
  int64_t done = 0;
  for (int i = 0; i < c.num_outputs(); ++i) {
    const int64_t rows = sizes[static_cast<size_t>(i)];
    c.set_out(i, part_of(x, axis, done, rows));
    done += rows;
  }
}

OpRows join_rows_of_lists() {
  return {
      {.name = "ConcatV2",
       .inputs = {{"values", "T", 0, "N"}, {"axis", "Tidx", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Tidx", kIndex, DType::kInt32}},
       .shape = concat_shape,
       .kernel = general(concat),
       .saves = {shape_of_in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             const int n = g.num_inputs() - 1;
             concat_grad(g, 0, n, n);
           }},
      {.name = "Concat",
       .inputs = {{"concat_dim", "int32", kHost}, {"values", "T", 0, "N"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}},
       .shape = concat_shape,
       .kernel = general(concat),
       .saves = {shape_of_in(1), in(0)},
       .grad = [](GradCtx& g) { concat_grad(g, 1, g.num_inputs(), 0); }},
      {.name = "ConcatOffset",
       .inputs = {{"concat_dim", "int32", kHost}, {"shape", "shape_type", kHost, "N"}},
       .outputs = {{"offset", "shape_type", "N"}},
       .types = {{"shape_type", kIndex, DType::kInt32}},
       .shape = offset_shape,
       .kernel = general(concat_offset, 0),
       .grad = no_gradient()},
      {.name = "Pack",
       .inputs = {{"values", "T", 0, "N"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}},
       .attrs = attrs_of<PackAttrs>(field("axis", &PackAttrs::axis)),
       .shape = pack_shape,
       .kernel = general(pack),
       .grad = pack_grad},
  };
}

OpRows split_rows() {
  const AttrsDef split_attrs = attrs_of<SplitAttrs>(required("num_split", &SplitAttrs::num_split));
  return {
      {.name = "Unpack",
       .inputs = {{"value", "T"}},
       .outputs = {{"output", "T", "num"}},
       .types = {{"T", kAnyData}},
       .attrs = attrs_of<UnpackAttrs>(required("num", &UnpackAttrs::num),
                                      field("axis", &UnpackAttrs::axis)),
       .shape = unpack_shape,
       .kernel = dynamic(unpack),
       .saves = {shape_of_out(0)},
       .grad = unpack_grad},
      {.name = "Split",
       .inputs = {{"axis", "int32", kHost}, {"value", "T"}},
       .outputs = {{"output", "T", "num_split"}},
       .types = {{"T", kAnyData}},
       .attrs = split_attrs,
       .shape = split_shape,
       .kernel = dynamic(split),
       .saves = {in(0), shape_of_out(0)},
       .grad = [](GradCtx& g) { g.dx(1) = ops::concat(all_dy(g), index_value(g.x(0), 0)); }},
      {.name = "SplitV",
       .inputs = {{"value", "T"}, {"size_splits", "Tlen", kHost}, {"axis", "int32", kHost}},
       .outputs = {{"output", "T", "num_split"}},
       .types = {{"T", kAnyData}, {"Tlen", kIndex | set_of(DType::kInt8), DType::kInt64}},
       .attrs = split_attrs,
       .shape = split_v_shape,
       .kernel = dynamic(split_v),
       .saves = {in(2), shape_of_out(0)},
       .grad = [](GradCtx& g) { g.dx(0) = ops::concat(all_dy(g), index_value(g.x(2), 0)); }},
  };
}

// ---- strings, element by element

// The shape of all inputs that are no scalars.
Shape string_join_shape(ShapeCtx& c) {
  Shape out;
  int decided = -1;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.in(i).rank() == 0) continue;
    if (decided < 0) {
      out = c.in(i);
      decided = i;
      continue;
    }
    c.require(c.in(i) == out, "inputs[", decided, "] of shape ", out, " and inputs[", i,
              "] of shape ", c.in(i), " must have the same shape, or be scalars");
  }
  return out;
}

void string_join(KernelCtx& c) {
  const std::string& separator = c.attrs<StringJoinAttrs>().separator;
  const int64_t n = c.out().num_elements();
  const auto part = [&](int k, int64_t i) {
    return c.in(k).data<StringRef>()[c.in(k).rank() == 0 ? 0 : i];
  };
  size_t total = 0;
  for (int64_t i = 0; i < n; ++i) {
    for (int k = 0; k < c.num_inputs(); ++k) {
      total += part(k, i).size() + (k > 0 ? separator.size() : 0);
    }
  }
  Ref<Buffer> bytes = Buffer::allocate(total);
  char* at = static_cast<char*>(bytes->data());
  const auto put = [&](StringRef s) {
    std::copy(s.begin(), s.end(), at);
    at += s.size();
  };
  for (int64_t i = 0; i < n; ++i) {
    const char* start = at;
    for (int k = 0; k < c.num_inputs(); ++k) {
      if (k > 0) put(separator);
      put(part(k, i));
    }
    c.out().mutable_data<StringRef>()[i] = StringRef(start, static_cast<size_t>(at - start));
  }
  c.out().buffer()->keep_alive(std::move(bytes));
}

OpRows string_rows() {
  return {{.name = "StringJoin",
           .inputs = {{"inputs", "string", 0, "N"}},
           .outputs = {{"output", "string"}},
           .attrs = attrs_of<StringJoinAttrs>(field("separator", &StringJoinAttrs::separator)),
           .shape = string_join_shape,
           .kernel = general(string_join, 8),
           .grad = no_gradient()}};
}

}  // namespace

const Family join_ops([]() -> OpRows {
  return join_rows({join_rows_of_lists(), split_rows(), string_rows()});
});

}  // namespace agog
