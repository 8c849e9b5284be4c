// Reductions. An input is seen as alternating kept and reduced runs of dimensions. Numbers are
// combined in lanes over blocks of fixed size, and blocks in a wider type, in an order that the
// shape alone decides: a sum is accurate, and the same for any number of threads.
#pragma once

#include <array>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/tensor.h"

namespace agog {

// What the driver needs to know of one op and dtype; the accumulators are opaque to it.
struct Reducer {
  int acc_size = 0;
  int in_size = 0;
  int out_size = 0;
  void (*start)(void* acc, int64_t n);
  // acc[0] takes in n contiguous numbers.
  void (*run)(const void* x, int64_t n, void* acc);
  // acc[j] takes in row j of `rows` adjacent ones of n numbers, n at most kLaneRun.
  void (*short_rows)(const void* x, int64_t rows, int64_t n, void* acc);
  // acc[j] takes in column j of `rows` rows that are `stride` numbers apart.
  void (*columns)(const void* x, int64_t rows, int64_t stride, int64_t width, void* acc);
  void (*merge)(void* acc, const void* other, int64_t n);
  void (*finish)(const void* acc, void* out, int64_t n, int64_t count);
};

namespace detail {

inline constexpr int64_t kLaneRun = 2048;   // numbers combined in lanes of their own type
inline constexpr int64_t kFewNumbers = 16;  // too few for lanes
inline constexpr int64_t kLaneRows = 64;    // the same for columns
inline constexpr int64_t kTile = 256;       // columns at a time
inline constexpr int64_t kFold = 64;        // narrower rows are taken several at a time

}  // namespace detail

// Reduces the dimensions of `in` whose bit is set in `mask`.
void reduce(const Reducer& r, const Shape& in, uint32_t mask, const void* x, void* out);

// By dtype; those without a kernel are empty.
using Reducers = std::array<Reducer, kNumDTypes>;
const Reducers& sum_reducers();
const Reducers& mean_reducers();
const Reducers& prod_reducers();
const Reducers& norm_reducers();
const Reducers& half_squares_reducers();
const Reducers& max_reducers();
const Reducers& min_reducers();
const Reducers& all_reducers();
const Reducers& any_reducers();

// Where along an axis the largest or smallest number is: the first of equals; NaN never, unless all
// are.
void arg_max(const Tensor& in, int axis, const Tensor& out);
void arg_min(const Tensor& in, int axis, const Tensor& out);

}  // namespace agog
