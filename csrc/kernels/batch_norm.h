// Normalisation of channels by their moments over all else: rows of `channels` floats.
#pragma once

#include "core/tensor.h"

namespace agog {

struct BatchNorm {
  int64_t rows = 0, channels = 0;
  float epsilon = 0;
};

// Mean and variance (divided by the number of rows) of each channel.
void batch_moments(const BatchNorm& n, const float* x, float* mean, float* variance);

// y = (x - mean) / sqrt(variance + epsilon) * scale + offset
void batch_normalize(const BatchNorm& n, const float* x, const float* scale, const float* offset,
                     const float* mean, const float* variance, float* y);

struct BatchNormGrad {
  float *x, *scale, *offset;
};
// With `training` the mean and the variance are those of x, and move with it.
void batch_norm_grad(const BatchNorm& n, bool training, const float* dy, const float* x,
                     const float* scale, const float* mean, const float* variance,
                     const BatchNormGrad& out);

}  // namespace agog
