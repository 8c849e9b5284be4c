"""The tape keeps only what the gradient needs; the rest may be freed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.rows import float_inputs, grad_cases, row_params
from tests.ops.target import arrays_of, call_op, flat, tensor, tf
from tests.spec.facts import facts
from tests.spec.table import Spec

tape_saved = getattr(getattr(tf, "debugging", None), "tape_saved", None)

pytestmark = pytest.mark.skipif(tape_saved is None, reason="needs debugging.tape_saved")


def declared(row: Spec) -> bool:
    return row.saves is not None


@pytest.mark.parametrize("row", row_params(declared))
def test_saves(row: Spec) -> None:
    """`saves` names the inputs and outputs that may be kept."""
    types = facts(row.name).default_types(row.main, row.grad_dtype)
    case = grad_cases(row, row.grad_dtype)[0]
    inputs = [tensor(array) for array in arrays_of(row, case.args, types)]
    watched = [leaf for i in float_inputs(row, types) for leaf in flat(inputs[i])]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        outputs = call_op(row.name, inputs, case.attrs)
    allowed = allowed_ids(row, inputs, outputs)
    records = [kept for name, kept in tape_saved(tape) if name == row.name]
    assert len(records) == 1, f"{len(records)} records of one call"
    for kept in records[0]:
        assert id(kept) in allowed, f"kept a tensor of shape {kept.shape} outside {row.saves}"


def allowed_ids(row: Spec, inputs: list[Any], outputs: list[Any]) -> set[int]:
    names = facts(row.name).input_names()
    found = set()
    for name, value in zip(names, inputs, strict=True):
        if name in row.saves:
            found |= {id(leaf) for leaf in flat(value)}
    for entry, value in zip(facts(row.name).outputs, outputs, strict=False):
        if entry["name"] in row.saves:
            found.add(id(value))
    return found
