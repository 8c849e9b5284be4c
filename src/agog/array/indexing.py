"""Elements and slices by position, and tensors built from them."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, VariableBase, convert, handle, public, public_op
from agog.types import TensorLike

_broadcast_to = handle("BroadcastTo")
_cast = handle("Cast")
_concat = handle("ConcatV2")
_gather = handle("GatherV2")
_gather_nd = handle("GatherNd")
_resource_gather = handle("ResourceGather")
_ones_like = handle("OnesLike")
_range = handle("Range")
_reshape = handle("Reshape")
_scatter_nd = handle("ScatterNd")
_select = handle("SelectV2")
_shape = handle("Shape")
_slice = handle("Slice")
_strided_slice = handle("StridedSlice")
_tensor_scatter_add = handle("TensorScatterAdd")
_tensor_scatter_max = handle("TensorScatterMax")
_tensor_scatter_min = handle("TensorScatterMin")
_tensor_scatter_sub = handle("TensorScatterSub")
_tensor_scatter_update = handle("TensorScatterUpdate")
_where = handle("Where")


@public_op(_slice)
def slice(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: str | None = None
) -> Tensor:
    """The block of `input_` that starts at `begin` and has the shape `size` (-1: all the rest).

    >>> agog.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
    [[2, 3], [5, 6]]
    """
    return _slice(input_, begin, size, name)


@public
def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]`, an entry for each axis; bit i of a mask is about entry i.

    The masks mean: no begin, no end, an ellipsis, a new axis, a single index. `var` is not used.

    >>> agog.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy().tolist()
    [1, 3]
    """
    if strides is None:
        strides = _ones_like(begin)
    masks = begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    return _strided_slice(input_, begin, end, strides, *masks, name)


@public
def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    axis: TensorLike | None = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:
    """The slices of `params` at `indices` along `axis`.

    The first `batch_dims` axes of both go together; `axis` is the one after them if None. The
    gradient of a variable gathered along its first axis is an IndexedSlices.

    >>> agog.gather([10, 20, 30], [2, 0]).numpy().tolist()
    [30, 10]
    >>> agog.gather([[1, 2], [3, 4]], [[0], [1]], batch_dims=1).numpy().tolist()
    [[1], [4]]
    """
    if isinstance(params, VariableBase) and not axis and batch_dims == 0 and params.shape.rank:
        return _resource_gather(params, indices, dtype=params.dtype, name=name)
    return _gather(params, indices, batch_dims if axis is None else axis, batch_dims, name)


@public
def gather_nd(
    params: TensorLike,
    indices: TensorLike,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Tensor:
    """The elements or slices of `params` at positions that the last axis of `indices` lists.

    >>> agog.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]]).numpy().tolist()
    [2, 3]
    """
    if batch_dims:
        indices = _with_batch_positions(convert(indices), batch_dims)
    return _gather_nd(params, indices, name=name)


def _with_batch_positions(indices: Tensor, batch_dims: int) -> Tensor:
    """`indices` with the position along each batch axis put in front."""
    shape = _shape(indices, dtypes.int32)
    rank = indices.ndim
    if not 0 < batch_dims < rank:
        raise ValueError(f"batch_dims must be in [0, {rank}), got {batch_dims}")
    column = _concat([shape[:-1], [1]], 0)
    positions = []
    for axis in range(batch_dims):
        steps = _cast(_range(0, shape[axis], 1), indices.dtype)
        place = [-1 if i == axis else 1 for i in range(rank)]
        positions.append(_broadcast_to(_reshape(steps, place), column))
    return _concat([*positions, indices], -1)


@public
def scatter_nd(
    indices: TensorLike,
    updates: TensorLike,
    shape: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """Zeros of a shape with `updates` added at the positions that `indices` lists.

    >>> agog.scatter_nd([[1], [3], [1]], [1, 2, 3], [5]).numpy().tolist()
    [0, 4, 0, 2, 0]
    """
    return _scatter_nd(indices, updates, shape, name=name)


@public_op(_tensor_scatter_update)
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """`tensor` with `updates` written at the positions that `indices` lists.

    >>> agog.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [7, 8]).numpy().tolist()
    [7, 2, 8]
    """
    return _tensor_scatter_update(tensor, indices, updates, name=name)


@public
def tensor_scatter_nd_add(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with `updates` added at the positions that `indices` lists.

    >>> agog.tensor_scatter_nd_add([1, 2, 3], [[0], [2]], [7, 8]).numpy().tolist()
    [8, 2, 11]
    """
    return _tensor_scatter_add(tensor, indices, updates, name=name)


@public
def tensor_scatter_nd_sub(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with `updates` subtracted at the positions that `indices` lists.

    >>> agog.tensor_scatter_nd_sub([1, 2, 3], [[0], [2]], [7, 8]).numpy().tolist()
    [-6, 2, -5]
    """
    return _tensor_scatter_sub(tensor, indices, updates, name=name)


@public
def tensor_scatter_nd_max(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with the larger of itself and `updates` at the positions that `indices` lists.

    >>> agog.tensor_scatter_nd_max([1, 9, 3], [[0], [1]], [7, 8]).numpy().tolist()
    [7, 9, 3]
    """
    return _tensor_scatter_max(tensor, indices, updates, name=name)


@public
def tensor_scatter_nd_min(
    tensor: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Tensor:
    """`tensor` with the smaller of itself and `updates` at the positions that `indices` lists.

    >>> agog.tensor_scatter_nd_min([1, 9, 3], [[0], [1]], [7, 8]).numpy().tolist()
    [1, 8, 3]
    """
    return _tensor_scatter_min(tensor, indices, updates, name=name)


@public
def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`x` where `condition` is true, `y` elsewhere; all three broadcast.

    With neither: the positions at which `condition` is true (not zero), a row for each, int64.

    >>> agog.where([True, False, True], [1, 2, 3], 0).numpy().tolist()
    [1, 0, 3]
    >>> agog.where([False, True, True]).numpy().tolist()
    [[1], [2]]
    """
    if x is None and y is None:
        return _where(condition, name)
    if x is None or y is None:
        raise ValueError("x and y must both be given, or neither")
    return _select(condition, x, y, name)


@public
def boolean_mask(
    tensor: TensorLike, mask: TensorLike, axis: Any = None, name: str | None = "boolean_mask"
) -> Tensor:
    """The elements or slices of `tensor` at which `mask` is true.

    The mask covers as many axes as it has, from `axis` on; ValueError where the lengths differ.

    >>> agog.boolean_mask([[1, 2], [3, 4], [5, 6]], [True, False, True]).numpy().tolist()
    [[1, 2], [5, 6]]
    """
    tensor, mask = convert(tensor), convert(mask)
    axis = 0 if axis is None else int(axis)
    axis = axis + tensor.ndim if axis < 0 else axis
    covered = mask.ndim
    if not covered:
        raise ValueError(f"mask must have a known rank of at least 1, got shape {mask.shape}")
    tensor.shape[axis : axis + covered].assert_is_compatible_with(mask.shape)
    shape = _shape(tensor, dtypes.int32)
    flat = _reshape(tensor, _concat([shape[:axis], [-1], shape[axis + covered :]], 0))
    picks = _where(_reshape(mask, [-1]))
    return _gather(flat, _reshape(picks, [-1]), axis, 0)
