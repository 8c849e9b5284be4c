"""A step of gradient descent of an embedding: 32 rows of a table of a million by 64.

Torch's gradients are dense, as its Embedding gives them unless asked for sparse ones.
"""

import numpy as np
import training

WHAT = "embedding 1,000,000 x 64, batch 32, SGD step"
UNIT = "us"
LIMITS = {"torch": 0.2}

ROWS = 1_000_000
_random = np.random.default_rng(0)
IDS = _random.integers(0, ROWS, 32)
TARGET = _random.normal(size=(32, 64)).astype("float32")


def parameters(rows=ROWS):
    """The table."""
    return [_random.random((rows, 64), dtype="float32")]


def tensorflow_style(tf, ids=IDS):
    """The loss: how far the rows are from a target."""
    indices, target = tf.constant(ids.astype("int32")), tf.constant(TARGET)

    def loss(table):
        return tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, indices) - target))

    return loss


def agog():
    import agog as tf

    return training.agog_step(tensorflow_style(tf), parameters())


def torch():
    import torch as th

    indices, target = th.tensor(IDS), th.tensor(TARGET)

    def loss(table):
        return ((th.nn.functional.embedding(indices, table) - target) ** 2).mean()

    return training.torch_step(loss, parameters())


def tf():
    import tensorflow as tf

    loss, table = tensorflow_style(tf), tf.Variable(*parameters())

    def step():
        with tf.GradientTape() as tape:
            value = loss(table)
        rows = tape.gradient(value, table)
        table.scatter_sub(tf.IndexedSlices(training.RATE * rows.values, rows.indices))
        return value

    return training.checked(lambda: step().numpy())


def jax():
    import jax.numpy as jnp

    indices, target = jnp.array(IDS), jnp.array(TARGET)
    return training.jax_step(
        lambda table: jnp.mean(jnp.square(table[indices] - target)), parameters()
    )
