"""Comparisons, logic, and tests of numbers."""

from __future__ import annotations

from agog._core import Tensor, handle, public, public_op
from agog.types import TensorLike

_equal = handle("Equal")


@public_op(_equal)
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x` equals `y`; broadcasts.

    >>> agog.equal([1, 2], 2).numpy().tolist()
    [False, True]
    """
    return _equal(x, y, name=name)


_not_equal = handle("NotEqual")


@public_op(_not_equal)
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x` differs from `y`; broadcasts.

    >>> agog.not_equal([1, 2], 2).numpy().tolist()
    [True, False]
    """
    return _not_equal(x, y, name=name)


_greater = handle("Greater")


@public_op(_greater)
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x > y; broadcasts.

    >>> agog.greater([1, 2, 3], 2).numpy().tolist()
    [False, False, True]
    """
    return _greater(x, y, name)


_greater_equal = handle("GreaterEqual")


@public_op(_greater_equal)
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x >= y; broadcasts.

    >>> agog.greater_equal([1, 2, 3], 2).numpy().tolist()
    [False, True, True]
    """
    return _greater_equal(x, y, name)


_less = handle("Less")


@public_op(_less)
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x < y; broadcasts.

    >>> agog.less([1, 2, 3], 2).numpy().tolist()
    [True, False, False]
    """
    return _less(x, y, name)


_less_equal = handle("LessEqual")


@public_op(_less_equal)
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x <= y; broadcasts.

    >>> agog.less_equal([1, 2, 3], 2).numpy().tolist()
    [True, True, False]
    """
    return _less_equal(x, y, name)


_logical_and = handle("LogicalAnd")


@public_op(_logical_and)
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether both bools are true; broadcasts.

    >>> agog.logical_and([True, True], [True, False]).numpy().tolist()
    [True, False]
    """
    return _logical_and(x, y, name)


_logical_or = handle("LogicalOr")


@public_op(_logical_or)
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether at least one of two bools is true; broadcasts.

    >>> agog.logical_or([True, False], [False, False]).numpy().tolist()
    [True, False]
    """
    return _logical_or(x, y, name)


_logical_not = handle("LogicalNot")


@public_op(_logical_not)
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether a bool is false.

    >>> agog.logical_not([True, False]).numpy().tolist()
    [False, True]
    """
    return _logical_not(x, name)


_is_finite = handle("IsFinite")


@public_op(_is_finite)
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x` is neither infinite nor NaN.

    >>> agog.math.is_finite([1.0, float('inf')]).numpy().tolist()
    [True, False]
    """
    return _is_finite(x, name)


_is_inf = handle("IsInf")


@public_op(_is_inf)
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x` is infinite, of either sign.

    >>> agog.math.is_inf([1.0, float('-inf')]).numpy().tolist()
    [False, True]
    """
    return _is_inf(x, name)


_is_nan = handle("IsNan")


@public_op(_is_nan)
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x` is not a number.

    >>> agog.math.is_nan([1.0, float('nan')]).numpy().tolist()
    [False, True]
    """
    return _is_nan(x, name)


@public
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Whether exactly one of two bools is true; broadcasts.

    >>> agog.math.logical_xor([True, True], [True, False]).numpy().tolist()
    [False, True]
    """
    return _logical_and(_logical_or(x, y), _logical_not(_logical_and(x, y)), name)


_reshape = handle("Reshape")
_all = handle("All")


@public
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is less than the one before it, in row-major order.

    >>> bool(agog.math.is_non_decreasing([1, 2, 2]))
    True
    """
    flat = _reshape(x, [-1])
    return _all(_less_equal(flat[:-1], flat[1:]), [0], False, name)


@public
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether every element is greater than the one before it, in row-major order.

    >>> bool(agog.math.is_strictly_increasing([1, 2, 2]))
    False
    """
    flat = _reshape(x, [-1])
    return _all(_less(flat[:-1], flat[1:]), [0], False, name)
