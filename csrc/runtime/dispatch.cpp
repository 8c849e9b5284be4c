#include "runtime/dispatch.h"

#include <algorithm>
#include <iterator>

#include "core/small_vector.h"
#include "op/contexts.h"
#include "runtime/tape.h"
#include "runtime/variable.h"

namespace agog {

constinit thread_local Context t_context;

namespace hooks {
void* (*release_interpreter)() = nullptr;
void (*take_interpreter)(void*) = nullptr;
}  // namespace hooks

namespace {

constexpr int kMostTypeVars = 8;

using Outputs = SmallVector<Tensor, 2>;

std::string type_list(TypeSet set) {
  std::string s;
  for (int d = 0; d < kNumDTypes; ++d) {
    if (!contains(set, static_cast<DType>(d))) continue;
    if (!s.empty()) s += ", ";
    s += kDTypeInfo[d].name;
  }
  return s;
}

// Says which arguments disagree, and what would mend it.
[[noreturn]] AGOG_NOINLINE void fail_mixed(const Op& op, const Tensor* in, int n, int i) {
  const int var = op.in_types[op.arg_of(i, n)].var;
  int first = 0;
  while (op.in_types[op.arg_of(first, n)].var != var) ++first;
  const char* a = op.def.inputs[op.arg_of(first, n)].name;
  const char* b = op.def.inputs[op.arg_of(i, n)].name;
  fail(ErrorCode::kInvalidType, a, " and ", b, " must have the same dtype, got ", in[first].dtype(),
       " and ", in[i].dtype(), "; convert one, as in agog.cast(", b, ", '", in[first].dtype(),
       "')");
}

[[noreturn]] AGOG_NOINLINE void fail_type(const Op& op, const Tensor* in, int n, int i) {
  const int arg = op.arg_of(i, n);
  const TypeSource& t = op.in_types[arg];
  const TypeSet allowed =
      t.how == TypeSource::kLiteral ? set_of(t.literal) : op.def.types[t.var].allowed;
  fail(ErrorCode::kInvalidType, op.def.inputs[arg].name, " must have dtype ",
       allowed == (allowed & -allowed) ? "" : "one of ", type_list(allowed), ", got ",
       in[i].dtype());
}

DType attr_dtype(const TypeSource& t, const void* attrs) {
  return *reinterpret_cast<const DType*>(static_cast<const char*>(attrs) + t.attr_offset);
}

// Checks the dtypes of all inputs and fills `vars` with what the type variables are bound to.
void bind_types(const Op& op, const Tensor* in, int n, DType* vars) {
  std::fill(vars, vars + kMostTypeVars, DType::kInvalid);
  for (int i = 0; i < n; ++i) {
    const TypeSource& t = op.in_types[op.arg_of(i, n)];
    const DType d = in[i].dtype();
    if (t.how == TypeSource::kVar) {
      if (vars[t.var] == DType::kInvalid) {
        if (!contains(op.def.types[t.var].allowed, d)) fail_type(op, in, n, i);
        vars[t.var] = d;
      } else if (vars[t.var] != d) {
        fail_mixed(op, in, n, i);
      }
    } else if (t.how == TypeSource::kLiteral && t.literal != d) {
      fail_type(op, in, n, i);
    }
  }
}

DType out_dtype(const Op& op, int i, const DType* vars, const void* attrs, const Tensor* in) {
  const TypeSource& t = op.out_types[i];
  switch (t.how) {
    case TypeSource::kVar: return vars[t.var];
    case TypeSource::kLiteral: return t.literal;
    case TypeSource::kAttr: return attr_dtype(t, attrs);
    default: return in[i].dtype();  // a list of anything: output i is of input i's dtype
  }
}

// Each buffer once: else a tensor that flows into both inputs of an op would double, with every op,
// what is kept.
void keep_string_bytes(const Tensor* in, int n, const Tensor& out) {
  if (out.dtype() != DType::kString || !out.buffer()) return;
  std::vector<Ref<Buffer>> all;
  for (int i = 0; i < n; ++i) {
    if (in[i].dtype() != DType::kString || in[i].buffer().get() == out.buffer().get()) continue;
    const auto& kept = in[i].buffer()->kept();
    all.insert(all.end(), kept.begin(), kept.end());
  }
  const auto less = [](const auto& a, const auto& b) { return a.get() < b.get(); };
  const auto same = [](const auto& a, const auto& b) { return a.get() == b.get(); };
  std::sort(all.begin(), all.end(), less);
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  auto own = out.buffer()->kept();  // not empty where an input is overwritten
  std::sort(own.begin(), own.end(), less);
  for (Ref<Buffer>& kept : all) {
    if (!std::binary_search(own.begin(), own.end(), kept, less)) {
      out.buffer()->keep_alive(std::move(kept));
    }
  }
}

int64_t work_of(const Op& op, const Tensor* in, int n, const Outputs& out) {
  int64_t elements = 0;
  for (int i = 0; i < n; ++i) elements += in[i].num_elements();
  for (const Tensor& t : out) elements += t ? t.num_elements() : 0;
  return elements * op.def.kernel.cost;
}

int list_length(int64_t count) {
  constexpr int64_t kMost = 1 << 24;
  if (count > kMost) {
    fail(ErrorCode::kResourceExhausted, count, " outputs are asked for, at most ", kMost,
         " are given");
  }
  return static_cast<int>(std::max<int64_t>(0, count));
}

// Shapes and dtypes first, then memory, then the kernel.
void run_general(const Op& op, const Tensor* in, int n, const void* attrs, bool reuse,
                 Outputs& out) {
  DType vars[kMostTypeVars];
  bind_types(op, in, n, vars);
  const Kernel& kernel = op.def.kernel;
  ShapeCtx shapes(op, in, n, attrs);
  Shape first;
  if (op.def.shape) first = op.def.shape(shapes);
  const int fixed = op.list_output ? list_length(shapes.count()) : op.num_outputs;
  out.resize(static_cast<size_t>(fixed));
  if (kernel.kind == Kernel::kMap) {
    const DType d = out_dtype(op, 0, vars, attrs, in);
    if (reuse && in[0].owns_memory_alone() && in[0].dtype() == d && in[0].shape() == first) {
      out[0] = in[0];
    } else {
      out[0] = Tensor::empty(d, first);
    }
    run_map(op, in, n, out[0], attrs);
    keep_string_bytes(in, n, out[0]);
    return;
  }
  if (kernel.kind == Kernel::kAlias && !kernel.fn) {
    out[0] = in[0].with_shape(first);
    return;
  }
  if (kernel.kind == Kernel::kGeneral) {
    for (int i = 0; i < fixed; ++i) {
      const auto extra = static_cast<size_t>(i - 1);
      const bool own = i > 0 && extra < shapes.extra().size();
      const int row_output = op.list_output ? 0 : i;
      out[static_cast<size_t>(i)] = Tensor::empty(out_dtype(op, row_output, vars, attrs, in),
                                                  own ? shapes.extra()[extra] : first);
    }
  }
  KernelCtx ctx(op, in, n, attrs, out.data(), fixed);
  {
    UnlockScope unlocked(kernel.kind == Kernel::kGeneral ? work_of(op, in, n, out) : 0);
    kernel.fn(ctx);
  }
  for (const Tensor& t : out) {
    if (AGOG_UNLIKELY(t.dtype() == DType::kString)) keep_string_bytes(in, n, t);
  }
}

// The shape of the result of a map: that of an input, or what the inputs broadcast to, kept in
// `broadcast`.
const Shape* map_shape(const Op& op, const Tensor* in, int n, const void* attrs, Shape& broadcast) {
  const Shape* shape = &in[0].shape();
  for (int i = 1; i < n; ++i) {
    const Shape& other = in[i].shape();
    // The commonest cases of broadcasting need no new shape.
    if (other == *shape || (op.def.broadcasts && other.rank() == 0)) continue;
    if (op.def.broadcasts && shape->rank() == 0) {
      shape = &other;
      continue;
    }
    if (op.def.broadcasts) {
      broadcast = broadcast_shapes(*shape, in[i].shape());
    } else {
      ShapeCtx shapes(op, in, n, attrs);
      broadcast = op.def.shape(shapes);
    }
    shape = &broadcast;
  }
  return shape;
}

// The common case: one loop over inputs of one dtype.
Tensor run_simple_map(const Op& op, const Tensor* in, int n, const void* attrs, bool reuse) {
  const DType d = in[0].dtype();
  const TypeSet allowed = op.def.types[0].allowed;
  if (AGOG_UNLIKELY(!contains(allowed, d))) fail_type(op, in, n, 0);
  for (int i = 1; i < n; ++i) {
    if (AGOG_UNLIKELY(in[i].dtype() != d)) {
      if (!contains(allowed, in[i].dtype())) fail_type(op, in, n, i);
      fail_mixed(op, in, n, i);
    }
  }
  const DType out_type = op.map_out == DType::kInvalid ? d : op.map_out;
  Shape broadcast;
  const Shape* shape = map_shape(op, in, n, attrs, broadcast);
  if (reuse && size_of(out_type) == size_of(d)) {
    for (int i = 0; i < n; ++i) {
      if (in[i].owns_memory_alone() && in[i].shape() == *shape && out_type == d) {
        Tensor out = in[i];
        run_map(op, in, n, out, attrs);
        return out;
      }
    }
  }
  Tensor out = Tensor::empty(out_type, *shape);
  run_map(op, in, n, out, attrs);
  return out;
}

// The op's name goes behind the message once, where the failing op is known.
[[noreturn]] AGOG_NOINLINE void rethrow_tagged(const Op& op, const Error& e) {
  if (e.message().find(" [Op:") != std::string::npos) throw e;
  throw Error(e.code(), e.message() + " [Op:" + op.def.name + "]");
}

}  // namespace

Tensor execute1(const Op& op, const Tensor* in, int n, const void* attrs, bool reuse) {
  if (attrs == nullptr) attrs = op.def.attrs.defaults;
  try {
    if (AGOG_LIKELY(op.simple_map && t_context.flags == 0)) {
      return run_simple_map(op, in, n, attrs, reuse);
    }
    if (t_context.flags == 0) {
      Outputs out;
      run_general(op, in, n, attrs, reuse, out);
      return std::move(out[0]);
    }
    if (op.reads_variable) watch_variable(in[0]);
    Outputs out;
    out.resize(1);
    if (op.simple_map) {
      out[0] = run_simple_map(op, in, n, attrs, false);
    } else {
      run_general(op, in, n, attrs, false, out);
    }
    record_on_tapes(op, in, n, attrs, out.data(), 1);
    return std::move(out[0]);
  } catch (const Error& e) {
    rethrow_tagged(op, e);
  }
}

Tensors execute(const Op& op, const Tensor* in, int n, const void* attrs) {
  if (attrs == nullptr) attrs = op.def.attrs.defaults;
  try {
    if (t_context.flags != 0 && op.reads_variable) watch_variable(in[0]);
    Outputs out;
    run_general(op, in, n, attrs, false, out);
    if (t_context.flags != 0) {
      record_on_tapes(op, in, n, attrs, out.data(), static_cast<int>(out.size()));
    }
    return Tensors(std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
  } catch (const Error& e) {
    rethrow_tagged(op, e);
  }
}

}  // namespace agog
