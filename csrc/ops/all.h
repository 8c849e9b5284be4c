// The families of ops.
#pragma once

#include <iterator>
#include <vector>

#include "op/op_def.h"

namespace agog {

using Family = std::vector<OpDef> (*)();

// The rows of a family that is written in several parts.
inline std::vector<OpDef> join_rows(std::vector<std::vector<OpDef>> parts) {
  std::vector<OpDef> all;
  for (auto& part : parts) {
    all.insert(all.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
  }
  return all;
}

std::vector<OpDef> math_unary_ops();
std::vector<OpDef> math_binary_ops();
std::vector<OpDef> division_ops();
std::vector<OpDef> rounding_ops();
std::vector<OpDef> trig_ops();
std::vector<OpDef> comparison_ops();
std::vector<OpDef> bitwise_ops();
std::vector<OpDef> complex_ops();
std::vector<OpDef> reduction_ops();
std::vector<OpDef> array_ops();
std::vector<OpDef> cast_ops();
std::vector<OpDef> join_ops();
std::vector<OpDef> shape_changing_ops();
std::vector<OpDef> slice_ops();
std::vector<OpDef> gather_ops();
std::vector<OpDef> scatter_ops();
std::vector<OpDef> segment_ops();
std::vector<OpDef> search_ops();
std::vector<OpDef> sequence_ops();
std::vector<OpDef> diag_ops();
std::vector<OpDef> pad_ops();
std::vector<OpDef> state_ops();
std::vector<OpDef> matmul_ops();
std::vector<OpDef> scan_ops();
std::vector<OpDef> nn_ops();
std::vector<OpDef> training_ops();
std::vector<OpDef> activation_ops();
std::vector<OpDef> special_ops();
std::vector<OpDef> random_ops();
std::vector<OpDef> distribution_ops();
std::vector<OpDef> space_ops();
std::vector<OpDef> conv_ops();
std::vector<OpDef> pool_ops();
std::vector<OpDef> norm_ops();

}  // namespace agog
