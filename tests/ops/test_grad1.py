"""First-order gradients against central differences in float64 and complex128."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from tests.ops.gradcheck import check_grad, leaf_positions, op_function
from tests.ops.quirks import expect_quirks
from tests.ops.rows import dtypes, float_inputs, grad_cases, row_params
from tests.ops.target import arrays_of, call_op, flat, tensor, tf
from tests.spec.facts import facts
from tests.spec.table import Case, Spec, kind_of


def differentiable(row: Spec) -> bool:
    return row.grad == "yes"


def check_row(row: Spec, dtype: str, order: int) -> None:
    """Every case, every float output, every float input."""
    cases = grad_cases(row, dtype)
    assert cases
    checked = 0
    for case in cases:
        checked += check_case(row, case, dtype, order)
    assert checked, "no case has a float input and a float output"


def check_case(row: Spec, case: Case, dtype: str, order: int) -> int:
    types = facts(row.name).default_types(row.main, dtype)
    arrays = arrays_of(row, case.args, types)
    wanted = leaf_positions(arrays, float_inputs(row, types))
    rng = np.random.default_rng(zlib.crc32(f"{row.name}-{case.id}".encode()))
    outputs = call_op(row.name, arrays, case.attrs)
    checked = 0
    for index, output in enumerate(outputs):
        if kind_of(output.dtype.name) not in "fc" or index in row.grad_outputs_without:
            continue
        f, xs = op_function(row, case, arrays, index)
        try:
            check_grad(f, xs, wanted, order, rng, row.grad_tol)
        except AssertionError as error:
            raise AssertionError(f"{row.name} {case.id} output {index}: {error}") from None
        checked += len(wanted)
    return checked


@pytest.mark.parametrize("row", row_params(differentiable))
def test_grad1(row: Spec, request: Any) -> None:
    expect_quirks(request, "grad1", row.name)
    check_row(row, row.grad_dtype, 1)


def has_complex(row: Spec) -> bool:
    return differentiable(row) and row.grad_complex and "complex128" in dtypes(row)


@pytest.mark.parametrize("row", row_params(has_complex))
def test_grad1_complex(row: Spec, request: Any) -> None:
    """Along the real and the imaginary axis."""
    expect_quirks(request, "grad1_complex", row.name)
    check_row(row, "complex128", 1)


@pytest.mark.parametrize("row", row_params(lambda row: row.grad in ("none", "zero")))
def test_no_gradient(row: Spec, request: Any) -> None:
    """Ops without a slope give None, or zeros where TensorFlow gives zeros."""
    expect_quirks(request, "no_gradient", row.name)
    types = facts(row.name).default_types(row.main, row.grad_dtype)
    case = grad_cases(row, row.grad_dtype)[0]
    inputs = [tensor(array) for array in arrays_of(row, case.args, types)]
    watched = [leaf for i in float_inputs(row, types) for leaf in flat(inputs[i])]
    assert watched, "the row has no float input: its gradient needs no entry"
    with tf.GradientTape() as tape:
        tape.watch(watched)
        y = call_op(row.name, inputs, case.attrs)
    for gradient, x in zip(tape.gradient(y, watched), watched, strict=True):
        if row.grad == "none":
            assert gradient is None
        else:
            np.testing.assert_array_equal(gradient.numpy(), np.zeros_like(x.numpy()))
