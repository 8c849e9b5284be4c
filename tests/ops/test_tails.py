"""Slopes far out and at edge points, where a formula that is right elsewhere gives 0 or NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.ops.target import IS_AGOG, call_op, has_op, tf

pytestmark = pytest.mark.skipif(not IS_AGOG, reason="better than TensorFlow on purpose")

FAR = (0.0, 0.3, 1.0, 5.0, 9.0, 12.0, 20.0, 35.0)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def sigmoid_slope(x: np.ndarray) -> np.ndarray:
    return sigmoid(x) * sigmoid(-x)


def tanh_slope(x: np.ndarray) -> np.ndarray:
    return 4 * sigmoid_slope(2 * x)


SLOPES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "Sigmoid": (sigmoid_slope, lambda x: -sigmoid_slope(x) * np.tanh(x / 2)),
    "Tanh": (tanh_slope, lambda x: -2 * tanh_slope(x) * np.tanh(x)),
}


def slopes(op: str, x: Any) -> tuple[Any, Any]:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = call_op(op, [x], {})[0]
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", SLOPES)
def test_slopes(op: str, dtype: str) -> None:
    """First and second derivative within 8 ulp, wherever they are normal numbers."""
    if not has_op(op):
        pytest.skip("op not in the registry")
    x = np.array([*FAR, *(-v for v in FAR)], dtype)
    for got, want in zip(slopes(op, tf.constant(x)), SLOPES[op], strict=True):
        exact = want(x.astype(np.longdouble))
        error = np.abs(got.numpy() - exact)
        assert (error <= 8 * np.finfo(dtype).eps * np.abs(exact)).all()


def test_pow_at_zero() -> None:
    """x^0 is 1 everywhere: its slope in x is 0, at 0, too."""
    x = tf.constant(np.zeros(3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call_op("Pow", [x, tf.constant(np.array([0.0, 1.0, 2.0]))], {})[0]
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0, 1, 0])
