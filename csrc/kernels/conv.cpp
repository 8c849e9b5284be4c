#include "kernels/conv.h"

#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "kernels/accumulate.h"
#include "kernels/matmul.h"
#include "kernels/widened.h"

namespace agog {
namespace {

// Numbers in one block of gathered windows, and blocks that are computed side by side.
constexpr int64_t kBlockNumbers = 1 << 16;
constexpr int64_t kWave = 16;

bool is_pointwise(const Conv& c) {
  for (int d = 0; d < 3; ++d) {
    if (c.kernel[d] != 1 || c.stride[d] != 1 || c.before[d] != 0 || c.in[d] != c.out[d]) {
      return false;
    }
  }
  return true;
}

// f(row of `width` numbers inside x or null, place in the window) for the window of output pixel p.
template <class T, class F>
void for_window(const Conv& c, int64_t p, T* x, F&& f) {
  const int64_t w = p % c.out[2], h = p / c.out[2] % c.out[1], d = p / c.out[2] / c.out[1];
  const int64_t depth = d % c.out[0], image = d / c.out[0];
  T* start = x + image * c.in_space() * c.in_channels;
  int64_t k = 0;
  for (int64_t i = 0; i < c.kernel[0]; ++i) {
    const int64_t id = depth * c.stride[0] + i * c.dilation[0] - c.before[0];
    for (int64_t j = 0; j < c.kernel[1]; ++j) {
      const int64_t ih = h * c.stride[1] + j * c.dilation[1] - c.before[1];
      const bool row = id >= 0 && id < c.in[0] && ih >= 0 && ih < c.in[1];
      for (int64_t l = 0; l < c.kernel[2]; ++l, ++k) {
        const int64_t iw = w * c.stride[2] + l * c.dilation[2] - c.before[2];
        const bool inside = row && iw >= 0 && iw < c.in[2];
        f(inside ? start + ((id * c.in[1] + ih) * c.in[2] + iw) * c.in_channels : nullptr, k);
      }
    }
  }
}

// The windows of output pixels [begin, end), one row each: the channels of `group` only.
template <class T>
void gather(const Conv& c, int64_t group, int64_t begin, int64_t end, const T* x, T* rows) {
  const int64_t width = c.group_in();
  for (int64_t p = begin; p < end; ++p) {
    for_window(c, p, x, [&](const T* from, int64_t) {
      if (from != nullptr) {
        std::copy_n(from + group * width, width, rows);
      } else {
        std::fill_n(rows, width, T(0));
      }
      rows += width;
    });
  }
}

// The opposite: adds each row to where its window came from.
template <class T>
void scatter(const Conv& c, int64_t group, int64_t begin, int64_t end, const T* rows, T* x) {
  const int64_t width = c.group_in();
  for (int64_t p = begin; p < end; ++p) {
    for_window(c, p, x, [&](T* to, int64_t) {
      if (to != nullptr) {
        to += group * width;
        for (int64_t i = 0; i < width; ++i) to[i] = FoldAdd::fold(to[i], rows[i]);
      }
      rows += width;
    });
  }
}

// Columns [group * width, ...) of rows of `step` numbers, close together; and back.
template <class T>
void take_columns(const T* from, int64_t rows, int64_t step, int64_t group, int64_t width, T* to) {
  for (int64_t i = 0; i < rows; ++i)
    std::copy_n(from + i * step + group * width, width, to + i * width);
}
template <class T>
void put_columns(const T* from, int64_t rows, int64_t step, int64_t group, int64_t width, T* to) {
  for (int64_t i = 0; i < rows; ++i)
    std::copy_n(from + i * width, width, to + i * step + group * width);
}

template <class T>
class General {
 public:
  explicit General(const Conv& c)
      : c_(c), k_(c.window() * c.group_in()), o_(c.group_out()), pixels_(c.batch * c.out_space()) {}

