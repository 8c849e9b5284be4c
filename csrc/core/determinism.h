// Whether results must not depend on the number of threads even where a library decides the split.
#pragma once

#include "core/api.h"

namespace agog {

AGOG_API bool op_determinism();
AGOG_API void set_op_determinism(bool on);

// While alive, libraries that use OpenMP run on the calling thread alone.
class AGOG_API OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace agog
