"""Element types of tensors, with TensorFlow's names, numbers and rules."""

from __future__ import annotations

import builtins
import sys
from typing import Any

from agog._core import public
from agog.near_names import missing

_NUMPY_TYPES: dict[int, Any] = {}


class DType:
    """The element type of a tensor; there is one instance of each.

    It compares equal to anything that `as_dtype` turns into it, such as a name or a NumPy type.

    >>> agog.float32 == "float32", agog.float32.size, agog.float32.is_floating
    (True, 4, True)
    """

    __slots__ = (
        "__weakref__",
        "_code",
        "as_datatype_enum",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numpy_compatible",
        "is_unsigned",
        "name",
        "size",
    )

    _code: int
    as_datatype_enum: int
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numpy_compatible: builtins.bool
    is_unsigned: builtins.bool
    name: str
    size: int

    def __new__(cls, type_enum: Any, handle_data: Any = None) -> DType:
        return as_dtype(type_enum)

    @classmethod
    def _make(cls, code: int, name: str, enum: int, size: int) -> DType:
        self = object.__new__(cls)
        self._code = code
        self.name = name
        self.as_datatype_enum = enum
        self.size = size
        self.is_bool = name == "bool"
        self.is_complex = name.startswith("complex")
        self.is_floating = "float" in name
        self.is_integer = "int" in name
        self.is_unsigned = name.startswith("uint")
        self.is_numpy_compatible = name not in ("resource", "variant")
        return self

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy (or ml_dtypes) scalar type with the same elements; `object` for strings."""
        try:
            return _NUMPY_TYPES[self._code]
        except KeyError:
            return _NUMPY_TYPES.setdefault(self._code, _numpy_type(self))

    @property
    def base_dtype(self) -> DType:
        """The type itself: there are no reference types."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64, itself where it is real."""
        if self is complex64:
            return float32
        return float64 if self is complex128 else self

    @property
    def is_quantized(self) -> builtins.bool:
        """False: there are no quantized types."""
        return False

    @property
    def is_numeric(self) -> builtins.bool:
        """Whether elements are numbers: integer, floating or complex."""
        return self.is_floating or self.is_integer or self.is_complex

    @property
    def min(self) -> Any:
        """The smallest finite value; TypeError for types without an order."""
        return _bounds(self, "minimum")[0]

    @property
    def max(self) -> Any:
        """The largest finite value; TypeError for types without an order."""
        return _bounds(self, "maximum")[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of image intensities: (0, 1) for floats, (0, max) for integers."""
        if self in (float32, float64):
            return 0, 1
        if self is bool_:
            return 0, True
        if self.is_integer:
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether `other` is this type."""
        return as_dtype(other) is self

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: Any) -> DType:
        return self

    def __repr__(self) -> str:
        return "tf." + self.name

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"


def _numpy_type(dtype: DType) -> Any:
    if dtype is bfloat16:
        from ml_dtypes import bfloat16 as numpy_bfloat16

        return numpy_bfloat16
    if dtype is string:
        return object
    if not dtype.is_numpy_compatible:
        raise TypeError(f"{dtype} has no NumPy type.")
    import numpy as np

    return np.dtype(dtype.name).type


def _bounds(dtype: DType, which: str) -> tuple[Any, Any]:
    if dtype.is_integer:
        bits = 8 * dtype.size
        return (0, 2**bits - 1) if dtype.is_unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not dtype.is_floating:
        raise TypeError(f"Cannot find {which} value of {dtype}.")
    if dtype is bfloat16:
        return -3.38953e38, 3.38953e38
    import numpy as np

    info = np.finfo(dtype.as_numpy_dtype)
    return info.min, info.max


# The order is that of the core's type codes; the last number of a row is the size of an element.
_TABLE = (
    ("bool", 10, 1),
    ("uint8", 4, 1),
    ("uint16", 17, 2),
    ("uint32", 22, 4),
    ("uint64", 23, 8),
    ("int8", 6, 1),
    ("int16", 5, 2),
    ("int32", 3, 4),
    ("int64", 9, 8),
    ("float16", 19, 2),
    ("bfloat16", 14, 2),
    ("float32", 1, 4),
    ("float64", 2, 8),
    ("complex64", 8, 8),
    ("complex128", 18, 16),
    ("string", 7, 0),
    ("resource", 20, 0),
    ("variant", 21, 0),
)
ALL: tuple[DType, ...] = tuple(
    DType._make(code, name, enum, size) for code, (name, enum, size) in enumerate(_TABLE)
)
(
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    string,
    resource,
    variant,
) = ALL
bool = bool_
half = float16
double = float64

_LOOKUP: dict[Any, DType] = {dtype.name: dtype for dtype in ALL}
_LOOKUP |= {dtype.as_datatype_enum: dtype for dtype in ALL}
_LOOKUP |= {"half": float16, "double": float64, "float": float32}
_LOOKUP |= {builtins.bool: bool_, float: float32, object: string}


@public
def as_dtype(type_value: Any) -> DType:
    """The DType that a name, a NumPy type or dtype, a Python type or an enum number stands for.

    Raises TypeError where there is none; `int` and `complex` stand for none, as in TensorFlow.

    >>> agog.as_dtype("half"), agog.as_dtype(float)
    (tf.float16, tf.float32)
    """
    if type(type_value) is DType:
        return type_value
    try:
        found = _LOOKUP.get(type_value)
    except TypeError:  # not hashable
        found = None
    return _from_numpy(type_value) if found is None else found


def _from_numpy(value: Any) -> DType:
    """The DType of a NumPy type or dtype, remembered for the next call."""
    np = sys.modules.get("numpy")
    if np is None:
        raise _unknown(value)
    if isinstance(value, np.dtype):
        found = value
    elif isinstance(value, type):
        if not issubclass(value, np.generic):
            raise _unknown(value)
        found = np.dtype(value)
    elif isinstance(getattr(value, "dtype", None), np.dtype):
        return _from_numpy(value.dtype)
    else:
        raise _unknown(value)
    name = "string" if found.kind in "SUOT" else found.name
    if name not in _LOOKUP:
        raise _unknown(value)
    _LOOKUP[value] = _LOOKUP[name]
    return _LOOKUP[name]


def _unknown(value: Any) -> TypeError:
    return TypeError(f"Cannot convert the argument `type_value`: {value!r} to an agog DType.")


__getattr__ = missing(__name__)
