"""The product of two 1024x1024 float32 matrices."""

import numpy as np
from case import call

WHAT = "matmul 1024 float32"
UNIT = "ms"
LIMITS = {"torch": 1.1}

N = 1024
_random = np.random.default_rng(0)
A = _random.normal(size=(N, N)).astype("float32")
B = _random.normal(size=(N, N)).astype("float32")


def _sampled(product):
    return call(product, lambda: np.asarray(product())[:4, :4])


def agog():
    import agog as tf

    a, b = tf.constant(A), tf.constant(B)
    return _sampled(lambda: tf.matmul(a, b))


def torch():
    import torch as th

    a, b = th.tensor(A), th.tensor(B)
    return _sampled(lambda: th.matmul(a, b))


def tf():
    import tensorflow as tf

    a, b = tf.constant(A), tf.constant(B)
    return _sampled(lambda: tf.matmul(a, b))


def jax():
    import jax as jx
    import jax.numpy as jnp

    a, b = jnp.array(A), jnp.array(B)
    product = jx.jit(jnp.matmul)
    return _sampled(lambda: product(a, b).block_until_ready())
