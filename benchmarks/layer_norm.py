"""Layer normalisation of 4096 rows of 1024 numbers, and its gradient."""

import norms

WHAT = "layer norm 4096x1024, forward and gradient"
UNIT = "ms"
LIMITS = {"torch": 0.8}


def agog():
    import agog as tf

    layer = tf.layers.LayerNormalization(epsilon=norms.EPSILON)
    return norms.tensorflow_style(tf, layer, layer)


def torch():
    import torch as th

    def norm(x, gain, offset):
        return th.nn.functional.layer_norm(x, (norms.CHANNELS,), gain, offset, norms.EPSILON)

    return norms.torch_style(norm)


def tf():
    import tensorflow as tf

    layer = tf.keras.layers.LayerNormalization(epsilon=norms.EPSILON)
    return norms.tensorflow_style(tf, layer, layer)


def tf_function():
    import tensorflow as tf

    layer = tf.keras.layers.LayerNormalization(epsilon=norms.EPSILON)
    return norms.tensorflow_style(tf, layer, layer, tf.function)


def jax():
    return norms.jax_style(axis=1)
