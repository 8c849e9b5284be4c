"""Gradients of gradients, with respect to the inputs and to the cotangent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.quirks import expect_quirks
from tests.ops.rows import row_params
from tests.ops.test_grad1 import check_row, has_complex
from tests.spec.table import Spec


def twice(row: Spec) -> bool:
    return row.grad == "yes" and row.grad_order > 1


@pytest.mark.parametrize("row", row_params(twice))
def test_grad2(row: Spec, request: Any) -> None:
    expect_quirks(request, "grad2", row.name)
    check_row(row, row.grad_dtype, 2)


@pytest.mark.parametrize("row", row_params(lambda row: twice(row) and has_complex(row)))
def test_grad2_complex(row: Spec, request: Any) -> None:
    expect_quirks(request, "grad2_complex", row.name)
    check_row(row, "complex128", 2)
