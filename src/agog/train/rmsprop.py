"""RMSProp: steps scaled by a running mean of squared gradients."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import handle, public
from agog.train.composed import ComposedOptimizer

_rsqrt = handle("Rsqrt")


class RMSPropOptimizer(ComposedOptimizer):
    """RMSProp with momentum: `r = decay r + (1 - decay) g^2` scales the steps.

    `m = momentum m + learning_rate * g / sqrt(r + epsilon); var -= m`. With `centered`, the square
    of a running mean of the gradient is taken off `r` under the root (Graves, 2013). Slots: "rms",
    which begins with ones, "momentum", and "mg" if centered. Sparse gradients touch only the rows
    that they name.

    >>> w = agog.Variable([5.0, -3.0])
    >>> opt = agog.train.RMSPropOptimizer(0.1)
    >>> for _ in range(100):
    ...     opt.minimize(lambda: agog.reduce_sum(w * w))
    >>> bool(agog.reduce_max(agog.abs(w)) < 0.2)
    True
    """

    @public
    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper(
            learning_rate=learning_rate, decay=decay, momentum=momentum, epsilon=epsilon
        )
        self._centered = centered
        # In the order in which TensorFlow makes them: it numbers their names.
        names = ("rms", "mg", "momentum") if centered else ("rms", "momentum")
        self._slot_names = tuple(zip(names, ("", "_1", "_2"), strict=False))

    def _slot_value(self, var: Any, name: str) -> Any:
        return (agog.ones if name == "rms" else agog.zeros)(var.shape, var.dtype)

    def _step(self, value: Any, grad: Any, slots: Any, settings: Any) -> tuple[Any, ...]:
        rate, decay, momentum, epsilon = settings
        square = slots[0] + (grad * grad - slots[0]) * (1 - decay)
        spread = square + epsilon
        means: tuple[Any, ...] = ()
        if self._centered:
            mean = slots[1] + (grad - slots[1]) * (1 - decay)
            spread, means = spread - mean * mean, (mean,)
        step = slots[-1] * momentum + rate * grad * _rsqrt(spread)
        return value - step, square, *means, step
