#include "core/buffer.h"

#include <pthread.h>
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>

#include "core/error.h"

namespace agog {

Object::~Object() = default;

namespace {

constexpr size_t kHeader = 128;  // a multiple of 64 that holds a Buffer
static_assert(sizeof(Buffer) <= kHeader);
constexpr size_t kHugePage = size_t{2} << 20;
constexpr int kNumClasses = 4 * 48;

// Size classes are four to a power of two, so at most a fifth of a block is unused.
int class_of(size_t bytes) {
  if (bytes <= 256) return 0;
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power+1)
  const size_t quarter = (bytes - 1 - (size_t{1} << power)) >> (power - 2);
  return (power - 8) * 4 + static_cast<int>(quarter) + 1;
}

size_t class_size(int c) {
  if (c == 0) return 256;
  const int power = (c - 1) / 4 + 8;
  return (size_t{1} << power) + (static_cast<size_t>((c - 1) % 4 + 1) << (power - 2));
}

struct Pool {
  std::mutex mutex;
  std::vector<void*> free_blocks[kNumClasses];
  int64_t in_use = 0, peak = 0, cached = 0, allocations = 0, hits = 0;
  int64_t limit = 0;
  int64_t cache_limit = int64_t{2} << 30;

  void drop_cached() {
    for (int c = 0; c < kNumClasses; ++c) {
      for (void* block : free_blocks[c]) std::free(block);
      free_blocks[c].clear();
    }
    cached = 0;
  }
};

// Never destroyed: tensors held by the interpreter may be freed after static destructors ran.
Pool& pool();

// A child that is forked while another thread holds the mutex would wait for it forever.
void lock_before_fork() { pool().mutex.lock(); }
void unlock_after_fork() { pool().mutex.unlock(); }

Pool& pool() {
  static Pool* p = [] {
    pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
    return new Pool;
  }();
  return *p;
}

void* take_block(Pool& p, int c, size_t size) {
  std::lock_guard lock(p.mutex);
  if (p.limit > 0 && p.in_use + static_cast<int64_t>(size) > p.limit) {
    fail(ErrorCode::kResourceExhausted, "out of memory: ", size, " bytes asked for, ", p.in_use,
         " in use, the limit is ", p.limit);
  }
  ++p.allocations;
  p.in_use += static_cast<int64_t>(size);
  if (p.in_use > p.peak) p.peak = p.in_use;
  auto& list = p.free_blocks[c];
  if (list.empty()) return nullptr;
  void* block = list.back();
  list.pop_back();
  p.cached -= static_cast<int64_t>(size);
  ++p.hits;
  return block;
}

void* fresh_block(Pool& p, size_t size) {
  const size_t alignment = size >= kHugePage ? kHugePage : 64;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, rounded);
  if (block == nullptr) {
    std::lock_guard lock(p.mutex);
    p.drop_cached();
    block = std::aligned_alloc(alignment, rounded);
    if (block == nullptr) p.in_use -= static_cast<int64_t>(size);
  }
  if (block == nullptr) {
    fail(ErrorCode::kResourceExhausted, "out of memory: no block of ", size, " bytes to be had");
  }
  // Advice only: a kernel without huge pages says no, and nothing else changes.
  if (size >= kHugePage) (void)madvise(block, rounded, MADV_HUGEPAGE);
  return block;
}

}  // namespace

Ref<Buffer> Buffer::allocate(size_t bytes) {
  constexpr size_t kMost = size_t{1} << 46;
  if (bytes > kMost) {
    fail(ErrorCode::kResourceExhausted, "out of memory: no block of ", bytes, " bytes to be had");
  }
  Pool& p = pool();
  const int c = class_of(bytes + kHeader);
  const size_t size = class_size(c);
  void* block = take_block(p, c, size);
  if (block == nullptr) block = fresh_block(p, size);
  auto* b = new (block) Buffer;
  b->size_class_ = static_cast<int16_t>(c);
  b->data_ = static_cast<char*>(block) + kHeader;
  b->capacity_ = size - kHeader;
  return Ref<Buffer>::adopt(b);
}

Ref<Buffer> Buffer::wrap(void* data, size_t bytes, Ref<Object> owner) {
  auto* b = new Buffer;
  b->external_ = true;
  b->data_ = data;
  b->capacity_ = bytes;
  b->owner_ = std::move(owner);
  return Ref<Buffer>::adopt(b);
}

void Buffer::free_block(Buffer* b) {
  if (b->external_) {
    delete b;
    return;
  }
  const int c = b->size_class_;
  const auto size = static_cast<int64_t>(class_size(c));
  b->~Buffer();
  Pool& p = pool();
  {
    std::lock_guard lock(p.mutex);
    p.in_use -= size;
    if (p.cached + size <= p.cache_limit) {
      p.free_blocks[c].push_back(b);
      p.cached += size;
      return;
    }
  }
  std::free(b);
}

AllocatorStats allocator_stats() {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  return {p.in_use, p.peak, p.cached, p.allocations, p.hits};
}

void reset_peak_stats() {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  p.peak = p.in_use;
}

void set_allocator_limit(int64_t bytes) {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  p.limit = bytes;
}

void set_cache_limit(int64_t bytes) {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  p.cache_limit = bytes;
  if (p.cached > bytes) p.drop_cached();
}

void release_cached_memory() {
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  p.drop_cached();
}

}  // namespace agog
