// Moves elements by their width, whatever their dtype: what slices, transposes, tiles, joins and
// pads are made of.
#pragma once

#include <cstdint>

#include "core/shape.h"

namespace agog {

// An element of 16 bytes: complex128, or a string's reference.
struct Bytes16 {
  uint64_t low, high;
};

// Calls f(unit) with a value of an unsigned type of `width` bytes.
template <class F>
void with_width(int width, F&& f) {
  switch (width) {
    case 1: f(uint8_t{}); break;
    case 2: f(uint16_t{}); break;
    case 4: f(uint32_t{}); break;
    case 8: f(uint64_t{}); break;
    default: f(Bytes16{}); break;
  }
}

// Copies elements between two memories, each walked by strides of its own.
class StridedCopy {
 public:
  // The next dimension, from the outermost to the innermost. Strides are in elements: 0 repeats, a
  // negative one runs backwards.
  void add(int64_t size, int64_t from, int64_t to);
  // Whether the two memories hold the same run of elements, so that nothing need move.
  bool keeps_order() const {
    return rank_ == 0 || (rank_ == 1 && dims_[0].from == 1 && dims_[0].to == 1);
  }
  // Both pointers are at element 0 of every dimension.
  void run(const void* from, void* to, int width) const;

 private:
  static constexpr int kMost = 2 * kMaxRank;
  struct Dim {
    int64_t size, from, to;
  };
  template <class U>
  void run_as(const U* from, U* to) const;
  template <class U>
  void rows(const U* from, U* to, int64_t begin, int64_t end) const;
  template <class U>
  void transpose(const U* from, U* to, int fast) const;
  int fast_input() const;

  int rank_ = 0;
  int64_t total_ = 1;
  Dim dims_[kMost];
};

// a * b; wraps where a shape with a zero in it has sizes too large to multiply.
inline int64_t wrapped_product(int64_t a, int64_t b) {
  int64_t product;
  (void)__builtin_mul_overflow(a, b, &product);
  return product;
}

// Strides of a dense tensor, in elements.
struct Strides {
  explicit Strides(const Shape& s) : Strides(s.begin(), s.rank()) {}
  Strides(const int64_t* sizes, int rank) {
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; --d) {
      at[d] = step;
      step = wrapped_product(step, sizes[d]);
    }
  }
  int64_t operator[](int d) const { return at[d]; }
  int64_t at[kMaxRank];
};

// n copies of one element.
void fill_elements(void* to, const void* value, int64_t n, int width);
// n elements in one piece, in parallel when that pays.
void copy_elements(void* to, const void* from, int64_t n, int width);

}  // namespace agog
