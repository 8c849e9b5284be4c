// Blocks of memory that tensors share, from a caching allocator.
//
// Fresh pages cost more than most kernels do, so freed blocks wait in lists by size class. A block
// starts with its Buffer header; data follows on a 64-byte border.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/refcount.h"

namespace agog {

class AGOG_API Buffer {
 public:
  // At least `bytes` writable bytes, or kResourceExhausted is thrown.
  static Ref<Buffer> allocate(size_t bytes);
  // Memory owned by somebody else; `owner` is released with the buffer.
  static Ref<Buffer> wrap(void* data, size_t bytes, Ref<Object> owner);

  void* data() const { return data_; }
  size_t capacity() const { return capacity_; }
  bool is_external() const { return external_; }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }

  // String elements point into other buffers: those live as long as this one.
  void keep_alive(Ref<Buffer> other) { kept_.push_back(std::move(other)); }
  const std::vector<Ref<Buffer>>& kept() const { return kept_; }

  void add_ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) free_block(this);
  }

 private:
  Buffer() = default;
  ~Buffer() = default;
  static void free_block(Buffer*);

  std::atomic<int32_t> refs_{1};
  bool external_ = false;
  int16_t size_class_ = -1;
  void* data_ = nullptr;
  size_t capacity_ = 0;
  Ref<Object> owner_;
  std::vector<Ref<Buffer>> kept_;
};

struct AllocatorStats {
  int64_t bytes_in_use;
  int64_t peak_bytes_in_use;
  int64_t bytes_cached;
  int64_t num_allocations;
  int64_t num_cache_hits;
};

AGOG_API AllocatorStats allocator_stats();
AGOG_API void reset_peak_stats();
// Most bytes that tensors may hold, 0 for no limit; and most bytes that may wait for reuse.
AGOG_API void set_allocator_limit(int64_t bytes);
AGOG_API void set_cache_limit(int64_t bytes);
AGOG_API void release_cached_memory();

}  // namespace agog
