"""First and second derivative of a Python function."""

import agog as tf
import agog.contrib.eager as tfe

tfe.enable_eager_execution()


def square(x):
    return tf.multiply(x, x)


grad = tfe.gradients_function(square)
gradgrad = tfe.gradients_function(lambda x: grad(x)[0])

print(square(3.0))
print(grad(3.0))
print(gradgrad(3.0))
