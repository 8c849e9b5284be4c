"""Tensors from Python values, and tensors filled by a rule."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, VariableBase, convert, handle, public
from agog.dtypes import DType, as_dtype
from agog.indexed_slices import IndexedSlices
from agog.tensor_shape import TensorShape
from agog.types import DTypeLike, ShapeLike, TensorLike

_broadcast_to = handle("BroadcastTo")
_concat = handle("ConcatV2")
_expand_dims = handle("ExpandDims")
_fill = handle("Fill")
_less = handle("Less")
_max = handle("Max")
_maximum = handle("Maximum")
_one_hot = handle("OneHot")
_ones_like = handle("OnesLike")
_range = handle("Range")
_reshape = handle("Reshape")
_shape = handle("Shape")
_zeros_like = handle("ZerosLike")
_cast = handle("Cast")


@public
def convert_to_tensor(
    value: Any,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`value` as a tensor: of `dtype`, or if that is None preferably of `dtype_hint`.

    Python integers become int32, floats float32, where nothing else decides. A tensor of another
    dtype is not converted: that is an error.

    >>> agog.convert_to_tensor([1, 2], dtype=agog.float64).numpy().tolist()
    [1.0, 2.0]
    """
    return convert(value, dtype, dtype_hint, name)


@public
def constant(
    value: Any,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str | None = "Const",
) -> Tensor:
    """`value` as a tensor; with `shape` reshaped to it, or if it is a single number repeated.

    >>> agog.constant([1, 2, 3, 4], shape=(2, 2)).numpy().tolist()
    [[1, 2], [3, 4]]
    >>> agog.constant(0.5, shape=[3]).numpy().tolist()
    [0.5, 0.5, 0.5]
    """
    tensor = convert(value, dtype, None, name)
    if shape is None:
        return tensor
    wanted = TensorShape(shape)
    have, need = tensor.shape.num_elements(), wanted.num_elements()
    if have == need:
        return _reshape(tensor, wanted.as_list())
    if have == 1 and need is not None:
        return _fill(wanted.as_list(), _reshape(tensor, []))
    raise TypeError(f"A value of {have} elements does not fill the shape {wanted}")


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable or IndexedSlices; an array is none of them.

    >>> agog.is_tensor(agog.constant(1)), agog.is_tensor([1])
    (True, False)
    """
    return isinstance(x, (Tensor, VariableBase, IndexedSlices))


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value as a NumPy array, or None for a tensor that has no value yet.

    What is not a tensor is returned as it is.

    >>> agog.get_static_value(agog.constant([1, 2])).tolist()
    [1, 2]
    """
    if not isinstance(tensor, (Tensor, VariableBase)):
        return tensor
    try:
        return convert(tensor).numpy()
    except (AttributeError, NotImplementedError):
        return None


def _dims(shape: ShapeLike) -> Any:
    """`shape` as a list of lengths: one number stands for one dimension."""
    return [shape] if type(shape) is int else shape


_FILLERS: dict[tuple[DType, int], Tensor] = {}


def _filler(dtype: DTypeLike, number: int) -> Tensor:
    """The number as a tensor of `dtype`; the empty string for a zero of strings."""
    key = as_dtype(dtype), number
    found = _FILLERS.get(key)
    if found is None:
        value = "" if key == (dtypes.string, 0) else number
        value = bool(number) if key[0] is dtypes.bool else value
        found = _FILLERS[key] = convert(value, key[0])
    return found


@public
def zeros(
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """Zeros of a shape; False for bools, empty strings for strings.

    >>> agog.zeros([2, 3], agog.int32).numpy().tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    return _fill(_dims(shape), _filler(dtype, 0), name)


@public
def ones(
    shape: ShapeLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """Ones of a shape; True for bools.

    >>> agog.ones([3]).numpy().tolist()
    [1.0, 1.0, 1.0]
    """
    return _fill(_dims(shape), _filler(dtype, 1), name)


@public
def fill(dims: ShapeLike, value: TensorLike, name: str | None = None, layout: Any = None) -> Tensor:
    """One value repeated in the shape `dims`.

    >>> agog.fill([2, 2], 7).numpy().tolist()
    [[7, 7], [7, 7]]
    """
    return _fill(dims, value, name)


@public
def zeros_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """Zeros in the shape of `input`, and of its dtype unless `dtype` is given.

    >>> agog.zeros_like([[1, 2]]).numpy().tolist()
    [[0, 0]]
    """
    if dtype is None:
        return _zeros_like(input, name)
    return _fill(_shape(input, dtypes.int32), _filler(dtype, 0), name)


@public
def ones_like(
    input: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    layout: Any = None,
) -> Tensor:
    """Ones in the shape of `input`, and of its dtype unless `dtype` is given.

    >>> agog.ones_like([[1, 2]]).numpy().tolist()
    [[1, 1]]
    """
    if dtype is None:
        return _ones_like(input, name)
    return _fill(_shape(input, dtypes.int32), _filler(dtype, 1), name)


@public
def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere; a matrix, or one for each element of `batch_shape`.

    >>> agog.eye(2, 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    matrix = _one_hot(_range(0, num_rows, 1), columns, _filler(dtype, 1), _filler(dtype, 0), -1)
    if batch_shape is None:
        return matrix
    shape = _concat([batch_shape, _shape(matrix, dtypes.int32)], 0)
    return _broadcast_to(matrix, shape, name)


@public
def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A new `axis` (the last if None) of length `depth` that is on at the index, off elsewhere.

    An index outside of [0, depth) switches nothing on. The dtype is float32 unless given, here
    or by the values.

    >>> agog.one_hot([0, 2, -1], 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    if dtype is None and on_value is None and off_value is None:
        dtype = dtypes.float32
    on, off = _on_off(on_value, off_value, dtype)
    return _one_hot(indices, depth, on, off, -1 if axis is None else axis, name)


def _on_off(on: Any, off: Any, dtype: DTypeLike | None) -> tuple[Tensor, Tensor]:
    """Both values as tensors of one dtype; the missing one is 1 or 0."""
    on = None if on is None else convert(on, None, dtype)
    off = None if off is None else convert(off, None, dtype if on is None else on.dtype)
    if dtype is None:
        dtype = off.dtype if on is None else on.dtype
    on = _filler(dtype, 1) if on is None else on
    off = _filler(dtype, 0) if off is None else off
    if on.dtype is not off.dtype or on.dtype is not as_dtype(dtype):
        raise TypeError(
            f"on_value, off_value and dtype must agree, got {on.dtype.name}, {off.dtype.name} "
            f"and {as_dtype(dtype).name}"
        )
    return on, off


@public
def sequence_mask(
    lengths: TensorLike,
    maxlen: TensorLike | None = None,
    dtype: DTypeLike = dtypes.bool,
    name: str | None = None,
) -> Tensor:
    """A new last axis, true at the first `lengths` of `maxlen` places.

    `maxlen` is the largest length if None.

    >>> agog.sequence_mask([1, 3], 4, agog.int32).numpy().tolist()
    [[1, 0, 0, 0], [1, 1, 1, 0]]
    """
    lengths = convert(lengths)
    if maxlen is None:
        maxlen = _maximum(_max(_reshape(lengths, [-1]), [0], False), 0)
    maxlen = convert(maxlen)
    if maxlen.dtype is not lengths.dtype:
        lengths = _cast(lengths, maxlen.dtype)
    mask = _less(_range(0, maxlen, 1), _expand_dims(lengths, -1))
    dtype = as_dtype(dtype)
    return mask if dtype is dtypes.bool else _cast(mask, dtype, name=name)
