// A small open-addressing hash map from tensor ids (positive) to V.
#pragma once

#include <cstdint>
#include <vector>

namespace agog {

template <class V>
class IdMap {
 public:
  const V* find(int64_t id) const {
    if (count_ == 0) return nullptr;
    for (size_t i = slot_of(id);; i = (i + 1) & mask_) {
      if (slots_[i].id == id) return &slots_[i].value;
      if (slots_[i].id == 0) return nullptr;
    }
  }
  void set(int64_t id, V value) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    size_t i = slot_of(id);
    while (slots_[i].id != 0 && slots_[i].id != id) i = (i + 1) & mask_;
    count_ += slots_[i].id == 0;
    slots_[i] = {id, value};
  }
  // Later entries of the probe chain move up, so that no tombstones pile up in a long loop.
  void erase(int64_t id) {
    if (count_ == 0) return;
    size_t i = slot_of(id);
    while (slots_[i].id != id) {
      if (slots_[i].id == 0) return;
      i = (i + 1) & mask_;
    }
    --count_;
    for (size_t j = (i + 1) & mask_; slots_[j].id != 0; j = (j + 1) & mask_) {
      const size_t home = slot_of(slots_[j].id);
      if (((j - home) & mask_) >= ((j - i) & mask_)) {
        slots_[i] = slots_[j];
        i = j;
      }
    }
    slots_[i].id = 0;
  }
  void clear() {
    slots_.clear();
    count_ = 0;
    mask_ = 0;
  }
  size_t size() const { return count_; }

 private:
  struct Slot {
    int64_t id = 0;
    V value{};
  };
  size_t slot_of(int64_t id) const {
    return (static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15u >> 32) & mask_;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    count_ = 0;
    for (const Slot& s : old) {
      if (s.id != 0) set(s.id, s.value);
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
  size_t mask_ = 0;
};

}  // namespace agog
