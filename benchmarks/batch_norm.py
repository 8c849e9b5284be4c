"""Batch normalisation of 4096 rows of 1024 channels in training, and its gradient."""

import norms

WHAT = "batch norm 4096x1024, forward and gradient"
UNIT = "ms"
LIMITS = {"torch": 0.8}


def _in_training(layer):
    return lambda x: layer(x, training=True)


def agog():
    import agog as tf

    layer = tf.layers.BatchNormalization(epsilon=norms.EPSILON)
    return norms.tensorflow_style(tf, layer, _in_training(layer))


def torch():
    import torch as th

    averages = th.zeros(norms.CHANNELS), th.ones(norms.CHANNELS)

    def norm(x, gain, offset):
        return th.nn.functional.batch_norm(
            x, *averages, gain, offset, training=True, momentum=0.01, eps=norms.EPSILON
        )

    return norms.torch_style(norm)


def tf():
    import tensorflow as tf

    layer = tf.keras.layers.BatchNormalization(epsilon=norms.EPSILON)
    return norms.tensorflow_style(tf, layer, _in_training(layer))


def tf_function():
    import tensorflow as tf

    layer = tf.keras.layers.BatchNormalization(epsilon=norms.EPSILON)
    return norms.tensorflow_style(tf, layer, _in_training(layer), tf.function)


def jax():
    return norms.jax_style(axis=0)
