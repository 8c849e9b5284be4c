// Ops that put rows where a tensor of indices says: into a copy of a tensor, or into a variable.
#include <algorithm>
#include <cstring>

#include "kernels/accumulate.h"
#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"
#include "runtime/variable.h"

namespace agog {

struct ScatterAttrs {
  std::string bad_indices_policy;
};

// Begins like ScatterAttrs, so that policy_of reads both.
struct VariableScatterAttrs : ScatterAttrs {
  bool use_locking = true;
};

namespace {

BadIndices policy_of(const OpCtx& c) {
  const std::string& policy = c.attrs<ScatterAttrs>().bad_indices_policy;
  c.require(policy.empty() || policy == "DEFAULT" || policy == "ERROR" || policy == "IGNORE",
            "bad_indices_policy must be DEFAULT, ERROR or IGNORE, got ", policy);
  return policy == "IGNORE" ? BadIndices::kIgnore : BadIndices::kError;
}

// indices is [rows..., depth], updates is [rows..., the rest of the target's shape].
void check_scatter(const OpCtx& c, const Shape& indices, const Shape& updates,
                   const Shape& target) {
  policy_of(c);
  c.require(indices.rank() != 0, "indices must have at least one dimension, got a scalar");
  c.require(updates.rank() != 0, "updates must have at least one dimension, got a scalar");
  if (!indices.fully_known() || !updates.fully_known() || !target.fully_known()) return;
  const int rows = indices.rank() - 1;
  const int64_t depth = indices[rows];
  bool fits = depth <= target.rank() && updates.rank() == rows + target.rank() - depth;
  for (int d = 0; fits && d < rows; ++d) fits = updates[d] == indices[d];
  for (int d = rows; fits && d < updates.rank(); ++d) {
    fits = updates[d] == target[d - rows + static_cast<int>(depth)];
  }
  c.require(fits, "updates of shape ", updates, " do not fit indices of shape ", indices,
            " into a tensor of shape ", target);
}

// Where the rows of updates go in `target`.
struct Scatter {
  std::vector<int64_t> rows;
  int64_t targets, inner;

