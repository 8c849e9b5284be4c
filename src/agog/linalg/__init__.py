"""Matrices and vectors: `agog.linalg`."""

from agog.array import (
    eye,
)
from agog.linalg.diagonals import (
    adjoint,
    band_part,
    diag,
    diag_part,
    matrix_transpose,
    set_diag,
    trace,
)
from agog.linalg.einsum import (
    einsum,
)
from agog.linalg.norms import (
    norm,
    normalize,
)
from agog.linalg.products import (
    cross,
    matmul,
    matvec,
    tensordot,
)
from agog.math.clipping import (
    global_norm,
)
from agog.math.normalizing import (
    l2_normalize,
)
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = [
    "adjoint",
    "band_part",
    "cross",
    "diag",
    "diag_part",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "set_diag",
    "tensordot",
    "trace",
]
