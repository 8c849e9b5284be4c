// Rows taken from, and put into, the places that a tensor of indices names.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/tensor.h"
#include "kernels/copy.h"

namespace agog {

// params is [batch, outer, axis, inner], indices [batch, count], the result [batch, outer, count,
// inner].
struct GatherShape {
  int64_t batch = 1, outer = 1, axis = 1, count = 1, inner = 1;
};
void gather_rows(const void* params, const Tensor& indices, void* out, const GatherShape& shape,
                 int width);

// Throws for the first index that is not in [low, bound), naming its place.
void check_indices(const Tensor& indices, int64_t low, int64_t bound, const char* name);

// The position of flat element i, as "2,0"; empty for a scalar.
std::string place_in(const Shape& shape, int64_t i);

// What to do with indices out of range.
enum class BadIndices { kError, kIgnore };

// The rows of a tensor of shape `shape` that vectors of `depth` indices name, -1 for those to
// ignore.
std::vector<int64_t> row_numbers(const Tensor& indices, const Shape& shape, int depth,
                                 BadIndices bad);

// Calls f(row, target, begin, end) for columns [begin, end) of every row whose target is not
// negative. Calls for one target come in the order of the rows, whatever the number of threads.
template <class F>
void for_each_target(const int64_t* target, int64_t rows, int64_t targets, int64_t inner, F&& f) {
  constexpr int64_t kColumns = 256, kParts = 8;
  const int64_t work = rows * inner;
  auto run = [&](int64_t low, int64_t high, int64_t begin, int64_t end) {
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t t = target[r];
      if (t >= low && t < high) f(r, t, begin, end);
    }
  };
  if (inner >= 2 * kColumns) {
    parallel_for(inner, kColumns, work,
                 [&](int64_t begin, int64_t end) { run(0, targets, begin, end); });
  } else if (inner >= 8 && work >= (1 << 16)) {
    // Every part reads all the targets, which costs little beside rows of several elements.
    const int64_t part = (targets + kParts - 1) / kParts;
    parallel_for(targets, part, work, [&](int64_t low, int64_t high) { run(low, high, 0, inner); });
  } else {
    run(0, targets, 0, inner);
  }
}

}  // namespace agog
