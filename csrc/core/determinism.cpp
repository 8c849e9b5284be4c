#include "core/determinism.h"

#include <omp.h>

#include <atomic>

namespace agog {
namespace {

std::atomic<bool> g_determinism{false};

}  // namespace

bool op_determinism() { return g_determinism.load(std::memory_order_relaxed); }
void set_op_determinism(bool on) { g_determinism = on; }

OneThread::OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
OneThread::~OneThread() { omp_set_num_threads(before_); }

}  // namespace agog
