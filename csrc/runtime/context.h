// What the running thread is in the middle of: tapes, and later graphs and hooks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/api.h"

namespace agog {

class Tape;

struct Context {
  // Nonzero when a call must look further than its kernel: one test in the common case.
  uint32_t flags = 0;
  int paused = 0;                        // depth of stop_recording
  std::vector<Tape*>* tapes = nullptr;   // innermost last; made on first use
};
inline constexpr uint32_t kTapesActive = 1;

extern AGOG_API constinit thread_local Context t_context;

inline void update_tape_flag() {
  Context& c = t_context;
  const bool active = c.paused == 0 && c.tapes && !c.tapes->empty();
  c.flags = active ? (c.flags | kTapesActive) : (c.flags & ~kTapesActive);
}

// While alive, nothing on this thread is recorded.
class PauseScope {
 public:
  PauseScope() {
    ++t_context.paused;
    update_tape_flag();
  }
  ~PauseScope() {
    --t_context.paused;
    update_tape_flag();
  }
  PauseScope(const PauseScope&) = delete;
  PauseScope& operator=(const PauseScope&) = delete;
};

}  // namespace agog
