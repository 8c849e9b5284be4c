// Makes the other kinds of kernel.
#pragma once

#include "op/contexts.h"

namespace agog {

inline Kernel general(KernelFn fn, int cost = 1) {
  Kernel k;
  k.kind = Kernel::kGeneral;
  k.fn = std::move(fn);
  k.cost = cost;
  return k;
}
inline Kernel dynamic(KernelFn fn, int cost = 1) {
  Kernel k = general(std::move(fn), cost);
  k.kind = Kernel::kDynamic;
  return k;
}
// The output is input 0 in the shape that the rule gives.
inline Kernel alias() {
  Kernel k;
  k.kind = Kernel::kAlias;
  return k;
}

}  // namespace agog
