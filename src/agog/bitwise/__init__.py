"""Bit operations on integers."""

from __future__ import annotations

from agog._core import Tensor, handle, public_op
from agog.near_names import missing
from agog.types import TensorLike

_bitwise_and = handle("BitwiseAnd")


@public_op(_bitwise_and)
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x & y; broadcasts.

    >>> agog.bitwise.bitwise_and([6, 5], 3).numpy().tolist()
    [2, 1]
    """
    return _bitwise_and(x, y, name)


_bitwise_or = handle("BitwiseOr")


@public_op(_bitwise_or)
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x | y; broadcasts.

    >>> agog.bitwise.bitwise_or([6, 5], 3).numpy().tolist()
    [7, 7]
    """
    return _bitwise_or(x, y, name)


_bitwise_xor = handle("BitwiseXor")


@public_op(_bitwise_xor)
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x ^ y; broadcasts.

    >>> agog.bitwise.bitwise_xor([6, 5], 3).numpy().tolist()
    [5, 6]
    """
    return _bitwise_xor(x, y, name)


_left_shift = handle("LeftShift")


@public_op(_left_shift)
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x << y; broadcasts.

    >>> agog.bitwise.left_shift([1, 3], 2).numpy().tolist()
    [4, 12]
    """
    return _left_shift(x, y, name)


_right_shift = handle("RightShift")


@public_op(_right_shift)
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x >> y, which keeps the sign; broadcasts.

    >>> agog.bitwise.right_shift([-8, 9], 2).numpy().tolist()
    [-2, 2]
    """
    return _right_shift(x, y, name)


_invert = handle("Invert")


@public_op(_invert)
def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """~x: every bit flipped.

    >>> agog.bitwise.invert([0, 5]).numpy().tolist()
    [-1, -6]
    """
    return _invert(x, name)


__getattr__ = missing(__name__)

__all__ = [
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "invert",
    "left_shift",
    "right_shift",
]
