// Ops that take rows by index.
#include "kernels/gather.h"

#include "kernels/kernel.h"
#include "op/call.h"
#include "op/contexts.h"
#include "op/shape_rules.h"
#include "ops/array_calls.h"
#include "ops/family.h"
#include "runtime/variable.h"

namespace agog {

struct GatherAttrs {
  int64_t batch_dims = 0;
};
struct GatherV1Attrs {
  bool validate_indices = true;
};
struct ResourceGatherAttrs {
  DType dtype = DType::kInvalid;
  int64_t batch_dims = 0;
  bool validate_indices = true;
};
struct ResourceGatherNdAttrs {
  DType dtype = DType::kInvalid;
};
struct BadIndicesAttrs {
  std::string bad_indices_policy;
};

namespace {

constexpr TypeSet kGatherIndex = kIndex | set_of(DType::kInt16);

// Where a gather takes its rows from.
struct Gather {
  int axis, batch_dims;
  GatherShape sizes;
  Shape out;
};

Gather plan_gather(const OpCtx& c, const Shape& params, const Shape& indices, int64_t axis,
                   int64_t batch_dims) {
  c.require(params.rank() > 0, "params must have at least one dimension, got a scalar");
  const int rank = indices.rank();
  c.require(batch_dims >= -rank && batch_dims <= rank, "batch_dims ", batch_dims, " is not in [",
            -rank, ", ", rank, "] for indices of shape ", indices);
  Gather g;
  g.axis = c.axis(axis, params);
  g.batch_dims = static_cast<int>(batch_dims < 0 ? batch_dims + rank : batch_dims);
  c.require(g.batch_dims <= g.axis, "batch_dims ", g.batch_dims, " must not exceed axis ", g.axis);
  for (int d = 0; d < g.batch_dims; ++d) {
    c.require(params[d] == indices[d] || params[d] < 0 || indices[d] < 0, "params of shape ",
              params, " and indices of shape ", indices, " must agree in batch dimension ", d);
  }
  if (params.rank() - 1 + rank - g.batch_dims > kMaxRank) {
    fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
  }
  for (int d = 0; d < g.axis; ++d) g.out.push_back(params[d]);
  for (int d = g.batch_dims; d < rank; ++d) g.out.push_back(indices[d]);
  for (int d = g.axis + 1; d < params.rank(); ++d) g.out.push_back(params[d]);
  g.sizes = {product(params, 0, g.batch_dims), product(params, g.batch_dims, g.axis),
             params[g.axis], product(indices, g.batch_dims, rank),
             product(params, g.axis + 1, params.rank())};
  return g;
}

Gather gather_v2_plan(const OpCtx& c) {
  return plan_gather(c, c.input(0).shape(), c.input(1).shape(), c.scalar_int(2),
                     c.attrs<GatherAttrs>().batch_dims);
}

Shape gather_shape(ShapeCtx& c) {
  if (!c.has_value(2) || !c.in(0).has_rank() || !c.in(1).has_rank()) return Shape::unknown_rank();
  return gather_v2_plan(c).out;
}

void run_gather(const Tensor& params, const Tensor& indices, const Gather& g, const Tensor& out) {
  if (out.num_elements() == 0) return;
  check_indices(indices, 0, g.sizes.axis, "indices");
  gather_rows(params.raw(), indices, out.mutable_raw(), g.sizes, size_of(params.dtype()));
}

// The indices as numbers of rows of all batches together.
Tensor segment_ids(const Tensor& indices, const GatherShape& s) {
  Tensor ids = Tensor::empty(DType::kInt64, {s.batch * s.count});
  auto* to = ids.mutable_data<int64_t>();
  for (int64_t i = 0; i < s.batch * s.count; ++i) {
    to[i] = index_value(indices, i) + i / s.count * s.axis;
  }
  return ids;
}

// Adds dy up in the rows that it was gathered from.
Tensor gather_gradient(const Tensor& dy, const Tensor& indices, const Shape& params,
                       const GatherShape& s) {
  static const ops::Caller segment_sum{"UnsortedSegmentSum"};
  const bool moved = s.outer != 1;
  Tensor rows = ops::reshape(dy, {s.batch, s.outer, s.count, s.inner});
  if (moved) rows = ops::transpose(std::move(rows), {0, 2, 1, 3});
  rows = ops::reshape(std::move(rows), {s.batch * s.count, s.outer * s.inner});
  Tensor dx =
      segment_sum(std::move(rows), segment_ids(indices, s), ops::int_scalar(s.batch * s.axis));
  if (moved) {
    dx = ops::reshape(std::move(dx), {s.batch, s.axis, s.outer, s.inner});
    dx = ops::transpose(std::move(dx), {0, 2, 1, 3});
  }
  return ops::reshape(std::move(dx), params);
}

GatherShape sizes_for_gradient(const Shape& params, const Shape& indices, int64_t axis,
                               int64_t batch_dims) {
  const int a = static_cast<int>(axis < 0 ? axis + params.rank() : axis);
  const int b = static_cast<int>(batch_dims < 0 ? batch_dims + indices.rank() : batch_dims);
  return {product(params, 0, b), product(params, b, a), params[a],
          product(indices, b, indices.rank()), product(params, a + 1, params.rank())};
}

void gather_v2_grad(GradCtx& g) {
  if (!g.needs(0)) return;
  const Shape params = g.x_shape(0);
  const GatherShape s = sizes_for_gradient(params, g.x(1).shape(), index_value(g.x(2), 0),
                                           g.attrs<GatherAttrs>().batch_dims);
  g.dx(0) = gather_gradient(g.dy(0), g.x(1), params, s);
}

Gather gather_v1_plan(const OpCtx& c) {
  return plan_gather(c, c.input(0).shape(), c.input(1).shape(), 0, 0);
}

BadIndices policy_of(const OpCtx& c) {
  const std::string& policy = c.attrs<BadIndicesAttrs>().bad_indices_policy;
  c.require(policy.empty() || policy == "DEFAULT" || policy == "ERROR" || policy == "IGNORE",
            "bad_indices_policy must be DEFAULT, ERROR or IGNORE, got ", policy);
  return policy == "IGNORE" ? BadIndices::kIgnore : BadIndices::kError;
}

Shape nd_shape(const OpCtx& c, const Shape& params, const Shape& indices) {
  c.require(indices.rank() != 0, "indices must have at least one dimension, got a scalar");
  if (!params.has_rank() || !indices.has_rank()) return Shape::unknown_rank();
  const int64_t depth = indices[indices.rank() - 1];
  if (depth < 0) return Shape::unknown_rank();
  c.require(depth <= params.rank(), "the last dimension of indices, ", depth,
            ", must not exceed the rank of params of shape ", params);
  if (indices.rank() - 1 + params.rank() - depth > kMaxRank) {
    fail(ErrorCode::kUnimplemented, "the largest rank is ", kMaxRank);
  }
  Shape out(indices.begin(), indices.rank() - 1);
  for (int d = static_cast<int>(depth); d < params.rank(); ++d) out.push_back(params[d]);
  return out;
}

void run_gather_nd(const Tensor& params, const Tensor& indices, const Tensor& out, BadIndices bad) {
  if (out.num_elements() == 0) return;
  const int depth = static_cast<int>(indices.dim(indices.rank() - 1));
  const auto rows = row_numbers(indices, params.shape(), depth, bad);
  const int64_t bytes = product(params.shape(), depth, params.rank()) * size_of(params.dtype());
  const auto n = static_cast<int64_t>(rows.size());
  const int64_t block = std::max<int64_t>(1, (1 << 16) / bytes);
  parallel_for(n, block, out.num_elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = rows[static_cast<size_t>(i)];
      char* to = out.mutable_data<char>() + i * bytes;
      if (row < 0) {
        std::memset(to, 0, static_cast<size_t>(bytes));
      } else {
        std::memcpy(to, params.data<char>() + row * bytes, static_cast<size_t>(bytes));
      }
    }
  });
}

