// A product or sum that is rounded before it goes on: the compiler may not fuse it into what
// follows.
#pragma once

namespace agog {

template <class T>
T rounded(T v) {
#if defined(__x86_64__)
  asm volatile("" : "+x"(v));
#elif defined(__aarch64__)
  asm volatile("" : "+w"(v));
#endif
  return v;
}

}  // namespace agog
