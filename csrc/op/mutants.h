// One mistake put into one row, to see that the tests notice. Only in builds with AGOG_MUTANTS.
#pragma once

#include <string>

#include "core/api.h"

namespace agog {

// Mends the last mistake and puts another in. `kind` is one of
//   forward    the first number of the output is another
//   factor     each gradient is 1.25 times as large
//   negate     each gradient has the other sign
//   drop       the last gradient is zero
//   reverse    each gradient is reversed along its last dimension
//   broadcast  gradients are not summed back to the shapes of the inputs
// or empty. Throws where the row has no such place.
AGOG_API void set_mutant(const std::string& op, const std::string& kind);

}  // namespace agog
