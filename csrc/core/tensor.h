// Tensor: an immutable, dense, row-major array, shared by reference. Also the symbol of a graph (no
// data, a node).
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/buffer.h"
#include "core/dtype.h"
#include "core/refcount.h"
#include "core/shape.h"

namespace agog {

// Tensors up to this many bytes carry their data with them and need no buffer.
inline constexpr size_t kInlineBytes = 64;

struct TensorImpl {
  std::atomic<int32_t> refs{1};
  DType dtype = DType::kInvalid;
  // Some tape has seen this tensor: ops on it look for a tape, and its death is announced to them.
  bool traced = false;
  int64_t num_elements = 0;
  void* data = nullptr;
  int64_t id = 0;      // given when a tape first asks
  Ref<Buffer> buffer;  // null when the data is inline
  Ref<Object> object;  // a variable (dtype resource) or a graph node (no data)
  Shape shape;
  alignas(16) unsigned char inline_data[kInlineBytes];
};

namespace detail {
AGOG_API TensorImpl* new_impl();       // from the pool
AGOG_API void free_impl(TensorImpl*);  // announces the death of a traced tensor, back to the pool
AGOG_API int64_t next_tensor_id();
}  // namespace detail

class Tensor {
 public:
  Tensor() = default;
  // Takes over the caller's reference.
  explicit Tensor(TensorImpl* impl) : impl_(impl) {}
  Tensor(const Tensor& o) : impl_(o.impl_) {
    if (impl_) impl_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_ && impl_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      detail::free_impl(impl_);
    }
  }

  // An uninitialised tensor; string tensors start as empty strings.
  AGOG_API static Tensor empty(DType dtype, const Shape& shape);
  AGOG_API static Tensor zeros(DType dtype, const Shape& shape);
  // Another shape (same number of elements) over the same memory.
  AGOG_API Tensor with_shape(const Shape& shape) const;
  // `shape` elements starting at element `offset`, over the same memory.
  AGOG_API Tensor view(int64_t offset, const Shape& shape) const;
  // Elements of another dtype of the same size over the same memory.
  AGOG_API Tensor with_dtype(DType dtype, const Shape& shape) const;
  // A new tensor of its own identity over the same memory.
  Tensor alias() const { return with_shape(shape()); }
  AGOG_API static Tensor from_buffer(DType dtype, const Shape& shape, Ref<Buffer> buffer,
                                     void* data);
  AGOG_API static Tensor resource(Ref<Object> object);

  template <class T>
  static Tensor scalar(T value) {
    Tensor t = empty(dtype_of<T>, Shape{});
    *t.mutable_data<T>() = value;
    return t;
  }

  explicit operator bool() const { return impl_ != nullptr; }
  TensorImpl* impl() const { return impl_; }
  TensorImpl* leak() { return std::exchange(impl_, nullptr); }
  DType dtype() const { return impl_->dtype; }
  const Shape& shape() const { return impl_->shape; }
  int rank() const { return impl_->shape.rank(); }
  int64_t dim(int i) const { return impl_->shape[i]; }
  int64_t num_elements() const { return impl_->num_elements; }
  int64_t num_bytes() const { return impl_->num_elements * size_of(impl_->dtype); }
  bool is_symbolic() const { return impl_->data == nullptr; }
  const void* raw() const { return impl_->data; }
  void* mutable_raw() const { return impl_->data; }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(impl_->data);
  }
  // For whoever made the tensor, before anybody else sees it.
  template <class T>
  T* mutable_data() const {
    return static_cast<T*>(impl_->data);
  }
  const Ref<Buffer>& buffer() const { return impl_->buffer; }
  bool unique() const { return impl_->refs.load(std::memory_order_acquire) == 1; }
  bool owns_memory_alone() const {
    return unique() &&
           (!impl_->buffer || (impl_->buffer->unique() && !impl_->buffer->is_external()));
  }

  // Identity for tapes.
  int64_t id() const {
    if (impl_->id == 0) impl_->id = detail::next_tensor_id();
    return impl_->id;
  }
  bool traced() const { return impl_->traced; }
  void mark_traced() const { impl_->traced = true; }

 private:
  TensorImpl* impl_ = nullptr;
};

// Value of element i of a tensor of signed integers.
inline int64_t index_value(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt32: return t.data<int32_t>()[i];
    case DType::kInt16: return t.data<int16_t>()[i];
    case DType::kInt8: return t.data<int8_t>()[i];
    default: return t.data<int64_t>()[i];
  }
}

namespace hooks {
// Called when a traced tensor dies; the tape sets it.
extern AGOG_API void (*on_traced_tensor_death)(int64_t id);
}  // namespace hooks

AGOG_API int64_t live_tensor_count();

}  // namespace agog
