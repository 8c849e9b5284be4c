// Bits of integers.
#include <algorithm>
#include <bit>

#include "kernels/map.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/rows.h"

namespace agog {
namespace {

// A shift by less than nothing shifts by nothing, one by all bits or more by all but one: as
// TensorFlow has it.
template <class T>
int shift_count(T count) {
  constexpr int kMost = static_cast<int>(sizeof(T)) * 8 - 1;
  if constexpr (std::is_signed_v<T>) {
    if (count < 0) return 0;
  }
  return count > T(kMost) ? kMost : static_cast<int>(count);
}

template <class F>
OpDef integer_row(const char* name, F f) {
  return binary_row(name, kInteger, binary<kInteger>(f), {}, no_gradient());
}

template <class F>
OpDef bits_row(const char* name, F f) {
  return binary_row(name, kInteger, wrapping_binary<kInteger>(f), {}, no_gradient());
}

Kernel population_counts() {
  return serving_signed(
      unary_to<kUnsigned>([](auto v) { return static_cast<uint8_t>(std::popcount(v)); }), kInteger);
}

}  // namespace

const Family bitwise_ops([]() -> OpRows {
  OpDef population_count =
      unary_row("PopulationCount", kInteger, population_counts(), {}, no_gradient());
  population_count.outputs = {{"y", "uint8"}};
  return {
      bits_row("BitwiseAnd", [](auto a, auto b) { return a & b; }),
      bits_row("BitwiseOr", [](auto a, auto b) { return a | b; }),
      bits_row("BitwiseXor", [](auto a, auto b) { return a ^ b; }),
      integer_row("LeftShift",
                  [](auto a, auto b) {
                    using U = std::make_unsigned_t<decltype(a)>;
                    return static_cast<decltype(a)>(static_cast<uint64_t>(U(a)) << shift_count(b));
                  }),
      integer_row("RightShift", [](auto a, auto b) { return a >> shift_count(b); }),
      unary_row("Invert", kInteger, wrapping_unary<kInteger>([](auto v) { return ~v; }), {},
                no_gradient()),
      std::move(population_count),
  };
});

}  // namespace agog
