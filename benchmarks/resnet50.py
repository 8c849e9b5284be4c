"""A training step of ResNet-50 (He et al., 2015) on 8 images of 224x224, by gradient descent.

The stride of a block is at its convolution of 3x3, as in torchvision. Moving averages of the
moments are left out on all sides. Torch has channels first, as by default; the others
have them last.
"""

import numpy as np
import training

WHAT = "ResNet-50, 8 x 224x224, SGD step"
UNIT = "ms"
LIMITS = {"torch": 0.9}
MAX_ROUNDS = 3

CHECKED_STEPS = 2
EPSILON = 1e-3
CLASSES = 1000
STAGES = ((3, 64), (4, 128), (6, 256), (3, 512))  # (blocks, width); a block gives 4 x width
_random = np.random.default_rng(0)
IMAGES = _random.normal(size=(8, 224, 224, 3)).astype("float32")
LABELS = _random.integers(0, CLASSES, 8)


def _blocks():
    """(channels in, width, stride, whether the shortcut has a convolution) of each block."""
    channels = 64
    for stage, (count, width) in enumerate(STAGES):
        for i in range(count):
            yield channels, width, 2 if i == 0 and stage > 0 else 1, i == 0
            channels = 4 * width


def _parameters():
    """Filters, gain and offset of each convolution in the order of use, then the dense layer."""
    random = np.random.default_rng(1)
    parameters = []

    def add(size, channels, filters, gain=1.0):
        deviation = (2 / (size * size * channels)) ** 0.5
        shape = (size, size, channels, filters)
        parameters.append(random.normal(0, deviation, shape).astype("float32"))
        parameters.append(np.full(filters, gain, "float32"))
        parameters.append(np.zeros(filters, "float32"))

    add(7, 3, 64)
    for channels, width, _, projects in _blocks():
        if projects:
            add(1, channels, 4 * width)
        add(1, channels, width)
        add(3, width, width)
        add(1, width, 4 * width, 0.5)  # small, so that the steps of all sides stay together
    parameters.append(random.normal(0, 0.01, (2048, CLASSES)).astype("float32"))
    parameters.append(np.zeros(CLASSES, "float32"))
    return parameters


def _network(conv_norm, relu, pool):
    """Features of images over a framework's functions."""

    def features(x, parameters):
        parameters = iter(parameters)

        def next_conv(x, size, stride):
            return conv_norm(x, size, stride, *(next(parameters) for _ in range(3)))

        x = pool(relu(next_conv(x, 7, 2)))
        for _, _, stride, projects in _blocks():
            shortcut = next_conv(x, 1, stride) if projects else x
            y = relu(next_conv(x, 1, 1))
            y = relu(next_conv(y, 3, stride))
            x = relu(next_conv(y, 1, 1) + shortcut)
        return x

    return features


def _padding(size):
    """As torch pads, on both sides alike: SAME would pad one side more where the stride is 2."""
    return [[0, 0], [size // 2] * 2, [size // 2] * 2, [0, 0]]


def _tensorflow_style(tf):
    nn = tf.nn if hasattr(tf.nn, "fused_batch_norm") else tf.compat.v1.nn

    def conv_norm(x, size, stride, filters, gain, offset):
        x = tf.nn.conv2d(x, filters, stride, _padding(size) if size > 1 else "VALID")
        return nn.fused_batch_norm(x, gain, offset, epsilon=EPSILON)[0]

    def pool(x):
        return tf.nn.max_pool2d(x, 3, 2, _padding(3))

    features = _network(conv_norm, tf.nn.relu, pool)
    images, labels = tf.constant(IMAGES), tf.constant(LABELS.astype("int32"))

    def loss(*parameters):
        *convolutions, weights, bias = parameters
        x = tf.reduce_mean(features(images, convolutions), axis=[1, 2])
        logits = tf.matmul(x, weights) + bias
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(losses)

    return loss


def _torch_loss():
    import torch as th

    functional = th.nn.functional

    def conv_norm(x, size, stride, filters, gain, offset):
        x = functional.conv2d(x, filters, stride=stride, padding=size // 2)
        return functional.batch_norm(x, None, None, gain, offset, training=True, eps=EPSILON)

    def pool(x):
        return functional.max_pool2d(x, 3, 2, 1)

    features = _network(conv_norm, th.relu, pool)
    images, labels = th.tensor(IMAGES.transpose(0, 3, 1, 2).copy()), th.tensor(LABELS)

    def loss(*parameters):
        *convolutions, weights, bias = parameters
        x = features(images, convolutions).mean((2, 3))
        return functional.cross_entropy(th.addmm(bias, x, weights), labels)

    return loss


def _torch_parameters():
    return [p.transpose(3, 2, 0, 1).copy() if p.ndim == 4 else p for p in _parameters()]


def agog():
    import agog as tf

    return training.agog_step(_tensorflow_style(tf), _parameters(), CHECKED_STEPS)


def torch():
    return training.torch_step(_torch_loss(), _torch_parameters(), checked_steps=CHECKED_STEPS)


def tf_function():
    import tensorflow as tf

    return training.tf_step(
        _tensorflow_style(tf), _parameters(), checked_steps=CHECKED_STEPS, jit_compile=False
    )


def jax():
    import jax as jx
    import jax.numpy as jnp

    layouts = ("NHWC", "HWIO", "NHWC")

    def conv_norm(x, size, stride, filters, gain, offset):
        padding = _padding(size)[1:3]
        strides = (stride, stride)
        x = jx.lax.conv_general_dilated(x, filters, strides, padding, dimension_numbers=layouts)
        mean = jnp.mean(x, axis=(0, 1, 2))
        variance = jnp.mean(jnp.square(x - mean), axis=(0, 1, 2))
        return (x - mean) * jx.lax.rsqrt(variance + EPSILON) * gain + offset

    def pool(x):
        sizes = (1, 3, 3, 1), (1, 2, 2, 1), _padding(3)
        return jx.lax.reduce_window(x, -jnp.inf, jx.lax.max, *sizes)

    features = _network(conv_norm, jx.nn.relu, pool)
    images, labels = jnp.array(IMAGES), jnp.array(LABELS)

    def loss(*parameters):
        *convolutions, weights, bias = parameters
        x = jnp.mean(features(images, convolutions), axis=(1, 2))
        scores = jx.nn.log_softmax(x @ weights + bias)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    return training.jax_step(loss, _parameters(), CHECKED_STEPS)
