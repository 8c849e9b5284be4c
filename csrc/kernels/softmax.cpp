#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "kernels/map.h"
#include "kernels/vmath.h"

namespace agog {
namespace {

constexpr int64_t kBlock = 1 << 12;
constexpr int kCost = 16;       // of one number, in simple operations
constexpr int64_t kRun = 1024;  // numbers whose sum may be taken in their own type

// f(v) for each register of a row: loads, calls, stores; the tail runs on padded lanes.
template <class T, class F>
void map_row(const T* x, T* y, int64_t n, F f) {
  constexpr int64_t W = Vec<T>::width;
  int64_t i = 0;
  for (; i + W <= n; i += W) f(Vec<T>::load(x + i)).store(y + i);
  if (i < n) store_some(f(load_some(x + i, n - i)), y + i, n - i);
}

template <class T>
T largest_of(const T* x, int64_t n) {
  constexpr int64_t W = Vec<T>::width;
  Vec<T> most(x[0]);
  int64_t i = 0;
  for (; i + W <= n; i += W) most = vmath::max(most, Vec<T>::load(x + i));
  if (i < n) most = vmath::max(most, load_some(x + i, n - i));
  alignas(64) T lanes[W];
  most.store(lanes);
  T result = lanes[0];
  for (T v : lanes) result = result > v || result != result ? result : v;
  return result;
}

template <class T>
double sum_of(const T* x, int64_t n) {
  constexpr int64_t W = Vec<T>::width;
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = std::min(n, begin + kRun);
    Vec<T> lanes[2] = {Vec<T>(T(0)), Vec<T>(T(0))};
    int64_t i = begin;
    for (; i + 2 * W <= end; i += 2 * W) {
      lanes[0] = lanes[0] + Vec<T>::load(x + i);
      lanes[1] = lanes[1] + Vec<T>::load(x + i + W);
    }
    alignas(64) T each[W];
    (lanes[0] + lanes[1]).store(each);
    for (T v : each) total += static_cast<double>(v);
    for (; i < end; ++i) total += static_cast<double>(x[i]);
  }
  return total;
}

// exp(x - m), with what the subtraction rounds away: exp magnifies it as many times as x is below
// m.
template <class T>
Vec<T> exp_of_difference(Vec<T> x, Vec<T> m) {
  const Vec<T> d = x - m, part = d - x;
  const Vec<T> lost = (x - (d - part)) - (m + part);
  const Vec<T> e = vmath::exp(d);
  // Far below, e is 0 and what was lost may be NaN.
  return vmath::select(d > Vec<T>(T(-1000)), e + e * lost, e);
}

// e[i] = exp(x[i] - largest); their sum comes back.
template <class T>
T exponentials(const T* x, T* e, int64_t n, T largest) {
  map_row(x, e, n, [&](Vec<T> v) { return exp_of_difference(v, Vec<T>(largest)); });
  return static_cast<T>(sum_of(e, n));
}

template <class T>
void softmax_row(const T* x, T* y, int64_t n) {
  const Vec<T> sum(exponentials(x, y, n, largest_of(x, n)));
  map_row(y, y, n, [&](Vec<T> e) { return e / sum; });
}

template <class T>
void log_softmax_row(const T* x, T* y, int64_t n) {
  const T largest = largest_of(x, n);
  const Vec<T> log_sum(std::log(exponentials(x, y, n, largest)));
  map_row(x, y, n, [&](Vec<T> v) { return (v - Vec<T>(largest)) - log_sum; });
}

template <class T, class F>
void for_rows(int64_t rows, int64_t n, F f) {
  const int64_t block = std::max<int64_t>(1, kBlock / std::max<int64_t>(1, n));
  parallel_for(rows, block, rows * n * kCost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

// Half types are worked with as floats.
Tensor as_float(const Tensor& t) {
  Tensor wide = Tensor::empty(DType::kFloat, t.shape());
  with_type(t.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (kHalfType<T>) {
      const T* x = t.data<T>();
      float* y = wide.mutable_data<float>();
      for (int64_t i = 0; i < t.num_elements(); ++i) y[i] = static_cast<float>(x[i]);
    }
  });
  return wide;
}
void round_to(const Tensor& wide, const Tensor& out) {
  with_type(out.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (kHalfType<T>) {
      const float* x = wide.data<float>();
      T* y = out.mutable_data<T>();
      for (int64_t i = 0; i < out.num_elements(); ++i) y[i] = T(x[i]);
    }
  });
}
bool is_half(const Tensor& t) { return contains(kHalfTypes, t.dtype()); }

template <class F>
void with_float_type(DType d, F f) {
  d == DType::kFloat ? f(Type<float>{}) : f(Type<double>{});
}

void run_rows(const Tensor& x, const Tensor& out, bool log) {
  if (x.num_elements() == 0) return;
  if (is_half(x)) {
    const Tensor wide = Tensor::empty(DType::kFloat, x.shape());
    run_rows(as_float(x), wide, log);
    return round_to(wide, out);
  }
  const int64_t n = x.dim(x.rank() - 1);
  with_float_type(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    for_rows<T>(x.num_elements() / n, n, [&](int64_t i) {
      log ? log_softmax_row(from + i * n, to + i * n, n) : softmax_row(from + i * n, to + i * n, n);
    });
  });
}

