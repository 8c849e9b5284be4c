// Softmax and its losses over rows.
#pragma once

#include "core/tensor.h"

namespace agog {

// Of the last dimension of x.
void softmax(const Tensor& x, const Tensor& out);
void log_softmax(const Tensor& x, const Tensor& out);

// Rows of logits and of probabilities; the slope is softmax(logits) - labels.
void cross_entropy(const Tensor& logits, const Tensor& labels, const Tensor& loss,
                   const Tensor& slope);
// Labels are classes, each in range.
void sparse_cross_entropy(const Tensor& logits, const Tensor& labels, const Tensor& loss,
                          const Tensor& slope);

}  // namespace agog
