"""Adagrad and its descendant Adadelta: steps scaled by the squares of past gradients."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import handle, public
from agog.train.composed import ComposedOptimizer

_rsqrt = handle("Rsqrt")
_sqrt = handle("Sqrt")


class AdagradOptimizer(ComposedOptimizer):
    """Adagrad: `a += g^2; var -= learning_rate * g / sqrt(a)` (Duchi, Hazan and Singer, 2011).

    `a`, the slot "accumulator", begins with `initial_accumulator_value`. Sparse gradients touch
    only the rows that they name.

    >>> w = agog.Variable([5.0, -3.0])
    >>> opt = agog.train.AdagradOptimizer(1.0)
    >>> for _ in range(50):
    ...     opt.minimize(lambda: agog.reduce_sum(w * w))
    >>> bool(agog.reduce_max(agog.abs(w)) < 0.1)
    True
    """

    _slot_names = (("accumulator", ""),)

    @public
    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._set_hyper(learning_rate=learning_rate)
        self._initial = initial_accumulator_value

    def _slot_value(self, var: Any, name: str) -> Any:
        return agog.fill(var.shape, agog.constant(self._initial, var.dtype))

    def _step(self, value: Any, grad: Any, slots: Any, settings: Any) -> tuple[Any, ...]:
        (rate,) = settings
        total = slots[0] + grad * grad
        return value - rate * grad * _rsqrt(total), total


class AdadeltaOptimizer(ComposedOptimizer):
    """Adadelta: steps that have the size of recent steps (Zeiler, 2012).

    `a = rho a + (1 - rho) g^2; step = sqrt(u + epsilon) / sqrt(a + epsilon) * g;
    u = rho u + (1 - rho) step^2; var -= learning_rate * step`. `a` is the slot "accum" and `u` the
    slot "accum_update". Sparse gradients touch only the rows that they name.

    >>> w = agog.Variable([1.0])
    >>> agog.train.AdadeltaOptimizer(1.0, epsilon=1.0).minimize(lambda: agog.reduce_sum(w * w))
    >>> bool(w[0] < 1.0)
    True
    """

    _slot_names = (("accum", ""), ("accum_update", "_1"))

    @public
    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper(learning_rate=learning_rate, rho=rho, epsilon=epsilon)

    def _step(self, value: Any, grad: Any, slots: Any, settings: Any) -> tuple[Any, ...]:
        rate, rho, epsilon = settings
        accum = slots[0] * rho + grad * grad * (1 - rho)
        step = _sqrt(slots[1] + epsilon) * _rsqrt(accum + epsilon) * grad
        return value - step * rate, accum, slots[1] * rho + step * step * (1 - rho)
