"""A gradient rule of one's own where the plain one overflows: log(1 + exp(x))."""

import agog as tf
import agog.contrib.eager as tfe


def log1pexp(x):
    return tf.math.log(1 + tf.exp(x))


grad = tfe.gradients_function(log1pexp)
print(grad(0.0))
print(grad(100.0))  # inf / inf


@tfe.custom_gradient
def stable_log1pexp(x):
    e = tf.exp(x)

    def rule(dy):
        return dy * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), rule


stable_grad = tfe.gradients_function(stable_log1pexp)
print(stable_grad(0.0))
print(stable_grad(100.0))
