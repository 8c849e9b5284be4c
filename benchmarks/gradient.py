"""The gradient of sum(a * a), with a new tape each time."""

from add import A
from case import call

WHAT = "gradient of `sum(a * a)`, 2x2"
UNIT = "us"
LIMITS = {"agog": 6e-6, "torch": 1 / 12}


def _tensorflow_style(tf):
    a = tf.constant(A)

    def step():
        with tf.GradientTape() as tape:
            tape.watch(a)
            total = tf.reduce_sum(a * a)
        return tape.gradient(total, a)

    return call(step)


def agog():
    import agog as tf

    return _tensorflow_style(tf)


def torch():
    import torch as th

    a = th.tensor(A, requires_grad=True)
    return call(lambda: th.autograd.grad((a * a).sum(), a)[0])


def tf():
    import tensorflow as tf

    return _tensorflow_style(tf)


def jax():
    import jax
    import jax.numpy as jnp

    a = jnp.array(A)
    gradient = jax.grad(lambda a: jnp.sum(a * a))
    return call(lambda: gradient(a).block_until_ready())
