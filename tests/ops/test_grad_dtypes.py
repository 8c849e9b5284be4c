"""Low-precision gradients against the float64 gradient at the same, already rounded, inputs."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.ops.gradcheck import leaf_positions, op_function, random_like, vjp
from tests.ops.quirks import expect_quirks
from tests.ops.rows import dtype_params, float_inputs, grad_cases
from tests.ops.target import arrays_of, call_op, tf
from tests.spec.facts import facts
from tests.spec.table import Case, Sampler, Spec, kind_of, numpy_dtype


def low(row: Spec) -> bool:
    """Rows whose output dtypes follow the inputs; complex_ops name theirs in an attr."""
    return row.grad == "yes" and row.grad_dtype == "float64" and row.family != "complex_ops"


def gradients(
    row: Spec, case: Case, arrays: list[Any], dys: list[np.ndarray], wanted: list[int]
) -> list[np.ndarray]:
    """Gradients of every float output with respect to every wanted input."""
    found = []
    for index, dy in enumerate(dys):
        if kind_of(str(dy.dtype)) not in "fc" or index in row.grad_outputs_without:
            continue
        f, xs = op_function(row, case, arrays, index)
        found += [np.asarray(vjp(f, xs, i, tf.constant(dy)).numpy()) for i in wanted]
    return found


def wide(array: Any) -> Any:
    if isinstance(array, list):
        return [wide(item) for item in array]
    return array.astype(np.float64) if kind_of(str(array.dtype)) == "f" else array


def check(row: Spec, case: Case, dtype: str, s: Sampler) -> None:
    types = facts(row.name).default_types(row.main, dtype)
    arrays = arrays_of(row, case.args, types)
    wanted = leaf_positions(arrays, float_inputs(row, types))
    ys = [np.asarray(y.numpy()) for y in call_op(row.name, arrays, case.attrs)]
    dys = [random_like(y, s.rng).astype(y.dtype) for y in ys]
    got = gradients(row, case, arrays, dys, wanted)
    want = gradients(row, case, [wide(a) for a in arrays], [wide(dy) for dy in dys], wanted)
    info = ml_dtypes.finfo(numpy_dtype(dtype))
    # A sum over a broadcast axis may cancel: the largest gradient of the call is the scale.
    scale = max((float(np.max(np.abs(exact))) for exact in want if exact.size), default=0.0)
    limit = row.grad_ulp * float(info.eps) * scale + float(info.tiny)
    for low_grad, exact in zip(got, want, strict=True):
        assert low_grad.dtype == numpy_dtype(dtype), f"gradient is {low_grad.dtype}"
        assert low_grad.shape == exact.shape
        assert np.isfinite(exact).all()
        if not exact.size:
            continue
        error = np.max(np.abs(low_grad.astype(np.float64) - exact))
        assert error <= limit, f"{case.id}: error {error}, limit {limit}"


@pytest.mark.parametrize("row, dtype", dtype_params(low, ("float16", "bfloat16", "float32")))
def test_grad_dtypes(row: Spec, dtype: str, request: Any) -> None:
    expect_quirks(request, "grad_dtypes", row.name, dtype)
    s = Sampler(row.name, dtype, "cotangent")
    cases = grad_cases(row, dtype)
    assert cases
    for case in cases:
        check(row, case, dtype, s)
