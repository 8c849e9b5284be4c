"""Starting values of variables, by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import agog

Initializer = Callable[[Sequence[int], Any], Any]


def find(initializer: str | Initializer) -> Initializer:
    """The initializer of that name; a callable `(shape, dtype)` stands for itself."""
    if callable(initializer):
        return initializer
    if initializer not in _BY_NAME:
        raise ValueError(
            f"initializer must be callable or one of {', '.join(sorted(_BY_NAME))}, "
            f"got {initializer!r}"
        )
    return _BY_NAME[initializer]


def glorot_uniform(shape: Sequence[int], dtype: Any) -> Any:
    """Uniform within +-sqrt(6 / (inputs + outputs)): keeps the variance both ways."""
    bound = math.sqrt(6.0 / (shape[-2] + shape[-1]))
    return agog.random.uniform(shape, -bound, bound, dtype=dtype)


def he_uniform(shape: Sequence[int], dtype: Any) -> Any:
    """Uniform within +-sqrt(6 / inputs): keeps the variance through relu."""
    bound = math.sqrt(6.0 / shape[-2])
    return agog.random.uniform(shape, -bound, bound, dtype=dtype)


def zeros(shape: Sequence[int], dtype: Any) -> Any:
    """All zeros."""
    return agog.zeros(shape, dtype)


def ones(shape: Sequence[int], dtype: Any) -> Any:
    """All ones."""
    return agog.ones(shape, dtype)


_BY_NAME: dict[str, Initializer] = {
    f.__name__: f for f in (glorot_uniform, he_uniform, zeros, ones)
}
