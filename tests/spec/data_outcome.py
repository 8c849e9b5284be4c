"""What a pipeline comes to, as JSON: the same text for TensorFlow and agog."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST = 200  # elements: no case has more


def plain(value: Any) -> Any:
    """NumPy values as JSON; floats and bytes keep their kind."""
    if isinstance(value, dict):
        return {"dict": {key: plain(part) for key, part in sorted(value.items())}}
    if isinstance(value, tuple):
        kind = type(value).__name__
        return {kind: [plain(part) for part in value]}
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode("latin-1")
    listed = value.tolist()
    return [str(value.dtype), _texts(listed)]


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(part) for part in value]
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value.decode("latin-1") if isinstance(value, bytes) else value


def spec_text(spec: Any) -> str:
    """A spec, in which all kinds of dicts look alike."""
    if isinstance(spec, dict):
        parts = [f"{key!r}: {spec_text(part)}" for key, part in sorted(spec.items())]
        return "{" + ", ".join(parts) + "}"
    if type(spec) is tuple:
        return "(" + ", ".join(map(spec_text, spec)) + ")"
    return repr(spec)


def outcome(tf: Any, make: Callable[[Any, Path], Any], folder: Path) -> dict[str, Any]:
    """Elements, spec and cardinality; where there is an error its class, and what came before."""
    found: dict[str, Any] = {}
    elements: list[Any] = []
    try:
        dataset = make(tf, folder)
        found["cardinality"] = int(dataset.cardinality())
        for element in dataset.as_numpy_iterator():
            elements.append(plain(element))
            assert len(elements) <= MOST
        found["spec"] = spec_text(dataset.element_spec)
    except Exception as error:
        found["error"] = [kind.__name__ for kind in type(error).__mro__[:-2]]
    found["elements"] = elements
    return found
