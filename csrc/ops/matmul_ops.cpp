// Matrix products.
#include "ops/all.h"

namespace agog {

std::vector<OpDef> matmul_ops() { return {}; }

}  // namespace agog
