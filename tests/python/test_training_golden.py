"""Every case of tests/spec/training_cases.py gives TensorFlow's numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.spec.training_cases import CASES, agog_doors, plain

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "training.json").read_text())
# 20 steps add up, and kernels may round differently. A decay takes one float32 formula.
RTOL = {"float64": 1e-12}
DEFAULT_RTOL = 2e-5


def test_every_case_has_golden_numbers() -> None:
    assert set(GOLDEN) == set(CASES)


def compare(got: Any, want: Any, rtol: float) -> None:
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key in want:
            compare(got[key], want[key], rtol)
    else:
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_tensorflows(name: str) -> None:
    rtol = RTOL.get(name.rpartition(" ")[2], DEFAULT_RTOL)
    compare(_parts(plain(CASES[name](agog_doors()))), _parts(GOLDEN[name]), rtol)


def _parts(value: Any) -> Any:
    """Lists of arrays of different shapes, as dicts."""
    if isinstance(value, dict):
        return {key: _parts(part) for key, part in value.items()}
    if isinstance(value, list) and any(isinstance(part, list) for part in value):
        return {str(i): _parts(part) for i, part in enumerate(value)}
    return value
