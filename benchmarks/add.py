"""a + b."""

from case import Case

WHAT = "`a + b`, 2x2 float32"
UNIT = "us"
LIMITS = {"agog": 0.20e-6, "torch": 1 / 12}

A = [[1.0, 2.0], [3.0, 4.0]]
B = [[5.0, 6.0], [7.0, 8.0]]


def agog():
    import agog as tf

    a, b = tf.constant(A), tf.constant(B)
    return Case("a + b", {"a": a, "b": b}, lambda: a + b)


def torch():
    import torch as th

    a, b = th.tensor(A), th.tensor(B)
    return Case("a + b", {"a": a, "b": b}, lambda: a + b)


def tf():
    import tensorflow as tf

    a, b = tf.constant(A), tf.constant(B)
    return Case("a + b", {"a": a, "b": b}, lambda: a + b)


def jax():
    import jax.numpy as jnp

    a, b = jnp.array(A), jnp.array(B)
    return Case("a + b", {"a": a, "b": b}, lambda: a + b)
