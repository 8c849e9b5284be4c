#include "kernels/add_n.h"

#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "kernels/map.h"
#include "kernels/vmath.h"

namespace agog {
namespace {

// One pass over all inputs, in tiles that stay in the first-level cache.
template <class T>
void add_tiles(KernelCtx& c) {
  using Sum = std::conditional_t<kHalfType<T>, float, T>;
  constexpr int64_t kTile = 512;
  T* y = c.out().mutable_data<T>();
  const int64_t n = c.out().num_elements();
  parallel_for(n, kTile * 16, n * c.num_inputs(), [&](int64_t first, int64_t last) {
    Sum sum[kTile];
    for (int64_t begin = first; begin < last; begin += kTile) {
      const int64_t count = std::min(kTile, last - begin);
      const T* x = c.in(0).data<T>() + begin;
      for (int64_t i = 0; i < count; ++i) sum[i] = static_cast<Sum>(x[i]);
      for (int k = 1; k < c.num_inputs(); ++k) {
        x = c.in(k).data<T>() + begin;
        for (int64_t i = 0; i < count; ++i) sum[i] = vmath::add(sum[i], static_cast<Sum>(x[i]));
      }
      for (int64_t i = 0; i < count; ++i) y[begin + i] = static_cast<T>(sum[i]);
    }
  });
}

}  // namespace

void add_n(KernelCtx& c) {
  with_type(unsigned_type(c.dtype()), [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (contains(as_unsigned(kNumeric), dtype_of<T>)) add_tiles<T>(c);
  });
}

}  // namespace agog
