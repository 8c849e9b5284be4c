"""Nested Python values as JSON and a list of tensors, and back."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from agog._core import Tensor, VariableBase, convert
from agog.errors import DataLossError


def encode_state(state: Any, owner: str) -> tuple[str, list[Tensor]]:
    """The text and the tensors that stand for None, numbers, strings, tensors, lists and dicts.

    >>> from agog.checkpoint.state import decode_state, encode_state
    >>> text, tensors = encode_state({"position": 7, "seen": agog.constant([1, 2])}, "reader")
    >>> decode_state(text, tensors)["position"]
    7
    """
    tensors: list[Tensor] = []
    return json.dumps(_encode(state, owner, tensors)), tensors


def _encode(value: Any, owner: str, tensors: list[Tensor]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_encode(part, owner, tensors) for part in value]}
    if isinstance(value, dict):
        pairs = [[_encode(k, owner, tensors), _encode(v, owner, tensors)] for k, v in value.items()]
        return {"dict": pairs}
    if isinstance(value, Tensor | VariableBase) or type(value).__module__ == "numpy":
        tensors.append(convert(value))
        return {"tensor": len(tensors) - 1}
    raise TypeError(
        f"save_state() of {owner} must return None, numbers, strings, bytes, tensors, arrays, and "
        f"lists, tuples and dicts of these; it returned a {type(value).__name__}: {value!r}"
    )


def decode_state(text: bytes | str, tensors: Sequence[Tensor]) -> Any:
    """What `encode_state` was given; arrays and variables have become tensors."""
    try:
        return _decode(json.loads(text), tensors)
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise DataLossError(None, None, f"a state that cannot be read: {error!r}") from None


def _decode(value: Any, tensors: Sequence[Tensor]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, body),) = value.items()
    if kind == "bytes":
        return base64.b64decode(body)
    if kind == "tensor":
        return tensors[body]
    if kind == "dict":
        return {_decode(k, tensors): _decode(v, tensors) for k, v in body}
    parts = [_decode(part, tensors) for part in body]
    return tuple(parts) if kind == "tuple" else parts
