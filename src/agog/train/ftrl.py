"""FTRL-Proximal: follow the regularized leader, which makes weights exactly zero."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import handle, public
from agog.train.composed import ComposedOptimizer

_abs = handle("Abs")
_greater = handle("Greater")
_pow = handle("Pow")
_select = handle("SelectV2")
_sign = handle("Sign")
_zeros_like = handle("ZerosLike")


class FtrlOptimizer(ComposedOptimizer):
    """FTRL-Proximal (McMahan and others, 2013), with L1, L2 and shrinkage.

    With p = -`learning_rate_power`: `n = a + g^2; l += g + 2 shrinkage var - (n^p - a^p) /
    learning_rate * var`, then var is 0 where |l| <= l1 and elsewhere
    `(sign(l) l1 - l) / (n^p / learning_rate + 2 l2)`; `a` is the slot "accum", `l` "linear". `beta`
    adds beta / (2 learning_rate) to l2. Sparse gradients touch only the rows that they name.

    >>> w = agog.Variable([1.0, 0.01])
    >>> opt = agog.train.FtrlOptimizer(0.5, l1_regularization_strength=1.0)
    >>> opt.apply_gradients([([-4.0, 0.1], w)])
    >>> print(w.numpy().round(3))
    [1.295 0.   ]
    """

    _slot_names = (("accum", ""), ("linear", "_1"))

    @public
    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        for argument, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{argument} must be positive or zero, got {value}")
        if not callable(learning_rate_power) and learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power must be negative or zero, got {learning_rate_power}"
            )
        self._set_hyper(
            learning_rate=learning_rate,
            power=learning_rate_power,
            l1=l1_regularization_strength,
            shrinkage=l2_shrinkage_regularization_strength,
        )
        self._l2, self._beta = l2_regularization_strength, beta or 0.0
        self._initial = initial_accumulator_value
        self._labels = {"accum": accum_name, "linear": linear_name}

    def _slot_label(self, name: str, end: str) -> str:
        return self._labels[name] or super()._slot_label(name, end)

    def _slot_value(self, var: Any, name: str) -> Any:
        value = self._initial if name == "accum" else 0.0
        return agog.fill(var.shape, agog.constant(value, var.dtype))

    def _step(self, value: Any, grad: Any, slots: Any, settings: Any) -> tuple[Any, ...]:
        rate, power, l1, shrinkage = settings
        l2 = self._full_l2(value.dtype)
        accum, linear = slots
        total = accum + grad * grad
        root = _pow(total, -power)
        pull = (root - _pow(accum, -power)) / rate
        linear = linear + (grad + 2 * shrinkage * value) - pull * value
        moved = (_sign(linear) * l1 - linear) / (root / rate + 2 * l2)
        kept = _select(_greater(_abs(linear), l1), moved, _zeros_like(moved))
        return kept, total, linear

    def _full_l2(self, dtype: Any) -> Any:
        """L2 with the part that `beta` adds; in float32 as in TensorFlow, whatever the dtype."""
        if not self._beta:
            return self._setting(self._l2, dtype)
        rate = self._hyper_tensors(agog.float32)[0]
        return agog.cast(self._l2 + self._beta / (2 * rate), dtype)
