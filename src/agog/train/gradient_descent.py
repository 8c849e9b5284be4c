"""Plain gradient descent."""

from __future__ import annotations

from typing import Any

from agog._core import handle, public
from agog.train import rows
from agog.train.optimizer import Optimizer

_apply = handle("ResourceApplyGradientDescent")


class GradientDescentOptimizer(Optimizer):
    """Plain gradient descent: `var -= learning_rate * grad`.

    `learning_rate` is a number, or a callable or variable that is read again at every step. Sparse
    gradients touch only the rows that they name.

    >>> w = agog.Variable([1.0, 2.0])
    >>> agog.train.GradientDescentOptimizer(0.25).minimize(lambda: agog.reduce_sum(w * w))
    >>> print(w.numpy())
    [0.5 1. ]
    """

    @public
    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper(learning_rate=learning_rate)

    def _resource_apply_dense(self, grad: Any, var: Any) -> None:
        target, rate = self._arguments_of(var)
        _apply(target, rate, grad, self._use_locking)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> None:
        (rate,) = self._hyper_tensors(var.dtype)
        rows.update(var, indices, rows.gather(var, indices) - grad * rate)
