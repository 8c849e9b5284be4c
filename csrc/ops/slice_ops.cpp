// Ops that take or replace boxes of a tensor.
#include <cstring>

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct StridedSliceAttrs {
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};

namespace {

// A box: where it starts in each dimension of the tensor, its steps, and its size.
struct Box {
  int rank = 0;
  int64_t begin[kMaxRank], step[kMaxRank], size[kMaxRank];
  int in_shape[kMaxRank];  // the dimension of `shape` that this one is, -1 where it is dropped
  Shape shape;             // with new dimensions, without the dropped ones

  void add(int64_t first, int64_t stride, int64_t n, int where) {
    begin[rank] = first;
    step[rank] = stride;
    in_shape[rank] = where;
    size[rank++] = n;
  }
  int64_t offset(const Strides& whole) const {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) at += size[d] > 0 ? begin[d] * whole[d] : 0;
    return at;
  }
};

// The box as a tensor of its own: over the same memory where it lies there in one piece.
Tensor take(const Tensor& t, const Box& box) {
  if (product(box.shape, 0, box.shape.rank()) == 0) return Tensor::empty(t.dtype(), box.shape);
  const Strides whole(t.shape());
  const Strides dense(box.size, box.rank);
  StridedCopy copy;
  for (int d = 0; d < box.rank; ++d) copy.add(box.size[d], whole[d] * box.step[d], dense[d]);
  const int64_t offset = box.offset(whole);
  if (copy.keeps_order()) return t.view(offset, box.shape);
  Tensor out = Tensor::empty(t.dtype(), box.shape);
  const int width = size_of(t.dtype());
  UnlockScope unlocked(out.num_elements());
  copy.run(t.data<char>() + offset * width, out.mutable_raw(), width);
  return out;
}

// Writes `value`, which broadcasts to the box's shape, into the box of t.
void put(const Tensor& value, const Tensor& t, const Box& box) {
  if (product(box.shape, 0, box.shape.rank()) == 0) return;
  const Strides whole(t.shape()), own(value.shape());
  const int shift = box.shape.rank() - value.rank();
  StridedCopy copy;
  for (int d = 0; d < box.rank; ++d) {
    const int v = box.in_shape[d] < 0 ? -1 : box.in_shape[d] - shift;
    const bool repeats = v < 0 || value.dim(v) == 1;
    copy.add(box.size[d], repeats ? 0 : own[v], whole[d] * box.step[d]);
  }
  const int width = size_of(t.dtype());
  copy.run(value.raw(), t.mutable_data<char>() + box.offset(whole) * width, width);
}

Box slice_box(const OpCtx& c) {
  const Shape& s = c.input(0).shape();
  const SmallInts begin = small_ints(c, 1, s.rank()), size = small_ints(c, 2, s.rank());
  Box box;
  for (int d = 0; d < s.rank(); ++d) {
    c.require(begin[d] >= 0 && begin[d] <= s[d], "begin[", d, "] = ", begin[d], " is not in [0, ",
              s[d], "] for input of shape ", s);
    const int64_t rest = s[d] - begin[d];
    const int64_t n = size[d] == -1 ? rest : size[d];
    c.require(n >= 0 && n <= rest, "size[", d, "] = ", n, " is not in [0, ", rest, "] for begin ",
              begin[d], " and input of shape ", s);
    box.add(begin[d], 1, n, d);
  }
  box.shape = Shape(box.size, box.rank);
  return box;
}

// Reads a strided slice: walks its entries and the dimensions of the tensor side by side.
class StridedReader {
 public:
  StridedReader(const OpCtx& c, const Shape& s)
      : c_(c),
        attrs_(c.attrs<StridedSliceAttrs>()),
        s_(s),
        begin_(small_ints(c, 1)),
        end_(small_ints(c, 2)),
        strides_(small_ints(c, 3)) {}

  Box read() {
    check();
    const int n = begin_.count;
    for (int i = 0; i < n; ++i) {
      if (bit(attrs_.ellipsis_mask, i)) {
        skip(s_.rank() - dim_ - entries_behind(i));
      } else if (bit(attrs_.new_axis_mask, i)) {
        push(1);
      } else {
        entry(i);
      }
    }
    skip(s_.rank() - dim_);
    return box_;
  }

 private:
  static bool bit(int64_t mask, int i) { return i < 63 && ((mask >> i) & 1); }

  void check() const {
    for (int i = 1; i <= 3; ++i) {
      const Shape& shape = c_.input(i).shape();
      c_.require(shape.rank() == 1 && shape == c_.input(1).shape(),
                 "begin, end and strides must be vectors of one length, got shapes ",
                 c_.input(1).shape(), ", ", c_.input(2).shape(), " and ", c_.input(3).shape());
    }
    int ellipses = 0;
    for (int i = 0; i < begin_.count; ++i) ellipses += bit(attrs_.ellipsis_mask, i);
    c_.require(ellipses <= 1, "ellipsis_mask must have at most one bit set, got ",
               attrs_.ellipsis_mask);
  }

