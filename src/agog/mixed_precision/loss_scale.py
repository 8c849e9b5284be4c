"""Factors that keep small gradients above the smallest float16."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public
from agog.module import Module


class LossScale(Module):
    """Base of loss scales: called without arguments, one gives the factor.

    >>> float(agog.mixed_precision.FixedLossScale(8.0)())
    8.0
    """

    def __call__(self) -> Any:
        """The factor, a float32 scalar."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")

    def update(self, grads: Any) -> tuple[Any, Any]:
        """Takes notice of a step's gradients: (None, whether they are to be applied)."""
        raise NotImplementedError(f"{type(self).__name__} must define update")


class FixedLossScale(LossScale):
    """A factor that stays; gradients that are not finite are applied all the same.

    >>> scale = agog.mixed_precision.FixedLossScale(8.0)
    >>> scale.update([agog.constant(float("inf"))])
    (None, True)
    """

    @public
    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if loss_scale_value < 1:
            raise ValueError(f"loss_scale_value must be at least 1, got {loss_scale_value}")
        self._value = float(loss_scale_value)

    @public
    def __call__(self) -> Any:
        return agog.constant(self._value)

    @public
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Nothing to take notice of."""
        return None, True


class DynamicLossScale(LossScale):
    """A factor that is halved when a gradient is not finite, and doubled after a good while.

    A step whose gradients are not finite is to be skipped. `increment_period` is the number of
    finite steps in a row before the factor grows by `multiplier`.

    >>> scale = agog.mixed_precision.DynamicLossScale(8.0, increment_period=2)
    >>> scale.update([agog.constant(float("inf"))]), float(scale())
    ((None, False), 4.0)
    >>> _ = scale.update([agog.constant(1.0)]), scale.update([agog.constant(1.0)])
    >>> float(scale())
    8.0
    """

    @public
    def __init__(
        self,
        initial_loss_scale: float = 2.0**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        if initial_loss_scale < 1 or multiplier <= 1 or increment_period < 1:
            raise ValueError(
                "initial_loss_scale and increment_period must be at least 1 and multiplier above "
                f"1, got {initial_loss_scale}, {increment_period} and {multiplier}"
            )
        self.increment_period, self.multiplier = int(increment_period), float(multiplier)
        self.current_loss_scale = agog.Variable(
            float(initial_loss_scale), trainable=False, name="current_loss_scale"
        )
        self.num_good_steps = agog.Variable(0, dtype=agog.int64, trainable=False, name="good_steps")

    @public
    def __call__(self) -> Any:
        return self.current_loss_scale.value()

    @public
    def update(self, grads: Any) -> tuple[Any, Any]:
        """Halves or doubles the factor; the second result says whether to apply the gradients."""
        if not all_finite(grads):
            smaller = agog.maximum(self.current_loss_scale / self.multiplier, 1.0)
            self.current_loss_scale.assign(smaller)
            self.num_good_steps.assign(0)
            return None, False
        if int(self.num_good_steps) + 1 < self.increment_period:
            self.num_good_steps.assign_add(1)
            return None, True
        larger = self.current_loss_scale * self.multiplier
        if bool(agog.math.is_finite(larger)):
            self.current_loss_scale.assign(larger)
        self.num_good_steps.assign(0)
        return None, True


def all_finite(grads: Any) -> bool:
    """Whether every number of every gradient that is not None is finite."""
    for grad in agog.nest.flatten(grads):
        values = getattr(grad, "values", grad) if hasattr(grad, "indices") else grad
        if values is not None and not bool(agog.reduce_all(agog.math.is_finite(values))):
            return False
    return True
