"""Indexing by tensors and masks, and assignment to slices of variables."""

from __future__ import annotations

from typing import Any

from agog import _core
from agog._core import Tensor, VariableBase, handle, public

_strided_slice = handle("StridedSlice")
_update = handle("TensorStridedSliceUpdate")
_gather = handle("GatherV2")
_gather_nd = handle("GatherNd")
_where = handle("Where")
_reshape = handle("Reshape")
_pack = handle("Pack")
_broadcast_to = handle("BroadcastTo")
_transpose = handle("Transpose")

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
                f"{_NEEDED}, got a tensor of dtype {value.dtype.name} and shape "
                f"{value.shape} in a slice"
            )
        return int(value)
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(f"{_NEEDED}, got {value!r}") from None


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
            b, e, s = _whole(entry.start), _whole(entry.stop), _whole(entry.step)
            masks[0] |= bit if b is None else 0
            masks[1] |= bit if e is None else 0
            b, e, s = b or 0, e or 0, 1 if s is None else s
        else:
            b = _whole(entry)
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
    return _advanced(value, entries)


def _advanced(value: Any, entries: tuple[Any, ...]) -> Any:
    """NumPy's rule: index arrays broadcast together, and take the place of the dimensions they
    index; where they are not neighbours, the result's dimensions come first."""
    plain, arrays, first = _without_arrays(value, entries)
    value = _basic(value, tuple(plain)) if plain else value
    places = [place for place, _ in arrays]
    rank = value.shape.rank
    if len(arrays) == 1:
        return _gather(value, arrays[0][1], _core.convert(places[0], "int32"))
    index = _stack_last([array for _, array in arrays])
    rest = [d for d in range(rank) if d not in places]
    moved = _transpose(value, [*places, *rest])
    result = _gather_nd(moved, index)
    if not first:
        return result
    # The indices were neighbours: their dimensions go back to where they were.
    new = index.shape.rank - 1
    before = [d for d in rest if d < places[0]]
    order = [new + i for i in range(len(before))] + list(range(new))
    order += [new + len(before) + i for i in range(len(rest) - len(before))]
    return _transpose(result, order)


def _without_arrays(value: Any, entries: tuple[Any, ...]) -> tuple[list[Any], list[Any], bool]:
    """Index arrays replaced by full slices, with the dimension of the sliced result that each
    indexes; and whether they are neighbours."""
    used = sum(
        _dims_used(entry) for entry in entries if entry is not None and entry is not Ellipsis
    )
    missing = value.shape.rank - used
    if missing < 0:
        raise IndexError(f"too many indices: {used} for a tensor of shape {value.shape}")
    if Ellipsis not in [e for e in entries if e is Ellipsis]:
        entries = (*entries, Ellipsis)
    plain: list[Any] = []
    arrays: list[Any] = []
    at = 0  # dimension of the sliced result
    for entry in entries:
        if entry is Ellipsis:
            plain += [slice(None)] * missing
            at += missing
        elif not _is_advanced(entry):
            plain.append(entry)
            at += entry is None or isinstance(entry, slice)
        else:
            for array in _index_arrays(entry):
                plain.append(slice(None))
                arrays.append((at, array))
                at += 1
    places = [place for place, _ in arrays]
    return plain, arrays, places == list(range(places[0], places[0] + len(places)))


def _dims_used(entry: Any) -> int:
    if _is_advanced(entry) and _is_mask(entry):
        return len(entry.shape)
    return 1


def _is_mask(entry: Any) -> bool:
    dtype = entry.dtype
    return dtype.is_bool if isinstance(entry, (Tensor, VariableBase)) else dtype.kind == "b"


def _index_arrays(entry: Any) -> list[Any]:
    """One int64 tensor per dimension that the entry indexes; a mask becomes where it is true."""
    tensor = _core.convert(entry)
    if not _is_mask(entry):
        if not tensor.dtype.is_integer:
            raise TypeError(f"{_NEEDED}, got a tensor of dtype {tensor.dtype.name}")
        return [handle("Cast")(tensor, "int64")]
    where = _where(tensor)
    return [where[:, d] for d in range(tensor.ndim)]


def _stack_last(arrays: list[Any]) -> Any:
    import numpy as np

    shape = list(np.broadcast_shapes(*[tuple(a.shape.as_list()) for a in arrays]))
    full = [_broadcast_to(a, _core.convert(shape, "int64")) for a in arrays]
    return _pack(full, len(shape))


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
