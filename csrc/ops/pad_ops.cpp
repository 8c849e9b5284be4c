// Ops that put a margin around a tensor.
#include "core/parallel.h"
#include "kernels/half_convert.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"

namespace agog {

struct MirrorPadAttrs {
  std::string mode;
};

namespace {

int64_t before(const Tensor& paddings, int d) { return index_value(paddings, 2 * d); }
int64_t after(const Tensor& paddings, int d) { return index_value(paddings, 2 * d + 1); }

void check_paddings(const OpCtx& c) {
  const Shape& s = c.input(0).shape();
  const Tensor& p = c.input(1);
  c.require(p.rank() == 2 && p.dim(0) == s.rank() && p.dim(1) == 2, "paddings must have shape [",
            s.rank(), ",2] for input of shape ", s, ", got shape ", p.shape());
  for (int d = 0; d < s.rank(); ++d) {
    c.require(before(p, d) >= 0 && after(p, d) >= 0, "paddings[", d, "] = (", before(p, d), ", ",
              after(p, d), ") is negative");
  }
}

Shape pad_shape(ShapeCtx& c) {
  if (c.num_inputs() > 2) {
    c.require(c.in(2).rank() <= 0, "constant_values must be a scalar, got shape ", c.in(2));
  }
  if (!c.has_value(1) || !c.in(0).has_rank()) return Shape::unknown_rank();
  check_paddings(c);
  Shape s = c.in(0);
  for (int d = 0; d < s.rank(); ++d) {
    if (s[d] < 0) continue;
    int64_t size = s[d];
    const bool fits = !__builtin_add_overflow(size, before(c.input(1), d), &size) &&
                      !__builtin_add_overflow(size, after(c.input(1), d), &size);
    c.require(fits, "paddings[", d, "] is too large");
    s[d] = size;
  }
  return s;
}

// Copies the input to its place between the margins.
void put_inside(const KernelCtx& c) {
  const Tensor& x = c.in(0);
  if (x.num_elements() == 0) return;
  const Strides from(x.shape()), to(c.out().shape());
  const int width = size_of(x.dtype());
  StridedCopy copy;
  int64_t offset = 0;
  for (int d = 0; d < x.rank(); ++d) {
    offset += before(c.in(1), d) * to[d];
    copy.add(x.dim(d), from[d], to[d]);
  }
  copy.run(x.raw(), c.out().mutable_data<char>() + offset * width, width);
}

void pad(KernelCtx& c) {
  const Bytes16 zero{};
  const void* margin = c.num_inputs() > 2 ? c.in(2).raw() : &zero;
  if (c.out().num_elements() != c.in(0).num_elements()) {
    fill_elements(c.out().mutable_raw(), margin, c.out().num_elements(), size_of(c.dtype()));
  }
  put_inside(c);
}

void pad_grad(GradCtx& g) {
  if (!g.needs(0)) return;
  const Shape x = g.x_shape(0);
  Shape begin = x;
  for (int d = 0; d < x.rank(); ++d) begin[d] = before(g.x(1), d);
  g.dx(0) = ops::slice(g.dy(0), begin, x);
}

// 0 where the border itself is repeated (SYMMETRIC), 1 where it is not (REFLECT).
int64_t mirror_offset(const OpCtx& c) {
  const std::string& mode = c.attrs<MirrorPadAttrs>().mode;
  c.require(mode == "REFLECT" || mode == "SYMMETRIC", "mode must be REFLECT or SYMMETRIC, got ",
            mode);
  return mode == "REFLECT" ? 1 : 0;
}

void check_mirror(const OpCtx& c, const Shape& inside) {
  const int64_t offset = mirror_offset(c);
  const Tensor& p = c.input(1);
  for (int d = 0; d < inside.rank(); ++d) {
    if (inside[d] < 0) continue;
    const int64_t most = inside[d] - offset;
    c.require(before(p, d) <= most && after(p, d) <= most, "paddings[", d, "] = (", before(p, d),
              ", ", after(p, d), ") is more than the ", most, " that dimension ", d, " of shape ",
              inside, " allows");
  }
}

Shape mirror_shape(ShapeCtx& c) {
  const Shape out = pad_shape(c);
  if (out.has_rank()) check_mirror(c, c.in(0));
  return out;
}

// Fills the margins of one dimension from the output itself: all of the later dimensions is filled
// already.
void mirror_dimension(const KernelCtx& c, const Shape& inside, int dim, int64_t offset) {
  const Tensor& out = c.out();
  const Strides step(out.shape());
  const int width = size_of(out.dtype());
  const int64_t head = before(c.in(1), dim), tail = after(c.in(1), dim);
  int64_t start = 0;
  for (int d = 0; d < dim; ++d) start += before(c.in(1), d) * step[d];
  auto mirror = [&](int64_t from, int64_t to, int64_t n) {
    StridedCopy copy;
    for (int d = 0; d < dim; ++d) copy.add(inside[d], step[d], step[d]);
    copy.add(n, -step[dim], step[dim]);
    copy.add(step[dim], 1, 1);
    char* data = out.mutable_data<char>();
    copy.run(data + (start + from * step[dim]) * width, data + (start + to * step[dim]) * width,
             width);
  };
  const int64_t end = head + inside[dim];
  if (head > 0) mirror(2 * head - 1 + offset, 0, head);
  if (tail > 0) mirror(end - 1 - offset, end, tail);
}

void mirror_pad(KernelCtx& c) {
  if (c.out().num_elements() == 0) return;
  const int64_t offset = mirror_offset(c);
  const Shape& inside = c.in(0).shape();
  put_inside(c);
  for (int d = inside.rank() - 1; d >= 0; --d) mirror_dimension(c, inside, d, offset);
}

Shape mirror_grad_shape(ShapeCtx& c) {
  if (!c.has_value(1) || !c.in(0).has_rank()) return Shape::unknown_rank();
  check_paddings(c);
  Shape s = c.in(0);
  for (int d = 0; d < s.rank(); ++d) {
    if (s[d] < 0) continue;
    const int64_t b = before(c.input(1), d), a = after(c.input(1), d);
    c.require(b <= s[d] && a <= s[d] - b, "paddings[", d, "] = (", b, ", ", a,
              ") is more than dimension ", d, " of input of shape ", c.in(0));
    s[d] -= a + b;
  }
  check_mirror(c, s);
  return s;
}

// What each element of the inside gathers: itself and its images in the margins.
struct Mirror {
  Shape inside;
  Strides step;  // of the padded tensor
  int64_t head[kMaxRank], tail[kMaxRank], offset;

