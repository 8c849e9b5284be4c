// oneDNN, opened when a kernel first wants it: it is large, and sessions of small tensors never do.
#pragma once

#include <string>

#include "core/api.h"

namespace agog {

// The address of a C function of oneDNN, or null where the library is missing. The first call
// opens it and reports a missing library, once.
AGOG_API void* onednn_symbol(const char* name);

// A folder to look in first (Python's prefix/lib); to be set before the first product.
AGOG_API void set_onednn_folder(const std::string& folder);

namespace hooks {
// Told why the library is missing, where one was expected; any thread may call it, with or without
// the interpreter's lock. Writes to stderr until the Python extension puts a warning in its place.
extern AGOG_API void (*onednn_missing)(const std::string& why);
}  // namespace hooks

// "onednn", or "eigen" with the reason in brackets.
AGOG_API std::string matmul_backend();

}  // namespace agog
