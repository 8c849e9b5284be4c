"""Rank 0 and zero-size inputs: right shape, dtype and, where there is a value, value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.quirks import expect_quirks
from tests.ops.rows import dtype_params, edge_cases, elementwise, has_ref
from tests.ops.test_forward import check
from tests.spec.all import rows
from tests.spec.facts import facts
from tests.spec.table import Spec


def has_edge(row: Spec) -> bool:
    return has_ref(row) and (row.edge is not None or elementwise(row))


@pytest.mark.parametrize("row, dtype", dtype_params(has_edge))
def test_empty_0d(row: Spec, dtype: str, request: Any) -> None:
    expect_quirks(request, "edge", row.name, dtype)
    types = facts(row.name).default_types(row.main, dtype)
    cases = edge_cases(row, dtype)
    assert cases
    for case in cases:
        try:
            check(row, case, types)
        except AssertionError as error:
            raise AssertionError(f"{row.name} {case.id}: {error}") from None


def test_every_row_has_edge_cases() -> None:
    """Zero sizes are where shape rules break: leaving them out is a decision."""
    without = [
        row.name for row in rows() if has_ref(row) and not has_edge(row) and not row.edge_why
    ]
    assert not without, f"rows without edge cases: {without}"
