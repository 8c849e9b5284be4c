// Attrs: a plain struct per op, and a table of its fields made once at load time.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "core/refcount.h"
#include "core/shape.h"

namespace agog {

enum class AttrType { kBool, kInt, kFloat, kString, kDType, kShape, kInts, kFloats, kDTypes };

template <class T> inline constexpr AttrType attr_type_of = AttrType::kBool;
template <> inline constexpr AttrType attr_type_of<int64_t> = AttrType::kInt;
template <> inline constexpr AttrType attr_type_of<float> = AttrType::kFloat;
template <> inline constexpr AttrType attr_type_of<std::string> = AttrType::kString;
template <> inline constexpr AttrType attr_type_of<DType> = AttrType::kDType;
template <> inline constexpr AttrType attr_type_of<Shape> = AttrType::kShape;
template <> inline constexpr AttrType attr_type_of<std::vector<int64_t>> = AttrType::kInts;
template <> inline constexpr AttrType attr_type_of<std::vector<float>> = AttrType::kFloats;
template <> inline constexpr AttrType attr_type_of<std::vector<DType>> = AttrType::kDTypes;

struct AttrField {
  const char* name;
  AttrType type;
  size_t offset;
  bool required;
  const void* owner;  // tells fields of different structs apart
};

// The C++ type of an op's attrs, erased.
struct AttrsDef {
  std::vector<AttrField> fields;
  size_t size = 0;
  void (*construct)(void*) = nullptr;
  void (*copy)(void* to, const void* from) = nullptr;
  void (*destroy)(void*) = nullptr;
  const void* defaults = nullptr;  // one shared instance
};

// Attrs kept beyond a call, by tapes and graphs.
class AttrsBox final : public Object {
 public:
  AttrsBox(const AttrsDef& def, const void* attrs) : def_(def), data_(::operator new(def.size)) {
    def.copy(data_, attrs);
  }
  ~AttrsBox() override {
    def_.destroy(data_);
    ::operator delete(data_);
  }
  const void* get() const { return data_; }

 private:
  const AttrsDef& def_;
  void* data_;
};

template <class Struct, class T>
AttrField field_at(const char* name, T Struct::* member, bool required) {
  static_assert(!std::is_same_v<T, int> && !std::is_same_v<T, double>, "int64_t and float, please");
  alignas(Struct) static const Struct probe{};
  const auto offset =
      reinterpret_cast<const char*>(&(probe.*member)) - reinterpret_cast<const char*>(&probe);
  return {name, attr_type_of<T>, static_cast<size_t>(offset), required, &probe};
}
// An attr whose default is the struct's; a dtype without a default is required.
template <class Struct, class T>
AttrField field(const char* name, T Struct::* member) {
  bool required = false;
  if constexpr (std::is_same_v<T, DType>) required = Struct{}.*member == DType::kInvalid;
  return field_at(name, member, required);
}
template <class Struct, class T>
AttrField required(const char* name, T Struct::* member) {
  return field_at(name, member, true);
}

template <class Struct, class... Fields>
AttrsDef attrs_of(Fields... fields) {
  static const Struct defaults{};
  return {{fields...},
          sizeof(Struct),
          [](void* p) { new (p) Struct{}; },
          [](void* to, const void* from) { new (to) Struct(*static_cast<const Struct*>(from)); },
          [](void* p) { static_cast<Struct*>(p)->~Struct(); },
          &defaults};
}

}  // namespace agog
