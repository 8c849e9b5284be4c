"""A step of gradient descent of a 784-128-10 network on a batch of 32."""

import numpy as np
import training

WHAT = "MLP 784-128-10, batch 32, SGD step"
UNIT = "ms"
LIMITS = {
    "agog": 0.35e-3,
    "torch": 1 / 2,
    "torch_compile": 1,
    "tf_function": 1,
    "jax": 1,
}

_random = np.random.default_rng(0)
PARAMETERS = [
    _random.normal(0, 0.05, (784, 128)).astype("float32"),
    np.zeros(128, "float32"),
    _random.normal(0, 0.1, (128, 10)).astype("float32"),
    np.zeros(10, "float32"),
]
PIXELS = _random.random((32, 784)).astype("float32")
LABELS = _random.integers(0, 10, 32)


def _tensorflow_style(tf):
    pixels, labels = tf.constant(PIXELS), tf.constant(LABELS.astype("int32"))

    def loss(w1, b1, w2, b2):
        hidden = tf.nn.relu(tf.matmul(pixels, w1) + b1)
        logits = tf.matmul(hidden, w2) + b2
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(losses)

    return loss


def _torch_loss():
    import torch as th

    pixels, labels = th.tensor(PIXELS), th.tensor(LABELS)

    def loss(w1, b1, w2, b2):
        hidden = th.relu(th.addmm(b1, pixels, w1))
        return th.nn.functional.cross_entropy(th.addmm(b2, hidden, w2), labels)

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

    pixels, labels = jnp.array(PIXELS), jnp.array(LABELS)

    def loss(w1, b1, w2, b2):
        hidden = jx.nn.relu(pixels @ w1 + b1)
        scores = jx.nn.log_softmax(hidden @ w2 + b2)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    return training.jax_step(loss, PARAMETERS)
