"""Values against the reference in float64, on inputs already rounded to the dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.compare import assert_close, reference, scale_of
from tests.ops.quirks import FLUSHES, expect_quirks
from tests.ops.rows import dtype_params, forward_cases, has_ref
from tests.ops.target import call_op, output_dtypes, run_case
from tests.spec.facts import facts
from tests.spec.table import Case, Spec, numpy_dtype


def check(row: Spec, case: Case, types: dict[str, str]) -> None:
    arrays, got = run_case(row, case, types)
    want = reference(row, arrays, case.attrs)
    assert len(got) == len(want)
    scale = scale_of(row, arrays, case.attrs)
    declared = output_dtypes(row, case, types, len(got))
    for value, wanted, dtype in zip(got, want, declared, strict=True):
        assert value.dtype == numpy_dtype(dtype), f"dtype {value.dtype}, declared {dtype}"
        assert_close(row, dtype, value, wanted, arrays, scale, FLUSHES)


@pytest.mark.parametrize("row, dtype", dtype_params(has_ref))
def test_forward(row: Spec, dtype: str, request: Any) -> None:
    expect_quirks(request, "forward", row.name, dtype)
    types = facts(row.name).default_types(row.main, dtype)
    cases = forward_cases(row, dtype)
    assert cases
    for case in cases:
        try:
            check(row, case, types)
        except AssertionError as error:
            raise AssertionError(f"{row.name} {case.id}: {error}") from None


@pytest.mark.parametrize(
    "row, dtype", dtype_params(lambda row: row.form == "unary", ("float16", "bfloat16"))
)
def test_all_half_values(row: Spec, dtype: str, request: Any) -> None:
    """All 65,536 bit patterns."""
    expect_quirks(request, "half", row.name, dtype)
    x = np.arange(65536, dtype=np.uint16).view(numpy_dtype(dtype))
    for attrs in row.attr_sets():
        values = x
        if row.valid is not None:
            values = x[np.asarray(row.valid(x.astype(np.float64)))]
        got = call_op(row.name, [values], attrs)[0].numpy()
        want = reference(row, [values], attrs)[0]
        assert_close(row, str(got.dtype), got, want, [values], None, FLUSHES)


def index_params() -> list[Any]:
    """Rows with more than one type variable: the others swept, at one main dtype."""
    found = []
    for row, dtype, *_ in [p.values for p in dtype_params(has_ref)]:
        if dtype not in ("float32", "int32", "-"):
            continue
        for var, allowed in facts(row.name).types.items():
            if var == row.main or var not in {e["type"] for e in facts(row.name).inputs}:
                continue
            found += [
                pytest.param(row, dtype, var, other, id=f"{row.name}-{dtype}-{var}-{other}")
                for other in allowed
                if dtype != "-" and other not in row.without
            ]
    return found


@pytest.mark.parametrize("row, dtype, var, other", index_params())
def test_other_dtypes(row: Spec, dtype: str, var: str, other: str, request: Any) -> None:
    """Index and size inputs give the same result in each of their dtypes."""
    expect_quirks(request, "other", row.name, other)
    types = facts(row.name).default_types(row.main, dtype)
    types[var] = other
    for case in forward_cases(row, dtype):
        check(row, case, types)
