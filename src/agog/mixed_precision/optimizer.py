"""An optimizer around another, that scales the loss and unscales the gradients."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public
from agog.mixed_precision.loss_scale import DynamicLossScale, FixedLossScale, LossScale
from agog.module import Module


class LossScaleOptimizer(Module):
    """Scales the loss so that float16 gradients do not vanish, and skips steps that overflow.

    In a plain loop: `get_scaled_loss` (or `scale_loss`) inside the tape, `get_unscaled_gradients`
    on its gradients, then `apply_gradients`, which does nothing but lower the scale where a
    gradient is not finite. `dynamic=False` keeps `initial_scale`.

    >>> w = agog.Variable(1.0)
    >>> optimizer = agog.mixed_precision.LossScaleOptimizer(
    ...     agog.train.GradientDescentOptimizer(0.5), initial_scale=4.0)
    >>> with agog.GradientTape() as tape:
    ...     scaled = optimizer.get_scaled_loss(w * w)
    >>> gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, [w]))
    >>> optimizer.apply_gradients(zip(gradients, [w])), float(w)
    (True, 0.0)
    """

    @public
    def __init__(
        self,
        inner_optimizer: Any,
        dynamic: bool = True,
        initial_scale: float = 2.0**15,
        dynamic_growth_steps: int = 2000,
        loss_scale: LossScale | None = None,
    ) -> None:
        super().__init__()
        self.inner_optimizer = inner_optimizer
        if loss_scale is None and dynamic:
            loss_scale = DynamicLossScale(initial_scale, dynamic_growth_steps)
        self._scale = FixedLossScale(initial_scale) if loss_scale is None else loss_scale

    @property
    def dynamic(self) -> bool:
        """Whether the scale changes."""
        return isinstance(self._scale, DynamicLossScale)

    @property
    def loss_scale(self) -> Any:
        """The factor now."""
        return self._scale()

    @property
    def learning_rate(self) -> Any:
        """That of the optimizer inside."""
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self.inner_optimizer.learning_rate = value

    @public
    def get_scaled_loss(self, loss: Any) -> Any:
        """The loss times the scale, in the dtype of the loss; of a callable, a callable."""
        if callable(loss):
            return lambda: self.get_scaled_loss(loss())
        loss = agog.convert_to_tensor(loss)
        return loss * agog.cast(self._scale(), loss.dtype)

    scale_loss = get_scaled_loss

    @public
    def get_unscaled_gradients(self, grads: Any) -> list[Any]:
        """The gradients divided by the scale; None stays None."""
        return [None if grad is None else self._unscaled(grad) for grad in grads]

    @public
    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: Any = None
    ) -> bool:
        """The step of the optimizer inside, where all gradients are finite; whether it was made.

        The gradients are those of `get_unscaled_gradients`.
        """
        pairs = list(grads_and_vars)
        _, apply = self._scale.update([grad for grad, _ in pairs])
        if apply:
            self.inner_optimizer.apply_gradients(pairs, global_step=global_step)
        return bool(apply)

    @public
    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None) -> bool:
        """One step against the gradient of `loss()`, scaled and unscaled; whether it was made."""
        pairs = self.inner_optimizer.compute_gradients(self.get_scaled_loss(loss), var_list)
        grads = self.get_unscaled_gradients([grad for grad, _ in pairs])
        return self.apply_gradients(
            list(zip(grads, [var for _, var in pairs], strict=True)), global_step
        )

    @public
    def get_slot(self, var: Any, name: str) -> Any:
        """The slot of the optimizer inside."""
        return self.inner_optimizer.get_slot(var, name)

    def _unscaled(self, grad: Any) -> Any:
        inverse = 1.0 / self._scale()
        if hasattr(grad, "indices"):
            values = grad.values * agog.cast(inverse, grad.values.dtype)
            return type(grad)(values, grad.indices, grad.dense_shape)
        return grad * agog.cast(inverse, grad.dtype)
