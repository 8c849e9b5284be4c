"""Indexing by tensors and masks, and assignment to slices of variables."""

from __future__ import annotations

import operator
import reprlib
from typing import Any

from agog import _core
from agog._core import Tensor, VariableBase, handle, public
from agog.errors import InvalidIndexError

_strided_slice = handle("StridedSlice")
_update = handle("TensorStridedSliceUpdate")
_gather = handle("GatherV2")
_gather_nd = handle("GatherNd")
_transpose = handle("Transpose")
_broadcast_to = handle("BroadcastTo")
_reshape = handle("Reshape")
_scatter = handle("TensorScatterUpdate")

# Beyond any size; one more still fits into 64 bits.
_LARGEST = 2**62

_NEEDED = (
    "an index is made of integers, slices, ..., None, integer tensors and arrays, and boolean masks"
)


def _whole(value: Any) -> int | None:
    """A bound of a slice, or a single index, as a Python integer."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, (Tensor, VariableBase)):
        if not value.dtype.is_integer or value.shape.rank != 0:
            raise TypeError(
                f"{_NEEDED}, got a tensor of dtype {value.dtype.name} and shape {value.shape} in a "
                "slice"
            )
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{_NEEDED}, got {reprlib.repr(value)}") from None


def _bound(value: Any) -> int | None:
    """A bound of a slice, cut to what the op takes, as Python cuts it."""
    value = _whole(value)
    return value if value is None else max(-_LARGEST, min(value, _LARGEST))


def _scalar_mask(value: Any) -> ValueError:
    return ValueError(f"a mask must have at least one dimension, got the scalar {value}")


def _single(value: Any) -> int:
    """A single index."""
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":
        raise _scalar_mask(value)
    index: Any = _whole(value)
    if abs(index) > _LARGEST:
        raise InvalidIndexError(None, None, f"index {index} is out of bounds")
    return index


def _is_advanced(entry: Any) -> bool:
    """Whether an entry picks elements one by one: an array, a tensor with dimensions, a mask."""
    if entry is None or entry is Ellipsis or isinstance(entry, (int, slice)):
        return False
    if isinstance(entry, (Tensor, VariableBase)):
        return entry.dtype.is_bool or entry.shape.rank != 0
    return hasattr(entry, "dtype") and (entry.dtype.kind == "b" or entry.ndim > 0)


def _as_tuple(key: Any) -> tuple[Any, ...]:
    # TensorFlow reads a list as it reads a tuple.
    return tuple(key) if isinstance(key, (tuple, list)) else (key,)


def slice_spec(entries: tuple[Any, ...]) -> tuple[list[int], list[int], list[int], list[int]]:
    """Begins, ends, strides and the five masks of StridedSlice."""
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = [0, 0, 0, 0, 0]  # begin, end, ellipsis, new axis, shrink axis
    for i, entry in enumerate(entries):
        bit = 1 << i
        b: Any = 0
        e: Any = 0
        s: Any = 1
        if entry is Ellipsis:
            masks[2] |= bit
        elif entry is None:
            masks[3] |= bit
        elif isinstance(entry, slice):
            b, e, s = _bound(entry.start), _bound(entry.stop), _bound(entry.step)
            masks[0] |= bit if b is None else 0
            masks[1] |= bit if e is None else 0
            b, e, s = b or 0, e or 0, 1 if s is None else s
        else:
            b = _single(entry)
            e = b + 1
            masks[4] |= bit
            masks[1] |= bit if b == -1 else 0
        begin.append(b)
        end.append(e)
        strides.append(s)
    return begin, end, strides, masks


def _basic(value: Any, entries: tuple[Any, ...]) -> Any:
    begin, end, strides, masks = slice_spec(entries)
    to_tensor = _core.convert
    return _strided_slice(
        value,
        to_tensor(begin, "int64"),
        to_tensor(end, "int64"),
        to_tensor(strides, "int64"),
        *masks,
    )


@public
def getitem(value: Any, key: Any) -> Any:
    """`value[key]` for keys that the core leaves to Python."""
    entries = _as_tuple(key)
    if not any(_is_advanced(entry) for entry in entries):
        return _basic(value, entries)
    return _advanced(_core.convert(value), entries)


def _advanced(value: Any, entries: tuple[Any, ...]) -> Any:
    """NumPy's rule: index arrays broadcast together and take the place of the dimensions they
    index; where they are not neighbours, the result's dimensions come first."""
    plain, arrays, neighbours = _without_arrays(value.shape, entries)
    if any(entry != slice(None) for entry in plain):
        value = _basic(value, tuple(plain))
    places = list(arrays)
    if len(places) == 1:
        return _gather(value, arrays[places[0]], _core.convert(places[0], "int32"))
    index = _stack_last(list(arrays.values()))
    rest = [d for d in range(value.shape.rank) if d not in places]
    result = _gather_nd(_transpose(value, [*places, *rest]), index)
    if not neighbours:
        return result
    # The new dimensions go to where the first index was.
    new, before = index.ndim - 1, sum(d < places[0] for d in rest)
    order = [*range(new, new + before), *range(new), *range(new + before, new + len(rest))]
    return _transpose(result, order)


