// Element types: their codes (shared with dtypes.py), sizes, names, and sets of them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/api.h"
#include "core/half.h"

namespace agog {

enum class DType : uint8_t {
  kBool,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kHalf,
  kBFloat16,
  kFloat,
  kDouble,
  kComplex64,
  kComplex128,
  kString,
  kResource,
  kVariant,
  kInvalid,
};
inline constexpr int kNumDTypes = static_cast<int>(DType::kInvalid);

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// An element of a string tensor. The bytes belong to the tensor's buffer (see Buffer::keep_alive).
using StringRef = std::string_view;

constexpr int code(DType d) { return static_cast<int>(d); }

struct DTypeInfo {
  const char* name;
  int size;
};

inline constexpr DTypeInfo kDTypeInfo[] = {
    {"bool", 1},     {"uint8", 1},    {"uint16", 2},  {"uint32", 4},    {"uint64", 8},
    {"int8", 1},     {"int16", 2},    {"int32", 4},   {"int64", 8},     {"float16", 2},
    {"bfloat16", 2}, {"float32", 4},  {"float64", 8}, {"complex64", 8}, {"complex128", 16},
    {"string", 16},  {"resource", 8}, {"variant", 8}, {"invalid", 0},
};

constexpr const char* name(DType d) { return kDTypeInfo[code(d)].name; }
constexpr int size_of(DType d) { return kDTypeInfo[code(d)].size; }

// A set of dtypes, one bit each.
using TypeSet = uint32_t;
constexpr TypeSet set_of(DType d) { return TypeSet{1} << code(d); }
template <class... D>
constexpr TypeSet types(D... d) {
  return (set_of(d) | ...);
}
constexpr bool contains(TypeSet s, DType d) { return (s >> code(d)) & 1u; }

inline constexpr TypeSet kBoolean = set_of(DType::kBool);
inline constexpr TypeSet kSigned = types(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
inline constexpr TypeSet kUnsigned =
    types(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
inline constexpr TypeSet kInteger = kSigned | kUnsigned;
inline constexpr TypeSet kHalfTypes = types(DType::kHalf, DType::kBFloat16);
inline constexpr TypeSet kFloating = kHalfTypes | types(DType::kFloat, DType::kDouble);
inline constexpr TypeSet kComplex = types(DType::kComplex64, DType::kComplex128);
inline constexpr TypeSet kInexact = kFloating | kComplex;
inline constexpr TypeSet kReal = kInteger | kFloating;
inline constexpr TypeSet kNumeric = kReal | kComplex;
inline constexpr TypeSet kIndex = types(DType::kInt32, DType::kInt64);
inline constexpr TypeSet kPlain = kNumeric | kBoolean;  // everything that is plain bytes
inline constexpr TypeSet kAnyData = kPlain | set_of(DType::kString);
inline constexpr TypeSet kAny = kAnyData | types(DType::kResource, DType::kVariant);

constexpr bool is_floating(DType d) { return contains(kFloating, d); }
constexpr bool is_complex(DType d) { return contains(kComplex, d); }
constexpr bool is_integer(DType d) { return contains(kInteger, d); }
constexpr bool is_differentiable(DType d) { return contains(kInexact, d); }
constexpr DType real_part_type(DType d) {
  return d == DType::kComplex64 ? DType::kFloat : d == DType::kComplex128 ? DType::kDouble : d;
}

// Where an op gives the same bits for signed and unsigned integers, the unsigned loop serves both.
constexpr DType unsigned_type(DType d) {
  switch (d) {
    case DType::kInt8: return DType::kUInt8;
    case DType::kInt16: return DType::kUInt16;
    case DType::kInt32: return DType::kUInt32;
    case DType::kInt64: return DType::kUInt64;
    default: return d;
  }
}
constexpr TypeSet as_unsigned(TypeSet s) {
  TypeSet result = 0;
  for (int d = 0; d < kNumDTypes; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (contains(s, dtype)) result |= set_of(unsigned_type(dtype));
  }
  return result;
}

template <class T> inline constexpr DType dtype_of = DType::kInvalid;
template <> inline constexpr DType dtype_of<bool> = DType::kBool;
template <> inline constexpr DType dtype_of<uint8_t> = DType::kUInt8;
template <> inline constexpr DType dtype_of<uint16_t> = DType::kUInt16;
template <> inline constexpr DType dtype_of<uint32_t> = DType::kUInt32;
template <> inline constexpr DType dtype_of<uint64_t> = DType::kUInt64;
template <> inline constexpr DType dtype_of<int8_t> = DType::kInt8;
template <> inline constexpr DType dtype_of<int16_t> = DType::kInt16;
template <> inline constexpr DType dtype_of<int32_t> = DType::kInt32;
template <> inline constexpr DType dtype_of<int64_t> = DType::kInt64;
template <> inline constexpr DType dtype_of<Half> = DType::kHalf;
template <> inline constexpr DType dtype_of<BFloat16> = DType::kBFloat16;
template <> inline constexpr DType dtype_of<float> = DType::kFloat;
template <> inline constexpr DType dtype_of<double> = DType::kDouble;
template <> inline constexpr DType dtype_of<complex64> = DType::kComplex64;
template <> inline constexpr DType dtype_of<complex128> = DType::kComplex128;
template <> inline constexpr DType dtype_of<StringRef> = DType::kString;

template <class T>
struct Type {
  using type = T;
};

// Calls f(Type<T>{}) for the C++ type of a plain dtype; returns false for the others.
template <class F>
bool with_type(DType d, F&& f) {
  switch (d) {
    case DType::kBool: f(Type<bool>{}); return true;
    case DType::kUInt8: f(Type<uint8_t>{}); return true;
    case DType::kUInt16: f(Type<uint16_t>{}); return true;
    case DType::kUInt32: f(Type<uint32_t>{}); return true;
    case DType::kUInt64: f(Type<uint64_t>{}); return true;
    case DType::kInt8: f(Type<int8_t>{}); return true;
    case DType::kInt16: f(Type<int16_t>{}); return true;
    case DType::kInt32: f(Type<int32_t>{}); return true;
    case DType::kInt64: f(Type<int64_t>{}); return true;
    case DType::kHalf: f(Type<Half>{}); return true;
    case DType::kBFloat16: f(Type<BFloat16>{}); return true;
    case DType::kFloat: f(Type<float>{}); return true;
    case DType::kDouble: f(Type<double>{}); return true;
    case DType::kComplex64: f(Type<complex64>{}); return true;
    case DType::kComplex128: f(Type<complex128>{}); return true;
    default: return false;
  }
}

}  // namespace agog
