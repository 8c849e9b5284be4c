#include "core/tensor.h"

#include <new>

#include "core/error.h"

namespace agog {

namespace hooks {
void (*on_traced_tensor_death)(int64_t id) = nullptr;
}

namespace {

// One pool of tensor headers per thread. The struct needs no constructor at first use, so access is
// one load; it is small because static thread-local space is.
struct ImplPool {
  static constexpr int kMost = 2048;
  int count;
  int most;  // 0 before the first free and after the thread's end
  bool ended;
  int64_t live;  // made here minus freed here
  int64_t next_id, last_id;
  void** free;
};
constinit thread_local ImplPool t_pool{};

std::atomic<int64_t> g_next_id_block{1};
std::atomic<int64_t> g_live_of_dead_threads{0};

void free_block(void* p) { ::operator delete(p, std::align_val_t{64}); }

struct PoolCleaner {
  ~PoolCleaner() {
    ImplPool& p = t_pool;
    while (p.count > 0) free_block(p.free[--p.count]);
    delete[] p.free;
    p.most = 0;
    p.ended = true;  // whatever is freed after this goes straight back
    g_live_of_dead_threads += p.live;
    p.live = 0;
  }
};

// Makes the list at the first free; false once the thread has ended or the list is full.
AGOG_NOINLINE bool make_room(ImplPool& p) {
  if (p.ended || p.most > 0) return false;
  static thread_local PoolCleaner cleaner;
  (void)cleaner;
  p.free = new void*[ImplPool::kMost];
  p.most = ImplPool::kMost;
  return true;
}

}  // namespace

namespace detail {

TensorImpl* new_impl() {
  ImplPool& p = t_pool;
  ++p.live;
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
  --p.live;
  if (AGOG_LIKELY(p.count < p.most) || make_room(p)) {
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

int64_t live_tensor_count() { return t_pool.live + g_live_of_dead_threads; }

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