  Mirror(const KernelCtx& c)
      : inside(c.out().shape()), step(c.in(0).shape()), offset(mirror_offset(c)) {
    for (int d = 0; d < inside.rank(); ++d) {
      head[d] = before(c.in(1), d);
      tail[d] = after(c.in(1), d);
    }
  }
  // Positions along dimension d of element i and its images; returns how many.
  int images(int d, int64_t i, int64_t* at) const {
    int n = 0;
    at[n++] = head[d] + i;
    if (i >= offset && i - offset < head[d]) at[n++] = head[d] - 1 - (i - offset);
    const int64_t from_end = inside[d] - 1 - i;
    if (from_end >= offset && from_end - offset < tail[d]) {
      at[n++] = head[d] + inside[d] + from_end - offset;
    }
    return n;
  }
  template <class A, class T>
  A sum(const T* x, const int64_t* index, int d, int64_t base) const {
    if (d == inside.rank()) return static_cast<A>(x[base]);
    int64_t at[3];
    const int n = images(d, index[d], at);
    A total = sum<A>(x, index, d + 1, base + at[0] * step[d]);
    for (int k = 1; k < n; ++k) total += sum<A>(x, index, d + 1, base + at[k] * step[d]);
    return total;
  }
};

template <class T>
void mirror_grad_as(const KernelCtx& c) {
  constexpr bool half = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
  // Unsigned sums wrap without being undefined.
  using A = typename std::conditional_t<
      half, Type<float>, std::conditional_t<std::is_integral_v<T>, Type<uint64_t>, Type<T>>>::type;
  const Mirror mirror(c);
  const T* x = c.in(0).data<T>();
  T* y = c.out().mutable_data<T>();
  const int64_t n = c.out().num_elements();
  parallel_for(n, 1 << 12, n * 8, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index[kMaxRank] = {}, rest = i;
      for (int d = mirror.inside.rank() - 1; d >= 0; --d) {
        index[d] = rest % mirror.inside[d];
        rest /= mirror.inside[d];
      }
      y[i] = static_cast<T>(mirror.sum<A>(x, index, 0, 0));
    }
  });
}

void mirror_grad(KernelCtx& c) {
  with_type(c.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (!std::is_same_v<T, bool>) mirror_grad_as<T>(c);
  });
}

// MirrorPad and MirrorPadGrad are each other's gradient.
GradFn opposite(const char* name) {
  return [name](GradCtx& g) {
    const Tensor in[2] = {g.dy(0), g.x(1)};
    g.dx(0) = execute1(find_op(name), in, 2, g.raw_attrs());
  };
}

}  // namespace

const Family pad_ops([]() -> OpRows {
  const AttrsDef mirror = attrs_of<MirrorPadAttrs>(required("mode", &MirrorPadAttrs::mode));
  const TypeVar paddings{"Tpaddings", kIndex, DType::kInt32};
  return {
      {.name = "Pad",
       .inputs = {{"input", "T"}, {"paddings", "Tpaddings", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, paddings},
       .shape = pad_shape,
       .kernel = general(pad),
       .saves = {shape_of_in(0), in(1)},
       .grad = pad_grad},
      {.name = "PadV2",
       .inputs = {{"input", "T"}, {"paddings", "Tpaddings", kHost}, {"constant_values", "T"}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, paddings},
       .shape = pad_shape,
       .kernel = general(pad),
       .saves = {shape_of_in(0), in(1)},
       .grad = pad_grad},
      {.name = "MirrorPad",
       .inputs = {{"input", "T"}, {"paddings", "Tpaddings", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kAnyData}, paddings},
       .attrs = mirror,
       .shape = mirror_shape,
       .kernel = general(mirror_pad),
       .saves = {in(1)},
       .grad = opposite("MirrorPadGrad")},
      {.name = "MirrorPadGrad",
       .inputs = {{"input", "T"}, {"paddings", "Tpaddings", kHost}},
       .outputs = {{"output", "T"}},
       .types = {{"T", kNumeric}, paddings},
       .attrs = mirror,
       .shape = mirror_grad_shape,
       .kernel = general(mirror_grad, 8),
       .saves = {in(1)},
       .grad = opposite("MirrorPad")},
  };
});

}  // namespace agog
