// A vector whose first N elements need no memory of their own.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace agog {

template <class T, int N>
class SmallVector {
 public:
  SmallVector() = default;
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  ~SmallVector() {
    for (size_t i = 0; i < size_; ++i) data_[i].~T();
    if (data_ != inline_data()) ::operator delete(data_, std::align_val_t{alignof(T)});
  }

  void push_back(T value) {
    if (size_ == capacity_) grow();
    new (data_ + size_++) T(std::move(value));
  }
  void resize(size_t n) {
    while (size_ > n) data_[--size_].~T();
    while (size_ < n) push_back(T());
  }
  T* data() { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* inline_data() { return reinterpret_cast<T*>(memory_); }
  // Out of line: inlined, GCC warns of bounds that are never passed.
  __attribute__((noinline)) void grow() {
    const size_t wider = capacity_ * 2;
    T* bigger = static_cast<T*>(::operator new(wider * sizeof(T), std::align_val_t{alignof(T)}));
    for (size_t i = 0; i < size_; ++i) {
      new (bigger + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_ != inline_data()) ::operator delete(data_, std::align_val_t{alignof(T)});
    data_ = bigger;
    capacity_ = static_cast<unsigned>(wider);
  }

  T* data_ = inline_data();
  unsigned size_ = 0;
  unsigned capacity_ = N;
  alignas(T) unsigned char memory_[N * sizeof(T)];
};

}  // namespace agog
