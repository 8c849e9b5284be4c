// Ops that move elements around without looking at them.
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {
namespace {

SmallInts perm_of(const OpCtx& c) {
  const Shape& s = c.input(0).shape();
  SmallInts perm = small_ints(c, 1, s.rank());
  bool used[kMaxRank] = {};
  for (int d = 0; d < s.rank(); ++d) {
    perm[d] = c.axis(perm[d], s, "an entry of perm");
    c.require(!used[perm[d]], "perm names dimension ", perm[d], " twice");
    used[perm[d]] = true;
  }
  return perm;
}

Shape transposed(const Shape& s, const SmallInts& perm) {
  Shape out = s;
  for (int d = 0; d < s.rank(); ++d) out[d] = s[static_cast<int>(perm[d])];
  return out;
}

Shape transpose_shape(ShapeCtx& c) {
  if (!c.has_value(1) || !c.in(0).has_rank()) return Shape::unknown_rank();
  return transposed(c.in(0), perm_of(c));
}

Tensor transpose(const OpCtx& c) {
  const Tensor& x = c.input(0);
  const SmallInts perm = perm_of(c);
  const Shape shape = transposed(x.shape(), perm);
  const Strides from(x.shape()), to(shape);
  StridedCopy copy;
  for (int d = 0; d < shape.rank(); ++d) copy.add(shape[d], from[static_cast<int>(perm[d])], to[d]);
  if (copy.keeps_order()) return x.with_shape(shape);
  Tensor y = Tensor::empty(x.dtype(), shape);
  UnlockScope unlocked(x.num_elements());
  copy.run(x.raw(), y.mutable_raw(), size_of(x.dtype()));
  return y;
}

std::vector<int64_t> inverse(const Tensor& perm) {
  std::vector<int64_t> inv(static_cast<size_t>(perm.num_elements()));
  const auto rank = perm.num_elements();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t p = index_value(perm, d);
    inv[static_cast<size_t>(p < 0 ? p + rank : p)] = d;
  }
  return inv;
}

template <class C>
void conjugate(const Tensor& t) {
  C* v = t.mutable_data<C>();
  for (int64_t i = 0; i < t.num_elements(); ++i) v[i] = std::conj(v[i]);
}

void conjugate_transpose(KernelCtx& c) {
  Tensor y = transpose(c);
  if (is_complex(y.dtype())) {
    if (!y.owns_memory_alone() || y.raw() == c.in(0).raw()) {
      Tensor copy = Tensor::empty(y.dtype(), y.shape());
      copy_elements(copy.mutable_raw(), y.raw(), y.num_elements(), size_of(y.dtype()));
      y = std::move(copy);
    }
    if (y.dtype() == DType::kComplex64) conjugate<complex64>(y);
    if (y.dtype() == DType::kComplex128) conjugate<complex128>(y);
  }
  c.set_out(0, std::move(y));
}

Shape tile_shape(ShapeCtx& c) {
  if (!c.has_value(1) || !c.in(0).has_rank()) return Shape::unknown_rank();
  Shape s = c.in(0);
  const SmallInts multiples = small_ints(c, 1, s.rank());
  for (int d = 0; d < s.rank(); ++d) {
    c.require(multiples[d] >= 0, "multiples[", d, "] = ", multiples[d], " is negative");
    if (s[d] < 0) continue;
    c.require(!__builtin_mul_overflow(s[d], multiples[d], &s[d]), "multiples[", d,
              "] = ", multiples[d], " is too large");
  }
  return s;
}

void tile(KernelCtx& c) {
  if (c.out().num_elements() == 0) return;
  const Shape& s = c.in(0).shape();
  const Strides from(s), to(c.out().shape());
  StridedCopy copy;
  for (int d = 0; d < s.rank(); ++d) {
    copy.add(index_value(c.in(1), d), 0, s[d] * to[d]);
    copy.add(s[d], from[d], to[d]);
  }
  copy.run(c.in(0).raw(), c.out().mutable_raw(), size_of(c.dtype()));
}

// Adds the repeats up, one dimension after another.
void tile_grad(GradCtx& g) {
  const Shape s = g.x_shape(0);
  Tensor dx = g.dy(0);
  for (int d = s.rank() - 1; d >= 0; --d) {
    const int64_t repeats = index_value(g.x(1), d);
    if (repeats == 1) continue;
    const int64_t outer = product(dx.shape(), 0, d);
    const int64_t inner = product(s, d + 1, s.rank());
    Shape shape = dx.shape();
    shape[d] = s[d];
    dx = ops::sum(ops::reshape(std::move(dx), {outer, repeats, s[d], inner}), {1});
    dx = ops::reshape(std::move(dx), shape);
  }
  g.dx(0) = std::move(dx);
}

Shape reverse_shape(ShapeCtx& c) {
  c.require(c.in(1).rank() == 1, "axis must be a vector, got shape ", c.in(1));
  if (c.has_value(1) && c.in(0).has_rank()) c.axes_input(1, c.in(0));
  return c.in(0);
}

void reverse(KernelCtx& c) {
  const Shape& s = c.in(0).shape();
  if (c.out().num_elements() == 0) return;
  bool turned[kMaxRank] = {};
  for (int a : c.axes_input(1, s)) turned[a] = true;
  const Strides step(s);
  const int width = size_of(c.dtype());
  const char* from = c.in(0).data<char>();
  StridedCopy copy;
  for (int d = 0; d < s.rank(); ++d) {
    if (turned[d]) from += (s[d] - 1) * step[d] * width;
    copy.add(s[d], turned[d] ? -step[d] : step[d], step[d]);
  }
  copy.run(from, c.out().mutable_raw(), width);
}

Shape roll_shape(ShapeCtx& c) {
  const Shape& s = c.in(0);
  c.require(s.rank() != 0, "input must have at least one dimension, got a scalar");
  c.require(c.in(1).rank() <= 1, "shift must be a scalar or a vector, got shape ", c.in(1));
  c.require(c.in(2).rank() <= 1, "axis must be a scalar or a vector, got shape ", c.in(2));
  c.require(c.in(1) == c.in(2), "shift and axis must have one shape, got ", c.in(1), " and ",
            c.in(2));
  if (!c.has_value(2) || !s.has_rank()) return s;
  for (int64_t i = 0; i < c.in(2).num_elements(); ++i) {
    c.axis(index_value(c.input(2), i), s);
  }
  return s;
}

// Rolling cuts each dimension in two; every combination of halves moves as one block.
struct Roll {
  Shape shape;
  int64_t shift[kMaxRank] = {};
  Strides step;
  int width;

  explicit Roll(const KernelCtx& c)
      : shape(c.in(0).shape()), step(shape), width(size_of(c.dtype())) {
    for (int64_t i = 0; i < c.in(2).num_elements(); ++i) {
      const int d = c.axis(index_value(c.in(2), i), shape);
      const int64_t n = std::max<int64_t>(1, shape[d]);
      const int64_t by = index_value(c.in(1), i) % n;
      shift[d] = ((shift[d] + by) % n + n) % n;
    }
  }
  void run(int d, StridedCopy copy, const char* from, char* to) const {
    if (d == shape.rank()) {
      copy.run(from, to, width);
      return;
    }
    const int64_t head = shape[d] - shift[d], bytes = step[d] * width;
    StridedCopy moved = copy;
    copy.add(head, step[d], step[d]);
    run(d + 1, copy, from, to + shift[d] * bytes);
    if (shift[d] == 0) return;
    moved.add(shift[d], step[d], step[d]);
    run(d + 1, moved, from + head * bytes, to);
  }
};

void roll(KernelCtx& c) {
  if (c.out().num_elements() == 0) return;
  Roll(c).run(0, StridedCopy(), c.in(0).data<char>(), c.out().mutable_data<char>());
}

void roll_grad(GradCtx& g) {
  static const ops::Caller op{"Roll"};
  // Negated as int64: the lowest int32 has no opposite. The lowest int64 is not a shift that
  // anybody means.
  const Tensor& shift = g.x(1);
  Tensor back = Tensor::empty(DType::kInt64, shift.shape());
  for (int64_t i = 0; i < shift.num_elements(); ++i) {
    back.mutable_data<int64_t>()[i] =
        static_cast<int64_t>(-static_cast<uint64_t>(index_value(shift, i)));
  }
  g.dx(0) = op(g.dy(0), std::move(back), g.x(2));
}

OpRows transpose_rows() {
  return {
      {.name = "Transpose",
       .inputs = {{"x", "T"}, {"perm", "Tperm", kHost}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kAnyData}, {"Tperm", kIndex, DType::kInt32}},
       .shape = transpose_shape,
       .kernel = dynamic([](KernelCtx& c) { c.set_out(0, transpose(c)); }),
       .saves = {in(1)},
       .grad = [](GradCtx& g) { g.dx(0) = ops::transpose(g.dy(0), inverse(g.x(1))); }},
      {.name = "ConjugateTranspose",
       .inputs = {{"x", "T"}, {"perm", "Tperm", kHost}},
       .outputs = {{"y", "T"}},
       .types = {{"T", kAnyData}, {"Tperm", kIndex, DType::kInt32}},
       .shape = transpose_shape,
       .kernel = dynamic(conjugate_transpose),
       .saves = {in(1)},
       .grad = [](GradCtx& g) { g.dx(0) = ops::conj(ops::transpose(g.dy(0), inverse(g.x(1)))); }},
  };
}

