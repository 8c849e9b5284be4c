"""The tanh form of GELU of 4 million floats, one operation after the other."""

import math

import numpy as np
from case import call

WHAT = "tanh-GELU of 4 M floats, op by op"
UNIT = "ms"
LIMITS = {"torch": 1 / 2}

SIZE = 4 * 1024 * 1024
SCALE = math.sqrt(2 / math.pi)


def _values():
    return np.random.default_rng(0).normal(size=SIZE).astype("float32")


def _sampled(gelu):
    return call(gelu, lambda: np.asarray(gelu())[:: SIZE // 16])


def _tensorflow_style(tf):
    x = tf.constant(_values())
    return lambda: 0.5 * x * (1.0 + tf.tanh(SCALE * (x + 0.044715 * x * x * x)))


def agog():
    import agog as tf

    return _sampled(_tensorflow_style(tf))


def torch():
    import torch as th

    x = th.tensor(_values())
    return _sampled(lambda: 0.5 * x * (1.0 + th.tanh(SCALE * (x + 0.044715 * x * x * x))))


def tf():
    import tensorflow as tf

    return _sampled(_tensorflow_style(tf))


def tf_function():
    import tensorflow as tf

    return _sampled(tf.function(_tensorflow_style(tf)))


def xla():
    import tensorflow as tf

    return _sampled(tf.function(_tensorflow_style(tf), jit_compile=True))


def jax():
    import jax as jx
    import jax.numpy as jnp

    x = jnp.array(_values())
    gelu = jx.jit(lambda x: 0.5 * x * (1.0 + jnp.tanh(SCALE * (x + 0.044715 * x * x * x))))
    return _sampled(lambda: gelu(x).block_until_ready())
