"""Ops that TensorFlow does not have: values against NumPy, slopes against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.gradcheck import check_grad
from tests.ops.target import IS_AGOG, has_op, tf

pytestmark = pytest.mark.skipif(not IS_AGOG, reason="ops of agog only")


def sigmoid_slope(x: Any) -> Any:
    return np.exp(-x) / (1 + np.exp(-x)) ** 2


def tanh_slope(x: Any) -> Any:
    return np.cosh(x) ** -2.0


SLOPES = [("_SigmoidGradOfX", sigmoid_slope), ("_TanhGradOfX", tanh_slope)]
CASES = pytest.mark.parametrize(
    "name, slope",
    [
        pytest.param(
            name, slope, marks=[] if has_op(name) else [pytest.mark.skip(reason="no such op")]
        )
        for name, slope in SLOPES
    ],
)


@CASES
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_values(name: str, slope: Any, dtype: str) -> None:
    rng = np.random.default_rng(1)
    x, dy = rng.uniform(-1.2, 1.2, (2, 67)), rng.uniform(-2, 2, (2, 67))
    if dtype.startswith("complex"):
        x, dy = x + 0.5j * dy, dy - 1j * x
    x, dy = x.astype(dtype), dy.astype(dtype)
    got = getattr(tf.raw_ops, name)(x=tf.constant(x), dy=tf.constant(dy)).numpy()
    assert got.dtype == x.dtype
    wide = np.promote_types(x.dtype, np.float64)
    want = dy.astype(wide) * np.conj(slope(x.astype(wide)))
    limit = 4e-6 if dtype in ("float32", "complex64") else 1e-14
    np.testing.assert_allclose(got, want, limit, limit)


@CASES
def test_slopes(name: str, slope: Any) -> None:
    rng = np.random.default_rng(2)
    xs = [tf.constant(rng.uniform(-1.2, 1.2, (2, 3))) for _ in range(2)]
    op = getattr(tf.raw_ops, name)
    check_grad(lambda x, dy: op(x=x, dy=dy), xs, [0, 1], 2, rng, 1e-5)
