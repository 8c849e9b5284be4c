// The row: everything agog knows about one op. Plain data, written once, in csrc/ops/<family>.cpp.
#pragma once

#include <functional>
#include <vector>

#include "core/dtype.h"
#include "core/tensor.h"
#include "op/attrs.h"

namespace agog {

class ShapeCtx;
class KernelCtx;
class GradCtx;

// Flags of an input.
inline constexpr unsigned kHost = 1;  // small; shape rules may read its value

struct InputDef {
  const char* name;
  const char* type;  // a type variable of the row, or a dtype's name
  unsigned flags = 0;
  const char* count = nullptr;  // a list of tensors: the name that TensorFlow gives to its length
};

struct OutputDef {
  const char* name;
  const char* type;             // a type variable, a dtype's name, or an attr that holds a dtype
  const char* count = nullptr;  // a list of tensors; the shape rule says how many
};

struct TypeVar {
  const char* name;
  TypeSet allowed;
  DType preferred = DType::kInvalid;  // what Python values become when no tensor decides
};

// What the tape may keep for the gradient.
struct Save {
  enum Kind { kInput, kOutput, kInputShape, kOutputShape } kind;
  int index;
};
constexpr Save in(int i) { return {Save::kInput, i}; }
constexpr Save out(int i) { return {Save::kOutput, i}; }
constexpr Save shape_of_in(int i) { return {Save::kInputShape, i}; }
constexpr Save shape_of_out(int i) { return {Save::kOutputShape, i}; }

// The inner loop of an elementwise op over n elements. `step[k]` is 1 when input k advances and 0
// when it is one value.
struct LoopArgs {
  const void* in[4];
  int step[4];
  void* out;
  int64_t n;
  const void* attrs;
  int* trouble;  // set to nonzero when the data forbid an answer, which the kernel's text explains
};
using Loop = void (*)(const LoopArgs&);

using KernelFn = std::function<void(KernelCtx&)>;

struct Kernel {
  enum Kind {
    kNone,
    kMap,      // elementwise: loops by dtype of the first type variable; may be fused
    kGeneral,  // fills outputs of known shape
    kDynamic,  // makes its outputs itself: shapes depend on the data
    kAlias,    // the output is input 0 in another shape
  } kind = kNone;
  int arity = 0;
  int decides = 0;  // the input whose dtype picks the loop
  Loop loops[kNumDTypes] = {};
  int cost = 1;  // of one element, in simple element operations
  const char* trouble = nullptr;
  KernelFn fn;
};

using ShapeFn = std::function<Shape(ShapeCtx&)>;
using GradFn = std::function<void(GradCtx&)>;

struct OpDef {
  const char* name;
  std::vector<InputDef> inputs = {};
  std::vector<OutputDef> outputs = {};
  std::vector<TypeVar> types = {};
  AttrsDef attrs = {};
  bool broadcasts = false;  // inputs broadcast; the tape sums gradients back to the inputs' shapes
  bool stateful = false;    // never folded, merged or dropped
  ShapeFn shape = {};
  Kernel kernel = {};
  std::vector<Save> saves = {};
  GradFn grad = {};
  bool differentiable = true;  // set by the registry: false for kNoGradient
};

// Rows without a gradient say `.grad = no_gradient()`: the registry refuses silence.
struct NoGradient {
  void operator()(GradCtx&) const {}
};
inline GradFn no_gradient() { return NoGradient{}; }

}  // namespace agog
