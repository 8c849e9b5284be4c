"""Reductions of rows that share an id, and counts of whole numbers."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public, public_op
from agog.dtypes import DType
from agog.math.casting import cast
from agog.math.reductions import reduce_max
from agog.types import TensorLike

_maximum = handle("Maximum")
_minimum = handle("Minimum")
_ones_like = handle("OnesLike")
_pack = handle("Pack")
_range = handle("Range")
_reshape = handle("Reshape")
_scatter_nd = handle("ScatterNd")
_select = handle("SelectV2")
_shape = handle("Shape")
_sqrt = handle("Sqrt")
_unsorted_segment_max = handle("UnsortedSegmentMax")
_unsorted_segment_min = handle("UnsortedSegmentMin")
_unsorted_segment_prod = handle("UnsortedSegmentProd")
_unsorted_segment_sum = handle("UnsortedSegmentSum")


@public_op(_unsorted_segment_sum)
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Sum of the rows of each segment; rows with a negative id are left out.

    The shape of `segment_ids` is the beginning of the shape of `data`. A segment without rows
    gives 0.

    >>> agog.math.unsorted_segment_sum([1, 2, 3], [0, 2, 0], 3).numpy().tolist()
    [4, 0, 2]
    """
    return _unsorted_segment_sum(data, segment_ids, num_segments, name)


@public_op(_unsorted_segment_prod)
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Product of the rows of each segment, 1 of none: see `unsorted_segment_sum`.

    >>> agog.math.unsorted_segment_prod([4, 2, 3], [0, 2, 0], 3).numpy().tolist()
    [12, 1, 2]
    """
    return _unsorted_segment_prod(data, segment_ids, num_segments, name)


@public_op(_unsorted_segment_max)
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Largest row of each segment, the dtype's lowest of none: see `unsorted_segment_sum`.

    >>> agog.math.unsorted_segment_max([1, 2, 3], [0, 1, 0], 2).numpy().tolist()
    [3, 2]
    """
    return _unsorted_segment_max(data, segment_ids, num_segments, name)


@public_op(_unsorted_segment_min)
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Smallest row of each segment, the dtype's highest of none: see `unsorted_segment_sum`.

    >>> agog.math.unsorted_segment_min([1, 2, 3], [0, 1, 0], 2).numpy().tolist()
    [1, 2]
    """
    return _unsorted_segment_min(data, segment_ids, num_segments, name)


@public
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Mean of the rows of each segment, 0 of none: see `unsorted_segment_sum`.

    >>> agog.math.unsorted_segment_mean([1.0, 2.0, 4.0], [0, 1, 0], 2).numpy().tolist()
    [2.5, 2.0]
    """
    data, segment_ids = convert(data), convert(segment_ids)
    rows = _rows(data, segment_ids, num_segments)
    return _unsorted_segment_sum(data, segment_ids, num_segments) / rows


@public
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """Sum of the rows of each segment over the square root of their number.

    >>> agog.math.unsorted_segment_sqrt_n([1.0] * 4, [0] * 4, 1).numpy().tolist()
    [2.0]
    """
    data, segment_ids = convert(data), convert(segment_ids)
    rows = _rows(data, segment_ids, num_segments)
    return _unsorted_segment_sum(data, segment_ids, num_segments) / _sqrt(rows)


def _rows(data: Tensor, segment_ids: Tensor, num_segments: TensorLike) -> Tensor:
    """How many rows each segment has, at least 1, shaped to divide the sums."""
    ones = cast(segment_ids * 0 + 1, data.dtype)
    rows = _maximum(_unsorted_segment_sum(ones, segment_ids, num_segments), 1)
    return _reshape(rows, [-1] + [1] * (data.ndim - segment_ids.ndim))


@public
def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DType = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each whole number from 0 occurs in `arr`, or the sum of its `weights`.

    The result has max(arr) + 1 entries, at least `minlength` and at most `maxlength`; larger
    numbers are left out, negative ones are an error. `axis=-1` counts each row of a matrix
    apart. `binary_output` tells only whether the number occurs.

    >>> agog.math.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"axis must be None, 0 or -1, got {axis}")
    arr = convert(arr)
    if arr.dtype not in (dtypes.int32, dtypes.int64):
        arr = cast(arr, dtypes.int32)
    if weights is None:
        weights = cast(arr * 0 + 1, dtype)
    elif binary_output:
        raise ValueError("binary_output excludes weights")
    width = _bin_count(arr, minlength, maxlength)
    ids, bins, shape = arr, width, None
    if axis == -1 and arr.ndim > 1:
        rows = cast(_shape(arr, dtypes.int32)[0], arr.dtype)
        ids = arr + _reshape(_range(0, rows, 1), [-1, 1]) * width
        bins, shape = rows * width, [rows, width]
    ids = _select(arr < width, ids, -1)
    ids = _select(arr < 0, bins, ids)  # out of range: an error, where -1 is left out
    counts = _unsorted_segment_sum(weights, ids, bins)
    counts = counts if shape is None else _reshape(counts, shape)
    return _minimum(counts, 1) if binary_output else counts


def _bin_count(arr: Tensor, minlength: Any, maxlength: Any) -> Tensor:
    """The number of bins: one more than the largest element, within the limits."""
    count = _maximum(reduce_max(arr), -1) + 1
    if minlength is not None:
        count = _maximum(count, cast(minlength, count.dtype))
    if maxlength is not None:
        count = _minimum(count, cast(maxlength, count.dtype))
    return count


@public
def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: TensorLike | None = None,
    weights: TensorLike | None = None,
    dtype: DType = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often label `i` was predicted as `j`, in row `i` and column `j`.

    >>> agog.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    labels = _reshape(cast(labels, dtypes.int64), [-1])
    predictions = _reshape(cast(predictions, dtypes.int64), [-1])
    if num_classes is None:
        num_classes = _maximum(reduce_max(labels), reduce_max(predictions)) + 1
    classes = cast(num_classes, dtypes.int64)
    counted = cast(_ones_like(labels) if weights is None else weights, dtype)
    cells = _pack([labels, predictions], 1)
    return _scatter_nd(cells, counted, [classes, classes], name=name)
