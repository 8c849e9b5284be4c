"""Distances in units of the last place, counted from the correctly rounded reference."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tests.spec.table import Spec, kind_of, numpy_dtype

WORDS = {2: np.int16, 4: np.int32, 8: np.int64}


def order(values: np.ndarray) -> np.ndarray:
    """Integers in the order of the floats: neighbours differ by one, both zeros are 0."""
    words = np.ascontiguousarray(values).view(WORDS[values.dtype.itemsize])
    lowest = np.iinfo(words.dtype).min
    wide = words.astype(object) if words.dtype.itemsize == 8 else words.astype(np.int64)
    return np.where(words >= 0, wide, int(lowest) - wide)


def steps(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """How many floats `got` is away from `want`, both of one dtype; NaN only equals NaN."""
    with np.errstate(all="ignore"):
        distance = np.abs(order(got) - order(want)).astype(np.float64)
    nan_got, nan_want = np.isnan(got), np.isnan(want)
    distance = np.where(nan_got & nan_want, 0.0, distance)
    return np.where(nan_got != nan_want, np.inf, distance)


def spacing(scale: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The ulp of `dtype` at a magnitude, in float64."""
    info = ml_dtypes.finfo(dtype)
    magnitude = np.maximum(np.abs(scale), float(info.tiny))
    with np.errstate(all="ignore"):
        return float(info.eps) * 2.0 ** np.floor(np.log2(magnitude))


def widen(array: Any) -> Any:
    """float64 or complex128 for floats; integers stay as they are."""
    if isinstance(array, list):
        return [widen(item) for item in array]
    array = np.asarray(array)
    if array.dtype == ml_dtypes.bfloat16 or array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


def reference(row: Spec, arrays: list[Any], attrs: dict[str, Any]) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        inputs = [widen(array) for array in arrays] if row.widen else arrays
        want = row.ref(*inputs, **attrs)
    if isinstance(want, list | tuple):
        return [np.asarray(item) for item in want]
    return [np.asarray(want)]


def scale_of(row: Spec, arrays: list[Any], attrs: dict[str, Any]) -> np.ndarray | None:
    if row.scale is None:
        return None
    with np.errstate(all="ignore"):
        return np.asarray(row.scale(*[widen(array) for array in arrays], **attrs))


def assert_close(
    row: Spec,
    dtype: str,
    got: np.ndarray,
    want: np.ndarray,
    inputs: list[Any],
    scale: np.ndarray | None = None,
    flush: bool = False,
) -> None:
    """`got` is within the row's ulp of `want`; both have the same shape.

    `flush`: the package under test flushes subnormal numbers, so their results are not judged.
    """
    assert got.shape == want.shape, f"shape {got.shape}, expected {want.shape}"
    if flush:
        got, want, inputs = without_subnormals(got, want, inputs)
        scale = None if scale is None else np.broadcast_to(scale, got.shape)
    if kind_of(dtype) not in "fc":
        assert_exact(got, want.astype(numpy_dtype(dtype)), inputs)
    elif kind_of(dtype) == "c" or scale is not None:
        assert_near(row, dtype, got, want, inputs, scale)
    else:
        assert_rounded(row, dtype, got, want, inputs, flush or row.flush)


def without_subnormals(got: np.ndarray, want: np.ndarray, inputs: list[Any]) -> Any:
    """Wherever an input is subnormal, the result is taken as right."""
    bad = np.zeros(got.shape, bool)
    for array in inputs:
        floating = isinstance(array, np.ndarray) and array.dtype.kind not in "iubc"
        if floating and array.shape == bad.shape:
            tiny = float(ml_dtypes.finfo(array.dtype).tiny)
            bad |= (array != 0) & (np.abs(widen(array)) < tiny)
    return np.where(bad, want.astype(got.dtype), got), want, inputs


def assert_exact(got: np.ndarray, want: np.ndarray, inputs: list[Any]) -> None:
    wrong = np.asarray(got != want)
    assert not wrong.any(), describe(wrong, got, want, inputs)


def assert_near(
    row: Spec,
    dtype: str,
    got: np.ndarray,
    want: np.ndarray,
    inputs: list[Any],
    scale: np.ndarray | None,
) -> None:
    part = np.dtype(
        {"complex64": "float32", "complex128": "float64"}.get(dtype, numpy_dtype(dtype))
    )
    unit = spacing(np.abs(want) if scale is None else np.broadcast_to(scale, want.shape), part)
    wide = widen(got)
    with np.errstate(all="ignore"):
        same = (wide == want) | (np.isnan(wide) & np.isnan(want))
        same |= got == want.astype(got.dtype)  # both beyond the largest number
        wrong = ~same & ~(np.abs(wide - want) <= row.limit(dtype) * unit + unit / 2)
    assert not wrong.any(), describe(wrong, got, want, inputs)


def assert_rounded(
    row: Spec, dtype: str, got: np.ndarray, want: np.ndarray, inputs: list[Any], flush: bool
) -> None:
    with np.errstate(all="ignore"):
        rounded = want.astype(numpy_dtype(dtype))
    wrong = steps(got, rounded) > row.limit(dtype)
    if flush:
        tiny = float(ml_dtypes.finfo(numpy_dtype(dtype)).tiny)
        wrong &= ~((np.abs(widen(got)) <= tiny) & (np.abs(want) <= tiny))
    assert not wrong.any(), describe(wrong, got, rounded, inputs)
    if row.zero_sign and not flush:
        zeros = (rounded == 0) & (got == 0)
        wrong = zeros & (np.signbit(rounded) != np.signbit(got))
        assert not wrong.any(), "sign of zero: " + describe(wrong, got, rounded, inputs)


def describe(wrong: np.ndarray, got: np.ndarray, want: np.ndarray, inputs: list[Any]) -> str:
    """The first few wrong elements with their inputs."""
    places = np.argwhere(wrong)
    lines = [f"{len(places)} of {wrong.size} elements differ"]
    for place in map(tuple, places[:5]):
        came = [
            array[place]
            for array in inputs
            if isinstance(array, np.ndarray) and array.shape == wrong.shape
        ]
        lines.append(
            f"  at {list(map(int, place))}: inputs {came}, got {got[place]!r}, "
            f"expected {want[place]!r}"
        )
    return "\n".join(lines)
