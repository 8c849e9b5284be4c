// Runs the inner loop of an elementwise op over whole tensors: broadcasting, blocks, threads. Knows
// no op.
#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "runtime/dispatch.h"

namespace agog {
namespace {

constexpr int kMostInputs = 4;
constexpr int64_t kBlock = 1 << 14;

// Adjacent dimensions merged where every input either runs on or repeats across both.
struct Walk {
  int rank = 0;
  int64_t size[kMaxRank];
  int64_t stride[kMostInputs][kMaxRank];  // in elements; 0 repeats
};

int64_t stride_in(const Shape& s, int out_rank, int d, int64_t running) {
  const int own = d - (out_rank - s.rank());
  return own < 0 || s[own] == 1 ? 0 : running;
}

Walk make_walk(const Tensor* in, int arity, const Shape& out) {
  Walk w;
  int64_t running[kMostInputs] = {1, 1, 1, 1};
  for (int d = out.rank() - 1; d >= 0; --d) {
    if (out[d] == 1) continue;
    int64_t strides[kMostInputs] = {};
    bool merge = w.rank > 0;
    for (int k = 0; k < arity; ++k) {
      strides[k] = stride_in(in[k].shape(), out.rank(), d, running[k]);
      if (strides[k] != 0) running[k] *= out[d];
      if (merge) {
        const int64_t inner = w.stride[k][w.rank - 1];
        merge = inner == 0 ? strides[k] == 0 : strides[k] == inner * w.size[w.rank - 1];
      }
    }
    if (merge) {
      w.size[w.rank - 1] *= out[d];
      continue;
    }
    for (int k = 0; k < arity; ++k) w.stride[k][w.rank] = strides[k];
    w.size[w.rank++] = out[d];
  }
  return w;
}

struct Operand {
  const char* base;
  int64_t width;
};

// Runs rows [begin, end) of a walk whose dimension 0 is the innermost.
void run_rows(Loop loop, const Walk& w, int arity, const Operand* in, char* out, int64_t out_width,
              const void* attrs, int* trouble, int64_t begin, int64_t end) {
  LoopArgs args;
  args.n = w.size[0];
  args.attrs = attrs;
  args.trouble = trouble;
  for (int k = 0; k < arity; ++k) args.step[k] = w.stride[k][0] != 0;
  for (int64_t row = begin; row < end; ++row) {
    int64_t offset[kMostInputs] = {};
    int64_t rest = row;
    for (int d = 1; d < w.rank; ++d) {
      const int64_t index = rest % w.size[d];
      rest /= w.size[d];
      for (int k = 0; k < arity; ++k) offset[k] += index * w.stride[k][d];
    }
    for (int k = 0; k < arity; ++k) args.in[k] = in[k].base + offset[k] * in[k].width;
    args.out = out + row * w.size[0] * out_width;
    loop(args);
  }
}

void run_flat(Loop loop, int arity, const Operand* in, const int* step, char* out,
              int64_t out_width, int64_t n, int64_t work, const void* attrs, int* trouble) {
  parallel_for(n, kBlock, work, [&](int64_t begin, int64_t end) {
    LoopArgs args;
    args.trouble = trouble;
    for (int k = 0; k < arity; ++k) {
      args.in[k] = in[k].base + (step[k] ? begin * in[k].width : 0);
      args.step[k] = step[k];
    }
    args.out = out + begin * out_width;
    args.n = end - begin;
    args.attrs = attrs;
    loop(args);
  });
}

void run_loop(const Kernel& kernel, Loop loop, const Tensor* inputs, int arity, const Operand* in,
              const int* step, bool flat, const Tensor& out, const void* attrs, int* trouble) {
  const int64_t n = out.num_elements();
  auto* to = static_cast<char*>(out.mutable_raw());
  const int64_t width = size_of(out.dtype());
  const int64_t work = n * kernel.cost;
  UnlockScope unlocked(work);
  if (flat && n <= kBlock) {
    LoopArgs args;
    for (int k = 0; k < arity; ++k) {
      args.in[k] = in[k].base;
      args.step[k] = step[k];
    }
    args.out = to;
    args.n = n;
    args.attrs = attrs;
    args.trouble = trouble;
    loop(args);
    return;
  }
  if (flat) {
    run_flat(loop, arity, in, step, to, width, n, work, attrs, trouble);
    return;
  }
  const Walk w = make_walk(inputs, arity, out.shape());
  const int64_t rows = n / w.size[0];
  const int64_t rows_per_block = std::max<int64_t>(1, kBlock / w.size[0]);
  parallel_for(rows, rows_per_block, work, [&](int64_t begin, int64_t end) {
    run_rows(loop, w, arity, in, to, width, attrs, trouble, begin, end);
  });
}

}  // namespace

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  Shape out = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t s = shorter[i];
    int64_t& o = out[i + shift];
    if (o == 1 || (o < 0 && s > 1)) {
      o = s;
    } else if (s != 1 && s >= 0 && o >= 0 && s != o) {
      fail(ErrorCode::kInvalidArgument, "shapes ", a, " and ", b,
           " do not broadcast: ", a[a.rank() - (shorter.rank() - i)], " and ",
           b[b.rank() - (shorter.rank() - i)], " differ and neither is 1");
    }
  }
  return out;
}

void run_map(const Op& op, const Tensor* inputs, int arity, const Tensor& out, const void* attrs) {
  const Kernel& kernel = op.def.kernel;
  const int64_t n = out.num_elements();
  if (n == 0) return;
  const DType dtype = inputs[kernel.decides].dtype();
  Loop loop = kernel.loops[code(dtype)];
  if (loop == nullptr) fail(ErrorCode::kUnimplemented, "there is no kernel for dtype ", dtype);
  Operand in[kMostInputs];
  int step[kMostInputs];
  bool flat = true;
  for (int k = 0; k < arity; ++k) {
    in[k] = {static_cast<const char*>(inputs[k].raw()), size_of(inputs[k].dtype())};
    step[k] = inputs[k].num_elements() == n;
    flat &= step[k] || inputs[k].num_elements() == 1;
  }
  int trouble = 0;
  run_loop(kernel, loop, inputs, arity, in, step, flat, out, attrs, &trouble);
  if (AGOG_UNLIKELY(trouble)) fail(ErrorCode::kInvalidArgument, kernel.trouble);
}

}  // namespace agog
