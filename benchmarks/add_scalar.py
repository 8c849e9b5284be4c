"""a + 1.0: the Python number must cost next to nothing."""

from add import A, B
from case import Case

WHAT = "`a + 1.0`"
UNIT = "us"
LIMITS = {"agog_add": 1.2}


def agog():
    import agog as tf

    a = tf.constant(A)
    return Case("a + 1.0", {"a": a}, lambda: a + 1.0)


def agog_add():
    import agog as tf

    a, b = tf.constant(A), tf.constant(B)
    return Case("a + b", {"a": a, "b": b}, lambda: a + 1.0)


def torch():
    import torch as th

    a = th.tensor(A)
    return Case("a + 1.0", {"a": a}, lambda: a + 1.0)


def tf():
    import tensorflow as tf

    a = tf.constant(A)
    return Case("a + 1.0", {"a": a}, lambda: a + 1.0)
