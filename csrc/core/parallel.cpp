#include "core/parallel.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace agog {
namespace {

// Below this many simple element operations, waking a second thread costs more than it saves.
constexpr int64_t kParallelWork = 1 << 16;

std::atomic<int> g_threads{0};
std::atomic<bool> g_forked{false};

// GNU OpenMP hangs in a forked child that starts a parallel region after the parent did.
void in_child() {
  g_forked = true;
  g_threads = 1;
  omp_set_num_threads(1);
}

int cgroup_cpus() {
  std::FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r");
  if (!f) return 0;
  double quota = 0, period = 0;
  const int got = std::fscanf(f, "%lf %lf", &quota, &period);
  std::fclose(f);
  return got == 2 && period > 0 ? std::max(1, static_cast<int>(std::ceil(quota / period))) : 0;
}

int default_threads() {
  if (std::getenv("OMP_NUM_THREADS")) return std::max(1, omp_get_max_threads());
  cpu_set_t set;
  int cpus = omp_get_num_procs();
  if (sched_getaffinity(0, sizeof set, &set) == 0) cpus = CPU_COUNT(&set);
  const int quota = cgroup_cpus();
  return std::max(1, quota > 0 ? std::min(quota, cpus) : cpus);
}

// omp's own setting is per thread: every thread that computes takes over ours.
int threads_here() {
  static const bool at_fork = (pthread_atfork(nullptr, nullptr, in_child), true);
  (void)at_fork;
  int n = g_threads.load(std::memory_order_relaxed);
  if (n == 0) {
    n = default_threads();
    g_threads = n;
  }
  if (omp_get_max_threads() != n) omp_set_num_threads(n);
  return n;
}

}  // namespace

int num_threads() { return threads_here(); }

void set_num_threads(int n) {
  g_threads = g_forked ? 1 : std::max(0, n);
  threads_here();
}

void parallel_for(int64_t n, int64_t block, int64_t work,
                  FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= 0) return;
  const int64_t blocks = (n + block - 1) / block;
  if (blocks == 1 || work < kParallelWork || threads_here() == 1 || omp_in_parallel()) {
    for (int64_t i = 0; i < blocks; ++i) body(i * block, std::min(n, (i + 1) * block));
    return;
  }
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < blocks; ++i) body(i * block, std::min(n, (i + 1) * block));
}

}  // namespace agog
