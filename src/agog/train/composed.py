"""Optimizers whose step is composed of ops: one rule serves whole variables and single rows."""

from __future__ import annotations

from typing import Any

import agog
from agog.train import rows
from agog.train.optimizer import Optimizer


class ComposedOptimizer(Optimizer):
    """Base of optimizers that say what a step makes of values, whatever holds them.

    A subclass overrides `_step`. The settings are those of `_set_hyper`, in its order.
    """

    def _step(
        self, value: Any, grad: Any, slots: tuple[Any, ...], settings: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """The new value, then the new slots."""
        raise NotImplementedError(f"{type(self).__name__} must define _step")

    def _resource_apply_dense(self, grad: Any, var: Any) -> None:
        held = (var, *self._slots[id(var)][1])
        grad = agog.convert_to_tensor(grad, var.dtype)
        value, *slots = (each.value() for each in held)
        new = self._step(value, grad, tuple(slots), self._hyper_tensors(var.dtype))
        for each, result in zip(held, new, strict=True):
            each.assign(result)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> None:
        held = (var, *self._slots[id(var)][1])
        value, *slots = (rows.gather(each, indices) for each in held)
        new = self._step(value, grad, tuple(slots), self._hyper_tensors(var.dtype))
        for each, result in zip(held, new, strict=True):
            rows.update(each, indices, result)
