"""f(x)[i] depends on x[i] alone: not on offset, length, neighbours or threads."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.ops.quirks import expect_quirks
from tests.ops.rows import draw, dtype_params, elementwise, mend, present
from tests.ops.target import IS_AGOG, arrays_of, call_op
from tests.spec.all import ROWS
from tests.spec.facts import facts
from tests.spec.table import Sampler, Spec, numpy_dtype

VECTOR_BYTES = 64
ROOT = Path(__file__).resolve().parents[2]


def inputs_of(row: Spec, dtype: str, count: int) -> list[np.ndarray]:
    s = Sampler(row.name, dtype, "position")
    inputs = [draw(row, s, i, (count,), row.domain) for i in range(row.arity)]
    inputs = mend(row, inputs) if row.valid is not None else inputs
    return arrays_of(row, inputs, facts(row.name).default_types(row.main, dtype))


def bits(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("row, dtype", dtype_params(elementwise))
def test_position(row: Spec, dtype: str, request: Any) -> None:
    """Any slice of the input gives the same bits, for 1 to 2 vectors + 1 elements."""
    expect_quirks(request, "position", row.name, dtype)
    lanes = VECTOR_BYTES // numpy_dtype(dtype).itemsize
    longest = 2 * lanes + 1
    whole = inputs_of(row, dtype, longest)
    kept = [array.copy() for array in whole]
    attrs = next(row.attr_sets())
    want = call_op(row.name, whole, attrs)[0].numpy()
    for length in (*range(1, min(longest, 20)), lanes, lanes + 1, longest - 1):
        start = longest - length
        got = call_op(row.name, [array[start:] for array in whole], attrs)[0].numpy()
        assert bits(got) == bits(want[start:]), f"{length} elements from {start}"
    for array, copy in zip(whole, kept, strict=True):
        assert bits(array) == bits(copy), "the op wrote into its input"


def digest() -> str:
    """One hash of all elementwise ops, reductions and products on tensors worth splitting."""
    total = hashlib.sha256()
    for name in present():
        row = ROWS[name]
        if elementwise(row) and "float32" in facts(name).types.get(row.main, []):
            arrays = inputs_of(row, "float32", 100_003)
            total.update(bits(call_op(name, arrays, next(row.attr_sets()))[0].numpy()))
    x = np.random.default_rng(0).normal(size=(511, 1027)).astype(np.float32)
    for name in ("Sum", "Mean", "Max", "Prod"):
        if name in present():
            for axis in ([0], [1], [0, 1]):
                total.update(
                    bits(np.asarray(call_op(name, [x, np.array(axis, np.int32)], {})[0].numpy()))
                )
    return total.hexdigest()


@pytest.mark.slow
@pytest.mark.skipif(not IS_AGOG, reason="a promise of agog only")
def test_threads() -> None:
    """1, 2 and 8 threads give the same bits."""
    found = set()
    for threads in (1, 2, 8):
        env = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        command = [
            sys.executable,
            "-c",
            "from tests.ops.test_position import digest\nprint(digest())",
        ]
        done = subprocess.run(
            command, env=env, cwd=ROOT, capture_output=True, text=True, check=True
        )
        found.add(done.stdout.strip())
    assert len(found) == 1
