#include "kernels/pool.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "kernels/accumulate.h"
#include "kernels/widened.h"

namespace agog {
namespace {

constexpr int64_t kChannels = 64;  // that one thread takes at a time
constexpr int64_t kPixels = 32;

constexpr TypeSet kMaxTypes = (kReal & ~kHalfTypes);
constexpr TypeSet kMeanTypes = types(DType::kFloat, DType::kDouble);

// The part of a window that lies inside the input, for one output pixel.
struct Reach {
  int64_t begin[3], end[3];

  Reach(const Pool& p, int64_t pixel) {
    const int64_t at[3] = {pixel / p.out[2] / p.out[1], pixel / p.out[2] % p.out[1],
                           pixel % p.out[2]};
    for (int d = 0; d < 3; ++d) {
      const int64_t from = at[d] * p.stride[d] - p.before[d];
      begin[d] = std::clamp<int64_t>(from, 0, p.in[d]);
      end[d] = std::clamp<int64_t>(from + p.size[d], begin[d], p.in[d]);
    }
  }
  int64_t count() const { return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]); }
  // f(number of an input pixel), in row-major order.
  template <class F>
  void each(const Pool& p, F&& f) const {
    for (int64_t i = begin[0]; i < end[0]; ++i) {
      for (int64_t j = begin[1]; j < end[1]; ++j) {
        const int64_t row = (i * p.in[1] + j) * p.in[2];
        for (int64_t k = begin[2]; k < end[2]; ++k) f(row + k);
      }
    }
  }
};

// f(image, output pixel) for all of them, in parallel.
template <class F>
void each_pixel(const Pool& p, F&& f) {
  const int64_t space = p.out_space();
  parallel_for(p.batch * space, kPixels, p.work(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i / space, i % space);
  });
}

// f(image, first channel, last channel) for all images, in parallel: windows overlap.
template <class F>
void each_image(const Pool& p, F&& f) {
  const int64_t runs = (p.channels + kChannels - 1) / kChannels;
  parallel_for(p.batch * runs, 1, p.work(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % runs * kChannels;
      f(i / runs, first, std::min(p.channels, first + kChannels));
    }
  });
}

// Where the largest numbers of one window are, for up to kChannels channels.
template <class T>
struct Largest {
  using Place = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

  T best[kChannels];
  Place place[kChannels];  // -1: nothing but NaN

  // `x` is the first of `n` channels of an image.
  void find(const Pool& p, const T* x, const Reach& reach, int64_t n) {
    std::fill_n(best, n, std::numeric_limits<T>::lowest());
    std::fill_n(place, n, Place(-1));
    reach.each(p, [&](int64_t i) { take(x + i * p.channels, static_cast<Place>(i), n); });
  }

 private:
  // Without branches and aliases, for the sake of vectors.
  AGOG_NOINLINE void take(const T* __restrict from, Place here, int64_t n) {
    T* __restrict b = best;
    Place* __restrict at = place;
    for (int64_t c = 0; c < n; ++c) {
      const bool better = (from[c] > b[c]) | ((at[c] < 0) & (from[c] == from[c]));
      b[c] = better ? from[c] : b[c];
      at[c] = better ? here : at[c];
    }
  }
};

// Where images of x and y start.
template <class T>
T* image_of(const Pool& p, T* x, int64_t image) {
  return x + image * p.in_space() * p.channels;
}
template <class T>
T* output_of(const Pool& p, T* y, int64_t image, int64_t pixel) {
  return y + (image * p.out_space() + pixel) * p.channels;
}

template <class T>
void max_forward(const Pool& p, const T* x, T* y) {
  each_pixel(p, [&](int64_t image, int64_t pixel) {
    T* to = output_of(p, y, image, pixel);
    const T* start = image_of(p, x, image);
    std::fill_n(to, p.channels, std::numeric_limits<T>::lowest());
    Reach(p, pixel).each(p, [&](int64_t i) {
      const T* from = start + i * p.channels;
      for (int64_t c = 0; c < p.channels; ++c) to[c] = from[c] > to[c] ? from[c] : to[c];
    });
  });
}

// f(first number in x, first in y, where[], here, n) for n channels of every pixel of every window:
// where[c] == here says that the pixel has the window's largest number.
template <class T, class F>
void each_place(const Pool& p, const T* x, F&& f) {
  using Place = typename Largest<T>::Place;
  each_image(p, [&](int64_t image, int64_t first, int64_t last) {
    Largest<T> largest;
    const int64_t start = image * p.in_space() * p.channels + first, n = last - first;
    for (int64_t pixel = 0; pixel < p.out_space(); ++pixel) {
      const Reach reach(p, pixel);
      largest.find(p, x + start, reach, n);
      const int64_t out = (image * p.out_space() + pixel) * p.channels + first;
      reach.each(p, [&](int64_t i) {
        f(start + i * p.channels, out, largest.place, static_cast<Place>(i), n);
      });
    }
  });
}

