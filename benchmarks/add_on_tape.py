"""a + b while a tape records it."""

from add import A, B
from case import Case

WHAT = "`a + b` while a tape records"
UNIT = "us"
LIMITS = {"agog": 0.40e-6, "torch": 1 / 8}


def _tensorflow_style(tf):
    a, b = tf.constant(A), tf.constant(B)
    tape = tf.GradientTape()
    tape.__enter__()  # stays open as long as the process
    tape.watch(a)
    return Case("a + b", {"a": a, "b": b, "tape": tape}, lambda: a + b)


def agog():
    import agog as tf

    return _tensorflow_style(tf)


def torch():
    import torch as th

    a, b = th.tensor(A, requires_grad=True), th.tensor(B)
    return Case("a + b", {"a": a, "b": b}, lambda: (a + b).detach())


def tf():
    import tensorflow as tf

    return _tensorflow_style(tf)
