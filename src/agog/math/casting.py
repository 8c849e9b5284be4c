"""Conversion between dtypes."""

from __future__ import annotations

from typing import Any

from agog._core import Tensor, convert, handle, public
from agog.dtypes import DType, as_dtype
from agog.types import DTypeLike, TensorLike

_cast = handle("Cast")
_bitcast = handle("Bitcast")
_complex = handle("Complex")
_maximum = handle("Maximum")
_minimum = handle("Minimum")


@public
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`x` with its elements converted to `dtype`; a complex number loses its imaginary part.

    >>> agog.cast([1.8, -1.8], agog.int32).numpy().tolist()
    [1, -1]
    """
    x = convert(x)
    dtype = as_dtype(dtype)
    return x if x.dtype is dtype else _cast(x, dtype, name=name)


@public
def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Like `cast`, but values outside the range of `dtype` become its nearest end.

    >>> agog.saturate_cast([300.0, -5.0], agog.uint8).numpy().tolist()
    [255, 0]
    """
    value = convert(value)
    dtype = as_dtype(dtype)
    if value.dtype.is_complex:
        return _saturate_complex(value, dtype)
    if dtype.is_complex:
        return cast(saturate_cast(value, dtype.real_dtype), dtype)
    if not (value.dtype.is_bool or dtype.is_bool):
        low, high = _common_range(value.dtype, dtype)
        if low is not None:
            value = _maximum(value, low)
        if high is not None:
            value = _minimum(value, high)
    return cast(value, dtype, name)


def _saturate_complex(value: Tensor, dtype: DType) -> Tensor:
    part = value.dtype.real_dtype
    real = saturate_cast(_real(value, part), dtype.real_dtype)
    if not dtype.is_complex:
        return real
    return _complex(real, saturate_cast(_imag(value, part), dtype.real_dtype), dtype)


_real = handle("Real")
_imag = handle("Imag")


def _common_range(source: DType, target: DType) -> tuple[Any, Any]:
    """The ends to clip `source` values at before the cast; None where there is nothing to clip."""
    low = _inward(target.min, source, "min") if target.min > source.min else None
    high = _inward(target.max, source, "max") if target.max < source.max else None
    return low, high


def _inward(end: Any, source: DType, side: str) -> Any:
    """The value of `source` nearest to `end` that the target can still represent."""
    if not source.is_floating:
        return int(end)
    import numpy as np

    number = source.as_numpy_dtype
    nearest = number(float(end))
    overshoots = float(nearest) > end if side == "max" else float(nearest) < end
    return np.nextafter(nearest, number(0)) if overshoots else nearest


@public
def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The same bytes read as elements of `type`.

    Where the sizes differ, the last axis appears (a larger element splits) or vanishes.

    >>> agog.bitcast([1.0], agog.uint32).numpy().tolist()
    [1065353216]
    """
    return _bitcast(input, as_dtype(type), name)


__all__ = ["bitcast", "cast", "saturate_cast"]
