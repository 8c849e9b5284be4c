// Threads: a pool of our own. oneDNN brings OpenMP's, which is told the same number.
//
// Work is split in blocks fixed by the problem, never by the number of threads, so results do not
// depend on it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/api.h"

namespace agog {

// A reference to something callable, without owning it.
template <class Signature>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)  // NOLINT: implicit on purpose
      : object_(const_cast<void*>(static_cast<const void*>(&f))), call_([](void* o, Args... args) {
          return (*static_cast<std::remove_reference_t<F>*>(o))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Calls body(begin, end) for blocks of `block` items that cover [0, n), on several threads when
// `work` (about the number of simple element operations in all) is worth it. The body must not
// throw.
AGOG_API void parallel_for(int64_t n, int64_t block, int64_t work,
                           FunctionRef<void(int64_t, int64_t)> body);

AGOG_API int num_threads();
AGOG_API void set_num_threads(int n);

}  // namespace agog
