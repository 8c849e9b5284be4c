"""Softmax, and scaling to length one."""

from __future__ import annotations

from typing import Any

from agog._axes import checked_axis, with_last
from agog._core import Tensor, convert, handle, public
from agog.math.reductions import every_axis
from agog.types import Axis, TensorLike

_log_softmax = handle("LogSoftmax")
_maximum = handle("Maximum")
_real = handle("Real")
_conj = handle("Conj")
_rsqrt = handle("Rsqrt")
_softmax = handle("Softmax")
_square = handle("Square")
_sum = handle("Sum")
_transpose = handle("Transpose")
_cast = handle("Cast")


@public
def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """exp(logits) over its sum along `axis`, the last if None; without overflow.

    >>> agog.nn.softmax([1.0, 1.0]).numpy().tolist()
    [0.5, 0.5]
    """
    if axis is None or axis == -1:
        return _softmax(logits, name)
    return _along(_softmax, convert(logits), axis, name)


@public
def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """log(softmax(logits)) along `axis`, the last if None; finite wherever the true value is.

    >>> agog.nn.log_softmax([0.0, 1000.0]).numpy().tolist()
    [-1000.0, 0.0]
    """
    if axis is None or axis == -1:
        return _log_softmax(logits, name)
    return _along(_log_softmax, convert(logits), axis, name)


def _along(op: Any, x: Tensor, axis: int, name: str | None) -> Tensor:
    """An op of the last axis applied to another one."""
    axis = checked_axis(axis, x.ndim)
    if axis == x.ndim - 1:
        return op(x, name)
    swap = with_last(axis, x.ndim)
    return _transpose(op(_transpose(x, swap)), swap, name)


@public
def l2_normalize(
    x: TensorLike,
    axis: Axis = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Axis = None,
) -> Tensor:
    """`x` over its Euclidean norm along `axis`; squared norms below `epsilon` count as that.

    `dim` is another name of `axis`.

    >>> print(agog.math.l2_normalize([3.0, 4.0]).numpy().round(4))
    [0.6 0.8]
    """
    if axis is not None and dim is not None:
        raise ValueError("axis and dim are the same argument: give only one of them")
    x, every = every_axis(x)
    axis = dim if axis is None else axis
    axis = every if axis is None else axis
    if not x.dtype.is_complex:
        return x * _rsqrt(_maximum(_sum(_square(x), axis, True), epsilon), name)
    squared = _sum(_real(x * _conj(x), x.dtype.real_dtype), axis, True)
    return x * _cast(_rsqrt(_maximum(squared, epsilon)), x.dtype)
