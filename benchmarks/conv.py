"""A convolution of 8 images of 56x56 and 64 channels with 64 filters of 3x3, float32.

Each side has its images in the layout that it takes by default: channels last, but for torch.
"""

import numpy as np
from case import call

WHAT = "conv 3x3, 64 to 64 channels, 8x56x56"
UNIT = "ms"
LIMITS = {"torch": 1.0}

_random = np.random.default_rng(0)
X = _random.normal(size=(8, 56, 56, 64)).astype("float32")
W = (_random.normal(size=(3, 3, 64, 64)) / 24).astype("float32")
DY = _random.normal(size=(8, 56, 56, 64)).astype("float32")
ATTRS = {"strides": [1, 1, 1, 1], "padding": "SAME"}


def sampled(step, axes=None):
    """`axes` puts the result into the layout of the others."""

    def result():
        y = np.asarray(step())
        return (y if axes is None else y.transpose(axes)).ravel()[:16]

    return call(step, result)


def torch_tensors():
    """Images and filters in torch's layout."""
    import torch as th

    x, dy = (th.tensor(a.transpose(0, 3, 1, 2).copy()) for a in (X, DY))
    return x, th.tensor(W.transpose(3, 2, 0, 1).copy()), dy


def torch_gradients(which):
    """The gradient of one argument."""
    import torch as th

    x, w, dy = torch_tensors()
    backward = th.ops.aten.convolution_backward
    wanted = [i == which for i in range(3)]
    rest = ([1, 1], [1, 1], [1, 1], False, [0, 0], 1, wanted)
    return lambda: backward(dy, x, w, None, *rest)[which]


def jax_conv():
    """The convolution as a function of two arguments."""
    import jax as jx

    layouts = ("NHWC", "HWIO", "NHWC")
    return lambda x, w: jx.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layouts)


def jax_gradients(which):
    import jax as jx
    import jax.numpy as jnp

    arguments = [jnp.array(X), jnp.array(W)]
    dy, conv = jnp.array(DY), jax_conv()

    def gradient(x, w, dy):
        return jx.vjp(conv, x, w)[1](dy)[which]

    compiled = jx.jit(gradient)
    return lambda: compiled(*arguments, dy).block_until_ready()


def agog():
    import agog as tf

    x, w = tf.constant(X), tf.constant(W)
    return sampled(lambda: tf.nn.conv2d(x, w, 1, "SAME"))


def torch():
    import torch as th

    x, w, _ = torch_tensors()
    return sampled(lambda: th.nn.functional.conv2d(x, w, padding=1), (0, 2, 3, 1))


def tf():
    import tensorflow as tf

    x, w = tf.constant(X), tf.constant(W)
    return sampled(lambda: tf.nn.conv2d(x, w, 1, "SAME"))


def jax():
    import jax as jx
    import jax.numpy as jnp

    x, w = jnp.array(X), jnp.array(W)
    compiled = jx.jit(jax_conv())
    return sampled(lambda: compiled(x, w).block_until_ready())