Tensor scatter_nd(const Tensor& indices, Tensor updates, const Shape& shape, const void* attrs) {
  static const ops::Caller op{"ScatterNd"};
  // ScatterNd takes its shape in the dtype of the indices.
  Tensor to = Tensor::empty(indices.dtype(), {shape.rank()});
  for (int d = 0; d < shape.rank(); ++d) {
    if (to.dtype() == DType::kInt64) to.mutable_data<int64_t>()[d] = shape[d];
    if (to.dtype() == DType::kInt32) to.mutable_data<int32_t>()[d] = static_cast<int32_t>(shape[d]);
    if (to.dtype() == DType::kInt16) to.mutable_data<int16_t>()[d] = static_cast<int16_t>(shape[d]);
  }
  const Tensor in[3] = {indices, std::move(updates), std::move(to)};
  return execute1(op.op(), in, 3, attrs);
}

// Reads the variable behind a gather, checking the dtype that the call expects.
Tensor read(const OpCtx& c, DType expected) {
  Tensor value = variable_of(c.input(0)).read();
  c.require(value.dtype() == expected, "the variable holds ", value.dtype(), ", not dtype ",
            expected);
  return value;
}

void resource_gather(KernelCtx& c) {
  const auto& attrs = c.attrs<ResourceGatherAttrs>();
  const Tensor params = read(c, attrs.dtype);
  const Tensor& indices = c.in(1);
  const int64_t b = attrs.batch_dims;
  const Gather g =
      plan_gather(c, params.shape(), indices.shape(), b < 0 ? b + indices.rank() : b, b);
  Tensor out = Tensor::empty(params.dtype(), g.out);
  {
    UnlockScope unlocked(out.num_elements());
    run_gather(params, indices, g, out);
  }
  c.set_out(0, std::move(out));
}

