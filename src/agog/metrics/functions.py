"""Whether each example is right: what the accuracies average."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public
from agog.losses.shapes import floating, pair, same_rank


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where labels and predictions are equal."""
    y_true, y_pred = agog.convert_to_tensor(y_true), agog.convert_to_tensor(y_pred)
    y_true, y_pred = same_rank(agog.cast(y_true, y_pred.dtype), y_pred)
    if not y_true.shape.is_compatible_with(y_pred.shape):
        raise ValueError(
            f"y_true and y_pred must have the same shape, got {list(y_true.shape)} and "
            f"{list(y_pred.shape)}"
        )
    return _ones(agog.equal(y_true, y_pred))


@public
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """1 where the prediction is on the label's side of `threshold`, elementwise.

    >>> agog.metrics.binary_accuracy([[1.0, 0.0]], [[0.6, 0.7]]).numpy().tolist()
    [[1.0, 0.0]]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _ones(agog.equal(y_true, agog.cast(y_pred > threshold, y_true.dtype)))


@public
def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the largest prediction is at the largest label of the last axis.

    >>> agog.metrics.categorical_accuracy([[0.0, 1.0]], [[0.3, 0.7]]).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _ones(agog.equal(agog.argmax(y_true, -1), agog.argmax(y_pred, -1)))


@public
def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the largest prediction of the last axis is at the class number `y_true`.

    >>> agog.metrics.sparse_categorical_accuracy([1], [[0.3, 0.7]]).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = _classes(y_true, y_pred)
    return _ones(agog.equal(y_true, agog.argmax(y_pred, -1)))


@public
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the largest label is at one of the k largest predictions.

    >>> scores = [[0.1, 0.2, 0.3]]
    >>> agog.metrics.top_k_categorical_accuracy([[0.0, 1.0, 0.0]], scores, k=2).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _in_top_k(agog.argmax(y_true, -1), y_pred, k)


@public
def sparse_top_k_categorical_accuracy(
    y_true: Any, y_pred: Any, k: int = 5, from_sorted_ids: bool = False
) -> Any:
    """1 where the class number `y_true` is among the k largest predictions.

    With `from_sorted_ids`, y_pred holds class numbers, the best first.

    >>> scores = [[0.1, 0.2, 0.3]]
    >>> agog.metrics.sparse_top_k_categorical_accuracy([0], scores, k=2).numpy().tolist()
    [0.0]
    """
    y_true, y_pred = _classes(y_true, y_pred)
    if not from_sorted_ids:
        return _in_top_k(y_true, y_pred, k)
    found = agog.equal(agog.expand_dims(y_true, -1), agog.cast(y_pred[..., :k], agog.int64))
    return _ones(agog.reduce_any(found, -1))


def _classes(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = floating(y_pred)
    y_true = agog.cast(y_true, agog.int64)
    if len(y_true.shape) == len(y_pred.shape) and y_true.shape[-1] == 1:
        y_true = agog.squeeze(y_true, [-1])
    if not y_true.shape.is_compatible_with(y_pred.shape[:-1]):
        raise ValueError(
            "y_true must have the shape of y_pred without its last axis, got "
            f"{list(y_true.shape)} and {list(y_pred.shape)}"
        )
    return y_true, y_pred


def _in_top_k(classes: Any, scores: Any, k: int) -> Any:
    rows = agog.reshape(scores, [-1, scores.shape[-1]])
    found = agog.nn.in_top_k(
        targets=agog.reshape(classes, [-1]), predictions=agog.cast(rows, agog.float32), k=k
    )
    return _ones(agog.reshape(found, classes.shape))


def _ones(right: Any) -> Any:
    return agog.cast(right, agog.float32)
