"""What TensorFlow's op registry says, read from the golden file made by tools/golden.py."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


@functools.cache
def all_facts() -> dict[str, Any]:
    return json.loads((GOLDEN / "ops.json").read_text())


class Facts:
    """Inputs, outputs, attrs and CPU dtypes of one op."""

    def __init__(self, name: str) -> None:
        data = all_facts()[name]
        self.inputs: list[dict[str, Any]] = data["inputs"]
        self.outputs: list[dict[str, Any]] = data["outputs"]
        self.attrs: dict[str, Any] = data["attrs"]
        self.types: dict[str, list[str]] = data["types"]
        self.gradient: str = data["gradient"]

    def input_names(self) -> list[str]:
        return [entry["name"] for entry in self.inputs]

    def type_of(self, index: int) -> str:
        """Type variable, or fixed dtype name, of an input."""
        return self.inputs[index]["type"]

    def default_types(self, main: str, dtype: str) -> dict[str, str]:
        chosen = {}
        for var, allowed in self.types.items():
            if var == main:
                chosen[var] = dtype
            else:
                chosen[var] = "int32" if "int32" in allowed else allowed[0]
        return chosen


@functools.cache
def facts(name: str) -> Facts:
    return Facts(name)
