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


NORM = pytest.mark.skipif(not has_op("_LayerNorm"), reason="no such op")


def layer_norm(x: Any, scale: Any, offset: Any, epsilon: float) -> Any:
    x = x.astype(np.float64)
    centred = x - x.mean(-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    return centred / deviation * scale + offset


@NORM
@pytest.mark.parametrize("dtype, limit", [("float32", 4e-6), ("float64", 1e-13)])
@pytest.mark.parametrize("shape", [(3,), (2, 5, 67), (700, 40), (3, 2500), (0, 4), (4, 0)])
def test_layer_norm(shape: tuple[int, ...], dtype: str, limit: float) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(3, 2, shape).astype(dtype)
    scale, offset = (rng.normal(size=shape[-1]).astype(dtype) for _ in range(2))
    got = tf.raw_ops._LayerNorm(x=x, scale=scale, offset=offset, epsilon=0.125).numpy()
    assert got.dtype == x.dtype
    if got.size:
        np.testing.assert_allclose(got, layer_norm(x, scale, offset, 0.125), limit, limit)
    assert got.shape == shape


@NORM
@pytest.mark.parametrize("shape", [(2, 3, 5), (70, 3), (2, 11)])
def test_gradients_of_layer_norm(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    x, dy = (tf.constant(rng.uniform(-2, 2, shape)) for _ in range(2))
    scale, offset = (tf.constant(rng.uniform(0.5, 2, shape[-1])) for _ in range(2))

    def forward(x: Any, scale: Any, offset: Any) -> Any:
        return tf.raw_ops._LayerNorm(x=x, scale=scale, offset=offset)

    def backward(dy: Any, x: Any, scale: Any) -> Any:
        parts = tf.raw_ops._LayerNormGrad(dy=dy, x=x, scale=scale)
        return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)

    check_grad(forward, [x, scale, offset], [0, 1, 2], 2, rng, 1e-5)
    check_grad(backward, [dy, x, scale], [0, 1, 2], 1, rng, 1e-5)


@NORM
def test_wrong_calls_of_layer_norm() -> None:
    x, two, three = np.ones([4, 2]), np.ones(2), np.ones(3)
    for arguments, text in [
        ((x, three, two), "scale must be a vector of 2"),
        ((x, two, x), "offset"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.raw_ops._LayerNorm(**dict(zip(("x", "scale", "offset"), arguments)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one dimension"):
        tf.raw_ops._LayerNorm(x=np.ones([]), scale=two, offset=two)
    with pytest.raises(tf.errors.InvalidArgumentError, match="dy must have the shape of x"):
        tf.raw_ops._LayerNormGrad(dy=two, x=x, scale=two)
