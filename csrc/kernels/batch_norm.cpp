#include "kernels/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"

namespace agog {
namespace {

constexpr int64_t kRun = 64;  // rows added up in float
constexpr int64_t kBlockWork = 1 << 14;

// Sums of `count` numbers for each channel: add(row, sums of it) over all rows, in float over runs
// of rows, in double over the runs of a block and over the blocks, which the shape alone decides.
template <class F>
std::vector<double> column_sums(const BatchNorm& n, int count, F&& add) {
  const int64_t width = count * n.channels;
  const int64_t least = kBlockWork / std::max<int64_t>(1, n.channels);
  const int64_t block = std::max<int64_t>({kRun, least, (n.rows + 31) / 32});
  const int64_t blocks = (n.rows + block - 1) / block;
  std::vector<double> sums(static_cast<size_t>(std::max<int64_t>(1, blocks) * width), 0.0);
  std::vector<float> runs(static_cast<size_t>(blocks * width));
  parallel_for(n.rows, block, n.rows * width * 2, [&](int64_t begin, int64_t end) {
    double* sum = sums.data() + begin / block * width;
    float* run = runs.data() + begin / block * width;
    for (int64_t first = begin; first < end; first += kRun) {
      std::fill_n(run, width, 0.0f);
      for (int64_t r = first; r < std::min(end, first + kRun); ++r) add(r * n.channels, run);
      for (int64_t i = 0; i < width; ++i) sum[i] += run[i];
    }
  });
  for (int64_t b = 1; b < blocks; ++b) {
    for (int64_t i = 0; i < width; ++i) sums[i] += sums[static_cast<size_t>(b * width + i)];
  }
  return sums;
}

// f(start of the row) for all rows, in parallel.
template <class F>
void each_row(const BatchNorm& n, F&& f) {
  const int64_t block = std::max<int64_t>(1, kBlockWork / std::max<int64_t>(1, n.channels));
  parallel_for(n.rows, block, n.rows * n.channels * 4, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) f(r * n.channels);
  });
}

float inverse_deviation(const BatchNorm& n, float variance) {
  return 1.0f / std::sqrt(variance + n.epsilon);
}

}  // namespace

void batch_moments(const BatchNorm& n, const float* x, float* mean, float* variance) {
  const int64_t channels = n.channels;
  const auto rows = static_cast<double>(n.rows);
  const auto sums = column_sums(n, 1, [&](int64_t at, float* sum) {
    for (int64_t c = 0; c < channels; ++c) sum[c] += x[at + c];
  });
  for (int64_t c = 0; c < channels; ++c) mean[c] = static_cast<float>(sums[c] / rows);
  const auto squares = column_sums(n, 1, [&](int64_t at, float* sum) {
    for (int64_t c = 0; c < channels; ++c) {
      const float d = x[at + c] - mean[c];
      sum[c] += d * d;
    }
  });
  for (int64_t c = 0; c < channels; ++c) variance[c] = static_cast<float>(squares[c] / rows);
}

void batch_normalize(const BatchNorm& n, const float* x, const float* scale, const float* offset,
                     const float* mean, const float* variance, float* y) {
  std::vector<float> factor(static_cast<size_t>(n.channels));
  for (int64_t c = 0; c < n.channels; ++c) {
    factor[c] = inverse_deviation(n, variance[c]) * scale[c];
  }
  each_row(n, [&](int64_t at) {
    for (int64_t c = 0; c < n.channels; ++c) {
      y[at + c] = (x[at + c] - mean[c]) * factor[c] + offset[c];
    }
  });
}

void batch_norm_grad(const BatchNorm& n, bool training, const float* dy, const float* x,
                     const float* scale, const float* mean, const float* variance,
                     const BatchNormGrad& out) {
  const int64_t channels = n.channels;
  const auto sums = column_sums(n, 2, [&](int64_t at, float* sum) {
    float* product = sum + channels;
    for (int64_t c = 0; c < channels; ++c) {
      sum[c] += dy[at + c];
      product[c] += dy[at + c] * (x[at + c] - mean[c]);
    }
  });
  const auto size = static_cast<size_t>(channels);
  std::vector<float> factor(size), shift(size, 0.0f), slope(size, 0.0f);
  for (size_t c = 0; c < size; ++c) {
    const float inverse = inverse_deviation(n, variance[c]);
    factor[c] = scale[c] * inverse;
    out.offset[c] = static_cast<float>(sums[c]);
    out.scale[c] = static_cast<float>(sums[size + c] * inverse);
    if (!training) continue;
    // What of dy moves the mean, and what the variance.
    const auto rows = static_cast<double>(n.rows);
    shift[c] = static_cast<float>(sums[c] / rows);
    slope[c] = static_cast<float>(sums[size + c] / rows * inverse * inverse);
  }
  each_row(n, [&](int64_t at) {
    for (int64_t c = 0; c < channels; ++c) {
      const float centred = x[at + c] - mean[c];
      out.x[at + c] = (dy[at + c] - shift[c] - centred * slope[c]) * factor[c];
    }
  });
}

}  // namespace agog