  // Dimensions of the tensor that entries behind entry i use.
  int entries_behind(int i) const {
    int used = 0;
    for (int k = i + 1; k < begin_.count; ++k) used += !bit(attrs_.new_axis_mask, k);
    return used;
  }

  void push(int64_t size) {
    if (box_.shape.full()) fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
    box_.shape.push_back(size);
  }

  // Dimensions that are taken whole.
  void skip(int count) {
    for (int k = 0; k < count; ++k, ++dim_) {
      box_.add(0, 1, s_[dim_], box_.shape.rank());
      push(s_[dim_]);
    }
  }

  void entry(int i) {
    if (dim_ >= s_.rank()) {
      fail(ErrorCode::kInvalidIndex, "the slice has entries for ", entries_behind(-1),
           " dimensions, too many for input of shape ", s_);
    }
    const int64_t size = s_[dim_], stride = strides_[i];
    c_.require(stride != 0, "strides[", i, "] must not be zero");
    if (bit(attrs_.shrink_axis_mask, i)) {
      c_.require(stride > 0, "strides[", i, "] must be positive where a single index is taken");
      const int64_t at = begin_[i] < 0 ? begin_[i] + size : begin_[i];
      if (at < 0 || at >= size) {
        fail(ErrorCode::kInvalidIndex, "slice index ", begin_[i], " of dimension ", dim_,
             " is out of bounds for shape ", s_);
      }
      box_.add(at, 1, 1, -1);
    } else {
      range(i, size, stride);
      push(box_.size[dim_]);
    }
    ++dim_;
  }

  void range(int i, int64_t size, int64_t stride) {
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    auto place = [&](int64_t at, bool masked, int64_t otherwise) {
      if (masked) return otherwise;
      return std::clamp(at < 0 ? at + size : at, low, high);
    };
    const int64_t first = place(begin_[i], bit(attrs_.begin_mask, i), stride > 0 ? low : high);
    const int64_t last = place(end_[i], bit(attrs_.end_mask, i), stride > 0 ? high : low);
    const int64_t length = last - first;
    int64_t n = 0;
    if (length != 0 && (length < 0) == (stride < 0)) {
      n = length / stride + (length % stride != 0);
    }
    // A single element needs no step, and a huge one would overflow.
    box_.add(first, n > 1 ? stride : 1, n, box_.shape.rank());
  }

  const OpCtx& c_;
  const StridedSliceAttrs& attrs_;
  const Shape& s_;
  SmallInts begin_, end_, strides_;
  int dim_ = 0;
  Box box_;
};

bool knows_slice(const ShapeCtx& c) {
  return c.has_value(1) && c.has_value(2) && c.has_value(3) && c.in(0).fully_known();
}

Box strided_box(const OpCtx& c) { return StridedReader(c, c.input(0).shape()).read(); }

// For StridedSliceGrad, whose input 0 spells the shape out.
Box grad_box(const OpCtx& c) {
  const Shape s = c.shape_input(0);
  return StridedReader(c, s).read();
}

Tensor as_int64(const Tensor& t) {
  if (t.dtype() == DType::kInt64) return t;
  Tensor out = Tensor::empty(DType::kInt64, t.shape());
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    out.mutable_data<int64_t>()[i] = index_value(t, i);
  }
  return out;
}

// The op called `name` over the same slice as the op whose gradient this is.
Tensor same_slice(const char* name, GradCtx& g, Tensor first) {
  const Op& op = find_op(name);
  const Tensor in[4] = {std::move(first), as_int64(g.x(1)), as_int64(g.x(2)), as_int64(g.x(3))};
  return execute1(op, in, 4, g.raw_attrs());
}

Tensor same_slice(const char* name, GradCtx& g, Tensor first, Tensor last) {
  const Op& op = find_op(name);
  const Tensor in[5] = {std::move(first), as_int64(g.x(1)), as_int64(g.x(2)), as_int64(g.x(3)),
                        std::move(last)};
  return execute1(op, in, 5, g.raw_attrs());
}

Shape slice_grad_shape(ShapeCtx& c) {
  if (!c.has_value(0) || !c.has_value(1) || !c.has_value(2) || !c.has_value(3)) {
    return Shape::unknown_rank();
  }
  const Shape want = grad_box(c).shape;
  c.require(c.in(4) == want || !c.in(4).fully_known(), "dy must have the slice's shape ", want,
            ", got ", c.in(4));
  return c.shape_input(0);
}

void slice_grad(KernelCtx& c) {
  const Tensor& out = c.out();
  std::memset(out.mutable_raw(), 0, static_cast<size_t>(out.num_bytes()));
  put(c.in(4), out, grad_box(c));
}

