// Pooling, channels last. The largest of a window is the first of equals; NaN never is. Half types
// compute in float.
#pragma once

#include "core/tensor.h"

namespace agog {

// Space is depth, height, width; images of fewer dimensions have sizes of 1 in front.
struct Pool {
  int64_t batch = 0, channels = 0;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, size[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, before[3] = {0, 0, 0};

  int64_t in_space() const { return in[0] * in[1] * in[2]; }
  int64_t out_space() const { return out[0] * out[1] * out[2]; }
  int64_t work() const { return batch * out_space() * channels * size[0] * size[1] * size[2]; }
};

void max_pool(const Pool& p, const Tensor& x, const Tensor& y);
// dy goes to the largest of each window of x.
void max_pool_grad(const Pool& p, const Tensor& x, const Tensor& dy, const Tensor& dx);
// The opposite: from dx's place of each window's largest.
void max_pool_grad_grad(const Pool& p, const Tensor& x, const Tensor& dx, const Tensor& dy);
// Means of windows; padding does not count.
void avg_pool(const Pool& p, const Tensor& x, const Tensor& y);
void avg_pool_grad(const Pool& p, const Tensor& dy, const Tensor& dx);

}  // namespace agog
