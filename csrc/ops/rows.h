// What elementwise rows have in common.
#pragma once

#include <utility>
#include <vector>

#include "op/op_def.h"
#include "op/shape_rules.h"

namespace agog {

// y = f(x)
inline OpDef unary_row(const char* name, TypeSet types, Kernel kernel, std::vector<Save> saves,
                       GradFn grad) {
  return {.name = name,
          .inputs = {{"x", "T"}},
          .outputs = {{"y", "T"}},
          .types = {{"T", types}},
          .shape = same_as(0),
          .kernel = std::move(kernel),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}
// z = f(x, y), broadcast
inline OpDef binary_row(const char* name, TypeSet types, Kernel kernel, std::vector<Save> saves,
                        GradFn grad) {
  return {.name = name,
          .inputs = {{"x", "T"}, {"y", "T"}},
          .outputs = {{"z", "T"}},
          .types = {{"T", types}},
          .broadcasts = true,
          .shape = broadcast(),
          .kernel = std::move(kernel),
          .saves = std::move(saves),
          .grad = std::move(grad)};
}
// bool z = f(x, y), broadcast
inline OpDef compare_row(const char* name, TypeSet types, Kernel kernel) {
  OpDef row = binary_row(name, types, std::move(kernel), {}, no_gradient());
  row.outputs = {{"z", "bool"}};
  return row;
}

}  // namespace agog
