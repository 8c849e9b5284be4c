"""What becomes a tensor besides numbers, lists and arrays."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import Any

from agog import _core, dtypes

_MOST_LEVELS = 16
# How NumPy's kinds of dtype count: truth values, integers, floats, complex numbers, strings.
_KINDS = {"b": "b", "i": "i", "u": "i", "f": "f", "c": "c", "U": "s", "S": "s"}
_NAMES = {"b": "bool", "i": "int", "f": "float", "c": "complex", "s": "str"}


def convert_other(value: Any, dtype: Any) -> Any:
    """Called by the core for types it does not know; gives a tensor, list or array."""
    from agog.tensor_shape import Dimension, TensorShape

    if isinstance(value, TensorShape):
        return _dims(value, dtype)
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, type):
        raise _unsupported(value)
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__(dtype)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        import numpy as np

        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        import numpy as np

        return np.from_dlpack(value)
    if _is_sequence(value):
        return list(value)
    raise _unsupported(value)


def _dims(shape: Any, dtype: Any) -> Any:
    if not shape.is_fully_defined():
        raise ValueError(f"cannot convert a partly known shape {shape} to a tensor")
    if dtype is not None and not dtype.is_integer:
        raise TypeError(f"a shape converts to a tensor of integers, not of dtype {dtype.name}")
    dims = shape.as_list()
    return dims or _core.convert(dims, dtype or dtypes.int32)


def _is_sequence(value: Any) -> bool:
    if isinstance(value, (dict, type)):
        return False
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _unsupported(value: Any) -> ValueError:
    return ValueError(
        f"cannot convert a value of type {type(value).__name__} to a tensor: {reprlib.repr(value)}"
    )


def convert_nested(value: Any, dtype: Any, hint: Any) -> Any:
    """One array from a nested list with leaves that the core does not know, such as NumPy's.

    The dtype is TensorFlow's: integers of any width become int32 where they fit, floats take the
    width of the first leaf.
    """
    import numpy as np

    leaves = list(_leaves(value, 0))
    kind = _kind_of_all(leaves)
    try:
        if kind == "s":
            return _strings(np.asarray(value, dtype=object))
        wanted = _result_dtype(kind, leaves, value, dtype, hint)
        if kind == "i":
            return _integers(value, leaves, wanted)
        return np.asarray(value, dtype=wanted.as_numpy_dtype)
    except OverflowError as error:
        raise ValueError(f"cannot convert a nested list to a tensor: {error}") from None


def _leaves(value: Any, depth: int) -> Iterator[Any]:
    """The arrays, numbers and strings of a nested list; an array counts as one leaf."""
    if depth > _MOST_LEVELS:
        raise NotImplementedError(f"the value is nested deeper than {_MOST_LEVELS} levels")
    for item in value:
        if hasattr(item, "dtype") or isinstance(item, (int, float, complex, str, bytes)):
            yield item
        elif hasattr(item, "__array__") and not isinstance(item, type):
            yield item.__array__()
        elif _is_sequence(item):
            yield from _leaves(item, depth + 1)
        else:
            raise _unsupported(item)


def _kind(leaf: Any) -> str:
    dtype = getattr(leaf, "dtype", None)
    if dtype is None:
        types = (bool, "b"), (int, "i"), (float, "f"), (complex, "c")
        return next((kind for type_, kind in types if isinstance(leaf, type_)), "s")
    kind = "f" if str(dtype) == "bfloat16" else _KINDS.get(getattr(dtype, "kind", ""))
    if kind is None:
        raise ValueError(f"cannot convert a NumPy array of dtype {dtype} to a tensor")
    return kind


def _kind_of_all(leaves: list[Any]) -> str:
    """The widest kind; numbers may not follow a truth value, and only strings go with strings."""
    kind = ""
    for leaf in leaves:
        found = _kind(leaf)
        if kind and kind != found and ("s" in (kind, found) or kind == "b"):
            raise ValueError(
                f"cannot convert a sequence that mixes {_NAMES[kind]} and {_NAMES[found]} "
                "to a tensor"
            )
        kind = found if not kind or "bifcs".index(found) > "bifcs".index(kind) else kind
    return kind or "f"


def _fits(kind: str, dtype: Any) -> bool:
    if kind == "b" and dtype.is_bool:
        return True
    if kind == "c":
        return dtype.is_complex
    if kind == "f":
        return dtype.is_floating or dtype.is_complex
    return dtype.is_numeric


def _result_dtype(kind: str, leaves: list[Any], value: Any, dtype: Any, hint: Any) -> Any:
    if dtype is not None:
        if not _fits(kind, dtype):
            raise TypeError(
                f"cannot convert {reprlib.repr(value)} to a tensor of dtype {dtype.name}"
            )
        return dtype
    if hint is not None and _fits(kind, hint):
        return hint
    if kind == "f" and _kind(leaves[0]) == "f" and hasattr(leaves[0], "dtype"):
        return dtypes.as_dtype(leaves[0].dtype)
    defaults = {"b": dtypes.bool_, "f": dtypes.float32, "c": dtypes.complex128}
    return defaults.get(kind)


def _integers(value: Any, leaves: list[Any], wanted: Any) -> Any:
    import numpy as np

    unsigned = wanted is dtypes.uint64 or any(
        str(getattr(x, "dtype", "")) == "uint64" for x in leaves
    )
    array = np.asarray(value, dtype=np.uint64 if unsigned else np.int64)
    if wanted is not None and not wanted.is_integer:
        return array.astype(wanted.as_numpy_dtype)
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    if wanted is None:
        wanted = dtypes.int32
        if low < wanted.min or high > wanted.max:
            wanted = dtypes.int64
    if low < wanted.min or high > wanted.max:
        number = low if low < wanted.min else high
        raise ValueError(f"the number {number} is out of range for dtype {wanted.name}")
    return array.astype(wanted.as_numpy_dtype)


def _strings(array: Any) -> Any:
    """The same strings as Python's own types: the core asks no more about those."""
    flat = array.reshape(-1)
    for i, item in enumerate(flat):
        flat[i] = str(item) if isinstance(item, str) else bytes(item)
    return array
