"""Every case of tests/spec/training_cases.py and its like gives TensorFlow's numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agog
from tests.spec import evaluation_cases, layer_cases, training_cases
from tests.spec.training_cases import agog_doors, plain

CASES = {
    "training": training_cases.CASES,
    "evaluation": evaluation_cases.CASES,
    "layers": layer_cases.CASES,
}
FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = {file: json.loads((FOLDER / f"{file}.json").read_text()) for file in CASES}
ARGUMENT = {"training": agog_doors, "evaluation": lambda: agog, "layers": lambda: agog}
# 20 steps add up, and kernels may round differently. A decay takes one float32 formula.
RTOL = {"float64": 1e-12}
DEFAULT_RTOL = 2e-5


@pytest.mark.parametrize("file", CASES)
def test_every_case_has_golden_numbers(file: str) -> None:
    assert set(GOLDEN[file]) == set(CASES[file])


def compare(got: Any, want: Any, rtol: float) -> None:
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key in want:
            compare(got[key], want[key], rtol)
    else:
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)


@pytest.mark.parametrize(("file", "name"), [(f, name) for f in CASES for name in CASES[f]])
def test_numbers_are_tensorflows(file: str, name: str) -> None:
    need = layer_cases.NEEDS.get(name) if file == "layers" else None
    if need is not None and not hasattr(agog.nn, need):
        pytest.skip(f"agog.nn.{need} does not exist yet")
    rtol = RTOL.get(name.rpartition(" ")[2], DEFAULT_RTOL)
    got = plain(CASES[file][name](ARGUMENT[file]()))
    compare(_parts(got), _parts(GOLDEN[file][name]), rtol)


def _parts(value: Any) -> Any:
    """Lists of arrays of different shapes, as dicts."""
    if isinstance(value, dict):
        return {key: _parts(part) for key, part in value.items()}
    if isinstance(value, list) and any(isinstance(part, list) for part in value):
        return {str(i): _parts(part) for i, part in enumerate(value)}
    return value
