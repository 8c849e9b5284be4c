"""exp(a) through the public function."""

from add import A
from case import Case

WHAT = "`exp(a)`, 2x2, through the public function"
UNIT = "us"
LIMITS = {"agog": 0.35e-6, "torch": 1 / 7}


def agog():
    import agog as tf

    a = tf.constant(A)
    return Case("tf.exp(a)", {"a": a, "tf": tf}, lambda: tf.exp(a))


def torch():
    import torch as th

    a = th.tensor(A)
    return Case("th.exp(a)", {"a": a, "th": th}, lambda: th.exp(a))


def tf():
    import tensorflow as tf

    a = tf.constant(A)
    return Case("tf.exp(a)", {"a": a, "tf": tf}, lambda: tf.exp(a))


def jax():
    import jax.numpy as jnp

    a = jnp.array(A)
    return Case("jnp.exp(a)", {"a": a, "jnp": jnp}, lambda: jnp.exp(a))
