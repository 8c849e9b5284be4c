"""What a call of `io` comes to, as JSON: the same text for TensorFlow and agog."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.spec.data_outcome import plain


def leaf(value: Any) -> Any:
    """Tensors with their shape, plain values as they are."""
    if isinstance(value, dict):
        return {key: leaf(part) for key, part in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [leaf(part) for part in value]
    if hasattr(value, "dense_shape"):
        return ["sparse", leaf(value.indices), leaf(value.values), leaf(value.dense_shape)]
    if hasattr(value, "numpy"):
        return [value.dtype.name, list(value.shape), plain(value.numpy())]
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    return value


def outcome(tf: Any, make: Callable[[Any, Path], Any], folder: Path) -> dict[str, Any]:
    """The value, or the classes of the error."""
    try:
        return {"value": leaf(make(tf, folder))}
    except Exception as error:
        return {"error": [kind.__name__ for kind in type(error).__mro__[:-2]]}
