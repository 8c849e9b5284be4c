"""Broadcasting equals the op on operands expanded beforehand, values and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.quirks import expect_quirks
from tests.ops.rows import broadcast_cases, dtype_params, dtypes, row_params
from tests.ops.target import arrays_of, call_op, failures, run_case
from tests.spec.facts import facts
from tests.spec.table import Case, Spec


def broadcasts(row: Spec) -> bool:
    return row.broadcasts and row.arity == 2


@pytest.mark.parametrize("row, dtype", dtype_params(broadcasts))
def test_broadcast(row: Spec, dtype: str, request: Any) -> None:
    expect_quirks(request, "broadcast", row.name, dtype)
    types = facts(row.name).default_types(row.main, dtype)
    for case in broadcast_cases(row, dtype):
        arrays, (got,) = run_case(row, case, types)
        expanded = tuple(np.array(array) for array in np.broadcast_arrays(*arrays))
        _, (want,) = run_case(row, Case("expanded", expanded, case.attrs), types)
        assert got.shape == want.shape, case.id
        np.testing.assert_array_equal(got, want, err_msg=case.id)


@pytest.mark.parametrize("row", row_params(broadcasts))
@pytest.mark.parametrize(
    "shapes", [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((4, 1, 3), (2, 2))], ids=str
)
def test_incompatible_shapes(row: Spec, shapes: Any) -> None:
    dtype = dtypes(row)[0]
    types = facts(row.name).default_types(row.main, dtype)
    arrays = arrays_of(row, [np.ones(shape) for shape in shapes], types)
    with pytest.raises(failures("InvalidArgumentError")):
        call_op(row.name, arrays, {})
