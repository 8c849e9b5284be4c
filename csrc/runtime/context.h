// What the running thread is in the middle of: tapes, and later graphs and hooks.
#pragma once

#include <cstdint>

#include "core/api.h"

namespace agog {

struct TapeStack;

struct Context {
  // Nonzero when a call must look further than its kernel: one test in the common case.
  uint32_t flags = 0;
  TapeStack* tapes = nullptr;  // made on first use
};
inline constexpr uint32_t kTapesActive = 1;

extern AGOG_API constinit thread_local Context t_context;

}  // namespace agog