  Scatter(const OpCtx& c, const Tensor& indices, const Shape& target)
      : Scatter(indices, target, policy_of(c)) {}
  Scatter(const Tensor& indices, const Shape& target, BadIndices bad) {
    const int depth = static_cast<int>(indices.dim(indices.rank() - 1));
    targets = product(target, 0, depth);
    inner = product(target, depth, target.rank());
    rows = row_numbers(indices, target, depth, bad);
  }
  int64_t count() const { return static_cast<int64_t>(rows.size()); }
};

template <class F, TypeSet S>
void fold_into(const Scatter& s, const Tensor& updates, const Tensor& out) {
  with_type_to_fold<F, S>(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    fold_rows<F>(updates.data<T>(), s.rows.data(), s.count(), s.inner, out.mutable_data<T>(),
                 s.targets);
  });
}

// Later rows win.
void overwrite(const Scatter& s, const Tensor& updates, const Tensor& out) {
  const int width = size_of(out.dtype());
  for_each_target(s.rows.data(), s.count(), s.targets, s.inner,
                  [&](int64_t r, int64_t t, int64_t begin, int64_t end) {
                    const int64_t bytes = (end - begin) * width;
                    std::memcpy(out.mutable_data<char>() + (t * s.inner + begin) * width,
                                updates.data<char>() + (r * s.inner + begin) * width,
                                static_cast<size_t>(bytes));
                  });
}

void scatter_nd(KernelCtx& c) {
  const Tensor& out = c.out();
  std::memset(out.mutable_raw(), 0, static_cast<size_t>(out.num_bytes()));
  fold_into<FoldAdd, kPlain>(Scatter(c, c.in(0), out.shape()), c.in(1), out);
}

template <class F, TypeSet S>
KernelFn tensor_scatter() {
  return [](KernelCtx& c) {
    const Tensor &x = c.in(0), &out = c.out();
    const Scatter s(c, c.in(1), x.shape());
    copy_elements(out.mutable_raw(), x.raw(), x.num_elements(), size_of(x.dtype()));
    fold_into<F, S>(s, c.in(2), out);
  };
}

void tensor_scatter_update(KernelCtx& c) {
  const Tensor &x = c.in(0), &out = c.out();
  const Scatter s(c, c.in(1), x.shape());
  copy_elements(out.mutable_raw(), x.raw(), x.num_elements(), size_of(x.dtype()));
  overwrite(s, c.in(2), out);
}

Tensor gather_nd(GradCtx& g, Tensor params, const Tensor& indices) {
  static const ops::Caller op{"GatherNd"};
  const Tensor in[2] = {std::move(params), indices};
  return execute1(op.op(), in, 2, g.raw_attrs());
}

void update_grad(GradCtx& g) {
  static const ops::Caller op{"TensorScatterUpdate"};
  const Tensor dy = g.dy(0);
  if (g.needs(0)) {
    const Tensor in[3] = {dy, g.x(1), Tensor::zeros(dy.dtype(), g.x_shape(2))};
    g.dx(0) = execute1(op.op(), in, 3, g.raw_attrs());
  }
  if (g.needs(2)) g.dx(2) = gather_nd(g, dy, g.x(1));
}

// What is equal to the extreme shares its gradient: the tensor's own element and all updates.
void extreme_grad(GradCtx& g) {
  static const ops::Caller equal{"Equal"}, scatter_add{"TensorScatterAdd"}, select{"SelectV2"};
  const Tensor &x = g.x(0), &indices = g.x(1), &updates = g.x(2), &y = g.y(0);
  const DType t = y.dtype();
  const Tensor own = equal(x, y), theirs = equal(updates, gather_nd(g, y, indices));
  const Tensor in[3] = {ops::cast(own, t), indices, ops::cast(theirs, t)};
  const Tensor count = execute1(scatter_add.op(), in, 3, g.raw_attrs());
  const Tensor share =
      g.dy(0) / select(equal(count, ops::like(0, count)), ops::like(1, count), count);
  if (g.needs(0)) g.dx(0) = select(own, share, ops::like(0, share));
  if (g.needs(2)) g.dx(2) = select(theirs, gather_nd(g, share, indices), ops::like(0, share));
}

OpDef tensor_scatter_row(const char* name, TypeSet set, KernelFn fn, std::vector<Save> saves,
                         GradFn grad) {
  return {.name = name,
          .inputs = {{"tensor", "T"}, {"indices", "Tindices"}, {"updates", "T"}},
          .outputs = {{"output", "T"}},
          .types = {{"T", set}, {"Tindices", kIndex, DType::kInt32}},
          .attrs = attrs_of<ScatterAttrs>(
              field("bad_indices_policy", &ScatterAttrs::bad_indices_policy)),
          .shape =
              [](ShapeCtx& c) {
                check_scatter(c, c.in(1), c.in(2), c.in(0));
                return c.in(0);
              },
          .kernel = general(std::move(fn), 2),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}

GradFn linear_grad(bool minus) {
  return [minus](GradCtx& g) {
    const Tensor dy = g.dy(0);
    if (g.needs(0)) g.dx(0) = dy;
    if (!g.needs(2)) return;
    const Tensor rows = gather_nd(g, dy, g.x(1));
    g.dx(2) = minus ? -rows : rows;
  };
}

OpDef scatter_nd_row() {
  return {.name = "ScatterNd",
          .inputs = {{"indices", "Tindices"}, {"updates", "T"}, {"shape", "Tindices", kHost}},
          .outputs = {{"output", "T"}},
          .types = {{"Tindices", kIndex | set_of(DType::kInt16), DType::kInt32}, {"T", kPlain}},
          .attrs = attrs_of<ScatterAttrs>(
              field("bad_indices_policy", &ScatterAttrs::bad_indices_policy)),
          .shape =
              [](ShapeCtx& c) {
                if (!c.has_value(2)) return Shape::unknown_rank();
                const Shape to = c.shape_input(2);
                check_scatter(c, c.in(0), c.in(1), to);
                return to;
              },
          .kernel = general(scatter_nd, 2),
          .saves = {in(0)},
          .grad =
              [](GradCtx& g) {
                if (g.needs(1)) g.dx(1) = gather_nd(g, g.dy(0), g.x(0));
              }};
}

// ---- into variables, in place where no reader holds the memory

struct FoldDiv {
  static constexpr bool kWraps = false;
  template <class T>
  static T fold(T a, T b) {
    // The lowest integer over -1 wraps, as everywhere.
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      if (b == -1) return FoldSub::fold(T(0), a);
    }
    return static_cast<T>(a / b);
  }
};

template <class T>
void require_no_zero(const OpCtx& c, const Tensor& updates) {
  const T* u = updates.data<T>();
  const bool none = std::none_of(u, u + updates.num_elements(), [](T v) {
    if constexpr (is_half<T>)
      return static_cast<float>(v) == 0.0f;
    else
      return v == T(0);
  });
  c.require(none, "updates must not contain 0");
}

// The rule that folds updates into what is there; `void` overwrites.
template <class F>
void change(const OpCtx& c, const Scatter& s, const Tensor& updates, const Tensor& value) {
  if constexpr (std::is_void_v<F>) {
    overwrite(s, updates, value);
  } else {
    constexpr TypeSet kSet =
        std::is_same_v<F, FoldLess> || std::is_same_v<F, FoldGreater> ? kReal : kNumeric;
    with_type_of<kSet>(value.dtype(), [&](auto type) {
      if constexpr (std::is_same_v<F, FoldDiv>) {
        require_no_zero<typename decltype(type)::type>(c, updates);
      }
    });
    fold_into<F, kSet>(s, updates, value);
  }
}

// Strings are only views: their variable gets new memory, which keeps the bytes alive.
void update_strings(Variable& v, const Tensor& indices, const Tensor& updates) {
  static const ops::Caller op{"TensorScatterUpdate"};
  v.assign(op(v.read(), indices, updates));
}

Shape with_one_behind(const Shape& s) {
  Shape longer = s;
  longer.push_back(1);
  return longer;
}

// The updates of the rows that `indices` names: of shape indices.shape + value.shape[1:], or a
// scalar for all of them.
Tensor row_updates(const OpCtx& c, const Tensor& indices, const Tensor& updates,
                   const Shape& value) {
  static const ops::Caller broadcast{"BroadcastTo"};
  c.require(value.rank() > 0, "the variable is a scalar and has no rows");
  Shape wanted = indices.shape();
  for (int d = 1; d < value.rank(); ++d) wanted.push_back(value[d]);
  c.require(updates.rank() == 0 || updates.shape() == wanted,
            "updates must be a scalar or of shape indices.shape + variable.shape[1:], which is ",
            wanted, ", got ", updates.shape());
  return updates.shape() == wanted ? updates : broadcast(updates, ops::shape_tensor(wanted));
}

void check_updates(const OpCtx& c, const Variable& v, TypeSet allowed) {
  const DType d = c.dtype(2);
  if (d != v.dtype()) {
    fail(ErrorCode::kInvalidType, "variable ", v.name(), " holds ", v.dtype(),
         ", got updates of dtype ", d);
  }
  if (!contains(allowed, d)) {
    fail(ErrorCode::kInvalidType, "updates must be numbers, got dtype ", d);
  }
  if (!v.initialized()) {
    fail(ErrorCode::kFailedPrecondition, "variable ", v.name(),
         " has no value yet; assign one first");
  }
}

template <class F>
KernelFn variable_rows(TypeSet allowed) {
  return [allowed](KernelCtx& c) {
    Variable& v = variable_of(c.in(0));
    check_updates(c, v, allowed);
    const Shape shape = v.read().shape();
    const Tensor updates = row_updates(c, c.in(1), c.in(2), shape);
    check_indices(c.in(1), 0, shape[0], "indices");
    const Tensor indices = c.in(1).with_shape(with_one_behind(c.in(1).shape()));
    if (v.dtype() == DType::kString) return update_strings(v, indices, updates);
    const VariableLock lock(v);
    const Tensor& value = v.writable();
    change<F>(c, Scatter(indices, value.shape(), BadIndices::kError), updates, value);
  };
}

template <class F>
KernelFn variable_nd(TypeSet allowed) {
  return [allowed](KernelCtx& c) {
    Variable& v = variable_of(c.in(0));
    check_updates(c, v, allowed);
    check_scatter(c, c.in(1).shape(), c.in(2).shape(), v.read().shape());
    if (v.dtype() == DType::kString) return update_strings(v, c.in(1), c.in(2));
    const VariableLock lock(v);
    const Tensor& value = v.writable();
    change<F>(c, Scatter(c.in(1), value.shape(), policy_of(c)), c.in(2), value);
  };
}

OpDef variable_row(const char* name, const char* variable, AttrsDef attrs, KernelFn fn) {
  return {.name = name,
          .inputs = {{variable, "resource"}, {"indices", "Tindices"}, {"updates", nullptr}},
          .types = {{"Tindices", kIndex, DType::kInt32}},
          .attrs = std::move(attrs),
          .stateful = true,
          .kernel = dynamic(std::move(fn)),
          .grad = no_gradient()};
}

template <class F>
OpDef rows_row(const char* name, TypeSet allowed) {
  return variable_row(name, "resource", {}, variable_rows<F>(allowed));
}

template <class F>
OpDef nd_row(const char* name, TypeSet allowed) {
  AttrsDef attrs = attrs_of<VariableScatterAttrs>(
      field("use_locking", &VariableScatterAttrs::use_locking),
      field("bad_indices_policy", &VariableScatterAttrs::bad_indices_policy));
  return variable_row(name, "ref", std::move(attrs), variable_nd<F>(allowed));
}

OpRows variable_scatter_ops() {
  return {
      rows_row<void>("ResourceScatterUpdate", kAnyData),
      rows_row<FoldAdd>("ResourceScatterAdd", kNumeric),
      rows_row<FoldSub>("ResourceScatterSub", kNumeric),
      rows_row<FoldMul>("ResourceScatterMul", kNumeric),
      rows_row<FoldDiv>("ResourceScatterDiv", kNumeric),
      rows_row<FoldLess>("ResourceScatterMin", kReal),
      rows_row<FoldGreater>("ResourceScatterMax", kReal),
      nd_row<void>("ResourceScatterNdUpdate", kAnyData),
      nd_row<FoldAdd>("ResourceScatterNdAdd", kNumeric),
      nd_row<FoldSub>("ResourceScatterNdSub", kNumeric),
      nd_row<FoldLess>("ResourceScatterNdMin", kReal),
      nd_row<FoldGreater>("ResourceScatterNdMax", kReal),
  };
}

}  // namespace

const Family scatter_ops([]() -> OpRows {
  const std::vector<Save> all = {in(0), in(1), in(2), out(0)};
  OpRows rows = variable_scatter_ops();
  for (OpDef& row : OpRows{
           scatter_nd_row(),
           tensor_scatter_row("TensorScatterUpdate", kAnyData, tensor_scatter_update,
                              {in(1), shape_of_in(2)}, update_grad),
           tensor_scatter_row("TensorScatterAdd", kNumeric, tensor_scatter<FoldAdd, kNumeric>(),
                              {in(1)}, linear_grad(false)),
           tensor_scatter_row("TensorScatterSub", kNumeric, tensor_scatter<FoldSub, kNumeric>(),
                              {in(1)}, linear_grad(true)),
           tensor_scatter_row("TensorScatterMin", kReal, tensor_scatter<FoldLess, kReal>(), all,
                              extreme_grad),
           tensor_scatter_row("TensorScatterMax", kReal, tensor_scatter<FoldGreater, kReal>(), all,
                              extreme_grad),
       }) {
    rows.push_back(std::move(row));
  }
  return rows;
});

}  // namespace agog
