#include "kernels/matmul.h"

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "core/tensor.h"
#include "kernels/matmul_small.h"
#include "kernels/onednn_scope.h"

#ifdef AGOG_ONEDNN
#include <dnnl.h>
#endif

namespace agog {
namespace {

using detail::Operands;

// Multiplications in one block of rows that a thread takes: Eigen packs b again for each.
constexpr int64_t kBlockWork = 1 << 22;

#ifdef AGOG_ONEDNN
// Tiles of c: as large as keeps 16 threads busy, for each packs its part of a and b again.
struct Tiles {
  int64_t rows, cols;

  explicit Tiles(const Product& p) : rows(p.m), cols(p.n) {
    const int64_t most = std::max(kSmallestTile, p.m * p.n * p.k / 16);
    while (rows * cols * p.k > most && std::max(rows, cols) > kStep) {
      int64_t& side = rows > cols ? rows : cols;
      side = ((side + 1) / 2 + kStep - 1) / kStep * kStep;
    }
  }

 private:
  static constexpr int64_t kSmallestTile = 1 << 20;  // multiplications
  static constexpr int64_t kStep = 48;               // a multiple of what oneDNN keeps in registers
};

// A matrix as oneDNN reads it: rows `step` numbers apart.
struct Rows {
  const float* x;
  int64_t step;
  Tensor copy;

  Rows(const float* from, int64_t rows, int64_t columns) : x(from), step(columns) {
    // Rows that are a multiple of 2 KB apart meet in the same few places of the cache: reading down
    // the columns of such a matrix halves oneDNN's rate, and copying it once costs much less.
    constexpr int64_t kAliasing = 2048 / sizeof(float), kPadding = 16;
    if (columns % kAliasing != 0 || rows < 2) return;
    step = columns + kPadding;
    copy = Tensor::empty(DType::kFloat, Shape{rows * step});
    float* to = copy.mutable_data<float>();
    parallel_for(rows, 16, rows * columns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) std::copy_n(from + i * columns, columns, to + i * step);
    });
    x = to;
  }
  Rows(const float* from, int64_t columns) : x(from), step(columns) {}
};

struct Sgemm {
  decltype(&dnnl_sgemm) call = reinterpret_cast<decltype(call)>(onednn_symbol("dnnl_sgemm"));
};

bool onednn_product(const Product& p, const Operands<float>& x) {
  const auto sgemm = onednn_table<Sgemm>().call;
  if (sgemm == nullptr) return false;
  // A copy pays where it is read often enough, and down its columns.
  constexpr int64_t kReads = 32;
  const Rows a =
      p.transpose_a && p.n >= kReads ? Rows(x.a, p.k, p.m) : Rows(x.a, p.transpose_a ? p.m : p.k);
  const Rows b =
      !p.transpose_b && p.m >= kReads ? Rows(x.b, p.k, p.n) : Rows(x.b, p.transpose_b ? p.k : p.n);
  const Tiles tiles(p);
  const int64_t across = (p.n + tiles.cols - 1) / tiles.cols;
  const int64_t down = (p.m + tiles.rows - 1) / tiles.rows;
  std::atomic<bool> done{true};
  parallel_for(down * across, 1, p.m * p.n * p.k, [&](int64_t begin, int64_t end) {
    const OneDnnScope scope;
    for (int64_t t = begin; t < end; ++t) {
      const int64_t i = t / across * tiles.rows, j = t % across * tiles.cols;
      const dnnl_status_t status = sgemm(
          p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', std::min(tiles.rows, p.m - i),
          std::min(tiles.cols, p.n - j), p.k, 1.0f, a.x + i * (p.transpose_a ? 1 : a.step), a.step,
          b.x + j * (p.transpose_b ? b.step : 1), b.step, 0.0f, x.c + i * p.n + j, p.n);
      if (status != dnnl_success) done = false;
    }
  });
  return done;
}
#else
bool onednn_product(const Product&, const Operands<float>&) { return false; }
#endif

template <class T>
void eigen_rows(const Product& p, const Operands<T>& x) {
  const int64_t per_row = std::max<int64_t>(1, p.n * p.k);
  const int64_t block = std::max<int64_t>(32, kBlockWork / per_row);
  parallel_for(p.m, block, p.m * per_row,
               [&](int64_t begin, int64_t end) { detail::eigen_product<T>(p, x, begin, end); });
}

