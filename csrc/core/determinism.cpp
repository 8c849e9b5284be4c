#include "core/determinism.h"

#include <atomic>

namespace agog {
namespace {

std::atomic<bool> g_determinism{false};

}  // namespace

bool op_determinism() { return g_determinism.load(std::memory_order_relaxed); }
void set_op_determinism(bool on) { g_determinism = on; }

}  // namespace agog
