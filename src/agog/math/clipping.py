"""Clipping of values and of gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog._core import Tensor, convert, handle, public
from agog.indexed_slices import IndexedSlices
from agog.math.reductions import every_axis
from agog.types import Axis, TensorLike

_greater = handle("Greater")
_is_finite = handle("IsFinite")
_l2_loss = handle("L2Loss")
_maximum = handle("Maximum")
_minimum = handle("Minimum")
_ones_like = handle("OnesLike")
_pack = handle("Pack")
_select = handle("SelectV2")
_sqrt = handle("Sqrt")
_sum = handle("Sum")


@public
def clip_by_value(
    t: TensorLike,
    clip_value_min: TensorLike,
    clip_value_max: TensorLike,
    name: str | None = None,
) -> Tensor:
    """`t` with everything below the minimum or above the maximum moved there; NaN stays.

    >>> agog.clip_by_value([-3, 1, 7], 0, 5).numpy().tolist()
    [0, 1, 5]
    """
    t = convert(t)
    clipped = _maximum(_minimum(t, clip_value_max), clip_value_min, name)
    if clipped.shape != t.shape:
        raise ValueError(
            f"The clip values must broadcast to the shape {t.shape} of t, got {clipped.shape}"
        )
    return clipped


@public
def clip_by_norm(t: Any, clip_norm: TensorLike, axes: Axis = None, name: str | None = None) -> Any:
    """`t`, scaled down where its Euclidean norm over `axes` is above `clip_norm`.

    Of an IndexedSlices, the values.

    >>> print(agog.clip_by_norm([3.0, 4.0], 1.0).numpy().round(4))
    [0.6 0.8]
    """
    if isinstance(t, IndexedSlices):
        clipped = clip_by_norm(t.values, clip_norm, axes, name)
        return IndexedSlices(clipped, t.indices, t.dense_shape)
    t, every = every_axis(t)
    squared = _sum(t * t, every if axes is None else axes, True)
    positive = _greater(squared, 0)
    norm = _select(positive, _sqrt(_select(positive, squared, _ones_like(squared))), squared)
    return (t * clip_norm) / _maximum(norm, clip_norm, name)


@public
def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """Euclidean norm of all elements of all tensors; entries may be None. 0 of nothing.

    Of an IndexedSlices, that of its values: rows of one index count each for itself.

    >>> agog.linalg.global_norm([[3.0], [4.0]]).numpy().item()
    5.0
    """
    halves = [
        _l2_loss(t.values if isinstance(t, IndexedSlices) else t)
        for t in _as_list(t_list)
        if t is not None
    ]
    if not halves:
        return convert(0.0)
    return _sqrt(_sum(_pack(halves, 0), [0]) * 2, name)


def _as_list(t_list: Any) -> list[Any]:
    if isinstance(t_list, (Tensor, str)) or not isinstance(t_list, Sequence):
        raise TypeError(f"t_list must be a sequence of tensors, got {type(t_list).__name__}")
    return list(t_list)


@public
def clip_by_global_norm(
    t_list: Sequence[Any],
    clip_norm: TensorLike,
    use_norm: TensorLike | None = None,
    name: str | None = None,
) -> tuple[list[Any], Tensor]:
    """The tensors, scaled down together where their `global_norm` is above `clip_norm`.

    Returns them as a list, and the norm before. A norm that is infinite or NaN makes all of
    them NaN. Entries that are None stay None.

    >>> clipped, norm = agog.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> print([t.numpy().round(4) for t in clipped], norm.numpy())
    [array([0.6], dtype=float32), array([0.8], dtype=float32)] 5.0
    """
    tensors = _as_list(t_list)
    norm = global_norm(tensors) if use_norm is None else convert(use_norm)
    clip_norm = convert(clip_norm, norm.dtype)
    scale = clip_norm * _minimum(1.0 / norm, 1.0 / clip_norm)
    scale = _select(_is_finite(norm), scale, float("nan"))
    return [None if t is None else _scaled(t, scale) for t in tensors], norm


def _scaled(t: Any, scale: Tensor) -> Any:
    """A tensor, or the rows of an IndexedSlices, times a number."""
    if isinstance(t, IndexedSlices):
        return IndexedSlices(t.values * scale, t.indices, t.dense_shape)
    return convert(t) * scale
