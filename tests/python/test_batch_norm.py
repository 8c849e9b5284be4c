"""Batch normalisation in one op against the same of simple ops in float64, to order two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agog as tf

EPSILON = 0.01


def normal(*shape: int, seed: int, dtype: Any = np.float64) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def fused(training: bool, data_format: str) -> Callable[..., Any]:
    def norm(x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        return tf.raw_ops.FusedBatchNormV3(
            x=x,
            scale=scale,
            offset=offset,
            mean=mean,
            variance=variance,
            epsilon=EPSILON,
            data_format=data_format,
            is_training=training,
        )[0]

    return norm


def plain(training: bool, data_format: str) -> Callable[..., Any]:
    def norm(x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        first = data_format.startswith("NC")
        others = [d for d in range(x.ndim) if d != (1 if first else x.ndim - 1)]
        along = [1 if d in others else x.shape[d] for d in range(x.ndim)]
        scale, offset, mean, variance = (
            tf.reshape(t, along) for t in (scale, offset, mean, variance)
        )
        if training:
            mean = tf.reduce_mean(x, others, keepdims=True)
            variance = tf.reduce_mean((x - mean) ** 2, others, keepdims=True)
        return (x - mean) * tf.math.rsqrt(
            variance + np.float64(np.float32(EPSILON))
        ) * scale + offset

    return norm


def gradients(norm: Callable[..., Any], arrays: list[np.ndarray], weights: list[Any]) -> list[Any]:
    """Of a loss of the output, and of a loss of those gradients, for inputs and cotangent."""
    xs = [tf.constant(a) for a in arrays]
    dtype = arrays[0].dtype
    dy = tf.constant(weights[0].astype(dtype))
    with tf.GradientTape() as outer:
        outer.watch([*xs, dy])
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = norm(*xs)
        first = tape.gradient(y, xs, dy, unconnected_gradients="zero")
        loss = tf.add_n(
            [tf.reduce_sum(g * w.astype(dtype)) for g, w in zip(first, weights[1:], strict=True)]
        )
    second = outer.gradient(loss, [*xs, dy], unconnected_gradients="zero")
    return [y, *first, *second]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW", "NDHWC"])
def test_gradients(training: bool, data_format: str) -> None:
    shape = {"NHWC": (2, 3, 2, 4), "NCHW": (2, 4, 3, 2), "NDHWC": (2, 1, 3, 2, 4)}[data_format]
    arrays = [normal(*shape, seed=1), *[normal(4, seed=s) for s in (2, 3, 4)]]
    arrays.append(np.abs(normal(4, seed=5)) + 0.5)
    weights = [
        normal(*shape, seed=6),
        normal(*shape, seed=7),
        *[normal(4, seed=s) for s in range(8, 12)],
    ]
    want = gradients(plain(training, data_format), arrays, weights)
    single = [a.astype(np.float32) for a in arrays]
    got = gradients(fused(training, data_format), single, weights)
    for index, (a, b) in enumerate(zip(got, want, strict=True)):
        scale = np.max(np.abs(b.numpy())) + 1
        error = np.max(np.abs(a.numpy() - b.numpy()))
        assert error < 2e-5 * scale, f"gradient {index}: error {error} beside {scale}"


def test_third_order() -> None:
    """The rule of the second order is made of ops, so that there is a third."""

    def slope(norm: Any, x: Any, dtype: str) -> Any:
        ones = [tf.ones([2], dtype)] * 4
        w = tf.constant(normal(3, 1, 1, 2, seed=3).astype(dtype))
        x = tf.constant(x.astype(dtype))
        with tf.GradientTape() as a:
            a.watch(x)
            with tf.GradientTape() as b:
                b.watch(x)
                with tf.GradientTape() as c:
                    c.watch(x)
                    y = tf.reduce_sum(norm(x, *ones) ** 3 * w)
                first = tf.reduce_sum(c.gradient(y, x) * w)
            second = tf.reduce_sum(b.gradient(first, x) * w)
        return a.gradient(second, x).numpy()

    x = normal(3, 1, 1, 2, seed=4)
    want = slope(plain(True, "NHWC"), x, "float64")
    got = slope(fused(True, "NHWC"), x, "float32")
    np.testing.assert_allclose(got, want, 1e-3, 1e-3 * np.max(np.abs(want)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types(dtype: str) -> None:
    """Moments and sums are of float32; only images are rounded."""
    x = tf.cast(normal(4, 6, 5, 3, seed=1), dtype)
    vectors = [tf.constant(normal(3, seed=s, dtype=np.float32)) for s in (2, 3, 4, 5)]
    with tf.GradientTape() as tape:
        tape.watch([x, *vectors[:2]])
        y = fused(True, "NHWC")(x, *vectors)
    dx, dscale, _ = tape.gradient(y, [x, *vectors[:2]])
    wide = tf.cast(x, "float32")
    with tf.GradientTape() as tape:
        tape.watch([wide, *vectors[:2]])
        z = fused(True, "NHWC")(wide, *vectors)
    assert (y.dtype, dx.dtype, dscale.dtype) == (x.dtype, x.dtype, tf.float32)
    np.testing.assert_array_equal(y.numpy(), tf.cast(z, dtype).numpy())
    want = tape.gradient(z, [wide, *vectors[:2]], tf.ones_like(z))
    np.testing.assert_allclose(dscale.numpy(), want[1].numpy(), 1e-5, 1e-5)


def test_large_mean() -> None:
    """The variance is that of what is left when the mean is taken off."""
    x = (normal(16, 8, 8, 2, seed=1) + 1e4).astype(np.float32)
    ones, none = tf.ones([2]), tf.zeros([0])
    out = tf.raw_ops.FusedBatchNormV3(x=x, scale=ones, offset=ones, mean=none, variance=none)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out[4].numpy(), wide.var((0, 1, 2)), 1e-4)
