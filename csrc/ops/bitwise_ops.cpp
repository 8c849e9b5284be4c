// Bits of integers.
#include <algorithm>
#include <bit>

#include "kernels/map.h"
#include "op/contexts.h"
#include "ops/all.h"
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

}  // namespace

std::vector<OpDef> bitwise_ops() {
  OpDef population_count = unary_row("PopulationCount", kInteger, unary_to<kInteger>([](auto v) {
                                       using U = std::make_unsigned_t<decltype(v)>;
                                       return static_cast<uint8_t>(std::popcount(U(v)));
                                     }),
                                     {}, no_gradient());
  population_count.outputs = {{"y", "uint8"}};
  return {
      integer_row("BitwiseAnd", [](auto a, auto b) { return a & b; }),
      integer_row("BitwiseOr", [](auto a, auto b) { return a | b; }),
      integer_row("BitwiseXor", [](auto a, auto b) { return a ^ b; }),
      integer_row("LeftShift",
                  [](auto a, auto b) {
                    using U = std::make_unsigned_t<decltype(a)>;
                    return static_cast<decltype(a)>(static_cast<uint64_t>(U(a)) << shift_count(b));
                  }),
      integer_row("RightShift", [](auto a, auto b) { return a >> shift_count(b); }),
      unary_row("Invert", kInteger, unary<kInteger>([](auto v) { return ~v; }), {}, no_gradient()),
      std::move(population_count),
  };
}

}  // namespace agog
