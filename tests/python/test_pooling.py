"""Pools of volumes against pools of images: values and gradients to order two; ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agog as tf

nn = tf.nn
Pool = Callable[[Any], Any]


def distinct(*shape: int) -> tf.Tensor:
    numbers = np.random.default_rng(3).permutation(int(np.prod(shape)))
    return tf.constant((numbers / numbers.size).reshape(shape).astype("float32"))


def in_images(pool: Callable[..., Any], largest: bool) -> Pool:
    """The same pool of windows 2x2x2, strides 2: first each image, then two images at a time."""

    def run(x: Any) -> Any:
        n, depth, height, width, channels = x.shape.as_list()
        y = pool(tf.reshape(x, [n * depth, height, width, channels]), 2, 2, "VALID")
        pairs = tf.reshape(y, [n, depth // 2, 2, height // 2, width // 2, channels])
        return tf.reduce_max(pairs, 2) if largest else tf.reduce_mean(pairs, 2)

    return run


POOLS: dict[str, tuple[Pool, Pool]] = {
    "max": (lambda x: nn.max_pool3d(x, 2, 2, "VALID"), in_images(nn.max_pool2d, True)),
    "mean": (lambda x: nn.avg_pool3d(x, 2, 2, "VALID"), in_images(nn.avg_pool2d, False)),
}


def slopes(pool: Pool, x: tf.Tensor) -> list[np.ndarray]:
    """The pool, the gradient of its cubes, and the gradient of a weighted sum of that."""
    weights = distinct(*x.shape.as_list()) + 0.5
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = pool(x)
            loss = tf.reduce_sum(y**3)
        first = inner.gradient(loss, x)
        weighted = tf.reduce_sum(first * weights)
    return [t.numpy() for t in (y, first, outer.gradient(weighted, x))]


@pytest.mark.parametrize("name", POOLS)
def test_volumes_are_images_one_behind_the_other(name: str) -> None:
    volumes, images = POOLS[name]
    x = distinct(2, 4, 4, 6, 3)
    for got, want in zip(slopes(volumes, x), slopes(images, x), strict=True):
        np.testing.assert_allclose(got, want, 1e-5, 1e-6)
        assert np.any(want)


@pytest.mark.parametrize("pool, rank", [(nn.max_pool2d, 2), (nn.max_pool3d, 3)])
def test_the_first_of_equals_takes_the_gradient(pool: Any, rank: int) -> None:
    """In three dimensions TensorFlow gives all of it to each of them, which adds up to more."""
    x = tf.ones([1, *[2] * rank, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = pool(x, 2, 2, "VALID")
    gradient = tape.gradient(y, x).numpy().ravel()
    np.testing.assert_array_equal(gradient, [1] + [0] * (2**rank - 1))
