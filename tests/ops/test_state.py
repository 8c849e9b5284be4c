"""Variables: values, gradients, and updates that later reads see and earlier reads do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.target import tf

pytestmark = pytest.mark.skipif(not hasattr(tf, "Variable"), reason="needs Variable")
DTYPES = ("float32", "float64", "int32", "int64", "complex64")
START = [[1, 2], [3, 4], [5, 6]]


def variable(dtype: str = "float32") -> Any:
    return tf.Variable(np.array(START, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_assign(dtype: str) -> None:
    v = variable(dtype)
    before = v.read_value()
    start = np.array(START, dtype)
    np.testing.assert_array_equal(v.numpy(), start)
    v.assign_add(start)
    np.testing.assert_array_equal(v.numpy(), 2 * start)
    v.assign_sub(3 * start)
    np.testing.assert_array_equal(v.numpy(), -start)
    v.assign(start * start)
    np.testing.assert_array_equal(v.numpy(), start * start)
    np.testing.assert_array_equal(before.numpy(), start)


def test_array_handed_in_is_copied() -> None:
    array = np.ones(3, np.float32)
    v = tf.Variable(array)
    array[:] = 7
    np.testing.assert_array_equal(v.numpy(), [1, 1, 1])


@pytest.mark.parametrize(
    "value", [np.ones(3, np.float32), np.ones((2, 2), np.float32)], ids=["vector", "matrix"]
)
def test_wrong_shape(value: np.ndarray) -> None:
    v = variable()
    with pytest.raises(ValueError):
        v.assign(value)
    np.testing.assert_array_equal(v.numpy(), np.array(START, np.float32))


def test_wrong_dtype() -> None:
    v = variable()
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        v.assign(tf.constant(np.array(START, np.float64)))


@pytest.mark.parametrize(
    "name, step",
    [
        ("scatter_nd_update", lambda a, b: b),
        ("scatter_nd_add", np.add),
        ("scatter_nd_sub", np.subtract),
    ],
)
def test_scatter_nd(name: str, step: Any) -> None:
    v = variable()
    getattr(v, name)([[0, 1], [2, 0]], np.array([10, 20], np.float32))
    want = np.array(START, np.float32)
    want[0, 1], want[2, 0] = step(want[0, 1], 10), step(want[2, 0], 20)
    np.testing.assert_array_equal(v.numpy(), want)


def test_assign_to_a_slice() -> None:
    v = variable()
    v[1:, 0].assign(np.array([7, 8], np.float32))
    np.testing.assert_array_equal(v.numpy(), [[1, 2], [7, 4], [8, 6]])


def test_read_gradient() -> None:
    """Reading is the identity on the tape; a variable is watched by itself."""
    v = variable()
    with tf.GradientTape() as tape:
        y = v.read_value() * v.read_value()
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), 2 * np.array(START, np.float32))


def test_gradient_is_at_the_value_read() -> None:
    """An assignment after the read does not change the gradient."""
    v = variable()
    with tf.GradientTape() as tape:
        y = v.read_value() * v.read_value()
        v.assign_add(np.ones((3, 2), np.float32))
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), 2 * np.array(START, np.float32))


def test_not_trainable_is_not_watched() -> None:
    v = tf.Variable(np.float32(3), trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v) is None


def test_second_order() -> None:
    v = tf.Variable(np.float64(2))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = v * v * v
        dy = inner.gradient(y, v)
    assert dy.numpy() == 12.0
    assert outer.gradient(dy, v).numpy() == 12.0
