"""Tensors put together, taken apart, and repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog import dtypes
from agog._axes import checked_axis
from agog._core import Tensor, convert, handle, public, public_op
from agog.array.creation import get_static_value
from agog.types import TensorLike

_broadcast_to = handle("BroadcastTo")
_cast = handle("Cast")
_concat = handle("ConcatV2")
_cumsum = handle("Cumsum")
_expand_dims = handle("ExpandDims")
_floor_mod = handle("FloorMod")
_gather = handle("GatherV2")
_identity = handle("Identity")
_maximum = handle("Maximum")
_mirror_pad = handle("MirrorPad")
_pack = handle("Pack")
_pad = handle("Pad")
_pad_v2 = handle("PadV2")
_range = handle("Range")
_reshape = handle("Reshape")
_reverse = handle("ReverseV2")
_shape = handle("Shape")
_size = handle("Size")
_split = handle("Split")
_split_v = handle("SplitV")
_tile = handle("Tile")
_transpose = handle("Transpose")
_unpack = handle("Unpack")
_upper_bound = handle("UpperBound")


@public
def concat(values: Any, axis: TensorLike, name: str | None = "concat") -> Tensor:
    """The tensors one after another along `axis`; all other lengths must be equal.

    >>> agog.concat([[1, 2], [3]], 0).numpy().tolist()
    [1, 2, 3]
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    return _identity(values[0], name) if len(values) == 1 else _concat(values, axis, name)


@public
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape side by side along the new `axis`.

    >>> agog.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    values = list(values)
    if axis == 0 and (not values or isinstance(values[0], (int, float))):
        return convert(values)  # numbers that are ints and floats become floats
    return _pack(values, axis, name)


@public
def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The slices of `value` along `axis`, as a list; `num` is their number where it is unknown.

    >>> [x.numpy().tolist() for x in agog.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]
    """
    value = convert(value)
    if num is None:
        num = value.shape[checked_axis(axis, value.ndim)]
        if num is None:
            raise ValueError(f"Cannot infer num: axis {axis} of {value.shape} has no known length")
    return _unpack(value, num, axis, name)


@public
def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: TensorLike = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """`value` cut along `axis` into so many equal parts, or into parts of the sizes listed.

    One of the sizes may be -1: the rest.

    >>> [x.numpy().tolist() for x in agog.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [x.numpy().tolist() for x in agog.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]
    """
    if isinstance(num_or_size_splits, int):
        return _split(axis, value, num_or_size_splits, name)
    sizes = convert(num_or_size_splits)
    if sizes.ndim == 0:
        return _split(axis, value, int(get_static_value(sizes)), name)
    num = sizes.shape[0] if num is None else num
    if num is None:
        raise ValueError(f"Cannot infer num: the shape of the sizes is {sizes.shape}")
    return _split_v(value, sizes, axis, num, name)


@public_op(_tile)
def tile(input: TensorLike, multiples: TensorLike, name: str | None = None) -> Tensor:
    """`input` repeated as a whole, `multiples[i]` times along axis i.

    >>> agog.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]
    """
    return _tile(input, multiples, name)


@public
def repeat(
    input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Each element repeated, all as often or each as often as its entry of `repeats` says.

    With an `axis` the slices along it are repeated, without one the flattened elements.

    >>> agog.repeat([3, 4], 2).numpy().tolist()
    [3, 3, 4, 4]
    >>> agog.repeat([[1, 2], [3, 4]], [1, 2], axis=0).numpy().tolist()
    [[1, 2], [3, 4], [3, 4]]
    """
    input = _reshape(input, [-1]) if axis is None else convert(input)
    axis = checked_axis(axis or 0, input.ndim)
    repeats = convert(repeats, None, dtypes.int32)
    if repeats.dtype is not dtypes.int32:
        repeats = _cast(repeats, dtypes.int32)
    length = _shape(input, dtypes.int32)[axis]
    ends = _cumsum(_broadcast_to(repeats, [length]), 0, False, False)
    ends = _concat([[0], ends], 0)  # never empty: the last entry is the number of rows
    rows = _range(0, ends[-1], 1)
    picks = _reshape(_upper_bound([ends[1:]], [rows], dtypes.int32), [-1])
    return _gather(input, picks, axis, 0, name)


@public
def meshgrid(*args: TensorLike, **kwargs: Any) -> list[Tensor]:
    """The coordinates of a grid, one tensor for each of the vectors given.

    `indexing="xy"` (the default) puts the first vector along axis 1 and the second along axis 0,
    `indexing="ij"` vector i along axis i.

    >>> x, y = agog.meshgrid([1, 2], [3, 4, 5])
    >>> x.numpy().tolist(), y.numpy().tolist()
    ([[1, 2], [1, 2], [1, 2]], [[3, 3], [4, 4], [5, 5]])
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}")
    vectors = [_reshape(x, [-1]) for x in args]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[:2] = 1, 0
    sizes = _pack([_size(vectors[i], dtypes.int32) for i in order], 0) if vectors else None
    grid = []
    for i, vector in enumerate(vectors):
        place = [-1 if axis == i else 1 for axis in order]
        grid.append(_broadcast_to(_reshape(vector, place), sizes))
    return grid


@public
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """`tensor` with `paddings[i]` (before, after) more places at both ends of axis i.

    They hold `constant_values`, or for `mode` "REFLECT" and "SYMMETRIC" a mirror image without
    and with the border.

    >>> agog.pad([1, 2, 3], [[1, 2]]).numpy().tolist()
    [0, 1, 2, 3, 0, 0]
    >>> agog.pad([1, 2, 3], [[1, 2]], "REFLECT").numpy().tolist()
    [2, 1, 2, 3, 2, 1]
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        if isinstance(constant_values, (int, float)) and constant_values == 0:
            return _pad(tensor, paddings, name)
        return _pad_v2(tensor, paddings, constant_values, name)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode}")
    return _mirror_pad(tensor, paddings, mode, name)


@public_op(_reverse)
def reverse(tensor: TensorLike, axis: Sequence[int] | Tensor, name: str | None = None) -> Tensor:
    """`tensor` back to front along every axis of the list.

    >>> agog.reverse([[1, 2], [3, 4]], [1]).numpy().tolist()
    [[2, 1], [4, 3]]
    """
    return _reverse(tensor, axis, name)


@public
def roll(input: TensorLike, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """`input` moved `shift` places along `axis`; what leaves at one end enters at the other.

    >>> agog.roll([1, 2, 3, 4], 1, 0).numpy().tolist()
    [4, 1, 2, 3]
    """
    result = convert(input)
    axes = [int(a) for a in get_static_value(_reshape(axis, [-1]))]
    shifts = _unpack(_reshape(_cast(shift, dtypes.int32), [-1]), len(axes), 0)
    for i, step in zip(axes, shifts, strict=True):
        i = checked_axis(i, result.ndim)
        length = _shape(result, dtypes.int32)[i]
        tail = _floor_mod(step, _maximum(length, 1))
        front, back = _split_v(result, _pack([length - tail, tail], 0), i, 2)
        result = _concat([back, front], i)
    return result
