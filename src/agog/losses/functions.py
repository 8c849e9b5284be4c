"""Losses with TensorFlow 2's names: one value for each example, reduced along the last axis."""

from __future__ import annotations

import math
from typing import Any

import agog
from agog._core import handle, public
from agog.losses.shapes import floating, pair

_log1p = handle("Log1p")

EPSILON = 1e-7  # keeps logarithms and quotients of probabilities finite


@public
def mse(y_true: Any, y_pred: Any) -> Any:
    """The mean of (y_true - y_pred)^2 along the last axis.

    >>> agog.losses.mse([[1.0, 2.0]], [[1.0, 4.0]]).numpy().tolist()
    [2.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(agog.math.squared_difference(y_true, y_pred))


@public
def mae(y_true: Any, y_pred: Any) -> Any:
    """The mean of |y_true - y_pred| along the last axis.

    >>> agog.losses.mae([[1.0, 2.0]], [[1.0, 4.0]]).numpy().tolist()
    [1.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(agog.abs(y_true - y_pred))


@public
def mape(y_true: Any, y_pred: Any) -> Any:
    """100 times the mean of |y_true - y_pred| / |y_true| along the last axis.

    >>> agog.losses.mape([[1.0, 2.0]], [[1.0, 4.0]]).numpy().tolist()
    [50.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return 100.0 * _mean(agog.abs((y_true - y_pred) / agog.maximum(agog.abs(y_true), EPSILON)))


@public
def msle(y_true: Any, y_pred: Any) -> Any:
    """The mean of (log(1 + y_true) - log(1 + y_pred))^2 along the last axis.

    >>> agog.losses.msle([[0.0]], [[0.0]]).numpy().tolist()
    [0.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    logs = [_log1p(agog.maximum(y, EPSILON)) for y in (y_true, y_pred)]
    return _mean(agog.math.squared_difference(*logs))


@public
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """The mean of e^2 / 2 where |e| <= delta and delta |e| - delta^2 / 2 beyond (Huber, 1964).

    >>> agog.losses.huber([[0.0, 0.0]], [[1.0, 3.0]]).numpy().tolist()
    [1.5]
    """
    y_true, y_pred = pair(y_true, y_pred)
    distance = agog.abs(y_pred - y_true)
    near = agog.minimum(distance, delta)
    return _mean(0.5 * near * near + delta * (distance - near))


@public
def logcosh(y_true: Any, y_pred: Any) -> Any:
    """The mean of log(cosh(y_pred - y_true)) along the last axis.

    >>> agog.losses.logcosh([[0.0]], [[0.0]]).numpy().tolist()
    [0.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    error = y_pred - y_true
    return _mean(error + agog.math.softplus(-2.0 * error) - math.log(2.0))


@public
def poisson(y_true: Any, y_pred: Any) -> Any:
    """The mean of y_pred - y_true * log(y_pred) along the last axis.

    >>> print(agog.losses.poisson([[2.0]], [[1.0]]).numpy().round(4))
    [1.]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(y_pred - y_true * agog.math.log(y_pred + EPSILON))


@public
def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Any:
    """The sum of y_true * log(y_true / y_pred) along the last axis.

    >>> agog.losses.kld([[0.5, 0.5]], [[0.5, 0.5]]).numpy().tolist()
    [0.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    y_true, y_pred = (agog.clip_by_value(y, EPSILON, 1.0) for y in (y_true, y_pred))
    return agog.reduce_sum(y_true * agog.math.log(y_true / y_pred), -1)


kld = kullback_leibler_divergence


@public
def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Minus the cosine of the angle between the vectors along `axis`; 0 where one is zero.

    >>> agog.losses.cosine_similarity([[2.0, 0.0]], [[1.0, 0.0]]).numpy().tolist()
    [-1.0]
    """
    y_true, y_pred = pair(y_true, y_pred)
    y_true, y_pred = (agog.nn.l2_normalize(y, axis) for y in (y_true, y_pred))
    return -agog.reduce_sum(y_true * y_pred, axis)


@public
def hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of max(0, 1 - y_true * y_pred); labels are -1 and 1, or 0 and 1.

    >>> agog.losses.hinge([[1.0, -1.0]], [[0.5, -2.0]]).numpy().tolist()
    [0.25]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(agog.nn.relu(1.0 - _signs(y_true) * y_pred))


@public
def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The mean of max(0, 1 - y_true * y_pred)^2; labels are -1 and 1, or 0 and 1.

    >>> agog.losses.squared_hinge([[1.0, -1.0]], [[0.5, -2.0]]).numpy().tolist()
    [0.125]
    """
    y_true, y_pred = pair(y_true, y_pred)
    return _mean(agog.square(agog.nn.relu(1.0 - _signs(y_true) * y_pred)))


@public
def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """max(0, 1 + the best wrong prediction - the right one), from one-hot labels.

    >>> agog.losses.categorical_hinge([[0.0, 1.0]], [[0.5, 0.75]]).numpy().tolist()
    [0.75]
    """
    y_true, y_pred = pair(y_true, y_pred)
    right = agog.reduce_sum(y_true * y_pred, -1)
    wrong = agog.reduce_max((1.0 - y_true) * y_pred, -1)
    return agog.nn.relu(wrong - right + 1.0)


@public
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """The mean of -y_true * log(p) - (1 - y_true) * log(1 - p) along `axis`.

    p is y_pred, kept 1e-7 away from 0 and 1, or sigmoid(y_pred) with `from_logits`.
    `label_smoothing` moves each label that far of the way towards 1/2.

    >>> print(agog.losses.binary_crossentropy([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(4))
    [0.6931]
    """
    y_true, y_pred = pair(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return agog.reduce_mean(_binary(y_true, y_pred, from_logits), axis)


@public
def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """`binary_crossentropy` times (1 - p)^gamma, p being the share given to the true class.

    With `apply_class_balancing`, also times alpha for the label 1 and 1 - alpha for 0 (Lin and
    others, 2017).

    >>> print(agog.losses.binary_focal_crossentropy([[1.0]], [[0.5]]).numpy().round(4))
    [0.1733]
    """
    y_true, y_pred = pair(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    share = agog.sigmoid(y_pred) if from_logits else y_pred
    right = y_true * share + (1.0 - y_true) * (1.0 - share)
    losses = agog.pow(1.0 - right, gamma) * _binary(y_true, y_pred, from_logits)
    if apply_class_balancing:
        losses = losses * (y_true * alpha + (1.0 - y_true) * (1.0 - alpha))
    return agog.reduce_mean(losses, axis)


@public
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """-sum(y_true * log(p)) along `axis`, from label distributions.

    p is y_pred scaled to sum to 1, or softmax(y_pred) with `from_logits`. `label_smoothing` moves
    the labels that far of the way towards all classes alike.

    >>> print(agog.losses.categorical_crossentropy([[1.0, 0.0]], [[0.5, 0.5]]).numpy().round(4))
    [0.6931]
    """
    y_true, y_pred = _distributions(y_true, y_pred, label_smoothing, axis)
    if from_logits:
        return agog.nn.softmax_cross_entropy_with_logits(y_true, y_pred, axis)
    return -agog.reduce_sum(y_true * agog.math.log(_scaled(y_pred, axis)), axis)


@public
def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """`categorical_crossentropy` whose terms are weighed by alpha * (1 - p)^gamma.

    >>> loss = agog.losses.categorical_focal_crossentropy([[1.0, 0.0]], [[0.5, 0.5]])
    >>> print(loss.numpy().round(4))
    [0.0433]
    """
    y_true, y_pred = _distributions(y_true, y_pred, label_smoothing, axis)
    share = agog.nn.softmax(y_pred, axis) if from_logits else y_pred
    share = _scaled(share, axis)
    weight = agog.cast(alpha, share.dtype) * agog.pow(1.0 - share, gamma)
    return -agog.reduce_sum(weight * y_true * agog.math.log(share), axis)


@public
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """-log(p) at the class numbers `y_true`, p along `axis` of y_pred.

    p is y_pred kept 1e-7 away from 0 and 1 and scaled to sum to 1, or softmax(y_pred) with
    `from_logits`. Where the label is `ignore_class` the loss is 0.

    >>> loss = agog.losses.sparse_categorical_crossentropy([1], [[0.5, 0.5]])
    >>> print(loss.numpy().round(4))
    [0.6931]
    """
    y_pred = floating(y_pred)
    y_true = agog.convert_to_tensor(y_true)
    rank = len(y_pred.shape)
    if len(y_true.shape) == rank and y_true.shape[-1] == 1:
        y_true = agog.squeeze(y_true, [-1])
    if axis not in (-1, rank - 1):
        at = axis % rank
        y_pred = agog.transpose(y_pred, [*range(at), *range(at + 1, rank), at])
    y_true = agog.cast(y_true, agog.int64)
    ignored = None if ignore_class is None else agog.equal(y_true, ignore_class)
    if ignored is not None:
        y_true = agog.where(ignored, agog.zeros_like(y_true), y_true)
    if not from_logits:
        y_pred = agog.math.log(agog.clip_by_value(y_pred, EPSILON, 1.0 - EPSILON))
    losses = agog.nn.sparse_softmax_cross_entropy_with_logits(y_true, y_pred)
    return losses if ignored is None else agog.where(ignored, agog.zeros_like(losses), losses)


@public
def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Any:
    """1 - 2 |A and B| / (|A| + |B|) of two sets given by degrees of membership.

    >>> float(agog.losses.dice([[1.0, 0.0]], [[1.0, 0.0]]))
    0.0
    """
    y_true, y_pred = pair(y_true, y_pred)
    both = agog.reduce_sum(y_true * y_pred, axis)
    sizes = agog.reduce_sum(y_true, axis) + agog.reduce_sum(y_pred, axis)
    return 1.0 - agog.math.divide_no_nan(2.0 * both + EPSILON, sizes + EPSILON)


MSE, MAE, MAPE, MSLE, KLD = mse, mae, mape, msle, kld


def _mean(losses: Any) -> Any:
    return agog.reduce_mean(losses, -1)


def _signs(labels: Any) -> Any:
    """-1 and 1, where the labels are 0 and 1."""
    binary = agog.reduce_all(agog.logical_or(agog.equal(labels, 0.0), agog.equal(labels, 1.0)))
    return agog.where(binary, 2.0 * labels - 1.0, labels)


def _binary(y_true: Any, y_pred: Any, from_logits: bool) -> Any:
    if from_logits:
        return agog.nn.sigmoid_cross_entropy_with_logits(labels=y_true, logits=y_pred)
    p = agog.clip_by_value(y_pred, EPSILON, 1.0 - EPSILON)
    return -y_true * agog.math.log(p) - (1.0 - y_true) * agog.math.log(1.0 - p)


def _distributions(y_true: Any, y_pred: Any, label_smoothing: float, axis: int) -> tuple[Any, Any]:
    y_true, y_pred = pair(y_true, y_pred)
    if label_smoothing:
        classes = int(y_pred.shape[axis])
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    return y_true, y_pred


def _scaled(shares: Any, axis: int) -> Any:
    total = agog.reduce_sum(shares, axis, keepdims=True)
    return agog.clip_by_value(shares / total, EPSILON, 1.0 - EPSILON)
