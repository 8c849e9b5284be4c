"""What the workloads of normalisation share: each returns the gradients of x, gain and offset."""

import numpy as np
from case import call

ROWS, CHANNELS = 4096, 1024
EPSILON = 1e-3
_random = np.random.default_rng(0)
X = _random.normal(0.5, 2, (ROWS, CHANNELS)).astype("float32")
DY = _random.normal(size=(ROWS, CHANNELS)).astype("float32")


def _checked(step):
    """Of the result and of each gradient, some numbers are compared."""

    def result():
        return np.concatenate([np.asarray(t).ravel()[:4] for t in step()])

    return call(step, result)


def tensorflow_style(tf, layer, apply, compiled=lambda step: step):
    """A layer under a tape."""
    x, dy = tf.constant(X), tf.constant(DY)
    layer.build(X.shape)
    gain, offset = layer.gamma, layer.beta

    def step():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = apply(x)
        return y, *tape.gradient(y, [x, gain, offset], dy)

    return _checked(compiled(step))


def torch_style(norm):
    """A function with autograd."""
    import torch as th

    x, dy = th.tensor(X, requires_grad=True), th.tensor(DY)
    parameters = [th.ones(CHANNELS, requires_grad=True), th.zeros(CHANNELS, requires_grad=True)]

    def step():
        y = norm(x, *parameters)
        return y.detach(), *th.autograd.grad(y, [x, *parameters], dy)

    return _checked(step)


def jax_style(axis):
    """One jitted function of the result and the gradients."""
    import jax as jx
    import jax.numpy as jnp

    def norm(x, gain, offset):
        mean = jnp.mean(x, axis=axis, keepdims=True)
        variance = jnp.mean(jnp.square(x - mean), axis=axis, keepdims=True)
        return (x - mean) * jx.lax.rsqrt(variance + EPSILON) * gain + offset

    def gradients(dy, *arguments):
        y, back = jx.vjp(norm, *arguments)
        return y, *back(dy)

    compiled = jx.jit(gradients)
    arguments = jnp.array(DY), jnp.array(X), jnp.ones(CHANNELS), jnp.zeros(CHANNELS)
    return _checked(lambda: jx.block_until_ready(compiled(*arguments)))