template <class T, class Place>
AGOG_NOINLINE void add_largest(const T* __restrict from, const Place* where, Place here, int64_t n,
                               T* __restrict to) {
  for (int64_t c = 0; c < n; ++c) to[c] = FoldAdd::fold(to[c], where[c] == here ? from[c] : T(0));
}

template <class T, class Place>
AGOG_NOINLINE void take_largest(const T* __restrict from, const Place* where, Place here, int64_t n,
                                T* __restrict to) {
  for (int64_t c = 0; c < n; ++c) to[c] = where[c] == here ? from[c] : to[c];
}

template <class T>
void mean_forward(const Pool& p, const T* x, T* y) {
  each_pixel(p, [&](int64_t image, int64_t pixel) {
    T* to = output_of(p, y, image, pixel);
    const T* start = image_of(p, x, image);
    std::fill_n(to, p.channels, T(0));
    const Reach reach(p, pixel);
    reach.each(p, [&](int64_t i) {
      const T* from = start + i * p.channels;
      for (int64_t c = 0; c < p.channels; ++c) to[c] += from[c];
    });
    const T count = static_cast<T>(reach.count());
    for (int64_t c = 0; c < p.channels; ++c) to[c] /= count;
  });
}

template <class T>
void mean_grad(const Pool& p, const T* dy, T* dx) {
  each_image(p, [&](int64_t image, int64_t first, int64_t last) {
    T share[kChannels];
    T* start = image_of(p, dx, image);
    for (int64_t pixel = 0; pixel < p.out_space(); ++pixel) {
      const T* from = output_of(p, dy, image, pixel);
      const Reach reach(p, pixel);
      const T count = static_cast<T>(reach.count());
      for (int64_t c = first; c < last; ++c) share[c - first] = from[c] / count;
      reach.each(p, [&](int64_t i) {
        T* to = start + i * p.channels;
        for (int64_t c = first; c < last; ++c) to[c] += share[c - first];
      });
    }
  });
}

template <class T>
void clear(const Tensor& t) {
  std::fill_n(t.mutable_data<T>(), t.num_elements(), T(0));
}

}  // namespace

void max_pool(const Pool& p, const Tensor& x, const Tensor& y) {
  if (is_half_type(x)) {
    return rounded_into(y, [&](const Tensor& wide) { max_pool(p, widened(x), wide); });
  }
  with_type_of<kMaxTypes>(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    max_forward(p, x.data<T>(), y.mutable_data<T>());
  });
}

void max_pool_grad(const Pool& p, const Tensor& x, const Tensor& dy, const Tensor& dx) {
  if (is_half_type(x) || is_half_type(dy)) {
    return rounded_into(
        dx, [&](const Tensor& wide) { max_pool_grad(p, widened(x), widened(dy), wide); });
  }
  with_type_of<kMaxTypes>(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    clear<T>(dx);
    const T* from = dy.data<T>();
    T* to = dx.mutable_data<T>();
    each_place(p, x.data<T>(), [&](int64_t in, int64_t out, auto* where, auto here, int64_t n) {
      add_largest(from + out, where, here, n, to + in);
    });
  });
}

void max_pool_grad_grad(const Pool& p, const Tensor& x, const Tensor& dx, const Tensor& dy) {
  if (is_half_type(x)) {
    return rounded_into(
        dy, [&](const Tensor& wide) { max_pool_grad_grad(p, widened(x), widened(dx), wide); });
  }
  with_type_of<kMaxTypes>(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const T* from = dx.data<T>();
    T* to = dy.mutable_data<T>();
    clear<T>(dy);
    each_place(p, x.data<T>(), [&](int64_t in, int64_t out, auto* where, auto here, int64_t n) {
      take_largest(from + in, where, here, n, to + out);
    });
  });
}

void avg_pool(const Pool& p, const Tensor& x, const Tensor& y) {
  if (is_half_type(x)) {
    return rounded_into(y, [&](const Tensor& wide) { avg_pool(p, widened(x), wide); });
  }
  with_type_of<kMeanTypes>(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    mean_forward(p, x.data<T>(), y.mutable_data<T>());
  });
}

void avg_pool_grad(const Pool& p, const Tensor& dy, const Tensor& dx) {
  if (is_half_type(dy)) {
    return rounded_into(dx, [&](const Tensor& wide) { avg_pool_grad(p, widened(dy), wide); });
  }
  with_type_of<kMeanTypes>(dy.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    clear<T>(dx);
    mean_grad(p, dy.data<T>(), dx.mutable_data<T>());
  });
}

}  // namespace agog
