#include "kernels/layer_norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "kernels/map.h"

namespace agog {
namespace {

constexpr int64_t kBlockWork = 1 << 14;
constexpr int64_t kRun = 1024;    // numbers of a row that are added up in their own type
constexpr int64_t kRowsRun = 64;  // rows that are
constexpr int kMostBlocks = 32;

// Sums over a row of what f gives: f(i, load) -> Count registers, with load(p) the numbers of p
// at i. Four registers of each hide the latency of an addition.
template <class T, int Count, class F>
std::array<double, Count> row_sums(int64_t n, F f) {
  constexpr int64_t W = Vec<T>::width;
  std::array<double, Count> total{};
  const auto whole = [](const T* p) { return Vec<T>::load(p); };
  for (int64_t begin = 0; begin < n; begin += kRun) {
    const int64_t end = std::min(n, begin + kRun);
    Vec<T> sum[4][Count];
    for (auto& s : sum) std::fill(s, s + Count, Vec<T>(T(0)));
    int64_t i = begin;
    for (; i + 4 * W <= end; i += 4 * W) {
      for (int r = 0; r < 4; ++r) {
        const auto v = f(i + r * W, whole);
        for (int k = 0; k < Count; ++k) sum[r][k] = sum[r][k] + v[k];
      }
    }
    for (; i < end; i += W) {
      const int64_t left = std::min(W, end - i);
      const auto v =
          f(i, [left](const T* p) { return left < W ? load_some(p, left) : Vec<T>::load(p); });
      for (int k = 0; k < Count; ++k) {
        alignas(64) T lanes[W];
        v[k].store(lanes);
        for (int64_t j = 0; j < left; ++j) total[k] += static_cast<double>(lanes[j]);
      }
    }
    for (int k = 0; k < Count; ++k) {
      alignas(64) T lanes[W];
      ((sum[0][k] + sum[1][k]) + (sum[2][k] + sum[3][k])).store(lanes);
      for (T v : lanes) total[k] += static_cast<double>(v);
    }
  }
  return total;
}

template <class T>
struct Moments {
  T mean, inverse;  // of the deviation
};

template <class T>
Moments<T> moments_of(const LayerNorm& n, const T* x) {
  using V = Vec<T>;
  const auto count = static_cast<double>(n.columns);
  const auto sum = row_sums<T, 1>(
      n.columns, [=](int64_t i, auto load) { return std::array<V, 1>{load(x + i)}; });
  const T mean = static_cast<T>(sum[0] / count);
  const auto squares = row_sums<T, 1>(n.columns, [=](int64_t i, auto load) {
    const V d = load(x + i) - V(mean);
    return std::array<V, 1>{d * d};
  });
  return {mean, static_cast<T>(1 / std::sqrt(squares[0] / count + n.epsilon))};
}

int64_t rows_in_block(const LayerNorm& n) {
  const int64_t least = kBlockWork / std::max<int64_t>(1, n.columns);
  return std::max<int64_t>({1, least, (n.rows + kMostBlocks - 1) / kMostBlocks});
}

template <class T>
void forward(const LayerNorm& n, const T* x, const T* scale, const T* offset, T* y) {
  parallel_for(n.rows, rows_in_block(n), n.rows * n.columns * 6, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* __restrict__ from = x + r * n.columns;
      T* __restrict__ to = y + r * n.columns;
      const Moments<T> m = moments_of(n, from);
      for (int64_t i = 0; i < n.columns; ++i) {
        to[i] = (from[i] - m.mean) * m.inverse * scale[i] + offset[i];
      }
    }
  });
}

// dx of a row, and what it adds to the sums for scale and offset. With a = dy * scale and n the
// normalised x, dx = (a - mean(a) - n mean(a n)) / deviation.
template <class T>
void row_grad(const LayerNorm& n, const T* __restrict__ dy, const T* __restrict__ x,
              const T* __restrict__ scale, T* __restrict__ dx, T* __restrict__ scale_sum,
              T* __restrict__ offset_sum) {
  using V = Vec<T>;
  const Moments<T> m = moments_of(n, x);
  const auto sums = row_sums<T, 2>(n.columns, [=](int64_t i, auto load) {
    const V a = load(dy + i) * load(scale + i);
    return std::array<V, 2>{a, a * ((load(x + i) - V(m.mean)) * V(m.inverse))};
  });
  const auto count = static_cast<double>(n.columns);
  const T shift = static_cast<T>(sums[0] / count), slope = static_cast<T>(sums[1] / count);
  for (int64_t i = 0; i < n.columns; ++i) {
    const T normal = (x[i] - m.mean) * m.inverse, d = dy[i];
    scale_sum[i] += d * normal;
    offset_sum[i] += d;
    dx[i] = (d * scale[i] - shift - normal * slope) * m.inverse;
  }
}

// The sums go by runs of rows in their own type, then by blocks, which the shape alone decides, in
// double.
template <class T>
void backward(const LayerNorm& n, const T* dy, const T* x, const T* scale, T* dx, T* dscale,
              T* doffset) {
  const int64_t width = n.columns, block = rows_in_block(n);
  const int64_t blocks = std::max<int64_t>(1, (n.rows + block - 1) / block);
  std::vector<double> sums(static_cast<size_t>(blocks * 2 * width), 0.0);
  parallel_for(n.rows, block, n.rows * width * 12, [&](int64_t begin, int64_t end) {
    double* sum = sums.data() + begin / block * 2 * width;
    std::vector<T> run(static_cast<size_t>(2 * width));
    for (int64_t first = begin; first < end; first += kRowsRun) {
      std::fill(run.begin(), run.end(), T(0));
      for (int64_t r = first; r < std::min(end, first + kRowsRun); ++r) {
        const int64_t at = r * width;
        row_grad(n, dy + at, x + at, scale, dx + at, run.data(), run.data() + width);
      }
      for (int64_t i = 0; i < 2 * width; ++i)
        sum[i] += static_cast<double>(run[static_cast<size_t>(i)]);
    }
  });
  for (int64_t b = 1; b < blocks; ++b) {
    for (int64_t i = 0; i < 2 * width; ++i) {
      sums[static_cast<size_t>(i)] += sums[static_cast<size_t>(b * 2 * width + i)];
    }
  }
  for (int64_t i = 0; i < width; ++i) {
    dscale[i] = static_cast<T>(sums[static_cast<size_t>(i)]);
    doffset[i] = static_cast<T>(sums[static_cast<size_t>(width + i)]);
  }
}

template <class F>
void with_float_type(const Tensor& t, F f) {
  t.dtype() == DType::kFloat ? f(Type<float>{}) : f(Type<double>{});
}

}  // namespace

void layer_norm(const LayerNorm& n, const Tensor& x, const Tensor& scale, const Tensor& offset,
                const Tensor& y) {
  with_float_type(x, [&](auto type) {
    using T = typename decltype(type)::type;
    forward(n, x.data<T>(), scale.data<T>(), offset.data<T>(), y.mutable_data<T>());
  });
}

void layer_norm_grad(const LayerNorm& n, const Tensor& dy, const Tensor& x, const Tensor& scale,
                     const Tensor& dx, const Tensor& dscale, const Tensor& doffset) {
  with_float_type(x, [&](auto type) {
    using T = typename decltype(type)::type;
    backward(n, dy.data<T>(), x.data<T>(), scale.data<T>(), dx.mutable_data<T>(),
             dscale.mutable_data<T>(), doffset.mutable_data<T>());
  });
}

}  // namespace agog
