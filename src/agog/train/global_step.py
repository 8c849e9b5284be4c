"""The count of training steps that TensorFlow 1's programs share."""

from __future__ import annotations

import agog
from agog._core import public

_steps: list[agog.Variable] = []


@public
def get_global_step(graph: None = None) -> agog.Variable | None:
    """The variable that counts steps, None before it was made."""
    return _steps[0] if _steps else None


@public
def create_global_step(graph: None = None) -> agog.Variable:
    """A new count of steps, an int64 variable at 0; ValueError if there is one."""
    if _steps:
        raise ValueError("there is a global step already; get_global_step() gives it")
    _steps.append(agog.Variable(0, trainable=False, dtype=agog.int64, name="global_step"))
    return _steps[0]


@public
def get_or_create_global_step(graph: None = None) -> agog.Variable:
    """The variable that counts steps, made at the first call.

    >>> agog.train.get_or_create_global_step().dtype
    tf.int64
    """
    return _steps[0] if _steps else create_global_step()
