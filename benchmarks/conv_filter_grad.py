"""The gradient of the convolution of conv.py for its filters."""

from conv import ATTRS, DY, LIMITS, UNIT, W, X, jax_gradients, sampled, torch_gradients

__all__ = ["LIMITS", "UNIT"]

WHAT = "its gradient for the filters"


def agog():
    import agog as tf

    x, dy, sizes = tf.constant(X), tf.constant(DY), tf.constant(W.shape)
    op = tf.raw_ops.Conv2DBackpropFilter
    return sampled(lambda: op(input=x, filter_sizes=sizes, out_backprop=dy, **ATTRS))


def torch():
    return sampled(torch_gradients(1), (2, 3, 1, 0))


def tf():
    import tensorflow as tf

    x, dy, sizes = tf.constant(X), tf.constant(DY), tf.constant(W.shape)
    op = tf.raw_ops.Conv2DBackpropFilter
    return sampled(lambda: op(input=x, filter_sizes=sizes, out_backprop=dy, **ATTRS))


def jax():
    return sampled(jax_gradients(1))
