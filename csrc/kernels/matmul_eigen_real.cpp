// See matmul_eigen.h.
#include "kernels/matmul_eigen.h"

namespace agog::detail {

template void eigen_product(const Product&, const Operands<float>&, int64_t, int64_t);
template void eigen_product(const Product&, const Operands<double>&, int64_t, int64_t);

}  // namespace agog::detail
