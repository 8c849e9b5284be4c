// Scans along an axis: running results, in order or in reverse, with or without the element itself.
#pragma once

#include "core/tensor.h"

namespace agog {

struct Scan {
  int axis;
  bool exclusive, reverse;
};

void cumsum(const Tensor& x, const Scan& s, const Tensor& out);
void cumprod(const Tensor& x, const Scan& s, const Tensor& out);
void cumulative_logsumexp(const Tensor& x, const Scan& s, const Tensor& out);
// y[i] = a[i] * y[i - 1] + b[i].
void linear_recurrence(const Tensor& a, const Tensor& b, const Scan& s, const Tensor& out);

}  // namespace agog
