"""The tape keeps only what the gradient needs; the rest may be freed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.rows import float_inputs, grad_cases, row_params
from tests.ops.target import arrays_of, call_op, flat, tensor, tf
from tests.spec.facts import facts
from tests.spec.saves import SAVES
from tests.spec.table import Spec

tape_saved = getattr(getattr(tf, "debugging", None), "tape_saved", None)

needs_view = pytest.mark.skipif(tape_saved is None, reason="needs debugging.tape_saved")


def declared(row: Spec) -> bool:
    return row.name in SAVES


@needs_view
@pytest.mark.parametrize("row", row_params(declared))
def test_saves(row: Spec) -> None:
    """The table names the inputs and outputs that may be kept."""
    types = facts(row.name).default_types(row.main, row.grad_dtype)
    case = grad_cases(row, row.grad_dtype)[0]
    inputs = [tensor(array) for array in arrays_of(row, case.args, types)]
    watched = [leaf for i in float_inputs(row, types) for leaf in flat(inputs[i])]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = call_op(row.name, inputs, case.attrs)
    allowed = allowed_values(row, inputs, outputs)
    records = [kept for name, kept in tape_saved(tape) if name == row.name]
    assert len(records) == 1, f"{len(records)} records of one call"
    for kept in records[0]:
        small = kept.dtype.is_integer or kept.dtype.is_bool
        message = f"kept a tensor of shape {kept.shape} outside {SAVES[row.name]}"
        assert small or any(same(kept.numpy(), value) for value in allowed), message


@pytest.mark.parametrize("row", row_params(declared))
def test_saves_names(row: Spec) -> None:
    """Names in the table are names of the op."""
    outputs = {entry["name"] for entry in facts(row.name).outputs}
    assert set(SAVES[row.name]) <= {*facts(row.name).input_names(), *outputs}


def same(kept: Any, value: Any) -> bool:
    """Compared by value, since a kept tensor may come back as a new Python object."""
    return np.shape(kept) == np.shape(value) and bool(np.all(kept == value))


def allowed_values(row: Spec, inputs: list[Any], outputs: list[Any]) -> list[Any]:
    names = facts(row.name).input_names()
    found = [
        leaf
        for name, value in zip(names, inputs, strict=True)
        if name in SAVES[row.name]
        for leaf in flat(value)
    ]
    for entry, value in zip(facts(row.name).outputs, outputs, strict=False):
        if entry["name"] in SAVES[row.name]:
            found.append(value)
    return [tensor.numpy() for tensor in found]
