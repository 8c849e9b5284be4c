"""Ops that only older programs call and that TensorFlow rewrites before it runs them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ops.target import IS_AGOG, failures, tf

pytestmark = pytest.mark.skipif(not IS_AGOG, reason="TensorFlow has no kernel for these")


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_accumulate(dtype: str) -> None:
    """The sum of the inputs; every gradient is the cotangent."""
    arrays = [np.arange(i, i + 6).reshape(2, 3).astype(dtype) for i in range(3)]
    xs = [tf.constant(array) for array in arrays]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.raw_ops.AccumulateNV2(inputs=xs, shape=[2, 3])
    np.testing.assert_array_equal(y.numpy(), sum(arrays))
    assert y.dtype.name == dtype
    if dtype == "int32":
        return
    dy = np.arange(6).reshape(2, 3).astype(dtype)
    for gradient in tape.gradient(y, xs, output_gradients=tf.constant(dy)):
        np.testing.assert_array_equal(gradient.numpy(), dy)


def test_accumulate_needs_one_shape() -> None:
    xs = [tf.constant(np.ones(3, np.float32)), tf.constant(np.ones(2, np.float32))]
    with pytest.raises(failures("InvalidArgumentError")):
        tf.raw_ops.AccumulateNV2(inputs=xs, shape=[3])
