"""Every case of tests/spec/io_cases.py gives TensorFlow's result."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import agog
from tests.spec.io_cases import CASES, NEEDS_PILLOW
from tests.spec.io_outcome import outcome

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "io.json").read_text())

# What is not TensorFlow's, and why.
DIFFERENT: dict[str, str] = {}


def test_every_case_has_a_golden_outcome() -> None:
    assert set(GOLDEN) == set(CASES)
    assert set(DIFFERENT) <= set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    if name in NEEDS_PILLOW and importlib.util.find_spec("PIL") is None:
        pytest.skip("needs Pillow")
    got = json.loads(json.dumps(outcome(agog, CASES[name], tmp_path)))
    want: dict[str, Any] = GOLDEN[name]
    if name in DIFFERENT:
        assert got != want, f"{name} differs no more"
        return
    if "error" in want:
        assert want["error"][0] in got.get("error", []), got
        return
    assert got == want
