#include "core/random_state.h"

#include <pthread.h>

#include <mutex>
#include <random>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/determinism.h"
#include "core/error.h"

namespace agog {
namespace {

struct Key {
  std::string op;
  uint64_t dtypes;
  int64_t seed, seed2;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = std::hash<std::string>()(k.op) ^ k.dtypes;
    for (int64_t seed : {k.seed, k.seed2}) {
      h = (h ^ static_cast<uint64_t>(seed)) * 0x9E3779B97F4A7C15u;
      h ^= h >> 32;
    }
    return h;
  }
};

// With a global seed and none of their own, ops get a new seed at every call, so generators come
// without end. Those not used for a long time are forgotten, a generation at a time.
struct Generators {
  static constexpr size_t kGeneration = 1 << 15;
  std::mutex mutex;
  std::unordered_map<Key, RandomStream, KeyHash> young, old;

  RandomStream& get(const Key& key) {
    if (auto it = young.find(key); it != young.end()) return it->second;
    RandomStream stream = start(key);
    if (auto it = old.find(key); it != old.end()) stream = it->second;
    if (young.size() >= kGeneration) {
      old = std::move(young);
      young.clear();
    }
    return young[key] = stream;
  }

  static RandomStream start(const Key& key) {
    if (key.seed != 0 || key.seed2 != 0) {
      return {static_cast<uint64_t>(key.seed), 0, static_cast<uint64_t>(key.seed2)};
    }
    std::random_device device;
    auto word = [&] { return (uint64_t{device()} << 32) | device(); };
    const uint64_t first = word();
    return {first, 0, word()};
  }
};

// Never destroyed: threads may draw while the process ends.
Generators& generators();

// A child that is forked while another thread holds the mutex would wait for it forever.
void lock_before_fork() { generators().mutex.lock(); }
void unlock_after_fork() { generators().mutex.unlock(); }

Generators& generators() {
  static Generators* g = [] {
    pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
    return new Generators;
  }();
  return *g;
}

}  // namespace

RandomStream reserve_random(std::string_view op, uint64_t dtypes, int64_t seed, int64_t seed2,
                            uint64_t blocks) {
  if (seed == 0 && seed2 == 0 && op_determinism()) {
    fail(ErrorCode::kInvalidArgument,
         "random ops must have a seed when determinism is enabled; give one, or call "
         "agog.random.set_seed first");
  }
  Generators& g = generators();
  const std::lock_guard lock(g.mutex);
  RandomStream& stream = g.get({std::string(op), dtypes, seed, seed2});
  const RandomStream here = stream;
  stream.skip(blocks);
  return here;
}

void reset_random_kernels() {
  Generators& g = generators();
  const std::lock_guard lock(g.mutex);
  g.young.clear();
  g.old.clear();
}

std::vector<RandomPlace> random_places() {
  Generators& g = generators();
  const std::lock_guard lock(g.mutex);
  std::vector<RandomPlace> places;
  const auto add = [&](const Key& k, const RandomStream& stream) {
    places.push_back({k.op, k.dtypes, k.seed, k.seed2, stream});
  };
  for (const auto& [key, stream] : g.young) add(key, stream);
  for (const auto& [key, stream] : g.old) {
    if (!g.young.contains(key)) add(key, stream);
  }
  return places;
}

void set_random_places(const std::vector<RandomPlace>& places) {
  Generators& g = generators();
  const std::lock_guard lock(g.mutex);
  g.young.clear();
  g.old.clear();
  for (const RandomPlace& p : places) g.old[{p.op, p.dtypes, p.seed, p.seed2}] = p.stream;
}

}  // namespace agog