  void forward(const T* x, const T* w, T* y) const {
    if (c_.groups == 1 && is_pointwise(c_)) return multiply({pixels_, o_, k_}, x, w, y);
    const int64_t block = std::max<int64_t>(16, kBlockNumbers / std::max(k_, o_));
    const Tensor rows = scratch(kWave * block * k_), some = scratch(kWave * block * o_);
    for (int64_t g = 0; g < c_.groups; ++g) {
      const Tensor weights = of_group(w, g);
      in_waves(block, [&](int64_t slot, int64_t begin, int64_t end) {
        T* windows = at(rows, slot * block * k_);
        T* to = at(some, slot * block * o_);
        gather(c_, g, begin, end, x, windows);
        multiply({end - begin, o_, k_}, windows, weights.data<T>(), to);
        put_columns(to, end - begin, c_.out_channels, g, o_, y + begin * c_.out_channels);
      });
    }
  }

  // Image by image, in blocks one after another: windows overlap.
  void input_grad(const T* w, const T* dy, T* dx) const {
    const int64_t space = c_.out_space(), image = c_.in_space() * c_.in_channels;
    const int64_t block = std::min(space, std::max<int64_t>(16, kBlockNumbers / std::max(k_, o_)));
    std::fill_n(dx, c_.batch * image, T(0));
    const int64_t slots = std::min(kWave, c_.batch);
    const Tensor rows = scratch(slots * block * k_), some = scratch(slots * block * o_);
    for (int64_t g = 0; g < c_.groups; ++g) {
      const Tensor weights = of_group(w, g);
      for (int64_t first = 0; first < c_.batch; first += slots) {
        const int64_t count = std::min(slots, c_.batch - first);
        parallel_for(count, 1, count * space * k_ * o_, [&](int64_t b, int64_t e) {
          for (int64_t slot = b; slot < e; ++slot) {
            T *windows = at(rows, slot * block * k_), *of = at(some, slot * block * o_);
            const int64_t start = (first + slot) * space;
            for (int64_t p = start; p < start + space; p += block) {
              const int64_t n = std::min(block, start + space - p);
              take_columns(dy + p * c_.out_channels, n, c_.out_channels, g, o_, of);
              multiply({.m = n, .n = k_, .k = o_, .transpose_b = true}, of, weights.data<T>(),
                       windows);
              scatter(c_, g, p, p + n, windows, dx);
            }
          }
        });
      }
    }
  }

  // Parts of the pixels first, and then over the parts.
  void filter_grad(const T* x, const T* dy, T* dw) const {
    constexpr int64_t kParts = 8;
    const int64_t part = std::max<int64_t>(256, (pixels_ + kParts - 1) / kParts);
    const int64_t parts = (pixels_ + part - 1) / part, size = k_ * o_;
    const int64_t block = std::min(part, std::max<int64_t>(64, kBlockNumbers / std::max(k_, o_)));
    const Tensor rows = scratch(parts * block * k_), some = scratch(parts * block * o_);
    const Tensor products = scratch(parts * size), sums = scratch(parts * size);
    for (int64_t g = 0; g < c_.groups; ++g) {
      parallel_for(parts, 1, pixels_ * size, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) {
          T *windows = at(rows, i * block * k_), *of = at(some, i * block * o_);
          T *product = at(products, i * size), *sum = at(sums, i * size);
          std::fill_n(sum, size, T(0));
          for (int64_t p = i * part; p < std::min(pixels_, (i + 1) * part); p += block) {
            const int64_t n = std::min({block, pixels_ - p, (i + 1) * part - p});
            gather(c_, g, p, p + n, x, windows);
            take_columns(dy + p * c_.out_channels, n, c_.out_channels, g, o_, of);
            multiply({.m = k_, .n = o_, .k = n, .transpose_a = true}, windows, of, product);
            add(product, size, sum);
          }
        }
      });
      for (int64_t i = 1; i < parts; ++i) add(at(sums, i * size), size, at(sums, 0));
      put_columns(at(sums, 0), k_, c_.out_channels, g, o_, dw);
    }
  }

