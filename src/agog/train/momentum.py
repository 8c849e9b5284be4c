"""Gradient descent with momentum."""

from __future__ import annotations

from typing import Any

from agog._core import handle, public
from agog.train import rows
from agog.train.optimizer import Optimizer

_apply = handle("ResourceApplyMomentum")


class MomentumOptimizer(Optimizer):
    """Descent along a decaying sum of gradients: `a = momentum * a + grad; var -= rate * a`.

    With `use_nesterov` the step looks ahead: `var -= rate * (grad + momentum * a)`. Both settings
    are numbers, or callables or variables that are read again at every step. Sparse gradients
    touch only the rows that they name.

    >>> w = agog.Variable(4.0)
    >>> opt = agog.train.MomentumOptimizer(0.25, 0.5)
    >>> for _ in range(2):
    ...     opt.minimize(lambda: w * w)
    >>> float(w)
    0.0
    """

    _slot_names = (("momentum", ""),)

    @public
    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper(learning_rate=learning_rate, momentum=momentum)
        self._use_nesterov = use_nesterov

    def _resource_apply_dense(self, grad: Any, var: Any) -> None:
        target, total, rate, momentum = self._arguments_of(var)
        _apply(target, total, rate, grad, momentum, self._use_locking, self._use_nesterov)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> None:
        (slot,) = self._slots[id(var)][1]
        rate, momentum = self._hyper_tensors(var.dtype)
        total = rows.gather(slot, indices) * momentum + grad
        step = (grad + total * momentum if self._use_nesterov else total) * rate
        rows.update(slot, indices, total)
        rows.update(var, indices, rows.gather(var, indices) - step)
