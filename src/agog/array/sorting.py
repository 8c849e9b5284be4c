"""Sorting, searching, and distinct values."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from agog import dtypes
from agog._axes import checked_axis, with_last
from agog._core import Tensor, convert, handle, public
from agog.dtypes import DType
from agog.types import TensorLike

_invert = handle("Invert")
_lower_bound = handle("LowerBound")
_negative = handle("Neg")
_reshape = handle("Reshape")
_shape = handle("Shape")
_size = handle("Size")
_top_k = handle("TopKV2")
_transpose = handle("Transpose")
_unique = handle("Unique")
_unsorted_segment_sum = handle("UnsortedSegmentSum")
_upper_bound = handle("UpperBound")

Unique = namedtuple("Unique", ["y", "idx"])
UniqueWithCounts = namedtuple("UniqueWithCounts", ["y", "idx", "count"])


@public
def sort(
    values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """`values` in order along `axis`; `direction` is "ASCENDING" or "DESCENDING".

    >>> agog.sort([3, 1, 2]).numpy().tolist()
    [1, 2, 3]
    """
    return _sorted(convert(values), axis, direction, 0)


@public
def argsort(
    values: TensorLike,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """The positions that put `values` in order along `axis`; equal ones keep their order.

    >>> agog.argsort([3, 1, 2], direction="DESCENDING").numpy().tolist()
    [0, 2, 1]
    """
    return _sorted(convert(values), axis, direction, 1)


def _sorted(values: Tensor, axis: int, direction: str, which: int) -> Tensor:
    """The sorted values (which = 0) or their positions (which = 1)."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction must be 'ASCENDING' or 'DESCENDING', got {direction!r}")
    axis = checked_axis(axis, values.ndim)
    swap = None
    if axis != values.ndim - 1:
        swap = with_last(axis, values.ndim)
        values = _transpose(values, swap)
    ascending = direction == "ASCENDING"
    if ascending:
        values = _flipped(values)
    found = _top_k(values, _shape(values, dtypes.int32)[-1], True, dtypes.int32)[which]
    if ascending and which == 0:
        found = _flipped(found)
    return found if swap is None else _transpose(found, swap)


def _flipped(values: Tensor) -> Tensor:
    """The values in opposite order; its own inverse. No integer overflows, as -x might."""
    return _invert(values) if values.dtype.is_integer else _negative(values)


@public
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DType = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The places where `values` go into `sorted_sequence` and leave it sorted.

    `side` says whether before ("left") or after ("right") equal elements. Leading axes of both
    go together.

    >>> agog.searchsorted([1, 3, 5], [0, 3, 6]).numpy().tolist()
    [0, 1, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', got {side!r}")
    sequence = convert(sorted_sequence)
    values = convert(values, None, sequence.dtype)
    rows = _reshape(sequence, [-1, _shape(sequence, dtypes.int32)[-1]])
    queries = _reshape(values, [-1, _shape(values, dtypes.int32)[-1]])
    find = _lower_bound if side == "left" else _upper_bound
    return _reshape(find(rows, queries, out_type), _shape(values, dtypes.int32), name)


@public
def unique(x: TensorLike, out_idx: DType = dtypes.int32, name: str | None = None) -> Any:
    """The distinct elements of a vector as they first occur, and for each element which it is.

    Returns `(y, idx)` with `x == gather(y, idx)`.

    >>> y, idx = agog.unique([5, 3, 5])
    >>> y.numpy().tolist(), idx.numpy().tolist()
    ([5, 3], [0, 1, 0])
    """
    return Unique(*_unique(x, out_idx, name))


@public
def unique_with_counts(
    x: TensorLike, out_idx: DType = dtypes.int32, name: str | None = None
) -> Any:
    """`unique`, and how often each distinct element occurs, as `(y, idx, count)`.

    >>> agog.unique_with_counts([5, 3, 5]).count.numpy().tolist()
    [2, 1]
    """
    y, idx = _unique(x, out_idx, name)
    count = _unsorted_segment_sum(idx * 0 + 1, idx, _size(y, dtypes.int32))
    return UniqueWithCounts(y, idx, count)
