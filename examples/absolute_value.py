"""The gradient follows the branch that Python took."""

import agog.contrib.eager as tfe


def abs(x):
    return x if x > 0.0 else -x


grad = tfe.gradients_function(abs)

print(grad(2.0))
print(grad(-3.0))
