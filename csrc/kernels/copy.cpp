#include "kernels/copy.h"

#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "kernels/vec.h"

// A register type's alignment does not matter as a template argument.
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace agog {
namespace {

constexpr int64_t kBlock = 1 << 14;  // elements

template <class U>
void copy_row(const U* from, int64_t from_step, U* to, int64_t to_step, int64_t n) {
  if (from_step == 1 && to_step == 1) {
    if (n >= 16) {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(U));
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    }
  } else if (from_step == 0 && to_step == 1) {
    const U value = *from;
    for (int64_t i = 0; i < n; ++i) to[i] = value;
  } else if (from_step == -1 && to_step == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[-i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
  }
}

// to[b][a] = from[a][b] for a square of as many lanes as a register holds.
template <class T>
void transpose_square(const T* from, int64_t from_step, T* to, int64_t to_step) {
  using Packet = typename Vec<T>::Packet;
  constexpr int W = Vec<T>::width;
  ei::PacketBlock<Packet, W> block;
  for (int i = 0; i < W; ++i) block.packet[i] = ei::ploadu<Packet>(from + i * from_step);
  ei::ptranspose(block);
  for (int i = 0; i < W; ++i) ei::pstoreu(to + i * to_step, block.packet[i]);
}

template <class U>
struct RegisterOf {
  static constexpr int width = 1;
};
template <>
struct RegisterOf<uint32_t> {
  using Lane = float;
  static constexpr int width = Vec<float>::width;
};
template <>
struct RegisterOf<uint64_t> {
  using Lane = double;
  static constexpr int width = Vec<double>::width;
};

// A tile of the output has rows of 32 elements, of the input rows of up to 256 bytes.
constexpr int64_t kRow = 32;
template <class U>
constexpr int64_t kColumn = sizeof(U) <= 4 ? 64 : 256 / static_cast<int64_t>(sizeof(U));

// to[j * to_step + i] = from[i * from_step + j] for i < n <= kRow, j < m <= kColumn. Goes through
// a buffer of its own: rows of large arrays are often a power of two apart, and the lines of a
// tile would drive each other out of the cache before they are complete.
template <class U>
void transpose_tile(const U* from, int64_t from_step, U* to, int64_t to_step, int64_t n,
                    int64_t m) {
  constexpr int W = RegisterOf<U>::width;
  alignas(64) U tile[kColumn<U> * kRow];
  int64_t i = 0;
  if constexpr (W > 1) {
    using T = typename RegisterOf<U>::Lane;
    for (; i + W <= n; i += W) {
      int64_t j = 0;
      for (; j + W <= m; j += W) {
        transpose_square(reinterpret_cast<const T*>(from + i * from_step + j), from_step,
                         reinterpret_cast<T*>(tile + j * kRow + i), kRow);
      }
      for (; j < m; ++j) {
        for (int k = 0; k < W; ++k) tile[j * kRow + i + k] = from[(i + k) * from_step + j];
      }
    }
  }
  for (; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) tile[j * kRow + i] = from[i * from_step + j];
  }
  for (int64_t j = 0; j < m; ++j) copy_row(tile + j * kRow, 1, to + j * to_step, 1, n);
}

}  // namespace

void StridedCopy::add(int64_t size, int64_t from, int64_t to) {
  total_ = wrapped_product(total_, size);
  if (size == 1) return;
  if (rank_ > 0) {
    Dim& outer = dims_[rank_ - 1];
    if (outer.from == wrapped_product(size, from) && outer.to == wrapped_product(size, to)) {
      outer = {wrapped_product(outer.size, size), from, to};
      return;
    }
  }
  dims_[rank_++] = {size, from, to};
}

void StridedCopy::run(const void* from, void* to, int width) const {
  if (total_ == 0) return;
  with_width(width, [&](auto unit) {
    using U = decltype(unit);
    run_as(static_cast<const U*>(from), static_cast<U*>(to));
  });
}

