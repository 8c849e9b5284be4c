#include "kernels/reduce.h"

#include <vector>

#include "core/parallel.h"

namespace agog {
namespace {

constexpr int64_t kChunk = 1 << 15;  // numbers in one piece of work

struct Dims {
  int rank = 0;
  int64_t size[kMaxRank];
  int64_t stride[kMaxRank];

  void push_front(int64_t n, int64_t step) {
    for (int d = rank; d > 0; --d) {
      size[d] = size[d - 1];
      stride[d] = stride[d - 1];
    }
    size[0] = n;
    stride[0] = step;
    ++rank;
  }
  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= size[d];
    return n;
  }
  int64_t offset(int64_t index) const {
    int64_t at = 0;
    for (int d = rank - 1; d >= 0; --d) {
      at += index % size[d] * stride[d];
      index /= size[d];
    }
    return at;
  }
};

// outer kept x outer reduced x (rows x width): the innermost reduced run is `rows` rows of `width`
// kept numbers.
struct Geometry {
  Dims kept, reduced;
  int64_t rows = 1, width = 1;
};

Geometry geometry_of(const Shape& s, uint32_t mask) {
  Geometry g;
  int64_t running = 1;
  int stage = 0;  // 0: innermost kept run, 1: innermost reduced run, 2: the rest
  bool last = false;
  for (int d = s.rank() - 1; d >= 0; --d) {
    if (s[d] == 1) continue;
    const bool is_reduced = mask >> d & 1;
    if (stage == 0 && is_reduced) stage = 1;
    if (stage == 1 && !is_reduced) stage = 2;
    if (stage == 0) {
      g.width *= s[d];
    } else if (stage == 1) {
      g.rows *= s[d];
    } else {
      Dims& dims = is_reduced ? g.reduced : g.kept;
      if (dims.rank > 0 && last == is_reduced) {
        dims.size[0] *= s[d];
      } else {
        dims.push_front(s[d], running);
      }
      last = is_reduced;
    }
    running *= s[d];
  }
  return g;
}

class Reduction {
 public:
  Reduction(const Reducer& r, const Geometry& g, const void* x, void* out)
      : r_(r), g_(g), x_(static_cast<const char*>(x)), out_(static_cast<char*>(out)) {
    outer_ = g.kept.count();
    pieces_ = g.reduced.count();
    count_ = pieces_ * g.rows;
    chunk_rows_ = std::max<int64_t>(detail::kLaneRows, kChunk / std::max<int64_t>(1, g.width));
    chunks_ = pieces_ * ((g.rows + chunk_rows_ - 1) / chunk_rows_);
    tiles_ = (g.width + detail::kTile - 1) / detail::kTile;
  }

  void run() {
    const int64_t outputs = outer_ * g_.width;
    if (outputs == 0) return;
    const int64_t work = outputs * std::max<int64_t>(1, count_);
    const int64_t tasks = outer_ * tiles_;
    if (adjacent_rows()) return by_rows(work);
    if (tasks >= 16 || chunks_ <= 1 || work <= kChunk) {
      const int64_t block = std::max<int64_t>(1, kChunk * tasks / work);
      parallel_for(tasks, block, work, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t) whole_tile(t);
      });
    } else {
      for (int64_t o = 0; o < outer_; ++o) by_chunks(o, work);
    }
  }

 private:
  static constexpr int kAccBytes = 16;  // the widest accumulator

  // Rows of few numbers side by side, and nothing else.
  bool adjacent_rows() const {
    return g_.width == 1 && g_.rows > 0 && g_.rows <= detail::kLaneRun && g_.reduced.rank == 0 &&
           g_.kept.rank == 1;
  }

  // Many short rows: as whole_tile, with several outputs to a call.
  void by_rows(int64_t work) const {
    const int64_t block = std::max<int64_t>(1, kChunk / g_.rows);
    parallel_for(outer_, block, work, [&](int64_t begin, int64_t end) {
      alignas(64) unsigned char acc[detail::kTile * kAccBytes];
      for (int64_t o = begin; o < end; o += detail::kTile) {
        const int64_t count = std::min(detail::kTile, end - o);
        r_.start(acc, count);
        r_.short_rows(x_ + o * g_.rows * r_.in_size, count, g_.rows, acc);
        r_.finish(acc, out_ + o * r_.out_size, count, count_);
      }
    });
  }

  // Chunk c of output block o, columns [column, column + width), into fresh accumulators.
  void chunk(int64_t o, int64_t c, int64_t column, int64_t width, void* acc) const {
    r_.start(acc, width);
    const int64_t per_piece = chunks_ / pieces_;
    const int64_t row = c % per_piece * chunk_rows_;
    const int64_t rows = std::min(chunk_rows_, g_.rows - row);
    const int64_t at =
        g_.kept.offset(o) + g_.reduced.offset(c / per_piece) + row * g_.width + column;
    const char* x = x_ + at * r_.in_size;
    if (g_.width == 1) {
      r_.run(x, rows, acc);
    } else {
      r_.columns(x, rows, g_.width, width, acc);
    }
  }

  void write(int64_t o, int64_t column, int64_t width, const void* acc) const {
    r_.finish(acc, out_ + (o * g_.width + column) * r_.out_size, width, count_);
  }

  void whole_tile(int64_t task) const {
    alignas(64) unsigned char acc[detail::kTile * kAccBytes];
    alignas(64) unsigned char part[detail::kTile * kAccBytes];
    const int64_t o = task / tiles_, column = task % tiles_ * detail::kTile;
    const int64_t width = std::min(detail::kTile, g_.width - column);
    r_.start(acc, width);
    for (int64_t c = 0; c < chunks_; ++c) {
      chunk(o, c, column, width, part);
      r_.merge(acc, part, width);
    }
    write(o, column, width, acc);
  }

  // The chunks side by side, brought together in their order: the same result as whole_tile's.
  void by_chunks(int64_t o, int64_t work) const {
    const int64_t row = g_.width * r_.acc_size;
    std::vector<char> parts(static_cast<size_t>(row * (chunks_ + 1)));
    parallel_for(chunks_, 1, work, [&](int64_t begin, int64_t end) {
      for (int64_t c = begin; c < end; ++c) {
        for (int64_t column = 0; column < g_.width; column += detail::kTile) {
          const int64_t width = std::min(detail::kTile, g_.width - column);
          chunk(o, c, column, width, parts.data() + c * row + column * r_.acc_size);
        }
      }
    });
    char* acc = parts.data() + chunks_ * row;
    r_.start(acc, g_.width);
    for (int64_t c = 0; c < chunks_; ++c) r_.merge(acc, parts.data() + c * row, g_.width);
    write(o, 0, g_.width, acc);
  }

  const Reducer& r_;
  const Geometry& g_;
  const char* x_;
  char* out_;
  int64_t outer_, pieces_, count_, chunk_rows_, chunks_, tiles_;
};

}  // namespace

void reduce(const Reducer& r, const Shape& in, uint32_t mask, const void* x, void* out) {
  const Geometry g = geometry_of(in, mask);
  Reduction(r, g, x, out).run();
}

}  // namespace agog