// Rows [begin, end) of a product of integers, which wraps.
template <class T>
void integer_rows(const Product& p, const Operands<T>& x, int64_t begin, int64_t end) {
  using U = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
  const int64_t row = p.transpose_a ? 1 : p.k, col = p.transpose_a ? p.m : 1;
  for (int64_t i = begin; i < end; ++i) {
    T* c = x.c + i * p.n;
    std::fill(c, c + p.n, T(0));
    for (int64_t k = 0; k < p.k; ++k) {
      const U a = static_cast<U>(x.a[i * row + k * col]);
      const T* b = p.transpose_b ? x.b + k : x.b + k * p.n;
      const int64_t step = p.transpose_b ? p.k : 1;
      if (step == 1) {
        for (int64_t j = 0; j < p.n; ++j) c[j] = static_cast<T>(c[j] + a * static_cast<U>(b[j]));
      } else {
        for (int64_t j = 0; j < p.n; ++j) {
          c[j] = static_cast<T>(c[j] + a * static_cast<U>(b[j * step]));
        }
      }
    }
  }
}

// One product; k, m, n are at least 1.
template <class T>
void product(const Product& p, const Operands<T>& x) {
  if constexpr (std::is_integral_v<T>) {
    const int64_t per_row = p.n * p.k;
    parallel_for(p.m, std::max<int64_t>(1, (1 << 16) / per_row), p.m * per_row,
                 [&](int64_t begin, int64_t end) { integer_rows(p, x, begin, end); });
  } else if constexpr (kVectorised<T>) {
    if (detail::is_tiny<T>(p)) {
      detail::tiny_product(p, x);
    } else if (p.m == 1 || p.n == 1) {
      detail::vector_product(p, x);
    } else if constexpr (std::is_same_v<T, float>) {
      if (!onednn_product(p, x)) eigen_rows(p, x);
    } else {
      eigen_rows(p, x);
    }
  } else {
    eigen_rows(p, x);
  }
}

// Small matrices are multiplied one per thread; a few big ones one after another on all threads.
template <class T>
void products(const Product& p, const Batch& batch, const Operands<T>& x) {
  auto one = [&](int64_t i) {
    product<T>(p, {x.a + (batch.a_of ? batch.a_of[i] : i) * p.m * p.k,
                   x.b + (batch.b_of ? batch.b_of[i] : i) * p.k * p.n, x.c + i * p.m * p.n});
  };
  if (batch.count == 1) return one(0);
  const int64_t work = p.m * p.n * p.k;
  if (batch.count < 8 && work > kBlockWork) {
    for (int64_t i = 0; i < batch.count; ++i) one(i);
    return;
  }
  parallel_for(batch.count, std::max<int64_t>(1, (1 << 15) / work), batch.count * work,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) one(i);
               });
}

template <class H>
Tensor widened(const void* from, int64_t n) {
  Tensor t = Tensor::empty(DType::kFloat, Shape{n});
  const H* x = static_cast<const H*>(from);
  float* y = t.mutable_data<float>();
  parallel_for(n, 1 << 14, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = static_cast<float>(x[i]);
  });
  return t;
}

int64_t matrices(const int64_t* of, int64_t count) {
  return of ? *std::max_element(of, of + count) + 1 : count;
}

template <class H>
void half_products(const Product& p, const Batch& batch, const void* a, const void* b, void* c) {
  const Tensor wide_a = widened<H>(a, matrices(batch.a_of, batch.count) * p.m * p.k);
  const Tensor wide_b = widened<H>(b, matrices(batch.b_of, batch.count) * p.k * p.n);
  const int64_t n = batch.count * p.m * p.n;
  const Tensor wide_c = Tensor::empty(DType::kFloat, Shape{n});
  float* from = wide_c.mutable_data<float>();
  products<float>(p, batch, {wide_a.data<float>(), wide_b.data<float>(), from});
  H* to = static_cast<H*>(c);
  parallel_for(n, 1 << 14, n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = H(from[i]);
  });
}

}  // namespace

void matmul(DType dtype, const Product& p, const Batch& batch, const void* a, const void* b,
            void* c) {
  with_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(kProductTypes, dtype_of<T>)) {
      T* to = static_cast<T*>(c);
      if (p.k == 0 || p.m == 0 || p.n == 0 || batch.count == 0) {
        std::fill(to, to + batch.count * p.m * p.n, T());
      } else if constexpr (kHalfType<T>) {
        half_products<T>(p, batch, a, b, c);
      } else {
        products<T>(p, batch, {static_cast<const T*>(a), static_cast<const T*>(b), to});
      }
    }
  });
}

}  // namespace agog
