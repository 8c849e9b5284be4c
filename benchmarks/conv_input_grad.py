"""The gradient of the convolution of conv.py for its input."""

from conv import ATTRS, DY, LIMITS, UNIT, W, X, jax_gradients, sampled, torch_gradients

__all__ = ["LIMITS", "UNIT"]

WHAT = "its gradient for the input"


def agog():
    import agog as tf

    w, dy, sizes = tf.constant(W), tf.constant(DY), tf.constant(X.shape)
    op = tf.raw_ops.Conv2DBackpropInput
    return sampled(lambda: op(input_sizes=sizes, filter=w, out_backprop=dy, **ATTRS))


def torch():
    return sampled(torch_gradients(0), (0, 2, 3, 1))


def tf():
    import tensorflow as tf

    w, dy, sizes = tf.constant(W), tf.constant(DY), tf.constant(X.shape)
    op = tf.raw_ops.Conv2DBackpropInput
    return sampled(lambda: op(input_sizes=sizes, filter=w, out_backprop=dy, **ATTRS))


def jax():
    return sampled(jax_gradients(0))
