"""Products of matrices, vectors and tensors."""

from __future__ import annotations

import math
from typing import Any

from agog import dtypes
from agog._axes import checked_axis
from agog._core import Tensor, convert, handle, public
from agog.array.creation import get_static_value
from agog.array.shapes import transpose
from agog.errors import InvalidArgumentError
from agog.math.casting import cast
from agog.types import DTypeLike, TensorLike

_batch_matmul = handle("BatchMatMulV2")
_concat = handle("ConcatV2")
_conj = handle("Conj")
_gather = handle("GatherV2")
_expand_dims = handle("ExpandDims")
_matmul = handle("MatMul")
_prod = handle("Prod")
_reshape = handle("Reshape")
_shape = handle("Shape")
_squeeze = handle("Squeeze")


@public
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Matrix product over the last two axes; leading axes broadcast.

    `transpose_*` swaps the last two axes of an argument first, `adjoint_*` conjugates, too.
    `output_type` is the dtype of the result if not that of the arguments. The other four
    flags change nothing: they are hints to other implementations.

    >>> agog.matmul([[1, 2], [3, 4]], [[1], [1]]).numpy().tolist()
    [[3], [7]]
    """
    if not isinstance(a, Tensor):
        a = convert(a, None, b.dtype if isinstance(b, Tensor) else None)
    if not isinstance(b, Tensor):
        b = convert(b, None, a.dtype)
    if adjoint_a or adjoint_b:
        return _adjoint_matmul(
            a, b, (transpose_a, transpose_b), (adjoint_a, adjoint_b), output_type
        )
    if output_type is not None:
        a, b = cast(a, output_type), cast(b, output_type)
    if a.ndim == 2 and b.ndim == 2:
        return _matmul(a, b, transpose_a, transpose_b, name=name)
    if transpose_a:
        a = _conjugated(a)
    if transpose_b:
        b = _conjugated(b)
    return _batch_matmul(a, b, transpose_a, transpose_b, name=name)


def _conjugated(x: Tensor) -> Tensor:
    """What BatchMatMulV2, which knows only adjoints, needs for a plain transpose."""
    return _conj(x) if x.dtype.is_complex else x


def _adjoint_matmul(
    a: Tensor,
    b: Tensor,
    transposed: tuple[bool, bool],
    adjoint: tuple[bool, bool],
    output_type: DTypeLike | None,
) -> Tensor:
    for flags in zip("ab", transposed, adjoint, strict=True):
        if flags[1] and flags[2]:
            raise ValueError(f"Only one of transpose_{flags[0]} and adjoint_{flags[0]} can be True")
    a = _conjugated(a) if adjoint[0] else a
    b = _conjugated(b) if adjoint[1] else b
    swap_a, swap_b = transposed[0] or adjoint[0], transposed[1] or adjoint[1]
    return matmul(a, b, swap_a, swap_b, output_type=output_type)


@public
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Product of matrices and vectors: `matmul` with a column made of the last axis of `b`.

    >>> agog.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy().tolist()
    [3, 7]
    """
    b = _expand_dims(b, -1)
    product = matmul(a, b, transpose_a, False, adjoint_a)
    return _squeeze(product, [-1], name)


@public
def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """Cross product of vectors of length 3 in the last axis; the shapes must be equal.

    >>> agog.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]
    """
    a = convert(a)
    b = convert(b, None, a.dtype)
    if a.shape != b.shape or a.shape.rank == 0 or a.shape[-1] != 3:
        raise InvalidArgumentError(
            None,
            None,
            f"a and b must have one shape that ends in 3, got {a.shape} and {b.shape} [Op:Cross]",
        )
    return _turned(a, 1) * _turned(b, 2) - _turned(a, 2) * _turned(b, 1)


def _turned(x: Tensor, by: int) -> Tensor:
    order = [(i + by) % 3 for i in range(3)]
    return _gather(x, order, -1, 0)


@public
def tensordot(a: TensorLike, b: TensorLike, axes: Any, name: str | None = None) -> Tensor:
    """Sum of products over pairs of axes; the other axes of `a`, then those of `b`, remain.

    `axes` lists the axes of `a` and those of `b`; a number n stands for the last n of `a` and
    the first n of `b`.

    >>> agog.tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]], 2).numpy().item()
    5
    >>> agog.tensordot([[1, 2], [3, 4]], [10, 1], [[0], [0]]).numpy().tolist()
    [13, 24]
    """
    a = convert(a)
    b = convert(b, None, a.dtype)
    a_axes, b_axes = _contracted(axes, a, b)
    a_matrix, a_free = _as_matrix(a, a_axes, last=True)
    b_matrix, b_free = _as_matrix(b, b_axes, last=False)
    product = _matmul(a_matrix, b_matrix, False, False)
    return _reshape(product, _joined(a_free, b_free), name)


def _joined(a_free: Any, b_free: Any) -> Any:
    if isinstance(a_free, list) and isinstance(b_free, list):
        return a_free + b_free
    return _concat([convert(a_free, dtypes.int32), convert(b_free, dtypes.int32)], 0)


def _contracted(axes: Any, a: Tensor, b: Tensor) -> tuple[list[int], list[int]]:
    """The axes of `a` and of `b` to sum over, counted from the front."""
    if isinstance(axes, Tensor):
        if not axes.dtype.is_integer:
            raise TypeError(f"axes must be integers, got a tensor of dtype {axes.dtype.name}")
        axes = get_static_value(axes).tolist()
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(
                f"axes must be in [0, {min(a.ndim, b.ndim)}] for shapes {a.shape} "
                f"and {b.shape}, got {axes}"
            )
        return list(range(a.ndim - axes, a.ndim)), list(range(axes))
    if len(axes) != 2:
        raise ValueError(f"axes must be a number or two lists, got {axes!r}")
    pair = [[side] if isinstance(side, int) else [int(i) for i in side] for side in axes]
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"axes must list as many axes of a as of b, got {axes!r}")
    return _checked_axes("a", a, pair[0]), _checked_axes("b", b, pair[1])


def _checked_axes(which: str, x: Tensor, axes: list[int]) -> list[int]:
    """`axes` of tensor `which` counted from the front, each once."""
    counted = [checked_axis(i, x.ndim) for i in axes]
    if len(set(counted)) != len(counted):
        raise ValueError(f"axes must name an axis of {which} only once, got {axes}")
    return counted


def _as_matrix(x: Tensor, axes: list[int], last: bool) -> tuple[Tensor, Any]:
    """`x` as a matrix whose columns (`last`) or rows run over `axes`, and its other lengths."""
    free = [i for i in range(x.ndim) if i not in axes]
    order = free + axes if last else axes + free
    if order != sorted(order):
        x = transpose(x, order) if x.ndim > 1 else x
    if x.shape.is_fully_defined():
        dims: Any = x.shape.as_list()
        kept = dims[: len(free)] if last else dims[len(axes) :]
        summed = math.prod(dims[len(free) :] if last else dims[: len(axes)])
        count = math.prod(kept)
        return _reshape(x, [count, summed] if last else [summed, count]), kept
    dims = _shape(x, dtypes.int32)
    kept = dims[: len(free)] if last else dims[len(axes) :]
    summed = _prod(dims[len(free) :] if last else dims[: len(axes)], [0], False)
    return _reshape(x, [-1, summed] if last else [summed, -1]), kept
