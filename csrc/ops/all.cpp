#include "ops/all.h"

#include "op/registry.h"

// The one symbol that an op library shows: registers every row.
extern "C" AGOG_API void agog_register_ops() {
  for (agog::Family family : {
           agog::math_unary_ops,
           agog::math_binary_ops,
           agog::division_ops,
           agog::rounding_ops,
           agog::trig_ops,
           agog::comparison_ops,
           agog::bitwise_ops,
           agog::complex_ops,
           agog::reduction_ops,
           agog::array_ops,
           agog::cast_ops,
           agog::join_ops,
           agog::shape_changing_ops,
           agog::slice_ops,
           agog::gather_ops,
           agog::scatter_ops,
           agog::segment_ops,
           agog::search_ops,
           agog::sequence_ops,
           agog::diag_ops,
           agog::pad_ops,
           agog::state_ops,
           agog::matmul_ops,
           agog::scan_ops,
           agog::nn_ops,
           agog::training_ops,
           agog::activation_ops,
           agog::special_ops,
           agog::random_ops,
           agog::distribution_ops,
           agog::space_ops,
           agog::conv_ops,
           agog::pool_ops,
           agog::norm_ops,
       }) {
    for (agog::OpDef& row : family()) agog::register_op(std::move(row));
  }
}
