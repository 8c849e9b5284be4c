#include "op/mutants.h"

#ifdef AGOG_MUTANTS
#include <algorithm>
#include <array>
#include <cstring>

#include "op/call.h"
#include "op/contexts.h"
#include "op/registry.h"

namespace agog {
namespace {

// The row that has the mistake, and what it was before.
struct Mutant {
  OpDef* row = nullptr;
  OpDef original{};
  int out_size[kNumDTypes] = {};
};
Mutant g_mutant;

void spoil(void* number, int size) {
  char* last = static_cast<char*>(number) + size - 1;
  *last = static_cast<char>(*last ^ (size == 1 ? 1 : 0x10));
}

template <int dtype>
void spoiled_loop(const LoopArgs& args) {
  g_mutant.original.kernel.loops[dtype](args);
  spoil(args.out, g_mutant.out_size[dtype]);
}

template <int... dtype>
void spoil_loops(Kernel& kernel, std::integer_sequence<int, dtype...>) {
  ((kernel.loops[dtype] = kernel.loops[dtype] ? spoiled_loop<dtype> : nullptr), ...);
}

void spoil_first(const Tensor& y) {
  if (y.num_elements() > 0 && y.dtype() != DType::kString)
    spoil(y.mutable_raw(), size_of(y.dtype()));
}

// The output may share the memory of an input, which must stay as it is.
void spoiled_result(KernelCtx& c) {
  g_mutant.original.kernel.fn(c);
  const Tensor y = c.out();
  if (y.dtype() == DType::kString) return;
  Tensor copy = Tensor::empty(y.dtype(), y.shape());
  std::memcpy(copy.mutable_raw(), y.raw(), static_cast<size_t>(y.num_bytes()));
  spoil_first(copy);
  c.set_out(0, std::move(copy));
}

void spoiled_copy(KernelCtx& c) {
  std::memcpy(c.out().mutable_raw(), c.in(0).raw(), static_cast<size_t>(c.out().num_bytes()));
  spoil_first(c.out());
}

void spoil_forward(OpDef& row) {
  const Op& op = find_op(row.name);
  for (int d = 0; d < kNumDTypes; ++d) {
    const TypeSource& out = op.out_types[0];
    const auto dtype = out.how == TypeSource::kLiteral ? out.literal : static_cast<DType>(d);
    g_mutant.out_size[d] = std::max(1, size_of(dtype));
  }
  if (row.kernel.kind == Kernel::kMap) {
    spoil_loops(row.kernel, std::make_integer_sequence<int, kNumDTypes>());
  } else {
    row.kernel.fn = row.kernel.kind == Kernel::kAlias ? spoiled_copy : spoiled_result;
    if (row.kernel.kind == Kernel::kAlias) row.kernel.kind = Kernel::kGeneral;
  }
}

GradFn spoiled_gradient(const std::string& kind) {
  return [kind](GradCtx& g) {
    g_mutant.original.grad(g);
    for (int i = g.num_inputs() - 1; i >= 0; --i) {
      Tensor& dx = g.dx(i);
      if (!dx) continue;
      if (kind == "factor") dx = dx * 1.25;
      if (kind == "negate") dx = -dx;
      if (kind == "reverse" && dx.rank() > 0) {
        dx = ops::Caller{"ReverseV2"}(dx, ops::int_vector({-1}));
      }
      if (kind == "drop") {
        dx = Tensor::zeros(dx.dtype(), dx.shape());
        return;
      }
    }
  };
}

}  // namespace

void set_mutant(const std::string& op, const std::string& kind) {
  if (g_mutant.row) *g_mutant.row = g_mutant.original;
  g_mutant.row = nullptr;
  if (kind.empty()) return;
  OpDef& row = const_cast<Op&>(find_op(op)).def;
  g_mutant.original = row;
  g_mutant.row = &row;
  if (kind == "forward") {
    spoil_forward(row);
  } else if (kind == "broadcast") {
    row.broadcasts = false;
  } else {
    row.grad = spoiled_gradient(kind);
  }
}

}  // namespace agog
#endif
