#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/signals.h"

namespace agog {
namespace {

// Below this many simple element operations, waking a second thread costs more than it saves.
constexpr int64_t kParallelWork = 1 << 16;
// How often a thread looks for work before it sleeps: some 40 us, longer than the pause between two
// ops that follow each other.
constexpr int kSpins = 2000;
// More would only cost memory, and the system may have no more to give.
constexpr int kMostThreads = 1024;

std::atomic<int> g_threads{0};
thread_local bool t_in_parallel = false;

int cgroup_cpus() {
  std::FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r");
  if (!f) return 0;
  double quota = 0, period = 0;
  const int got = std::fscanf(f, "%lf %lf", &quota, &period);
  std::fclose(f);
  return got == 2 && period > 0 ? std::max(1, static_cast<int>(std::ceil(quota / period))) : 0;
}

int default_threads() {
  if (const char* chosen = std::getenv("OMP_NUM_THREADS")) {
    const int n = std::atoi(chosen);
    if (n > 0) return std::min(n, kMostThreads);
  }
  cpu_set_t set;
  int cpus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (sched_getaffinity(0, sizeof set, &set) == 0) cpus = CPU_COUNT(&set);
  const int quota = cgroup_cpus();
  return std::max(1, quota > 0 ? std::min(quota, cpus) : cpus);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits until the number is another than `seen`: first awake, then asleep.
template <class T>
T wait_for_change(const std::atomic<T>& number, T seen) {
  for (int i = 0; i < kSpins; ++i) {
    const T now = number.load(std::memory_order_acquire);
    if (now != seen) return now;
    pause();
  }
  number.wait(seen, std::memory_order_acquire);
  return number.load(std::memory_order_acquire);
}

struct Job {
  FunctionRef<void(int64_t, int64_t)> body;
  int64_t n, block, blocks;
  int helpers;  // at most so many workers beside the caller
  std::atomic<int64_t> next{0};

  void work() {
    t_in_parallel = true;
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
      body(i * block, std::min(n, (i + 1) * block));
    }
    t_in_parallel = false;
  }
};

// One job at a time. The caller takes blocks as the workers do, and waits in the end only for those
// who are in the middle of one: a worker that the system has not woken yet, because other programs
// keep the processors busy, holds nobody up.
class Pool {
 public:
  // False if another thread's job has the workers.
  bool run(Job& job) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    grow(job.helpers);
    announce(&job);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    job.work();
    announce(nullptr);
    for (int n; (n = inside_.load(std::memory_order_acquire)) > 0;) wait_for_change(inside_, n);
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  void announce(Job* job) {
    const std::lock_guard lock(mutex_);
    job_ = job;
  }

  void grow(int workers) {
    const SignalsHeld held;  // handlers are for threads that the program knows
    try {
      for (; workers_ < workers; ++workers_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      // The system has no more threads to give: those that are there, and the caller, do the work.
      return;
    }
  }

  Job* enter() {
    const std::lock_guard lock(mutex_);
    if (!job_ || inside_.load(std::memory_order_relaxed) >= job_->helpers) return nullptr;
    inside_.fetch_add(1, std::memory_order_relaxed);
    return job_;
  }

  [[noreturn]] void serve() {
    for (uint32_t seen = 0;;) {
      seen = wait_for_change(epoch_, seen);
      Job* job = enter();
      if (!job) continue;
      job->work();
      inside_.fetch_sub(1, std::memory_order_release);
      inside_.notify_all();
    }
  }

  std::mutex mutex_;
  Job* job_ = nullptr;  // under mutex_
  int workers_ = 0;     // only whoever set busy_ touches it
  std::atomic<bool> busy_{false};
  std::atomic<int> inside_{0};  // workers that hold the job; enters under mutex_
  std::atomic<uint32_t> epoch_{0};
};

// Never destroyed: workers use it until the process ends.
Pool* g_pool = new Pool;

// Workers do not follow into a forked child, which gets a pool of its own.
[[maybe_unused]] const bool g_at_fork =
    (pthread_atfork(nullptr, nullptr, [] { g_pool = new Pool; }), true);

}  // namespace

int num_threads() {
  int n = g_threads.load(std::memory_order_relaxed);
  if (n == 0) {
    n = default_threads();
    g_threads = n;
  }
  return n;
}

void set_num_threads(int n) { g_threads = std::clamp(n, 0, kMostThreads); }

void parallel_for(int64_t n, int64_t block, int64_t work,
                  FunctionRef<void(int64_t, int64_t)> body) {
  if (n <= 0) return;
  const int64_t blocks = (n + block - 1) / block;
  if (blocks > 1 && work >= kParallelWork && !t_in_parallel && num_threads() > 1) {
    const int helpers = static_cast<int>(std::min<int64_t>(num_threads(), blocks)) - 1;
    Job job{body, n, block, blocks, helpers};
    if (g_pool->run(job)) return;
  }
  for (int64_t i = 0; i < blocks; ++i) body(i * block, std::min(n, (i + 1) * block));
}

}  // namespace agog