// The dimension along which the input runs on while the output runs on along the last one, or -1.
int StridedCopy::fast_input() const {
  if (rank_ < 2 || dims_[rank_ - 1].to != 1 || dims_[rank_ - 1].size < 4) return -1;
  if (std::abs(dims_[rank_ - 1].from) <= 1) return -1;
  for (int d = 0; d < rank_ - 1; ++d) {
    if (dims_[d].from == 1 && dims_[d].size >= 4) return d;
  }
  return -1;
}

template <class U>
void StridedCopy::run_as(const U* from, U* to) const {
  if (rank_ == 0) {
    *to = *from;
    return;
  }
  const Dim& inner = dims_[rank_ - 1];
  if (rank_ == 1) {
    parallel_for(inner.size, kBlock, inner.size, [&](int64_t begin, int64_t end) {
      copy_row(from + begin * inner.from, inner.from, to + begin * inner.to, inner.to, end - begin);
    });
    return;
  }
  const int fast = fast_input();
  if (fast >= 0) {
    transpose(from, to, fast);
    return;
  }
  const int64_t rows_per_block = std::max<int64_t>(1, kBlock / inner.size);
  parallel_for(total_ / inner.size, rows_per_block, total_,
               [&](int64_t begin, int64_t end) { rows(from, to, begin, end); });
}

// Rows [begin, end) of the last dimension.
template <class U>
void StridedCopy::rows(const U* from, U* to, int64_t begin, int64_t end) const {
  const Dim& inner = dims_[rank_ - 1];
  int64_t index[kMost];
  int64_t rest = begin;
  for (int d = rank_ - 2; d >= 0; --d) {
    index[d] = rest % dims_[d].size;
    rest /= dims_[d].size;
    from += index[d] * dims_[d].from;
    to += index[d] * dims_[d].to;
  }
  for (int64_t row = begin; row < end; ++row) {
    copy_row(from, inner.from, to, inner.to, inner.size);
    for (int d = rank_ - 2; d >= 0; --d) {
      from += dims_[d].from;
      to += dims_[d].to;
      if (++index[d] < dims_[d].size) break;
      from -= dims_[d].size * dims_[d].from;
      to -= dims_[d].size * dims_[d].to;
      index[d] = 0;
    }
  }
}

// Tiles over the last dimension (where the output runs on) and `fast` (where the input does).
template <class U>
void StridedCopy::transpose(const U* from, U* to, int fast) const {
  constexpr int64_t column = kColumn<U>;
  const Dim& a = dims_[rank_ - 1];
  const Dim& b = dims_[fast];
  const int64_t a_tiles = (a.size + kRow - 1) / kRow;
  const int64_t b_tiles = (b.size + column - 1) / column;
  const int64_t tiles = total_ / (a.size * b.size) * a_tiles * b_tiles;
  const int64_t tiles_per_block = std::max<int64_t>(1, kBlock / (kRow * column));
  parallel_for(tiles, tiles_per_block, total_, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      int64_t rest = tile;
      const int64_t j = rest % b_tiles * column;
      rest /= b_tiles;
      const int64_t i = rest % a_tiles * kRow;
      rest /= a_tiles;
      const U* source = from + i * a.from + j;
      U* target = to + i + j * b.to;
      for (int d = rank_ - 2; d >= 0; --d) {
        if (d == fast) continue;
        source += rest % dims_[d].size * dims_[d].from;
        target += rest % dims_[d].size * dims_[d].to;
        rest /= dims_[d].size;
      }
      transpose_tile(source, a.from, target, b.to, std::min(kRow, a.size - i),
                     std::min(column, b.size - j));
    }
  });
}

void fill_elements(void* to, const void* value, int64_t n, int width) {
  StridedCopy copy;
  copy.add(n, 0, 1);
  copy.run(value, to, width);
}

void copy_elements(void* to, const void* from, int64_t n, int width) {
  StridedCopy copy;
  copy.add(n, 1, 1);
  copy.run(from, to, width);
}

}  // namespace agog
