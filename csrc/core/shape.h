// Shapes: at most kMaxRank sizes, stored inline. A size or a rank of -1 is unknown (graphs only).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/api.h"

namespace agog {

inline constexpr int kMaxRank = 16;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : rank_(static_cast<int8_t>(dims.size())) {
    int i = 0;
    for (int64_t d : dims) dims_[i++] = d;
  }
  Shape(const int64_t* dims, int rank) : rank_(static_cast<int8_t>(rank)) {
    for (int i = 0; i < rank; ++i) dims_[i] = dims[i];
  }
  Shape(const Shape& o) : rank_(o.rank_) { copy_dims(o); }
  Shape& operator=(const Shape& o) {
    rank_ = o.rank_;
    copy_dims(o);
    return *this;
  }
  static Shape unknown_rank() {
    Shape s;
    s.rank_ = -1;
    return s;
  }

  int rank() const { return rank_; }
  bool has_rank() const { return rank_ >= 0; }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }
  const int64_t* begin() const { return dims_; }
  const int64_t* end() const { return dims_ + (rank_ > 0 ? rank_ : 0); }
  void push_back(int64_t d) { dims_[rank_++] = d; }
  bool full() const { return rank_ >= kMaxRank; }
  bool is_scalar() const { return rank_ == 0; }

  // Number of elements, -1 when a size is unknown. Callers check for overflow where sizes are made.
  int64_t num_elements() const {
    if (rank_ < 0) return -1;
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[i] < 0) return -1;
      n *= dims_[i];
    }
    return n;
  }
  bool fully_known() const { return num_elements() >= 0; }

  bool operator==(const Shape& o) const {
    if (rank_ != o.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[i] != o.dims_[i]) return false;
    }
    return true;
  }

  AGOG_API std::string to_string() const;

 private:
  void copy_dims(const Shape& o) {
    for (int i = 0; i < o.rank_; ++i) dims_[i] = o.dims_[i];
  }

  int8_t rank_ = 0;
  int64_t dims_[kMaxRank];
};

// Number of elements, or -1 when the product does not fit into 63 bits.
AGOG_API int64_t checked_num_elements(const Shape& shape);

// A shape kept for later in as few bytes as possible: tapes hold many.
class CompactShape {
 public:
  CompactShape() = default;
  explicit CompactShape(const Shape& s) : rank_(static_cast<int8_t>(s.rank())) {
    int64_t* d = rank_ <= kInline ? inline_ : (heap_ = new int64_t[rank_]);
    for (int i = 0; i < rank_; ++i) d[i] = s[i];
  }
  CompactShape(CompactShape&& o) noexcept { *this = static_cast<CompactShape&&>(o); }
  CompactShape& operator=(CompactShape&& o) noexcept {
    if (this == &o) return *this;
    release();
    rank_ = o.rank_;
    inline_[0] = o.inline_[0];
    inline_[1] = o.inline_[1];
    o.rank_ = 0;
    return *this;
  }
  CompactShape(const CompactShape&) = delete;
  CompactShape& operator=(const CompactShape&) = delete;
  ~CompactShape() { release(); }
  Shape get() const { return {rank_ <= kInline ? inline_ : heap_, rank_}; }

 private:
  static constexpr int kInline = 2;
  void release() {
    if (rank_ > kInline) delete[] heap_;
  }
  int8_t rank_ = 0;
  union {
    int64_t inline_[kInline] = {0, 0};
    int64_t* heap_;
  };
};

}  // namespace agog
