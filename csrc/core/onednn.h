// oneDNN, opened when a kernel first wants it: it is large, and sessions of small tensors never do.
#pragma once

#include <atomic>
#include <string>

#include "core/api.h"

namespace agog {

// The address of a C function of oneDNN, or null where the library is missing. The first call
// opens it and reports a missing library, once.
AGOG_API void* onednn_symbol(const char* name);

// A table of such functions, made by whoever comes first and never destroyed. A static variable
// would have a guard, and a child that is forked while another thread holds that would wait
// forever.
template <class Table>
const Table& onednn_table() {
  static constinit std::atomic<const Table*> published{nullptr};
  const Table* table = published.load(std::memory_order_acquire);
  if (table == nullptr) {
    const Table* made = new Table;
    if (published.compare_exchange_strong(table, made)) return *made;
    delete made;
  }
  return *table;
}

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
