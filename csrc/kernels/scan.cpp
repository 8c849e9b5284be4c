#include "kernels/scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "kernels/reduce_lanes.h"

namespace agog {
namespace {

constexpr int64_t kColumns = 128;  // states at a time
constexpr int64_t kBlock = 1 << 14;

// An axis of length n between `outer` and `inner` others.
struct Layout {
  int64_t outer = 1, n = 1, inner = 1;
};
Layout layout_of(const Shape& s, int axis) {
  Layout l;
  for (int d = 0; d < axis; ++d) l.outer *= s[d];
  l.n = s[axis];
  for (int d = axis + 1; d < s.rank(); ++d) l.inner *= s[d];
  return l;
}

// One column, whose state stays in registers.
template <class State, class T, class Step>
void scan_one(int64_t base, int64_t n, const Scan& s, T* out, Step step) {
  State state;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = base + (s.reverse ? n - 1 - k : k);
    const State before = state;
    step(state, i);
    out[i] = (s.exclusive ? before : state).template value<T>();
  }
}

// Walks the axis of each column; step(state, i) takes element i in, and the state shows value<T>().
template <class State, class T, class Step>
void scan(const Layout& l, const Scan& s, T* out, int64_t cost, Step step) {
  if (l.outer * l.n * l.inner == 0) return;
  const int64_t tiles = (l.inner + kColumns - 1) / kColumns;
  const int64_t per_task = l.n * std::min(l.inner, kColumns);
  parallel_for(l.outer * tiles, std::max<int64_t>(1, kBlock / per_task),
               l.outer * l.n * l.inner * cost, [&](int64_t begin, int64_t end) {
                 for (int64_t t = begin; t < end; ++t) {
                   if (l.inner == 1) {
                     scan_one<State>(t * l.n, l.n, s, out, step);
                     continue;
                   }
                   State state[kColumns];
                   const int64_t column = t % tiles * kColumns;
                   const int64_t width = std::min(kColumns, l.inner - column);
                   const int64_t base = t / tiles * l.n * l.inner + column;
                   for (int64_t k = 0; k < l.n; ++k) {
                     const int64_t row = base + (s.reverse ? l.n - 1 - k : k) * l.inner;
                     for (int64_t j = 0; j < width; ++j) {
                       if (s.exclusive) out[row + j] = state[j].template value<T>();
                       step(state[j], row + j);
                       if (!s.exclusive) out[row + j] = state[j].template value<T>();
                     }
                   }
                 }
               });
}

template <class Acc>
struct Total {
  Acc sum{0};
  template <class T>
  T value() const {
    return narrowed<T>(sum);
  }
};
template <class Acc>
struct Factor {
  Acc product{1};
  template <class T>
  T value() const {
    return narrowed<T>(product);
  }
};

// The largest number so far, and the sum of exponentials relative to it.
struct LogSumExp {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;
  void add(double x) {
    if (x == -std::numeric_limits<double>::infinity()) return;
    if (x == largest) {
      sum += 1;
    } else if (x < largest) {
      sum += std::exp(x - largest);
    } else {  // larger, or one of them is NaN, which stays
      sum = sum * std::exp(largest - x) + 1;
      largest = x + (largest != largest ? largest : 0);
    }
  }
  template <class T>
  T value() const {
    return narrowed<T>(largest + std::log(sum));
  }
};

template <TypeSet S, class F>
void for_type(DType d, F f) {
  with_type(d, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(S, dtype_of<T>)) f(T{});
  });
}

}  // namespace

void cumsum(const Tensor& x, const Scan& s, const Tensor& out) {
  for_type<as_unsigned(kNumeric)>(unsigned_type(x.dtype()), [&](auto zero) {
    using T = decltype(zero);
    using Acc = WideType<T>;
    const T* from = x.data<T>();
    scan<Total<Acc>>(layout_of(x.shape(), s.axis), s, out.mutable_data<T>(), 2,
                     [from](Total<Acc>& t, int64_t i) {
                       t.sum = wrapping_add(t.sum, detail::to_lane<Acc>(from[i]));
                     });
  });
}

void cumprod(const Tensor& x, const Scan& s, const Tensor& out) {
  for_type<as_unsigned(kNumeric)>(unsigned_type(x.dtype()), [&](auto zero) {
    using T = decltype(zero);
    using Acc = WideType<T>;
    const T* from = x.data<T>();
    scan<Factor<Acc>>(layout_of(x.shape(), s.axis), s, out.mutable_data<T>(), 2,
                      [from](Factor<Acc>& t, int64_t i) {
                        t.product = wrapping_mul(t.product, detail::to_lane<Acc>(from[i]));
                      });
  });
}

void cumulative_logsumexp(const Tensor& x, const Scan& s, const Tensor& out) {
  for_type<kFloating>(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    scan<LogSumExp>(layout_of(x.shape(), s.axis), s, out.mutable_data<T>(), 32,
                    [from](LogSumExp& t, int64_t i) { t.add(detail::to_lane<double>(from[i])); });
  });
}

void linear_recurrence(const Tensor& a, const Tensor& b, const Scan& s, const Tensor& out) {
  for_type<kInexact>(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    using Acc = WideType<T>;
    const T *factor = a.data<T>(), *term = b.data<T>();
    scan<Total<Acc>>(layout_of(a.shape(), s.axis), s, out.mutable_data<T>(), 4,
                     [factor, term](Total<Acc>& t, int64_t i) {
                       t.sum =
                           t.sum * detail::to_lane<Acc>(factor[i]) + detail::to_lane<Acc>(term[i]);
                     });
  });
}

}  // namespace agog