OpRows repeat_rows() {
  return {
      {.name = "Tile",
       .inputs = {{"input", "T"}, {"multiples", "Tmultiples", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Tmultiples", kIndex, DType::kInt32}},
       .shape = tile_shape,
       .kernel = general(tile),
       .saves = {shape_of_in(0), in(1)},
       .grad = tile_grad},
      {.name = "ReverseV2",
       .inputs = {{"tensor", "T"}, {"axis", "Tidx", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, {"Tidx", kIndex, DType::kInt32}},
       .shape = reverse_shape,
       .kernel = general(reverse),
       .saves = {in(1)},
       .grad =
           [](GradCtx& g) {
             static const ops::Caller op{"ReverseV2"};
             g.dx(0) = op(g.dy(0), g.x(1));
           }},
      {.name = "Roll",
       .inputs = {{"input", "T"}, {"shift", "Tshift", kHost}, {"axis", "Taxis", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData},
                 {"Tshift", kIndex, DType::kInt32},
                 {"Taxis", kIndex, DType::kInt32}},
       .shape = roll_shape,
       .kernel = general(roll),
       .saves = {in(1), in(2)},
       .grad = roll_grad},
  };
}

}  // namespace

const Family shape_changing_ops([]() -> OpRows {
  return join_rows({transpose_rows(), repeat_rows()});
});

}  // namespace agog
