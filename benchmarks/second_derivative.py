"""The second derivative of x * x, with new tapes each time."""

from case import call

WHAT = "second derivative of `x * x`"
UNIT = "us"
LIMITS = {"agog": 10e-6, "torch": 1 / 10}


def _tensorflow_style(tf):
    x = tf.constant(3.0)

    def step():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                square = x * x
            slope = inner.gradient(square, x)
        return outer.gradient(slope, x)

    return call(step)


def agog():
    import agog as tf

    return _tensorflow_style(tf)


def torch():
    import torch as th

    x = th.tensor(3.0, requires_grad=True)

    def step():
        (slope,) = th.autograd.grad(x * x, x, create_graph=True)
        return th.autograd.grad(slope, x)[0]

    return call(step)


def tf():
    import tensorflow as tf

    return _tensorflow_style(tf)


def jax():
    import jax

    second = jax.grad(jax.grad(lambda x: x * x))
    return call(lambda: second(3.0).block_until_ready())
