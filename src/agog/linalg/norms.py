"""Norms of vectors and matrices."""

from __future__ import annotations

from typing import Any

from agog._core import Tensor, convert, handle, public
from agog.math.casting import cast
from agog.math.complex_numbers import abs as _modulus
from agog.math.reductions import reduce_max, reduce_sum
from agog.types import Axis, TensorLike

_conj = handle("Conj")
_pow = handle("Pow")
_sqrt = handle("Sqrt")
_squeeze = handle("Squeeze")

_INFINITY = float("inf")


@public
def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Axis = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Norm of vectors (one axis, or all elements if None), or of matrices (two axes).

    For vectors `ord` is "euclidean" or a positive number, `inf` included; for matrices it is
    "euclidean" or "fro" (the root of the sum of squares), 1 or `inf` (the largest sum of a
    column or of a row); 2 raises NotImplementedError.

    >>> agog.norm([3.0, 4.0]).numpy().item()
    5.0
    >>> agog.norm([[1.0, -2.0], [3.0, 4.0]], ord=1, axis=[0, 1]).numpy().item()
    6.0
    """
    tensor = convert(tensor)
    if isinstance(axis, (list, tuple)) and len(axis) == 2:
        result = _matrix_norm(tensor, ord, list(axis))
        keep = list(axis)
    else:
        if isinstance(axis, (list, tuple)):
            raise ValueError(f"axis must be None, a number or two numbers, got {axis}")
        result = _vector_norm(tensor, ord, axis)
        keep = list(range(tensor.ndim)) if axis is None else [axis]
    return result if keepdims or not keep else _squeeze(result, keep, name)


def _vector_norm(x: Tensor, ord: Any, axis: Any) -> Tensor:
    if ord in ("euclidean", "fro", 2):
        if ord == "fro":
            raise ValueError("The Frobenius norm is one of matrices: axis must be two numbers")
        return _root_of_squares(x, axis)
    if isinstance(ord, str) or ord <= 0:
        raise ValueError(f"ord must be a positive number or 'euclidean', got {ord!r}")
    if ord == 1:
        return reduce_sum(_modulus(x), axis, True)
    if ord == _INFINITY:
        return reduce_max(_modulus(x), axis, True)
    return _pow(reduce_sum(_pow(_modulus(x), ord), axis, True), 1.0 / ord)


def _matrix_norm(x: Tensor, ord: Any, axis: list[int]) -> Tensor:
    rows, columns = (i % x.ndim for i in axis)
    if rows == columns:
        raise ValueError(f"axis must be two different axes, got {axis}")
    if ord in ("euclidean", "fro"):
        return _root_of_squares(x, axis)
    if ord == 1:
        return reduce_max(reduce_sum(_modulus(x), rows, True), columns, True)
    if ord == _INFINITY:
        return reduce_max(reduce_sum(_modulus(x), columns, True), rows, True)
    if ord == 2:
        raise NotImplementedError("The 2-norm of matrices needs singular values")
    raise ValueError(f"ord must be 'euclidean', 'fro', 1, 2 or inf for matrices, got {ord!r}")


def _root_of_squares(x: Tensor, axis: Any) -> Tensor:
    return _sqrt(reduce_sum(x * _conj(x) if x.dtype.is_complex else x * x, axis, True))


@public
def normalize(
    tensor: TensorLike, ord: Any = "euclidean", axis: Axis = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` over its `norm`, and that norm with the reduced axes kept.

    >>> unit, length = agog.linalg.normalize([3.0, 4.0])
    >>> print(unit.numpy().round(4), length.numpy())
    [0.6 0.8] [5.]
    """
    tensor = convert(tensor)
    length = norm(tensor, ord, axis, keepdims=True)
    return tensor / cast(length, tensor.dtype), length
