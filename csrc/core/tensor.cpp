#include "core/tensor.h"

#include <new>

#include "core/error.h"

namespace agog {

namespace hooks {
void (*on_traced_tensor_death)(int64_t id) = nullptr;
}

namespace {

// Tensors made by a thread minus those it freed: only the sum over all threads means something, and
// only the thread that took the count writes it. Counts of threads that ended go to new ones; none
// is ever freed, so that no lock is needed, which a fork might find held.
struct LiveCount {
  std::atomic<int64_t> tensors{0};
  std::atomic<bool> taken{true};
  LiveCount* next = nullptr;

  void add(int64_t n) {
    tensors.store(tensors.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};
std::atomic<LiveCount*> g_live_counts{nullptr};
std::atomic<int64_t> g_freed_after_end{0};

LiveCount* take_live_count() {
  for (LiveCount* c = g_live_counts; c; c = c->next) {
    if (!c->taken.exchange(true)) return c;
  }
  auto* made = new LiveCount;
  made->next = g_live_counts;
  while (!g_live_counts.compare_exchange_weak(made->next, made)) {
  }
  return made;
}

// One pool of tensor headers per thread. The struct needs no constructor at first use, so access is
// one load; it is small because static thread-local space is.
struct ImplPool {
  static constexpr int kMost = 2048;
  int count;
  int most;         // 0 before the first tensor and after the thread's end
  LiveCount* live;  // null before the first tensor and after the thread's end
  int64_t next_id, last_id;
  void** free;
};
constinit thread_local ImplPool t_pool{};

std::atomic<int64_t> g_next_id_block{1};
void free_block(void* p) { ::operator delete(p, std::align_val_t{64}); }

struct PoolCleaner {
  ~PoolCleaner() {
    ImplPool& p = t_pool;
    while (p.count > 0) free_block(p.free[--p.count]);
    delete[] p.free;
    p.most = 0;  // whatever is freed after this goes straight back
    p.live->taken = false;
    p.live = nullptr;
  }
};

// For the first tensor of a thread, and for those after its end.
AGOG_NOINLINE void count_outside(ImplPool& p, int64_t n) {
  static thread_local bool began = false;
  if (began) {
    g_freed_after_end -= n;
    return;
  }
  began = true;
  p.live = take_live_count();
  p.live->add(n);
  p.free = new void*[ImplPool::kMost];
  p.most = ImplPool::kMost;
  static thread_local PoolCleaner cleaner;
  (void)cleaner;
}

void count(ImplPool& p, int64_t n) {
  if (AGOG_LIKELY(p.live != nullptr)) {
    p.live->add(n);
  } else {
    count_outside(p, n);
  }
}

}  // namespace

namespace detail {

TensorImpl* new_impl() {
  ImplPool& p = t_pool;
  count(p, 1);
  void* memory;
  if (AGOG_LIKELY(p.count > 0)) {
    memory = p.free[--p.count];
  } else {
    memory = ::operator new(sizeof(TensorImpl), std::align_val_t{64});
  }
  return new (memory) TensorImpl;
}

void free_impl(TensorImpl* impl) {
  if (impl->traced && hooks::on_traced_tensor_death) hooks::on_traced_tensor_death(impl->id);
  impl->~TensorImpl();
  ImplPool& p = t_pool;
  count(p, -1);
  if (AGOG_LIKELY(p.count < p.most)) {
    p.free[p.count++] = impl;
  } else {
    free_block(impl);
  }
}

int64_t next_tensor_id() {
  constexpr int64_t kBlock = 1 << 20;
  ImplPool& p = t_pool;
  if (p.next_id == p.last_id) {
    p.next_id = g_next_id_block.fetch_add(1) * kBlock;
    p.last_id = p.next_id + kBlock;
  }
  return p.next_id++;
}

}  // namespace detail

int64_t live_tensor_count() {
  int64_t total = -g_freed_after_end.load();
  for (const LiveCount* c = g_live_counts; c; c = c->next) {
    total += c->tensors.load(std::memory_order_relaxed);
  }
  return total;
}

Tensor Tensor::empty(DType dtype, const Shape& shape) {
  const int64_t n = checked_num_elements(shape);
  const int64_t size = size_of(dtype);
  if (AGOG_UNLIKELY(n < 0 || n > (int64_t{1} << 46))) {
    fail(ErrorCode::kResourceExhausted, "out of memory: no room for a tensor of shape ", shape,
         " and dtype ", dtype);
  }
  const auto bytes = static_cast<size_t>(n * size);
  Ref<Buffer> buffer;
  // String elements need a buffer that keeps their bytes alive.
  if (bytes > kInlineBytes || dtype == DType::kString) buffer = Buffer::allocate(bytes);
  TensorImpl* impl = detail::new_impl();
  impl->dtype = dtype;
  impl->shape = shape;
  impl->num_elements = n;
  impl->data = buffer ? buffer->data() : impl->inline_data;
  impl->buffer = std::move(buffer);
  if (AGOG_UNLIKELY(dtype == DType::kString)) std::memset(impl->data, 0, bytes);
  return Tensor(impl);
}

Tensor Tensor::zeros(DType dtype, const Shape& shape) {
  Tensor t = empty(dtype, shape);
  std::memset(t.mutable_raw(), 0, static_cast<size_t>(t.num_bytes()));
  return t;
}

Tensor Tensor::from_buffer(DType dtype, const Shape& shape, Ref<Buffer> buffer, void* data) {
  TensorImpl* impl = detail::new_impl();
  impl->dtype = dtype;
  impl->shape = shape;
  impl->num_elements = shape.num_elements();
  impl->data = data;
  impl->buffer = std::move(buffer);
  return Tensor(impl);
}

Tensor Tensor::with_dtype(DType dtype, const Shape& shape) const {
  if (impl_->buffer) return from_buffer(dtype, shape, impl_->buffer, impl_->data);
  TensorImpl* impl = detail::new_impl();
  impl->dtype = dtype;
  impl->shape = shape;
  impl->num_elements = shape.num_elements();
  impl->object = impl_->object;
  if (impl_->data) {
    impl->data = impl->inline_data;
    std::memcpy(impl->inline_data, impl_->data, kInlineBytes);
  }
  return Tensor(impl);
}

Tensor Tensor::with_shape(const Shape& shape) const { return with_dtype(dtype(), shape); }

Tensor Tensor::view(int64_t offset, const Shape& shape) const {
  void* start = static_cast<char*>(impl_->data) + offset * size_of(dtype());
  if (impl_->buffer) return from_buffer(dtype(), shape, impl_->buffer, start);
  Tensor t = empty(dtype(), shape);
  std::memcpy(t.mutable_raw(), start, static_cast<size_t>(t.num_bytes()));
  return t;
}

Tensor Tensor::resource(Ref<Object> object) {
  TensorImpl* impl = detail::new_impl();
  impl->dtype = DType::kResource;
  impl->num_elements = 1;
  impl->data = impl->inline_data;
  impl->object = std::move(object);
  return Tensor(impl);
}

}  // namespace agog
