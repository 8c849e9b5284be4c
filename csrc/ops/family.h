// A family of ops: the rows that one file of this folder makes.
#pragma once

#include <iterator>
#include <vector>

#include "op/op_def.h"

namespace agog {

using OpRows = std::vector<OpDef>;

// Puts the rows of a file among those that the library it is linked into registers.
class Family {
 public:
  explicit Family(OpRows (*rows)());
};

// The rows of a family that is written in several parts.
inline OpRows join_rows(std::vector<OpRows> parts) {
  OpRows all;
  for (OpRows& part : parts) {
    all.insert(all.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
  }
  return all;
}

}  // namespace agog
