"""A step of gradient descent of one transformer block: 8 sequences of 128 vectors of 256 numbers.

Normalisation before attention (8 heads) and before a network of 1024 units with GELU, both with
shortcuts; the loss is the mean square of the result less a target. Torch has its fused attention
and its norm, agog its layer's norm; the others have what their users write.
"""

import numpy as np
import training

WHAT = "transformer block B8 T128 D256 H8, SGD step"
UNIT = "ms"
LIMITS = {"torch": 0.8}

BATCH, TIME, WIDTH, HEADS, INNER = 8, 128, 256, 8, 1024
EPSILON = 1e-5
_random = np.random.default_rng(0)


def _matrix(rows, columns):
    return _random.normal(0, rows**-0.5, (rows, columns)).astype("float32")


PARAMETERS = [
    np.ones(WIDTH, "float32"),
    np.zeros(WIDTH, "float32"),
    _matrix(WIDTH, 3 * WIDTH),
    np.zeros(3 * WIDTH, "float32"),
    _matrix(WIDTH, WIDTH),
    np.zeros(WIDTH, "float32"),
    np.ones(WIDTH, "float32"),
    np.zeros(WIDTH, "float32"),
    _matrix(WIDTH, INNER),
    np.zeros(INNER, "float32"),
    _matrix(INNER, WIDTH),
    np.zeros(WIDTH, "float32"),
]
INPUTS = _random.normal(size=(BATCH, TIME, WIDTH)).astype("float32")
TARGET = _random.normal(size=(BATCH, TIME, WIDTH)).astype("float32")


def _block(norm, dense, attention, gelu):
    """The block over a framework's functions: attention goes from [B, T, 3 D] to [B, T, D]."""

    def block(x, g1, o1, w_qkv, b_qkv, w_out, b_out, g2, o2, w_up, b_up, w_down, b_down):
        x = x + dense(attention(dense(norm(x, g1, o1), w_qkv, b_qkv)), w_out, b_out)
        return x + dense(gelu(dense(norm(x, g2, o2), w_up, b_up)), w_down, b_down)

    return block


def _tensorflow_style(tf, norm):
    def dense(x, w, b):
        return tf.reshape(tf.matmul(tf.reshape(x, [-1, w.shape[0]]), w) + b, [BATCH, TIME, -1])

    def attention(qkv):
        heads = tf.reshape(qkv, [BATCH, TIME, 3, HEADS, WIDTH // HEADS])
        q, k, v = tf.unstack(tf.transpose(heads, [2, 0, 3, 1, 4]))
        scores = tf.matmul(q, k, transpose_b=True) * (WIDTH // HEADS) ** -0.5
        mixed = tf.matmul(tf.nn.softmax(scores), v)
        return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [BATCH, TIME, WIDTH])

    block = _block(norm, dense, attention, tf.nn.gelu)
    inputs, target = tf.constant(INPUTS), tf.constant(TARGET)
    return lambda *parameters: tf.reduce_mean(tf.square(block(inputs, *parameters) - target))


def _by_moments(tf):
    def norm(x, gain, offset):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, gain, EPSILON)

    return norm


def _torch_loss():
    import torch as th

    functional = th.nn.functional

    def norm(x, gain, offset):
        return functional.layer_norm(x, (WIDTH,), gain, offset, EPSILON)

    def dense(x, w, b):
        return th.addmm(b, x.reshape(-1, w.shape[0]), w).view(BATCH, TIME, -1)

    def attention(qkv):
        heads = qkv.view(BATCH, TIME, 3, HEADS, WIDTH // HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4).unbind()
        mixed = functional.scaled_dot_product_attention(q, k, v)
        return mixed.transpose(1, 2).reshape(BATCH, TIME, WIDTH)

    block = _block(norm, dense, attention, functional.gelu)
    inputs, target = th.tensor(INPUTS), th.tensor(TARGET)
    return lambda *parameters: ((block(inputs, *parameters) - target) ** 2).mean()


def agog():
    import agog as tf

    layer = tf.layers.LayerNormalization(epsilon=EPSILON)
    layer.build(INPUTS.shape)

    def norm(x, gain, offset):
        layer.gamma, layer.beta = gain, offset
        return layer(x)

    return training.agog_step(_tensorflow_style(tf, norm), PARAMETERS)


def torch():
    return training.torch_step(_torch_loss(), PARAMETERS)


def torch_compile():
    return training.torch_step(_torch_loss(), PARAMETERS, compiled=True)


def tf():
    import tensorflow as tf

    return training.tf_step(_tensorflow_style(tf, _by_moments(tf)), PARAMETERS)


def tf_function():
    import tensorflow as tf

    return training.tf_step(_tensorflow_style(tf, _by_moments(tf)), PARAMETERS, jit_compile=False)


def jax():
    import jax as jx
    import jax.numpy as jnp

    def norm(x, gain, offset):
        mean = jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
        return (x - mean) * jx.lax.rsqrt(variance + EPSILON) * gain + offset

    def attention(qkv):
        heads = qkv.reshape(BATCH, TIME, 3, HEADS, WIDTH // HEADS)
        q, k, v = heads.transpose(2, 0, 3, 1, 4)
        scores = q @ k.swapaxes(-1, -2) * (WIDTH // HEADS) ** -0.5
        mixed = jx.nn.softmax(scores) @ v
        return mixed.transpose(0, 2, 1, 3).reshape(BATCH, TIME, WIDTH)

    def gelu(x):
        return jx.nn.gelu(x, approximate=False)

    block = _block(norm, lambda x, w, b: x @ w + b, attention, gelu)
    inputs, target = jnp.array(INPUTS), jnp.array(TARGET)
    return training.jax_step(
        lambda *parameters: jnp.mean(jnp.square(block(inputs, *parameters) - target)), PARAMETERS
    )
