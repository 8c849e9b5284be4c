"""Every case of tests/spec/data_cases.py gives TensorFlow's elements, spec and cardinality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agog
from tests.spec.data_cases import CASES
from tests.spec.data_outcome import outcome

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "data.json").read_text())

# What is not TensorFlow's, and why.
DIFFERENT: dict[str, str] = {
    "flat_map_no_dataset": "a TypeError that says so, where TensorFlow's is an AttributeError",
}


def test_every_case_has_a_golden_outcome() -> None:
    assert set(GOLDEN) == set(CASES)
    assert set(DIFFERENT) <= set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_case(name: str, tmp_path: Path) -> None:
    got = json.loads(json.dumps(outcome(agog, CASES[name], tmp_path)))
    want: dict[str, Any] = dict(GOLDEN[name])
    if name in DIFFERENT:
        assert got != want, f"{name} differs no more"
        return
    if "error" in want:
        assert want["error"][0] in got.get("error", []), got
        got.pop("error")
        want.pop("error")
        if not want["elements"] and "cardinality" not in want:
            return  # whether it is seen when the dataset is made or when it is read
        got.pop("cardinality", None)
        want.pop("cardinality", None)
    assert got == want