Shape update_shape(ShapeCtx& c) {
  if (!knows_slice(c) || !c.in(4).has_rank()) return c.in(0);
  const Shape box = strided_box(c).shape;
  const int shift = box.rank() - c.in(4).rank();
  bool fits = shift >= 0;
  for (int d = 0; fits && d < c.in(4).rank(); ++d) {
    fits = c.in(4)[d] == 1 || c.in(4)[d] == box[d + shift];
  }
  c.require(fits, "value of shape ", c.in(4), " does not broadcast to the slice's shape ", box);
  return c.in(0);
}

void update(KernelCtx& c) {
  const Tensor& x = c.in(0);
  copy_elements(c.out().mutable_raw(), x.raw(), x.num_elements(), size_of(x.dtype()));
  put(c.in(4), c.out(), strided_box(c));
}

void update_grad(GradCtx& g) {
  const Shape value = g.x_shape(4);
  const Tensor dy = g.dy(0);
  if (g.needs(0)) {
    g.dx(0) = same_slice("TensorStridedSliceUpdate", g, dy, Tensor::zeros(dy.dtype(), value));
  }
  if (g.needs(4)) g.dx(4) = ops::sum_to(same_slice("StridedSlice", g, dy), value);
}

AttrsDef strided_attrs() {
  using A = StridedSliceAttrs;
  return attrs_of<A>(field("begin_mask", &A::begin_mask), field("end_mask", &A::end_mask),
                     field("ellipsis_mask", &A::ellipsis_mask),
                     field("new_axis_mask", &A::new_axis_mask),
                     field("shrink_axis_mask", &A::shrink_axis_mask));
}

OpRows slice_rows() {
  return {
      {.name = "Slice",
       .inputs = {{"input", "T"}, {"begin", "Index", kHost}, {"size", "Index", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Index", kIndex, DType::kInt32}},
       .shape =
           [](ShapeCtx& c) {
             if (!c.has_value(1) || !c.has_value(2) || !c.in(0).fully_known()) {
               return Shape::unknown_rank();
             }
             return slice_box(c).shape;
           },
       .kernel = dynamic([](KernelCtx& c) { c.set_out(0, take(c.in(0), slice_box(c))); }),
       .saves = {shape_of_in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             static const ops::Caller pad{"Pad"};
             const Shape x = g.x_shape(0);
             const Tensor dy = g.dy(0);
             Tensor paddings = Tensor::empty(DType::kInt64, {x.rank(), 2});
             auto* p = paddings.mutable_data<int64_t>();
             for (int d = 0; d < x.rank(); ++d) {
               p[2 * d] = index_value(g.x(1), d);
               p[2 * d + 1] = x[d] - p[2 * d] - dy.dim(d);
             }
             g.dx(0) = pad(dy, std::move(paddings));
           }},
      {.name = "StridedSlice",
       .inputs = {{"input", "T"},
                  {"begin", "Index", kHost},
                  {"end", "Index", kHost},
                  {"strides", "Index", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Index", kIndex | set_of(DType::kInt16), DType::kInt32}},
       .attrs = strided_attrs(),
       .shape =
           [](ShapeCtx& c) {
             return knows_slice(c) ? strided_box(c).shape : Shape::unknown_rank();
           },
       .kernel = dynamic([](KernelCtx& c) { c.set_out(0, take(c.in(0), strided_box(c))); }),
       .saves = {shape_of_in(0), in(1), in(2), in(3)},
       .grad =
           [](GradCtx& g) {
             g.dx(0) = same_slice("StridedSliceGrad", g, ops::shape_tensor(g.x_shape(0)), g.dy(0));
           }},
  };
}

OpRows update_rows() {
  return {
      {.name = "StridedSliceGrad",
       .inputs = {{"shape", "Index", kHost},
                  {"begin", "Index", kHost},
                  {"end", "Index", kHost},
                  {"strides", "Index", kHost},
                  {"dy", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Index", kIndex, DType::kInt32}},
       .attrs = strided_attrs(),
       .shape = slice_grad_shape,
       .kernel = general(slice_grad),
       .saves = {in(1), in(2), in(3)},
       .grad = [](GradCtx& g) { g.dx(4) = same_slice("StridedSlice", g, g.dy(0)); }},
      {.name = "TensorStridedSliceUpdate",
       .inputs = {{"input", "T"},
                  {"begin", "Index", kHost},
                  {"end", "Index", kHost},
                  {"strides", "Index", kHost},
                  {"value", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Index", kIndex, DType::kInt32}},
       .attrs = strided_attrs(),
       .shape = update_shape,
       .kernel = general(update),
       .saves = {in(1), in(2), in(3), shape_of_in(4)},
       .grad = update_grad},
  };
}

}  // namespace

const Family slice_ops([]() -> OpRows { return join_rows({slice_rows(), update_rows()}); });

}  // namespace agog
