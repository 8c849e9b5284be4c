#include "ops/family.h"

#include "op/registry.h"

namespace agog {
namespace {

// Of this library: each has a list of its own.
std::vector<OpRows (*)()>& families() {
  static std::vector<OpRows (*)()> all;
  return all;
}

}  // namespace

Family::Family(OpRows (*rows)()) { families().push_back(rows); }

}  // namespace agog

// The one symbol that an op library shows: registers every row in it.
extern "C" AGOG_API void agog_register_ops() {
  agog::OpRows rows;
  for (const auto family : agog::families()) {
    for (agog::OpDef& row : family()) rows.push_back(std::move(row));
  }
  agog::register_ops(std::move(rows));
}
