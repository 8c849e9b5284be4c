"""Adam: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import agog
from agog._core import handle, public
from agog.train import rows
from agog.train.optimizer import Optimizer

_apply = handle("ResourceApplyAdam")
_apply_to_all = handle("_ApplyAdamToAll")
_assign = handle("AssignVariableOp")
_assign_sub = handle("AssignSubVariableOp")
_sqrt = handle("Sqrt")


class AdamOptimizer(Optimizer):
    """Adam: the running mean of the gradient over the root of the running mean of its square.

    At step t, `m = beta1 m + (1 - beta1) g`, `v = beta2 v + (1 - beta2) g^2` and
    `var -= learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon)`.
    Settings are numbers, or callables or variables that are read again at every step. A sparse
    gradient counts as zero in the rows that it does not name, whose means decay and which move.

    >>> w = agog.Variable([5.0, -3.0])
    >>> opt = agog.train.AdamOptimizer(learning_rate=0.5)
    >>> for _ in range(100):
    ...     opt.minimize(lambda: agog.reduce_sum(w * w))
    >>> bool(agog.reduce_max(agog.abs(w)) < 0.1)
    True
    """

    _slot_names = (("m", ""), ("v", "_1"))

    @public
    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._set_hyper(learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._powers: list[Any] = []
        self._power_tensors: dict[Any, tuple[Any, Any]] = {}
        self._power_prefix = f"{name}/" if use_own_namescope_for_non_slot_vars else ""

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        super()._create_slots(var_list)
        if not self._powers:
            _, beta1, beta2, _ = self._hyper_tensors(agog.float32)
            self._powers = [
                agog.Variable(beta, trainable=False, name=f"{self._power_prefix}{name}")
                for beta, name in ((beta1, "beta1_power"), (beta2, "beta2_power"))
            ]

    def _prepare(self) -> None:
        super()._prepare()
        self._power_tensors.clear()

    def _powers_as(self, dtype: Any) -> tuple[Any, Any]:
        found = self._power_tensors.get(dtype)
        if found is None:
            first, second = (power.value() for power in self._powers)
            if dtype != agog.float32:
                first, second = agog.cast(first, dtype), agog.cast(second, dtype)
            found = self._power_tensors[dtype] = (first, second)
        return found

    def _apply_whole(self, pairs: Sequence[tuple[Any, Any]]) -> None:
        """One call for all variables of a dtype, unless a subclass has a step of its own."""
        own_step = type(self)._resource_apply_dense is not AdamOptimizer._resource_apply_dense
        repeated = len({id(var) for _, var in pairs}) < len(pairs)
        if len(pairs) < 2 or own_step or repeated:
            return super()._apply_whole(pairs)
        by_dtype: dict[Any, list[tuple[Any, Any]]] = {}
        for pair in pairs:
            by_dtype.setdefault(pair[1].dtype, []).append(pair)
        for dtype, same in by_dtype.items():
            arguments = [self._arguments_of(var) for _, var in same]
            targets, m, v = ([each[i] for each in arguments] for i in range(3))
            grads = [agog.convert_to_tensor(grad, dtype) for grad, _ in same]
            rate, beta1, beta2, epsilon = self._hyper_tensors(dtype)
            settings = *self._powers_as(dtype), rate, beta1, beta2, epsilon
            _apply_to_all(targets, m, v, grads, *settings, self._use_locking)

    def _resource_apply_dense(self, grad: Any, var: Any) -> None:
        target, m, v, rate, beta1, beta2, epsilon = self._arguments_of(var)
        power1, power2 = self._powers_as(var.dtype)
        locking = self._use_locking
        _apply(target, m, v, power1, power2, rate, beta1, beta2, epsilon, grad, locking)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> None:
        """As TensorFlow: the means of all rows decay and all rows move; only `grad` is sparse."""
        m, v = self._slots[id(var)][1]
        rate, beta1, beta2, epsilon = self._hyper_tensors(var.dtype)
        power1, power2 = self._powers_as(var.dtype)
        m.assign(m.value() * beta1)
        rows.update(m, indices, rows.gather(m, indices) + grad * (1 - beta1))
        v.assign(v.value() * beta2)
        rows.update(v, indices, rows.gather(v, indices) + grad * grad * (1 - beta2))
        rate = rate * _sqrt(1 - power2) / (1 - power1)
        _assign_sub(var.handle, rate * m.value() / (_sqrt(v.value()) + epsilon))

    def _finish(self) -> None:
        _, beta1, beta2, _ = self._hyper_tensors(agog.float32)
        for power, beta in zip(self._powers, (beta1, beta2), strict=True):
            _assign(power.handle, power.value() * beta)

    def _own_variables(self) -> list[Any]:
        return list(self._powers)
