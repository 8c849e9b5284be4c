"""Reductions over one axis, several, or all of them (`axis=None`)."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public
from agog.dtypes import DType
from agog.math.casting import cast
from agog.types import Axis, TensorLike

_all = handle("All")
_any = handle("Any")
_argmax = handle("ArgMax")
_argmin = handle("ArgMin")
_conj = handle("Conj")
_euclidean_norm = handle("EuclideanNorm")
_exp = handle("Exp")
_is_finite = handle("IsFinite")
_log = handle("Log")
_max = handle("Max")
_mean = handle("Mean")
_min = handle("Min")
_not_equal = handle("NotEqual")
_prod = handle("Prod")
_range = handle("Range")
_rank = handle("Rank")
_real = handle("Real")
_reshape = handle("Reshape")
_select = handle("SelectV2")
_shape = handle("Shape")
_sqrt = handle("Sqrt")
_square = handle("Square")
_stop_gradient = handle("StopGradient")
_sum = handle("Sum")

_EVERY_AXIS: dict[int, Tensor] = {}


def every_axis(x: TensorLike) -> tuple[Tensor, Tensor]:
    """`x` as a tensor, and all its axes."""
    if type(x) is not Tensor:
        x = convert(x)
    rank = x.ndim
    axes = _EVERY_AXIS.get(rank)
    if axes is None:
        if rank is None:
            return x, _range(0, _rank(x), 1)
        axes = _EVERY_AXIS[rank] = convert(list(range(rank)), dtypes.int32)
    return x, axes


@public
def reduce_sum(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Sum over `axis`; 0 of nothing.

    >>> agog.reduce_sum([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [4, 6]
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _sum(input_tensor, axis, keepdims, name)


@public
def reduce_mean(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Mean over `axis`; NaN of nothing. Integers give an integer, rounded towards 0.

    >>> agog.reduce_mean([[1.0, 2.0], [3.0, 4.0]]).numpy().item()
    2.5
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _mean(input_tensor, axis, keepdims, name)


@public
def reduce_prod(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Product over `axis`; 1 of nothing.

    >>> agog.reduce_prod([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [2, 12]
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _prod(input_tensor, axis, keepdims, name)


@public
def reduce_max(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Largest value over `axis`; equal ones share the gradient.

    >>> agog.reduce_max([[1, 2], [4, 3]], axis=1).numpy().tolist()
    [2, 4]
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _max(input_tensor, axis, keepdims, name)


@public
def reduce_min(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Smallest value over `axis`; equal ones share the gradient.

    >>> agog.reduce_min([[1, 2], [4, 3]], axis=1).numpy().tolist()
    [1, 3]
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _min(input_tensor, axis, keepdims, name)


@public
def reduce_all(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether all bools over `axis` are true.

    >>> agog.reduce_all([[True, True], [True, False]], axis=1).numpy().tolist()
    [True, False]
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _all(input_tensor, axis, keepdims, name)


@public
def reduce_any(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether at least one of the bools over `axis` is true.

    >>> agog.reduce_any([[False, False], [True, False]], axis=1).numpy().tolist()
    [False, True]
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _any(input_tensor, axis, keepdims, name)


@public
def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Square root of the sum of squared moduli over `axis`.

    >>> agog.math.reduce_euclidean_norm([3.0, 4.0]).numpy().item()
    5.0
    """
    if axis is None:
        input_tensor, axis = every_axis(input_tensor)
    return _euclidean_norm(input_tensor, axis, keepdims, name)


@public
def reduce_logsumexp(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """log(sum(exp(x))) over `axis`, without overflow.

    >>> print(agog.reduce_logsumexp([1000.0, 1000.0]).numpy().round(3))
    1000.693
    """
    x, axes = every_axis(input_tensor)
    axis = axes if axis is None else axis
    peak = _max(x, axis, True)
    peak = _stop_gradient(_select(_is_finite(peak), peak, 0))
    total = _log(_sum(_exp(x - peak), axis, keepdims))
    return total + (peak if keepdims else _reshape(peak, _shape(total)))


@public
def reduce_variance(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Mean squared distance from the mean over `axis`; real even for complex numbers.

    Raises TypeError for integers.

    >>> agog.math.reduce_variance([1.0, 3.0]).numpy().item()
    1.0
    """
    x, axes = every_axis(input_tensor)
    axis = axes if axis is None else axis
    dtype = x.dtype
    if not (dtype.is_floating or dtype.is_complex):
        raise TypeError(f"input_tensor must be real or complex numbers, got {dtype.name}")
    distance = x - _mean(x, axis, True)
    if dtype.is_complex:
        squares = _real(distance * _conj(distance), dtype.real_dtype)
    else:
        squares = _square(distance)
    return _mean(squares, axis, keepdims, name)


@public
def reduce_std(
    input_tensor: TensorLike, axis: Axis = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Square root of `reduce_variance`.

    >>> agog.math.reduce_std([1.0, 3.0]).numpy().item()
    1.0
    """
    return _sqrt(reduce_variance(input_tensor, axis, keepdims), name)


@public
def count_nonzero(
    input: TensorLike,
    axis: Axis = None,
    keepdims: bool | None = None,
    dtype: DType = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Number of elements over `axis` that are not 0, not False, not an empty string.

    >>> agog.math.count_nonzero([[0, 1], [2, 3]], axis=0).numpy().tolist()
    [1, 2]
    """
    x, axes = every_axis(input)
    found = _not_equal(x, "") if x.dtype is dtypes.string else cast(x, dtypes.bool)
    return _sum(cast(found, dtype), axes if axis is None else axis, bool(keepdims), name)


@public
def argmax(
    input: TensorLike,
    axis: Any = None,
    output_type: DType = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Position of the largest value along `axis` (0 if None); the first of equal ones.

    >>> agog.argmax([[1, 5], [7, 2]], axis=1).numpy().tolist()
    [1, 0]
    """
    return _argmax(input, 0 if axis is None else axis, output_type, name)


@public
def argmin(
    input: TensorLike,
    axis: Any = None,
    output_type: DType = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Position of the smallest value along `axis` (0 if None); the first of equal ones.

    >>> agog.argmin([[1, 5], [7, 2]], axis=1).numpy().tolist()
    [0, 1]
    """
    return _argmin(input, 0 if axis is None else axis, output_type, name)
