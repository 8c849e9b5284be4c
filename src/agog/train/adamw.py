"""Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from agog._core import handle, public
from agog.train import rows
from agog.train.adam import AdamOptimizer

_assign_sub = handle("AssignSubVariableOp")


class AdamWOptimizer(AdamOptimizer):
    """Adam whose variables also shrink by `weight_decay * var` (Loshchilov and Hutter, 2017).

    The decay comes before the step of Adam, and the learning rate does not scale it: as in
    TensorFlow 1's `contrib.opt.AdamWOptimizer`, a schedule must change both. Keras' AdamW with
    weight decay d and learning rate r is this with `weight_decay = d * r`. Sparse gradients
    decay the rows that they name.

    >>> w = agog.Variable([1.0])
    >>> opt = agog.train.AdamWOptimizer(weight_decay=0.25, learning_rate=0.0)
    >>> opt.apply_gradients([([3.0], w)])
    >>> w.numpy().tolist()
    [0.75]
    """

    @public
    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._weight_decay = weight_decay

    def _resource_apply_dense(self, grad: Any, var: Any) -> None:
        decay = self._setting(self._weight_decay, var.dtype)
        _assign_sub(var.handle, var.value() * decay)
        super()._resource_apply_dense(grad, var)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> None:
        decay = self._setting(self._weight_decay, var.dtype)
        row = rows.gather(var, indices)
        rows.update(var, indices, row - row * decay)
        super()._resource_apply_sparse(grad, var, indices)
