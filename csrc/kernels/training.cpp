#include "kernels/training.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "kernels/map.h"
#include "runtime/dispatch.h"

namespace agog {
namespace {

constexpr int64_t kBlock = 1 << 13;
constexpr int kAdamCost = 8;

// Numbers of a half type are floats while they are worked with.
template <class T>
using Work = std::conditional_t<kHalfType<T>, float, T>;

template <class T>
Work<T> scalar_of(const Tensor& t) {
  return static_cast<Work<T>>(*t.data<T>());
}

// Complex products without the library's checks for infinities.
template <class T>
T times(T a, T b) {
  return a * b;
}
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// f(type) for the dtype of a step, without the interpreter's lock where the work is worth it.
template <class F>
void for_step_type(const Tensor& var, int cost, F f) {
  const UnlockScope unlocked(var.num_elements() * cost);
  with_type(var.dtype(), [&](auto type) {
    if constexpr (contains(kStepTypes, dtype_of<typename decltype(type)::type>)) f(type);
  });
}

template <class F>
void in_blocks(int64_t n, int cost, F body) {
  parallel_for(n, kBlock, n * cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

template <class T, bool nesterov>
void momentum_typed(const MomentumStep& s) {
  using W = Work<T>;
  T* __restrict__ var = s.var.mutable_data<T>();
  T* __restrict__ accum = s.accum.mutable_data<T>();
  const T* __restrict__ grad = s.grad.data<T>();
  const W lr = scalar_of<T>(s.lr), momentum = scalar_of<T>(s.momentum);
  in_blocks(s.var.num_elements(), 4, [=](int64_t i) {
    const W g = static_cast<W>(grad[i]);
    const W a = times(static_cast<W>(accum[i]), momentum) + g;
    const W step = nesterov ? times(lr, g + times(a, momentum)) : times(lr, a);
    accum[i] = T(a);
    var[i] = T(static_cast<W>(var[i]) - step);
  });
}

template <class T, bool nesterov>
void adam_range(const AdamStep& s, int64_t begin, int64_t end) {
  using W = Work<T>;
  const W one(1);
  const W beta1 = scalar_of<T>(s.beta1), epsilon = scalar_of<T>(s.epsilon);
  const W rate = scalar_of<T>(s.lr) * std::sqrt(one - scalar_of<T>(s.beta2_power)) /
                 (one - scalar_of<T>(s.beta1_power));
  const W rest1 = one - beta1, rest2 = one - scalar_of<T>(s.beta2);
  T* __restrict__ var = s.var.mutable_data<T>();
  T* __restrict__ first = s.m.mutable_data<T>();
  T* __restrict__ second = s.v.mutable_data<T>();
  const T* __restrict__ grad = s.grad.data<T>();
  for (int64_t i = begin; i < end; ++i) {
    const W g = static_cast<W>(grad[i]);
    W m = static_cast<W>(first[i]), v = static_cast<W>(second[i]);
    m += times(g - m, rest1);
    v += times(times(g, g) - v, rest2);
    const W ahead = nesterov ? times(g, rest1) + times(beta1, m) : m;
    first[i] = T(m);
    second[i] = T(v);
    var[i] = T(static_cast<W>(var[i]) - times(ahead, rate) / (std::sqrt(v) + epsilon));
  }
}

}  // namespace

void gradient_descent_step(const Tensor& to, const Tensor& alpha, const Tensor& delta) {
  for_step_type(to, 2, [&](auto type) {
    using T = typename decltype(type)::type;
    using W = Work<T>;
    T* __restrict__ var = to.mutable_data<T>();
    const T* __restrict__ grad = delta.data<T>();
    const W rate = scalar_of<T>(alpha);
    in_blocks(to.num_elements(), 2, [=](int64_t i) {
      var[i] = T(static_cast<W>(var[i]) - times(rate, static_cast<W>(grad[i])));
    });
  });
}

void momentum_step(const MomentumStep& s) {
  for_step_type(s.var, 4, [&](auto type) {
    using T = typename decltype(type)::type;
    s.nesterov ? momentum_typed<T, true>(s) : momentum_typed<T, false>(s);
  });
}

void adam_step(const AdamStep& s) { adam_steps({s}); }

void adam_steps(const std::vector<AdamStep>& steps) {
  if (steps.empty()) return;
  struct Part {
    const AdamStep* step;
    int64_t begin, end;
  };
  std::vector<Part> parts;
  int64_t total = 0;
  for (const AdamStep& s : steps) {
    const int64_t n = s.var.num_elements();
    total += n;
    for (int64_t i = 0; i < n; i += kBlock) parts.push_back({&s, i, std::min(n, i + kBlock)});
  }
  const UnlockScope unlocked(total * kAdamCost);
  with_type(steps[0].var.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(kStepTypes, dtype_of<T>)) {
      const auto count = static_cast<int64_t>(parts.size());
      const int64_t together = std::max<int64_t>(1, kBlock * count / std::max<int64_t>(1, total));
      parallel_for(count, together, total * kAdamCost, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Part& p = parts[static_cast<size_t>(i)];
          p.step->nesterov ? adam_range<T, true>(*p.step, p.begin, p.end)
                           : adam_range<T, false>(*p.step, p.begin, p.end);
        }
      });
    }
  });
}

}  // namespace agog
