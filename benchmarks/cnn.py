"""A step of gradient descent of a small convolutional network on a batch of 32 images of 28x28.

Two convolutions of 3x3 with 32 and 64 filters, each with ReLU and a pool of 2x2, then 128 and 10
units. Each side has its images in the layout that it takes by default: channels last, but for
torch.
"""

import numpy as np
import training

WHAT = "CNN 32c3-64c3-128-10, batch 32, SGD step"
UNIT = "ms"
LIMITS = {"torch": 0.55, "torch_compile": 1, "tf_function": 1, "xla": 1, "jax": 1}

_random = np.random.default_rng(0)
PARAMETERS = [
    _random.normal(0, 0.3, (3, 3, 1, 32)).astype("float32"),
    np.zeros(32, "float32"),
    _random.normal(0, 0.08, (3, 3, 32, 64)).astype("float32"),
    np.zeros(64, "float32"),
    _random.normal(0, 0.025, (7 * 7 * 64, 128)).astype("float32"),
    np.zeros(128, "float32"),
    _random.normal(0, 0.1, (128, 10)).astype("float32"),
    np.zeros(10, "float32"),
]
IMAGES = _random.random((32, 28, 28, 1)).astype("float32")
LABELS = _random.integers(0, 10, 32)


def _tensorflow_style(tf):
    images, labels = tf.constant(IMAGES), tf.constant(LABELS.astype("int32"))

    def block(x, filters, bias):
        x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, filters, 1, "SAME"), bias))
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    def loss(f1, b1, f2, b2, w3, b3, w4, b4):
        x = block(block(images, f1, b1), f2, b2)
        x = tf.nn.relu(tf.matmul(tf.reshape(x, [32, -1]), w3) + b3)
        logits = tf.matmul(x, w4) + b4
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(losses)

    return loss


def _torch_parameters():
    """The same numbers in torch's layouts: also the rows of the first matrix go by channels."""
    f1, b1, f2, b2, w3, *rest = PARAMETERS
    filters = [f.transpose(3, 2, 0, 1).copy() for f in (f1, f2)]
    w3 = w3.reshape(7, 7, 64, 128).transpose(2, 0, 1, 3).reshape(-1, 128)
    return [filters[0], b1, filters[1], b2, w3, *rest]


def _torch_loss():
    import torch as th

    images, labels = th.tensor(IMAGES.transpose(0, 3, 1, 2).copy()), th.tensor(LABELS)
    functional = th.nn.functional

    def block(x, filters, bias):
        return functional.max_pool2d(th.relu(functional.conv2d(x, filters, bias, padding=1)), 2)

    def loss(f1, b1, f2, b2, w3, b3, w4, b4):
        x = block(block(images, f1, b1), f2, b2)
        x = th.relu(th.addmm(b3, x.flatten(1), w3))
        return functional.cross_entropy(th.addmm(b4, x, w4), labels)

    return loss


def agog():
    import agog as tf

    return training.agog_step(_tensorflow_style(tf), PARAMETERS)


def torch():
    return training.torch_step(_torch_loss(), _torch_parameters())


def torch_compile():
    return training.torch_step(_torch_loss(), _torch_parameters(), compiled=True)


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

    images, labels = jnp.array(IMAGES), jnp.array(LABELS)
    layouts = ("NHWC", "HWIO", "NHWC")

    def block(x, filters, bias):
        x = jx.lax.conv_general_dilated(x, filters, (1, 1), "SAME", dimension_numbers=layouts)
        windows = (1, 2, 2, 1)
        x = jx.nn.relu(x + bias)
        return jx.lax.reduce_window(x, -jnp.inf, jx.lax.max, windows, windows, "VALID")

    def loss(f1, b1, f2, b2, w3, b3, w4, b4):
        x = block(block(images, f1, b1), f2, b2)
        x = jx.nn.relu(x.reshape(32, -1) @ w3 + b3)
        scores = jx.nn.log_softmax(x @ w4 + b4)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    return training.jax_step(loss, PARAMETERS)
