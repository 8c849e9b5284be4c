"""Diagonals, bands and transposes of matrices in the last two axes."""

from __future__ import annotations

from typing import Any

from agog._core import Tensor, convert, handle, public, public_op
from agog.array.shapes import transpose
from agog.types import TensorLike

_band_part = handle("MatrixBandPart")
_diag = handle("MatrixDiagV3")
_diag_part = handle("MatrixDiagPartV3")
_set_diag = handle("MatrixSetDiagV3")
_sum = handle("Sum")


@public
def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the last axis of `diagonal` on diagonal `k`, `padding_value` elsewhere.

    `k` may be a pair (lowest, highest): then the last two axes are diagonals, highest first, and
    `align` tells at which end the short ones are padded. Sizes of -1 are the smallest that fit.

    >>> agog.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return _diag(diagonal, k, num_rows, num_cols, padding_value, align, name)


@public
def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Diagonal `k` of matrices, or the diagonals `k[0]` to `k[1]`, padded to one length.

    >>> agog.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    return _diag_part(input, k, padding_value, align, name)


@public
def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with diagonal `k`, or the diagonals `k[0]` to `k[1]`, replaced.

    >>> agog.linalg.set_diag([[1, 2], [3, 4]], [0, 9]).numpy().tolist()
    [[0, 2], [3, 9]]
    """
    return _set_diag(input, diagonal, k, align, name)


@public_op(_band_part)
def band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """Matrices with zeros beyond so many diagonals below and above the main one; -1 keeps all.

    >>> agog.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy().tolist()
    [[1, 0], [3, 4]]
    """
    return _band_part(input, num_lower, num_upper, name)


@public
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """Sum of the main diagonal of matrices.

    >>> agog.linalg.trace([[1, 2], [3, 4]]).numpy().item()
    5
    """
    x = convert(x)
    return _sum(_diag_part(x, 0, 0, "RIGHT_LEFT"), [-1], False, name)


@public
def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """`a` with its last two axes exchanged; `conjugate` conjugates, too.

    >>> agog.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    a = convert(a)
    rank = a.ndim
    if rank is None or rank < 2:
        raise ValueError(f"a must have a known rank of at least 2, got shape {a.shape}")
    perm = [*range(rank - 2), rank - 1, rank - 2]
    return transpose(a, perm, conjugate, name)


@public
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """`matrix` with its last two axes exchanged, and conjugated.

    >>> agog.linalg.adjoint([[1 + 1j, 2j]]).numpy().tolist()
    [[(1-1j)], [-2j]]
    """
    return matrix_transpose(matrix, name, conjugate=True)
