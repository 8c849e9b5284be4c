"""A step of gradient descent in each framework, for workloads that differ only in their loss."""

from case import call

RATE = 1e-3
CHECKED_STEPS = 5


def checked(step, steps=CHECKED_STEPS):
    """The case of a step that returns the loss; what is compared is the loss after some steps."""

    def result():
        for _ in range(steps):
            loss = float(step())
        return loss

    return call(step, result)


def agog_step(loss, parameters, checked_steps=CHECKED_STEPS):
    """With a tape and an optimizer, as a user writes it."""
    import agog

    variables = [agog.Variable(value) for value in parameters]
    optimizer = agog.train.GradientDescentOptimizer(RATE)

    def step():
        with agog.GradientTape() as tape:
            value = loss(*variables)
        gradients = tape.gradient(value, variables)
        optimizer.apply_gradients(zip(gradients, variables))
        return value

    return checked(step, checked_steps)


def torch_step(loss, parameters, compiled=False, checked_steps=CHECKED_STEPS):
    """With autograd and in-place updates; compiled: loss, its gradient, and the update."""
    import torch

    variables = [torch.tensor(value, requires_grad=True) for value in parameters]

    def update(gradients):
        with torch.no_grad():
            torch._foreach_add_(variables, gradients, alpha=-RATE)

    if compiled:
        loss, update = torch.compile(loss), torch.compile(update)

    def step():
        value = loss(*variables)
        update(torch.autograd.grad(value, variables))
        return value

    return checked(step, checked_steps)


def tf_step(loss, parameters, checked_steps=CHECKED_STEPS, **function_options):
    """With a tape and TensorFlow's own fused update; `function_options` make a tf.function."""
    import tensorflow as tf

    variables = [tf.Variable(value) for value in parameters]

    def step():
        with tf.GradientTape() as tape:
            value = loss(*variables)
        for variable, gradient in zip(variables, tape.gradient(value, variables)):
            variable.assign_sub(RATE * gradient)
        return value

    step = tf.function(step, **function_options) if function_options else step
    return checked(lambda: step().numpy(), checked_steps)


def jax_step(loss, parameters, checked_steps=CHECKED_STEPS):
    """One jitted function from parameters to parameters, which it may overwrite."""
    import jax
    import jax.numpy as jnp

    def new_parameters(variables):
        value, gradients = jax.value_and_grad(lambda given: loss(*given))(variables)
        return [v - RATE * g for v, g in zip(variables, gradients)], value

    compiled = jax.jit(new_parameters, donate_argnums=0)
    variables = [jnp.array(value) for value in parameters]

    def step():
        nonlocal variables
        variables, value = compiled(variables)
        jax.block_until_ready(variables)
        return value

    return checked(step, checked_steps)
