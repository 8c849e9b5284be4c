// What must hold while oneDNN runs: one thread, no signal handlers.
#pragma once

#include "core/onednn.h"
#include "core/signals.h"

namespace agog {

// Kernels keep one of these around every call of oneDNN that computes.
//
// oneDNN would split the work by the number of threads, along what is summed, too, and wait for
// every thread of OpenMP. It computes parts that the problem alone decides on one thread each
// instead, so that the result is the same for any number of threads.
//
// Some of the code that it generates, a matrix product of 64x784 by 784x128 for one, points the
// stack register into its buffers on the heap: a handler that ran there would write its frame
// over whatever comes before (seen with 2023.2: Ctrl-C left a broken heap).
class OneDnnScope {
 public:
  OneDnnScope() : threads_before_(openmp().get ? openmp().get() : 1) { set_threads(1); }
  ~OneDnnScope() { set_threads(threads_before_); }
  OneDnnScope(const OneDnnScope&) = delete;
  OneDnnScope& operator=(const OneDnnScope&) = delete;

 private:
  // The library that oneDNN brought along.
  struct OpenMp {
    int (*get)() = reinterpret_cast<int (*)()>(onednn_symbol("omp_get_max_threads"));
    void (*set)(int) = reinterpret_cast<void (*)(int)>(onednn_symbol("omp_set_num_threads"));
  };
  static const OpenMp& openmp() { return onednn_table<OpenMp>(); }
  void set_threads(int n) const {
    if (threads_before_ > 1) openmp().set(n);
  }

  const SignalsHeld held_;
  const int threads_before_;
};

}  // namespace agog
