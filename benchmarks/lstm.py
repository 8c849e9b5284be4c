"""A step of gradient descent of an LSTM written by hand: 32 time steps, 64 units, batch of 32."""

import numpy as np
import training

WHAT = "LSTM by hand, T32 H64 batch 32, SGD step"
UNIT = "ms"
LIMITS = {"agog": 6e-3, "torch": 1 / 3, "tf_function": 1, "xla": 1}

TIME, BATCH, UNITS = 32, 32, 64
_random = np.random.default_rng(0)
INPUTS = [_random.normal(size=(BATCH, UNITS)).astype("float32") for _ in range(TIME)]
TARGET = _random.normal(size=(BATCH, UNITS)).astype("float32")
PARAMETERS = [
    _random.normal(0, 0.1, (UNITS, 4 * UNITS)).astype("float32"),
    _random.normal(0, 0.1, (UNITS, 4 * UNITS)).astype("float32"),
    np.zeros(4 * UNITS, "float32"),
]


def _tensorflow_style(tf):
    inputs, target = [tf.constant(x) for x in INPUTS], tf.constant(TARGET)
    zeros = tf.zeros([BATCH, UNITS])

    def loss(w_input, w_state, bias):
        h = c = zeros
        for x in inputs:
            gates = tf.matmul(x, w_input) + tf.matmul(h, w_state) + bias
            i, f, g, o = tf.split(gates, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return tf.reduce_mean(tf.square(h - target))

    return loss


def _torch_loss():
    import torch as th

    inputs, target = [th.tensor(x) for x in INPUTS], th.tensor(TARGET)
    zeros = th.zeros(BATCH, UNITS)

    def loss(w_input, w_state, bias):
        h = c = zeros
        for x in inputs:
            gates = x @ w_input + h @ w_state + bias
            i, f, g, o = gates.chunk(4, dim=1)
            c = th.sigmoid(f) * c + th.sigmoid(i) * th.tanh(g)
            h = th.sigmoid(o) * th.tanh(c)
        return ((h - target) ** 2).mean()

    return loss


def agog():
    import agog as tf

    return training.agog_step(_tensorflow_style(tf), PARAMETERS)


def torch():
    return training.torch_step(_torch_loss(), PARAMETERS)


def torch_compile():
    return training.torch_step(_torch_loss(), PARAMETERS, compiled=True)


def tf():
    import tensorflow as tf

    return training.tf_step(_tensorflow_style(tf), PARAMETERS)


def tf_function():
    import tensorflow as tf

    return training.tf_step(_tensorflow_style(tf), PARAMETERS, jit_compile=False)


def xla():
    import tensorflow as tf

    return training.tf_step(_tensorflow_style(tf), PARAMETERS, jit_compile=True)


def jax():
    import jax as jx
    import jax.numpy as jnp

    inputs, target = [jnp.array(x) for x in INPUTS], jnp.array(TARGET)
    zeros = jnp.zeros((BATCH, UNITS))

    def loss(w_input, w_state, bias):
        h = c = zeros
        for x in inputs:
            gates = x @ w_input + h @ w_state + bias
            i, f, g, o = jnp.split(gates, 4, axis=1)
            c = jx.nn.sigmoid(f) * c + jx.nn.sigmoid(i) * jnp.tanh(g)
            h = jx.nn.sigmoid(o) * jnp.tanh(c)
        return jnp.mean(jnp.square(h - target))

    return training.jax_step(loss, PARAMETERS)
