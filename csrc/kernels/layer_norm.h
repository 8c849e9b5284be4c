// Normalisation of each row by its own mean and variance.
#pragma once

#include "core/tensor.h"

namespace agog {

// Rows of float32 or float64, `columns` long.
struct LayerNorm {
  int64_t rows = 0, columns = 0;
  double epsilon = 0;
};

// y = (x - mean) / sqrt(variance + epsilon) * scale + offset
void layer_norm(const LayerNorm& n, const Tensor& x, const Tensor& scale, const Tensor& offset,
                const Tensor& y);

// The gradients; the moments are computed from x anew, which costs less than to keep them.
void layer_norm_grad(const LayerNorm& n, const Tensor& dy, const Tensor& x, const Tensor& scale,
                     const Tensor& dx, const Tensor& dscale, const Tensor& doffset);

}  // namespace agog
