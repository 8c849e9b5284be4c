// Kernels run oneDNN on one thread each, for parts of the work that the problem alone decides.
#pragma once

#include "core/onednn.h"

namespace agog {

// oneDNN would split the work by the number of threads, along what is summed, too, and wait for
// every thread of OpenMP. It computes parts on one thread each instead, so that the result is the
// same for any number of threads.
class OneThreadOfOpenMp {
 public:
  OneThreadOfOpenMp() : before_(openmp().get ? openmp().get() : 1) { set(1); }
  ~OneThreadOfOpenMp() { set(before_); }
  OneThreadOfOpenMp(const OneThreadOfOpenMp&) = delete;
  OneThreadOfOpenMp& operator=(const OneThreadOfOpenMp&) = delete;

 private:
  // The library that oneDNN brought along.
  struct OpenMp {
    int (*get)() = reinterpret_cast<int (*)()>(onednn_symbol("omp_get_max_threads"));
    void (*set)(int) = reinterpret_cast<void (*)(int)>(onednn_symbol("omp_set_num_threads"));
  };
  static const OpenMp& openmp() { return onednn_table<OpenMp>(); }
  void set(int n) const {
    if (before_ > 1) openmp().set(n);
  }

  const int before_;
};

}  // namespace agog