// The loss of a row whose exponentials, relative to `largest`, add up to exp(log_sum).
template <class T>
T loss_of_row(const T* x, const T* labels, int64_t n, T largest, T log_sum) {
  double loss = 0;
  for (int64_t j = 0; j < n; ++j) {
    // A class that cannot be, of a logit of -infinity, costs nothing.
    if (labels[j] == T(0)) continue;
    loss += static_cast<double>(labels[j] * (log_sum - (x[j] - largest)));
  }
  return static_cast<T>(loss);
}

}  // namespace

void softmax(const Tensor& x, const Tensor& out) { run_rows(x, out, false); }
void log_softmax(const Tensor& x, const Tensor& out) { run_rows(x, out, true); }

void cross_entropy(const Tensor& logits, const Tensor& labels, const Tensor& loss,
                   const Tensor& slope) {
  if (is_half(logits)) {
    const Tensor wide_loss = Tensor::empty(DType::kFloat, loss.shape());
    const Tensor wide_slope = Tensor::empty(DType::kFloat, slope.shape());
    cross_entropy(as_float(logits), as_float(labels), wide_loss, wide_slope);
    round_to(wide_loss, loss);
    return round_to(wide_slope, slope);
  }
  const int64_t rows = logits.dim(0), n = logits.dim(1);
  with_float_type(logits.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    for_rows<T>(rows, n, [&](int64_t i) {
      const T *x = logits.data<T>() + i * n, *p = labels.data<T>() + i * n;
      T* y = slope.mutable_data<T>() + i * n;
      T& to = loss.mutable_data<T>()[i];
      to = T(0);
      if (n == 0) return;
      const T largest = largest_of(x, n);
      const T sum = exponentials(x, y, n, largest);
      to = loss_of_row(x, p, n, largest, std::log(sum));
      for (int64_t j = 0; j < n; ++j) y[j] = y[j] / sum - p[j];
    });
  });
}

void sparse_cross_entropy(const Tensor& logits, const Tensor& labels, const Tensor& loss,
                          const Tensor& slope) {
  if (is_half(logits)) {
    const Tensor wide_loss = Tensor::empty(DType::kFloat, loss.shape());
    const Tensor wide_slope = Tensor::empty(DType::kFloat, slope.shape());
    sparse_cross_entropy(as_float(logits), labels, wide_loss, wide_slope);
    round_to(wide_loss, loss);
    return round_to(wide_slope, slope);
  }
  const int64_t rows = logits.dim(0), n = logits.dim(1);
  with_float_type(logits.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    for_rows<T>(rows, n, [&](int64_t i) {
      const T* x = logits.data<T>() + i * n;
      T* y = slope.mutable_data<T>() + i * n;
      const T largest = largest_of(x, n);
      const T sum = exponentials(x, y, n, largest);
      const int64_t label = index_value(labels, i);
      loss.mutable_data<T>()[i] = std::log(sum) - (x[label] - largest);
      map_row(y, y, n, [&](Vec<T> e) { return e / Vec<T>(sum); });
      y[label] -= T(1);
    });
  });
}

}  // namespace agog
