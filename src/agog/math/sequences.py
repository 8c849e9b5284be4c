"""Running sums and products, and evenly spaced numbers."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public, public_op
from agog.errors import InvalidArgumentError
from agog.math.casting import cast
from agog.types import DTypeLike, TensorLike

_concat = handle("ConcatV2")
_cumprod = handle("Cumprod")
_cumsum = handle("Cumsum")
_cumulative_logsumexp = handle("CumulativeLogsumexp")
_expand_dims = handle("ExpandDims")
_maximum = handle("Maximum")
_pack = handle("Pack")
_range = handle("Range")
_reshape = handle("Reshape")
_shape = handle("Shape")
_broadcast_args = handle("BroadcastArgs")
_broadcast_to = handle("BroadcastTo")
_slice = handle("Slice")


@public_op(_cumsum)
def cumsum(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running sum along `axis`; `exclusive` leaves each element out of its own sum.

    >>> agog.cumsum([1, 2, 3]).numpy().tolist()
    [1, 3, 6]
    >>> agog.cumsum([1, 2, 3], exclusive=True, reverse=True).numpy().tolist()
    [5, 3, 0]
    """
    return _cumsum(x, axis, exclusive, reverse, name)


@public_op(_cumprod)
def cumprod(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Running product along `axis`; `exclusive` leaves each element out of its own product.

    >>> agog.math.cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return _cumprod(x, axis, exclusive, reverse, name)


@public_op(_cumulative_logsumexp)
def cumulative_logsumexp(
    x: TensorLike,
    axis: int = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """log(cumsum(exp(x))) along `axis`, without overflow.

    >>> print(agog.math.cumulative_logsumexp([1000.0, 1000.0]).numpy().round(3))
    [1000.    1000.693]
    """
    return _cumulative_logsumexp(x, axis, exclusive, reverse, name)


_RANGE_ORDER = (
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
)


@public
def range(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str | None = "range",
) -> Tensor:
    """start, start + delta, … as long as less than `limit` (greater, if `delta` is negative).

    With one number, that is `limit`, and `start` is 0. Without `dtype` it is the widest of the
    three arguments' dtypes.

    >>> agog.range(3).numpy().tolist()
    [0, 1, 2]
    >>> agog.range(3, 9, 2).numpy().tolist()
    [3, 5, 7]
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None and type(start) is type(limit) is type(delta) is int:
        if all(-(2**31) <= x < 2**31 for x in (start, limit, delta)):
            return _range(start, limit, delta, name)
        dtype = dtypes.int64
    numbers = [_as_number(value, dtype) for value in (start, limit, delta)]
    if dtype is None:
        dtype = max((x.dtype for x in numbers), key=_RANGE_ORDER.index)
    return _range(*(cast(x, dtype) for x in numbers), name)


def _as_number(value: Any, dtype: DTypeLike | None) -> Tensor:
    return value if isinstance(value, Tensor) else convert(value, dtype)


@public
def linspace(
    start: TensorLike, stop: TensorLike, num: Any, name: str | None = None, axis: int = 0
) -> Tensor:
    """`num` evenly spaced values from `start` to `stop`, both included.

    Tensors give a line for each pair of elements, along the new `axis`.

    >>> agog.linspace(0.0, 1.0, 5).numpy().tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    start = convert(start)
    start = cast(start, dtypes.float64) if start.dtype.is_integer else start
    stop = cast(stop, start.dtype)
    num = cast(num, dtypes.int64)
    if not num.is_symbolic and int(num) < 0:
        raise InvalidArgumentError(None, None, f"num must not be negative, got {int(num)}")
    shape = _broadcast_args(_shape(start), _shape(stop))
    first = _expand_dims(_broadcast_to(start, shape), axis)
    last = _expand_dims(_broadcast_to(stop, shape), axis)
    axis = axis if axis >= 0 else first.ndim + axis
    dtype = start.dtype
    gaps = _maximum(num - 1, 1)
    step = (last - first) / cast(gaps, dtype)
    inner = _reshape(cast(_range(1, gaps, 1), dtype), [-1] + [1] * (first.ndim - axis - 1))
    line = _concat([first, first + step * inner, last], axis)
    size = _pack([-1] * axis + [num] + [-1] * (first.ndim - axis - 1), 0)
    return _slice(line, [0] * first.ndim, size, name)
