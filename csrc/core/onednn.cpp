#include "core/onednn.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace agog {
namespace {

constexpr const char* kLibrary = "libdnnl.so.3";

struct OneDnn {
  void* library = nullptr;
  std::string why_not;
};

std::string& folder() {
  static std::string* f = new std::string;
  return *f;
}

#ifdef AGOG_ONEDNN
OneDnn open_library() {
  OneDnn found;
  // A path, and then no other is tried, or "none" for Eigen's products.
  const char* chosen = std::getenv("AGOG_ONEDNN_LIBRARY");
  if (chosen != nullptr && std::string(chosen) == "none") {
    found.why_not = "AGOG_ONEDNN_LIBRARY is none";
    return found;
  }
  if (chosen != nullptr) found.library = dlopen(chosen, RTLD_LAZY | RTLD_LOCAL);
  if (!chosen && !folder().empty()) {
    found.library = dlopen((folder() + "/" + kLibrary).c_str(), RTLD_LAZY | RTLD_LOCAL);
  }
  // By our own run path: three folders up from the package, where pip puts it.
  if (!chosen && !found.library) found.library = dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL);
  if (!found.library) {
    const char* error = dlerror();
    found.why_not = std::string(error ? error : "not found") +
                    "; pip install onednn-cpu-gomp==2023.2.0 brings it";
    hooks::onednn_missing(found.why_not);
  }
  return found;
}
#else
OneDnn open_library() { return {nullptr, "built without oneDNN"}; }
#endif

// Held while the library is opened, which takes long enough for a fork to fall into it.
std::mutex g_opening;
[[maybe_unused]] const bool g_at_fork =
    (pthread_atfork([] { g_opening.lock(); }, [] { g_opening.unlock(); },
                    [] { g_opening.unlock(); }),
     true);

const OneDnn& onednn() {
  static constinit std::atomic<const OneDnn*> opened{nullptr};
  if (const OneDnn* library = opened.load(std::memory_order_acquire)) return *library;
  const std::lock_guard lock(g_opening);
  if (opened.load() == nullptr) opened = new OneDnn(open_library());
  return *opened.load();
}

}  // namespace

namespace hooks {
void (*onednn_missing)(const std::string&) = [](const std::string& why) {
  std::fprintf(stderr, "agog: matrix products run without oneDNN, slower: %s\n", why.c_str());
};
}  // namespace hooks

void* onednn_symbol(const char* name) {
  return onednn().library ? dlsym(onednn().library, name) : nullptr;
}

void set_onednn_folder(const std::string& path) { folder() = path; }

std::string matmul_backend() {
  return onednn().library ? "onednn" : "eigen (" + onednn().why_not + ")";
}

}  // namespace agog
