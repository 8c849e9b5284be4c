// The k largest numbers of each row in descending order; of equals the first; NaN counts as
// largest.
#pragma once

#include "core/tensor.h"

namespace agog {

void top_k(const Tensor& x, int64_t k, const Tensor& values, const Tensor& indices);

// Whether fewer than k predictions of a row are larger than that of its target; rows with a
// prediction that is not finite, and targets out of range, are not.
void in_top_k(const Tensor& predictions, const Tensor& targets, int64_t k, const Tensor& out);

}  // namespace agog
