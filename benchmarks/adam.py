"""Adam's update of 100 variables of 10,000 numbers each, with gradients that are there already."""

import numpy as np
from case import call

WHAT = "Adam, 100 variables of 10,000"
UNIT = "ms"
LIMITS = {"torch": 0.3}

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-7
_random = np.random.default_rng(0)
VALUES = [_random.normal(size=10_000).astype("float32") for _ in range(100)]
GRADIENTS = [_random.normal(size=10_000).astype("float32") for _ in range(100)]


def _checked(step, values):
    """What is compared is a variable after some steps, in double so as to see the differences."""

    def result():
        for _ in range(5):
            step()
        return np.asarray(values()[7])[:16]

    return call(step, result)


def _tensorflow_style(tf, optimizer):
    variables = [tf.Variable(value) for value in VALUES]
    gradients = [tf.constant(value) for value in GRADIENTS]

    def step():
        optimizer.apply_gradients(zip(gradients, variables))

    return _checked(step, lambda: variables)


def agog():
    import agog as tf

    return _tensorflow_style(tf, tf.train.AdamOptimizer(RATE, BETA1, BETA2, EPSILON))


def torch():
    import torch as th

    variables = [th.tensor(value, requires_grad=True) for value in VALUES]
    for variable, gradient in zip(variables, GRADIENTS):
        variable.grad = th.tensor(gradient)
    optimizer = th.optim.Adam(variables, RATE, (BETA1, BETA2), EPSILON, foreach=True)
    return _checked(optimizer.step, lambda: [v.detach() for v in variables])


def tf():
    import tensorflow as tf

    variables = [tf.Variable(value) for value in VALUES]
    gradients = [tf.constant(value) for value in GRADIENTS]
    slots = [(tf.Variable(v * 0), tf.Variable(v * 0)) for v in VALUES]
    steps = 0

    def step():
        nonlocal steps
        steps += 1
        powers = BETA1**steps, BETA2**steps
        for variable, gradient, (m, v) in zip(variables, gradients, slots):
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=powers[0],
                beta2_power=powers[1],
                lr=RATE,
                beta1=BETA1,
                beta2=BETA2,
                epsilon=EPSILON,
                grad=gradient,
            )

    return _checked(step, lambda: variables)


def jax():
    import jax as jx
    import jax.numpy as jnp

    gradients = [jnp.array(value) for value in GRADIENTS]

    def new_state(count, state):
        rate = RATE * jnp.sqrt(1 - BETA2**count) / (1 - BETA1**count)
        result = []
        for (variable, m, v), g in zip(state, gradients):
            m, v = m + (g - m) * (1 - BETA1), v + (g * g - v) * (1 - BETA2)
            result.append((variable - rate * m / (jnp.sqrt(v) + EPSILON), m, v))
        return result

    compiled = jx.jit(new_state, donate_argnums=1)
    state = [(jnp.array(value), jnp.zeros(10_000), jnp.zeros(10_000)) for value in VALUES]
    steps = 0

    def step():
        nonlocal state, steps
        steps += 1
        state = jx.block_until_ready(compiled(jnp.float32(steps), state))

    return _checked(step, lambda: [variable for variable, _, _ in state])
