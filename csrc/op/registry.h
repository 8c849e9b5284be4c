// The registry: rows, checked and resolved once at load time so that a call indexes and never looks
// up.
#pragma once

#include <string_view>
#include <vector>

#include "op/op_def.h"

namespace agog {

// Where an argument's dtype comes from.
struct TypeSource {
  enum { kLiteral, kVar, kAttr, kAnything } how = kAnything;
  int var = -1;
  DType literal = DType::kInvalid;
  size_t attr_offset = 0;
};

struct Op {
  OpDef def;
  std::vector<TypeSource> in_types, out_types;
  int num_args = 0;   // inputs of the row; a list counts once
  int num_lists = 0;  // how many of them are lists, all of one length
  int num_outputs = 0;
  bool list_output = false;
  bool reads_variable = false;  // input 0 is a variable
  // Elementwise, every input of type variable 0, one output: dispatch needs no more than the loop.
  bool simple_map = false;
  DType map_out = DType::kInvalid;  // kInvalid: the same as the inputs

  // The row input that flat input i of n belongs to.
  int arg_of(int i, int n) const {
    if (num_lists == 0) return i;
    const int length = (n - (num_args - num_lists)) / num_lists;
    for (int arg = 0; arg < num_args; ++arg) {
      const int span = def.inputs[arg].count ? length : 1;
      if (i < span) return arg;
      i -= span;
    }
    return num_args - 1;
  }
};

// The rows of a library. They take the place of rows that an earlier library brought, which must be
// before anybody has looked one up.
AGOG_API void register_ops(std::vector<OpDef> rows);
AGOG_API const Op* lookup_op(std::string_view name);
// Throws kNotFound.
AGOG_API const Op& find_op(std::string_view name);
AGOG_API std::vector<const Op*> all_ops();

}  // namespace agog