 private:
  static Tensor scratch(int64_t n) { return Tensor::empty(dtype_of<T>, Shape{n}); }
  static T* at(const Tensor& t, int64_t offset) { return t.mutable_data<T>() + offset; }
  static void multiply(const Product& p, const T* a, const T* b, T* c) {
    matmul(dtype_of<T>, p, {}, a, b, c);
  }
  static void add(const T* from, int64_t n, T* to) {
    for (int64_t i = 0; i < n; ++i) to[i] = FoldAdd::fold(to[i], from[i]);
  }
  Tensor of_group(const T* w, int64_t g) const {
    Tensor t = scratch(k_ * o_);
    take_columns(w, k_, c_.out_channels, g, o_, t.mutable_data<T>());
    return t;
  }
  // f(slot, begin, end) for blocks of output pixels; those of one wave have slots of their own.
  template <class F>
  void in_waves(int64_t block, F&& f) const {
    for (int64_t first = 0; first < pixels_; first += kWave * block) {
      const int64_t count = std::min(kWave * block, pixels_ - first);
      parallel_for(count, block, count * k_ * o_, [&](int64_t begin, int64_t end) {
        f(begin / block, first + begin, first + end);
      });
    }
  }

  const Conv& c_;
  const int64_t k_, o_, pixels_;
};

// Calls f(Type<T>{}) for the types that are computed as they are.
template <class F>
void with_computed_type(DType d, F&& f) {
  with_type_of<types(DType::kFloat, DType::kDouble, DType::kInt32)>(d, f);
}

// Nothing to add up: zeros.
bool is_nothing(const Conv& c, const Tensor& out) {
  if (out.num_elements() == 0) return true;
  if (c.multiplications() > 0) return false;
  std::memset(out.mutable_raw(), 0, static_cast<size_t>(out.num_bytes()));
  return true;
}

template <class T>
bool is_depthwise(const Conv& c) {
  return std::is_floating_point_v<T> && c.groups > 1 && c.group_in() == 1;
}

}  // namespace

void conv(const Conv& c, const Tensor& x, const Tensor& w, const Tensor& y) {
  if (is_nothing(c, y)) return;
  if (is_half_type(x)) {
    return rounded_into(y, [&](const Tensor& wide) { conv(c, widened(x), widened(w), wide); });
  }
  if (detail::onednn_conv(c, x, w, y)) return;
  with_computed_type(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (is_depthwise<T>(c)) {
        return detail::Depthwise<T>::forward(c, x.data<T>(), w.data<T>(), y.mutable_data<T>());
      }
    }
    General<T>(c).forward(x.data<T>(), w.data<T>(), y.mutable_data<T>());
  });
}

void conv_input_grad(const Conv& c, const Tensor& w, const Tensor& dy, const Tensor& dx) {
  if (is_nothing(c, dx)) return;
  if (is_half_type(w)) {
    return rounded_into(
        dx, [&](const Tensor& wide) { conv_input_grad(c, widened(w), widened(dy), wide); });
  }
  if (detail::onednn_conv_input_grad(c, w, dy, dx)) return;
  with_computed_type(w.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (is_depthwise<T>(c)) {
        return detail::Depthwise<T>::input_grad(c, w.data<T>(), dy.data<T>(), dx.mutable_data<T>());
      }
    }
    General<T>(c).input_grad(w.data<T>(), dy.data<T>(), dx.mutable_data<T>());
  });
}

void conv_filter_grad(const Conv& c, const Tensor& x, const Tensor& dy, const Tensor& dw) {
  if (is_nothing(c, dw)) return;
  if (is_half_type(x)) {
    return rounded_into(
        dw, [&](const Tensor& wide) { conv_filter_grad(c, widened(x), widened(dy), wide); });
  }
  if (detail::onednn_conv_filter_grad(c, x, dy, dw)) return;
  with_computed_type(x.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_floating_point_v<T>) {
      if (is_depthwise<T>(c)) {
        return detail::Depthwise<T>::filter_grad(c, x.data<T>(), dy.data<T>(),
                                                 dw.mutable_data<T>());
      }
    }
    General<T>(c).filter_grad(x.data<T>(), dy.data<T>(), dw.mutable_data<T>());
  });
}

}  // namespace agog
