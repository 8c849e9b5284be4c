"""Which shapes of labels and predictions go together."""

from __future__ import annotations

from typing import Any

import agog


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels in the dtype of the predictions, and both of one shape.

    (n,) goes with (n, 1); shapes that merely broadcast are refused, since every label would be
    compared with every prediction.
    """
    y_pred = floating(y_pred)
    y_true = agog.cast(agog.convert_to_tensor(y_true), y_pred.dtype)
    y_true, y_pred = same_rank(y_true, y_pred)
    if not y_true.shape.is_compatible_with(y_pred.shape):
        raise ValueError(
            f"y_true and y_pred must have the same shape, got {list(y_true.shape)} and "
            f"{list(y_pred.shape)}: reshape one of them"
        )
    return y_true, y_pred


def floating(value: Any) -> Any:
    """As a floating-point tensor: float32 where it is of another kind."""
    value = agog.convert_to_tensor(value)
    return value if value.dtype.is_floating else agog.cast(value, agog.float32)


def same_rank(one: Any, two: Any) -> tuple[Any, Any]:
    """(n,) becomes (n, 1) beside it; else a last axis of 1 that only one has is dropped."""
    ranks = len(one.shape), len(two.shape)
    if ranks[0] == ranks[1] + 1 and one.shape[-1] == 1:
        if ranks[1] == 1:
            return one, agog.expand_dims(two, -1)
        return agog.squeeze(one, [-1]), two
    if ranks[1] == ranks[0] + 1 and two.shape[-1] == 1:
        if ranks[0] == 1:
            return agog.expand_dims(one, -1), two
        return one, agog.squeeze(two, [-1])
    return one, two
