// What libagog.so shows to the op libraries and to the Python extension; everything else is hidden.
#pragma once

#define AGOG_API __attribute__((visibility("default")))
#define AGOG_LIKELY(x) __builtin_expect(!!(x), 1)
#define AGOG_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define AGOG_NOINLINE __attribute__((noinline))
