// Convolutions whose groups have one input channel: nothing to multiply as matrices.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "kernels/conv.h"

namespace agog::detail {
namespace {

// Where dimension d of the input is read for output `at` and window place k; -1 outside.
int64_t input_at(const Conv& c, int d, int64_t at, int64_t k) {
  const int64_t i = at * c.stride[d] + k * c.dilation[d] - c.before[d];
  return i >= 0 && i < c.in[d] ? i : -1;
}

// Which output reads input `at` at window place k; -1 if none.
int64_t output_at(const Conv& c, int d, int64_t at, int64_t k) {
  const int64_t i = at + c.before[d] - k * c.dilation[d];
  if (i < 0 || i % c.stride[d] != 0 || i / c.stride[d] >= c.out[d]) return -1;
  return i / c.stride[d];
}

struct Place {
  int64_t at[3];
};

// Place `number` of a space, in row-major order.
Place place_of(const int64_t* size, int64_t number) {
  return {{number / size[2] / size[1], number / size[2] % size[1], number % size[2]}};
}

int64_t number_of(const int64_t* size, const int64_t* at) {
  return (at[0] * size[1] + at[1]) * size[2] + at[2];
}

// f(input place, window place) for all that output `number` reads.
template <class F>
void for_each_read(const Conv& c, int64_t number, F&& f) {
  const Place out = place_of(c.out, number);
  int64_t in[3];
  for (int64_t k = 0; k < c.window(); ++k) {
    const Place window = place_of(c.kernel, k);
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      in[d] = input_at(c, d, out.at[d], window.at[d]);
      inside &= in[d] >= 0;
    }
    if (inside) f(number_of(c.in, in), k);
  }
}

// f(output place, window place) for all that read input `number`.
template <class F>
void for_each_reader(const Conv& c, int64_t number, F&& f) {
  const Place in = place_of(c.in, number);
  int64_t out[3];
  for (int64_t k = 0; k < c.window(); ++k) {
    const Place window = place_of(c.kernel, k);
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      out[d] = output_at(c, d, in.at[d], window.at[d]);
      inside &= out[d] >= 0;
    }
    if (inside) f(number_of(c.out, out), k);
  }
}

constexpr int64_t kBlock = 64;  // pixels that a thread takes at once

}  // namespace

template <class T>
void Depthwise<T>::forward(const Conv& c, const T* x, const T* w, T* y) {
  const int64_t channels = c.in_channels, outputs = c.out_channels, times = outputs / channels;
  parallel_for(c.batch * c.out_space(), kBlock, c.multiplications(), [&](int64_t b, int64_t e) {
    for (int64_t p = b; p < e; ++p) {
      T* to = y + p * outputs;
      std::fill_n(to, outputs, T(0));
      const T* image = x + p / c.out_space() * c.in_space() * channels;
      for_each_read(c, p % c.out_space(), [&](int64_t i, int64_t k) {
        const T *from = image + i * channels, *weight = w + k * outputs;
        if (times == 1) {
          for (int64_t o = 0; o < outputs; ++o) to[o] += from[o] * weight[o];
        } else {
          for (int64_t o = 0; o < outputs; ++o) to[o] += from[o / times] * weight[o];
        }
      });
    }
  });
}

template <class T>
void Depthwise<T>::input_grad(const Conv& c, const T* w, const T* dy, T* dx) {
  const int64_t channels = c.in_channels, outputs = c.out_channels, times = outputs / channels;
  parallel_for(c.batch * c.in_space(), kBlock, c.multiplications(), [&](int64_t b, int64_t e) {
    for (int64_t p = b; p < e; ++p) {
      T* to = dx + p * channels;
      std::fill_n(to, channels, T(0));
      const T* image = dy + p / c.in_space() * c.out_space() * outputs;
      for_each_reader(c, p % c.in_space(), [&](int64_t i, int64_t k) {
        const T *from = image + i * outputs, *weight = w + k * outputs;
        if (times == 1) {
          for (int64_t o = 0; o < outputs; ++o) to[o] += from[o] * weight[o];
        } else {
          for (int64_t o = 0; o < outputs; ++o) to[o / times] += from[o] * weight[o];
        }
      });
    }
  });
}

// Sums over blocks of pixels first, and then over the blocks.
template <class T>
void Depthwise<T>::filter_grad(const Conv& c, const T* x, const T* dy, T* dw) {
  const int64_t channels = c.in_channels, outputs = c.out_channels, times = outputs / channels;
  const int64_t pixels = c.batch * c.out_space(), size = c.window() * outputs;
  const int64_t block = std::max<int64_t>(kBlock, (pixels + 15) / 16);
  const int64_t blocks = (pixels + block - 1) / block;
  std::vector<T> sums(static_cast<size_t>(blocks * size), T(0));
  parallel_for(pixels, block, c.multiplications(), [&](int64_t b, int64_t e) {
    T* sum = sums.data() + b / block * size;
    for (int64_t p = b; p < e; ++p) {
      const T *image = x + p / c.out_space() * c.in_space() * channels, *of = dy + p * outputs;
      for_each_read(c, p % c.out_space(), [&](int64_t i, int64_t k) {
        const T* from = image + i * channels;
        T* to = sum + k * outputs;
        if (times == 1) {
          for (int64_t o = 0; o < outputs; ++o) to[o] += from[o] * of[o];
        } else {
          for (int64_t o = 0; o < outputs; ++o) to[o] += from[o / times] * of[o];
        }
      });
    }
  });
  std::fill_n(dw, size, T(0));
  for (int64_t k = 0; k < blocks; ++k) {
    for (int64_t i = 0; i < size; ++i) dw[i] += sums[static_cast<size_t>(k * size + i)];
  }
}

template struct Depthwise<float>;
template struct Depthwise<double>;

}  // namespace agog::detail