def _without_arrays(shape: Any, entries: tuple[Any, ...]) -> tuple[list[Any], dict[int, Any], bool]:
    """Slices in the place of index arrays; the array for each dimension of the sliced result that
    has one; and whether the arrays are neighbours. A single index counts as an array."""
    entries = _spelt_out(shape, entries)
    plain: list[Any] = []
    arrays: dict[int, Any] = {}
    runs, inside, dim = 0, False, 0
    for entry in entries:
        array = not (entry is None or entry is Ellipsis or isinstance(entry, slice))
        runs += array and not inside
        inside = array
        if array:
            for index in _index_arrays(entry, shape, dim):
                arrays[len(plain)] = index
                plain.append(slice(None))
                dim += 1
        elif entry is not Ellipsis:
            plain.append(entry)
            dim += entry is not None
    return plain, arrays, runs == 1


def _spelt_out(shape: Any, entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """The entries with full slices behind their ellipsis, or at the end, for all dimensions."""
    dots = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(dots) > 1:
        raise InvalidIndexError(None, None, "an index can have only one ellipsis (...)")
    used = sum(_dims_used(entry) for entry in entries)
    if used > shape.rank:
        raise InvalidIndexError(
            None, None, f"too many indices: {used} for a tensor of shape {shape}"
        )
    at = dots[0] + 1 if dots else len(entries)
    return (*entries[:at], *[slice(None)] * (shape.rank - used), *entries[at:])


def _dims_used(entry: Any) -> int:
    if entry is None or entry is Ellipsis:
        return 0
    return len(entry.shape) if _is_advanced(entry) and _is_mask(entry) else 1


def _is_mask(entry: Any) -> bool:
    dtype = entry.dtype
    return dtype.is_bool if isinstance(entry, (Tensor, VariableBase)) else dtype.kind == "b"


def _index_arrays(entry: Any, shape: Any, dim: int) -> Any:
    """One array of indices, none negative, for each dimension that the entry indexes: for a mask
    the places where it is true."""
    import numpy as np

    array = np.asarray(entry if _is_advanced(entry) else _single(entry))
    if array.dtype.kind == "b":
        if array.ndim == 0:
            raise _scalar_mask(array)
        sizes = tuple(shape[dim : dim + array.ndim].as_list())
        if array.shape != sizes:
            raise InvalidIndexError(
                None, None, f"a mask of shape {array.shape} does not fit dimensions of {sizes}"
            )
        return np.nonzero(array)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{_NEEDED}, got an array of dtype {array.dtype}")
    size = shape[dim]
    wrong = array[(array >= size) | (array < -size)]
    if wrong.size:
        raise InvalidIndexError(
            None, None, f"index {wrong[0]} is out of bounds for dimension {dim} of size {size}"
        )
    array = array.astype(np.int64)
    return [np.where(array < 0, array + size, array)]


def _stack_last(arrays: list[Any]) -> Any:
    import numpy as np

    try:
        return np.stack(np.broadcast_arrays(*arrays), -1)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InvalidIndexError(
            None, None, f"index arrays must broadcast together, got shapes {shapes}"
        ) from None


# ---- assignment to slices of variables


def _assign_slice(part: Any, value: Any, combine: Any) -> Any:
    if part._slice_of is None:
        raise TypeError(
            "only slices of variables can be assigned; for a changed copy of a tensor use "
            "agog.tensor_scatter_nd_update"
        )
    variable, key = part._slice_of
    entries = _as_tuple(key)
    value = _core.convert(value, None, variable.dtype)
    if combine is not None:
        value = combine(variable.value()[key], value)
    if any(_is_advanced(entry) for entry in entries):
        return variable.assign(_with_elements(variable.value(), entries, value))
    begin, end, strides, masks = slice_spec(entries)
    convert = _core.convert
    changed = _update(
        variable.value(),
        convert(begin, "int64"),
        convert(end, "int64"),
        convert(strides, "int64"),
        value,
        *masks,
    )
    return variable.assign(changed)


def _with_elements(old: Any, entries: tuple[Any, ...], value: Any) -> Any:
    """A copy with new values at what arrays and masks pick out."""
    import numpy as np

    size = old.shape.num_elements()
    places = _advanced(_core.convert(np.arange(size).reshape(old.shape.as_list())), entries)
    value = _broadcast_to(value, _core.convert(places.shape.as_list(), "int32"))
    flat = _scatter(_reshape(old, [-1]), _reshape(places, [-1, 1]), _reshape(value, [-1]))
    return _reshape(flat, _core.convert(old.shape.as_list(), "int32"))


@public
def assign(self: Any, value: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """For a slice of a variable: gives these elements new values."""
    return _assign_slice(self, value, None)


@public
def assign_add(self: Any, value: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """For a slice of a variable: adds to these elements."""
    return _assign_slice(self, value, lambda old, delta: old + delta)


@public
def assign_sub(self: Any, value: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """For a slice of a variable: subtracts from these elements."""
    return _assign_slice(self, value, lambda old, delta: old - delta)


def install() -> None:
    """Hands indexing to the core and the slice methods to the type."""
    for method in (assign, assign_add, assign_sub):
        setattr(Tensor, method.__name__, method)
