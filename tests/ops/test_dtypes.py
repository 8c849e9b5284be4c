"""Dtypes outside the list raise, mixed dtypes raise, outputs have the declared dtype.

Output dtypes of all allowed inputs are checked with the values, in test_forward.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.quirks import expect_quirks
from tests.ops.rows import dtype_params, dtypes, edge_cases, forward_cases, row_params
from tests.ops.target import arrays_of, call_op, failures
from tests.spec.all import rows
from tests.spec.facts import facts
from tests.spec.table import ALL_DTYPES, Case, Spec

REFUSALS = failures("InvalidArgumentError", "UnimplementedError", "NotFoundError", "TypeError")


def swept(row: Spec) -> bool:
    """Rows whose main type variable is that of an input."""
    inputs = {entry["type"] for entry in facts(row.name).inputs}
    return row.form != "law" and row.main in inputs


def any_case(row: Spec) -> Case:
    dtype = "float32" if "float32" in dtypes(row) else dtypes(row)[0]
    return (edge_cases(row, dtype) or forward_cases(row, dtype))[0]


def refused(row: Spec) -> list[str]:
    allowed = facts(row.name).types[row.main]
    return [d for d in ALL_DTYPES if d not in allowed and d not in row.without]


def refusal_params() -> list[Any]:
    """One parameter per row that has a dtype to refuse."""
    return row_params(lambda row: swept(row) and bool(refused(row)))


@pytest.mark.parametrize("row", refusal_params())
def test_other_dtypes_raise(row: Spec, request: Any) -> None:
    expect_quirks(request, "refuse", row.name)
    case = any_case(row)
    for dtype in refused(row):
        types = facts(row.name).default_types(row.main, dtype)
        arrays = arrays_of(row, case.args, types)
        try:
            call_op(row.name, arrays, case.attrs)
        except REFUSALS:
            continue
        pytest.fail(f"{row.name} accepts {dtype}")


def twins(row: Spec) -> list[int]:
    """Inputs that share the main type variable."""
    return [
        i
        for i, entry in enumerate(facts(row.name).inputs)
        if entry["type"] == row.main and "count" not in entry
    ]


@pytest.mark.parametrize("row", row_params(lambda row: swept(row) and len(twins(row)) > 1))
def test_mixed_dtypes_raise(row: Spec, request: Any) -> None:
    """Two tensors of different dtypes are an error: nothing is promoted."""
    expect_quirks(request, "mixed", row.name)
    case = any_case(row)
    first = dtypes(row)[0]
    other = dtypes(row)[-1]
    if first == other:
        other = "int16"
    types = facts(row.name).default_types(row.main, first)
    odd = facts(row.name).default_types(row.main, other)
    for index in twins(row):
        arrays = arrays_of(row, case.args, types)
        arrays[index] = arrays_of(row, case.args, odd)[index]
        with pytest.raises(REFUSALS):
            call_op(row.name, arrays, case.attrs)


@pytest.mark.parametrize("row, dtype", dtype_params(lambda row: row.form == "law"))
def test_law_dtypes(row: Spec, dtype: str) -> None:
    """Ops without a unique answer still have one dtype."""
    from tests.ops.target import output_dtypes, run_case
    from tests.spec.table import numpy_dtype

    types = facts(row.name).default_types(row.main, dtype)
    for case in forward_cases(row, dtype):
        _, got = run_case(row, case, types)
        declared = output_dtypes(row, case, types, len(got))
        assert [value.dtype for value in got] == [numpy_dtype(name) for name in declared]
        assert all(np.size(value) for value in got)


def test_exclusions_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """Every dtype left out names its reason; the count is printed."""
    left_out = [(row.name, dtype, why) for row in rows() for dtype, why in row.without.items()]
    for name, dtype, why in left_out:
        assert len(why) > 5, f"{name} leaves out {dtype} without a reason"
        assert any(dtype in allowed for allowed in facts(name).types.values()), (name, dtype)
    skipped = [row.name for row in rows() if row.grad == "skip"]
    shallow = [row.name for row in rows() if row.grad_order < 2]
    with capsys.disabled():
        print(
            f"\nexcluded: {len(left_out)} op-dtype pairs, gradients of {len(skipped)} ops, "
            f"second order of {len(shallow)} ops"
        )
