// Rounding to integers.
#include "kernels/map.h"
#include "kernels/vmath.h"
#include "op/contexts.h"
#include "ops/family.h"
#include "ops/rows.h"

namespace agog {

const Family rounding_ops([]() -> OpRows {
  constexpr TypeSet kRint = types(DType::kFloat, DType::kDouble);
  Kernel round = merge(unary<kFloating>([](auto v) { return vmath::rint(v); }, 2),
                       unary<kSigned>([](auto v) { return v; }));
  return {
      unary_row("Ceil", kFloating, unary<kFloating>([](auto v) { return vmath::ceil(v); }, 2), {},
                no_gradient()),
      unary_row("Floor", kFloating, unary<kFloating>([](auto v) { return vmath::floor(v); }, 2), {},
                no_gradient()),
      // Ties go to the even neighbour.
      unary_row("Round", kFloating | kIndex, std::move(round), {}, no_gradient()),
      unary_row("Rint", kRint, unary<kRint>([](auto v) { return vmath::rint(v); }, 2), {},
                no_gradient()),
  };
});

}  // namespace agog
