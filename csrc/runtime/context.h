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
  std::vector<Tape*>* tapes = nullptr;  // innermost last; made on first use
  size_t first_tape = 0;                // tapes before this one are paused
};
inline constexpr uint32_t kTapesActive = 1;

extern AGOG_API constinit thread_local Context t_context;

inline void update_tape_flag() {
  Context& c = t_context;
  const bool active = c.tapes && c.tapes->size() > c.first_tape;
  c.flags = active ? (c.flags | kTapesActive) : (c.flags & ~kTapesActive);
}

// Pauses the tapes of this thread that record now; a tape started later records. Gives what
// resume_tapes() needs.
inline size_t pause_tapes() {
  Context& c = t_context;
  const size_t before = c.first_tape;
  c.first_tape = c.tapes ? c.tapes->size() : 0;
  update_tape_flag();
  return before;
}
inline void resume_tapes(size_t before) {
  Context& c = t_context;
  c.first_tape = c.tapes && before > c.tapes->size() ? c.tapes->size() : before;
  update_tape_flag();
}

}  // namespace agog