void resource_gather_grad(GradCtx& g) {
  const Shape params = variable_of(g.x(0)).read().shape();
  const Tensor& indices = g.x(1);
  int64_t b = g.attrs<ResourceGatherAttrs>().batch_dims;
  if (b < 0) b += indices.rank();
  if (b == 0 && g.rows() != nullptr) {
    Shape rows = params;
    rows[0] = indices.num_elements();
    *g.rows() = {ops::reshape(g.dy(0), rows), indices.with_shape({rows[0]}), params};
    return;
  }
  g.dx(0) =
      gather_gradient(g.dy(0), indices, params, sizes_for_gradient(params, indices.shape(), b, b));
}

OpRows tensor_rows() {
  return {
      {.name = "GatherV2",
       .inputs = {{"params", "Tparams"}, {"indices", "Tindices"}, {"axis", "Taxis", kHost}},
       .outputs = {{"output", "Tparams"}},
       .types = {{"Tparams", kAnyData},
                 {"Tindices", kGatherIndex, DType::kInt32},
                 {"Taxis", kIndex, DType::kInt32}},
       .attrs = attrs_of<GatherAttrs>(field("batch_dims", &GatherAttrs::batch_dims)),
       .shape = gather_shape,
       .kernel =
           general([](KernelCtx& c) { run_gather(c.in(0), c.in(1), gather_v2_plan(c), c.out()); }),
       .saves = {shape_of_in(0), in(1), in(2)},
       .grad = gather_v2_grad},
      {.name = "Gather",
       .inputs = {{"params", "Tparams"}, {"indices", "Tindices"}},
       .outputs = {{"output", "Tparams"}},
       .types = {{"Tparams", kAnyData}, {"Tindices", kIndex, DType::kInt32}},
       .attrs =
           attrs_of<GatherV1Attrs>(field("validate_indices", &GatherV1Attrs::validate_indices)),
       .shape =
           [](ShapeCtx& c) {
             if (!c.in(0).has_rank() || !c.in(1).has_rank()) return Shape::unknown_rank();
             return gather_v1_plan(c).out;
           },
       .kernel =
           general([](KernelCtx& c) { run_gather(c.in(0), c.in(1), gather_v1_plan(c), c.out()); }),
       .saves = {shape_of_in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             if (!g.needs(0)) return;
             const Shape params = g.x_shape(0);
             const GatherShape s = sizes_for_gradient(params, g.x(1).shape(), 0, 0);
             g.dx(0) = gather_gradient(g.dy(0), g.x(1), params, s);
           }},
      {.name = "GatherNd",
       .inputs = {{"params", "Tparams"}, {"indices", "Tindices"}},
       .outputs = {{"output", "Tparams"}},
       .types = {{"Tparams", kAnyData}, {"Tindices", kGatherIndex, DType::kInt32}},
       .attrs = attrs_of<BadIndicesAttrs>(
           field("bad_indices_policy", &BadIndicesAttrs::bad_indices_policy)),
       .shape =
           [](ShapeCtx& c) {
             policy_of(c);
             return nd_shape(c, c.in(0), c.in(1));
           },
       .kernel =
           general([](KernelCtx& c) { run_gather_nd(c.in(0), c.in(1), c.out(), policy_of(c)); }),
       .saves = {shape_of_in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             if (g.needs(0)) g.dx(0) = scatter_nd(g.x(1), g.dy(0), g.x_shape(0), g.raw_attrs());
           }},
  };
}

OpRows variable_rows() {
  using A = ResourceGatherAttrs;
  return {
      {.name = "ResourceGather",
       .inputs = {{"resource", "resource"}, {"indices", "Tindices"}},
       .outputs = {{"output", "dtype"}},
       .types = {{"Tindices", kIndex, DType::kInt32}},
       .attrs = attrs_of<A>(field("dtype", &A::dtype), field("batch_dims", &A::batch_dims),
                            field("validate_indices", &A::validate_indices)),
       .stateful = true,
       .kernel = dynamic(resource_gather),
       .saves = {in(0), in(1)},
       .grad = resource_gather_grad},
      {.name = "ResourceGatherNd",
       .inputs = {{"resource", "resource"}, {"indices", "Tindices"}},
       .outputs = {{"output", "dtype"}},
       .types = {{"Tindices", kIndex, DType::kInt32}},
       .attrs = attrs_of<ResourceGatherNdAttrs>(field("dtype", &ResourceGatherNdAttrs::dtype)),
       .stateful = true,
       .kernel = dynamic([](KernelCtx& c) {
         const Tensor params = read(c, c.attrs<ResourceGatherNdAttrs>().dtype);
         Tensor out = Tensor::empty(params.dtype(), nd_shape(c, params.shape(), c.in(1).shape()));
         run_gather_nd(params, c.in(1), out, BadIndices::kError);
         c.set_out(0, std::move(out));
       }),
       .saves = {in(0), in(1)},
       .grad =
           [](GradCtx& g) {
             const Shape params = variable_of(g.x(0)).read().shape();
             g.dx(0) = scatter_nd(g.x(1), g.dy(0), params, nullptr);
           }},
  };
}

}  // namespace

const Family gather_ops([]() -> OpRows { return join_rows({tensor_rows(), variable_rows()}); });

}  // namespace agog
