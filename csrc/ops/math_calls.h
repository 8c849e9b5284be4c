// Mathematical ops as C++ functions, for gradient rules.
#pragma once

#include "op/call.h"

namespace agog::ops {

inline const Caller abs{"Abs"}, sign{"Sign"}, square{"Square"}, sqrt{"Sqrt"}, rsqrt{"Rsqrt"},
    reciprocal{"Reciprocal"}, exp{"Exp"}, log{"Log"}, log1p{"Log1p"}, sigmoid{"Sigmoid"},
    tanh{"Tanh"}, sin{"Sin"}, cos{"Cos"}, sinh{"Sinh"}, cosh{"Cosh"};
inline const Caller pow{"Pow"}, maximum{"Maximum"}, minimum{"Minimum"}, div_no_nan{"DivNoNan"},
    mul_no_nan{"MulNoNan"}, xlogy{"Xlogy"}, xlog1py{"Xlog1py"}, xdivy{"Xdivy"},
    floor_div{"FloorDiv"}, truncate_div{"TruncateDiv"};
inline const Caller less{"Less"}, less_equal{"LessEqual"}, greater{"Greater"},
    greater_equal{"GreaterEqual"}, equal{"Equal"}, not_equal{"NotEqual"}, select{"SelectV2"},
    logical_and{"LogicalAnd"}, logical_or{"LogicalOr"}, logical_not{"LogicalNot"};

// t where the condition holds, else 0.
inline Tensor only_where(Tensor condition, Tensor t) {
  Tensor zero = like(0, t);
  return select(std::move(condition), std::move(t), std::move(zero));
}
inline Tensor unless(Tensor condition, Tensor t) {
  Tensor zero = like(0, t);
  return select(std::move(condition), std::move(zero), std::move(t));
}

}  // namespace agog::ops
