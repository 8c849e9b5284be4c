"""Losses with TensorFlow 1's names: one number from labels and predictions."""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import agog
from agog._core import public

__all__ = [
    "Reduction",
    "absolute_difference",
    "compute_weighted_loss",
    "cosine_distance",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_pairwise_squared_error",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]


class Reduction:
    """How a loss per element becomes one number.

    NONE keeps the elements, SUM adds them, MEAN divides the sum by the sum of the weights,
    SUM_OVER_BATCH_SIZE by the number of elements and SUM_BY_NONZERO_WEIGHTS (the default) by the
    number of elements whose weight is not zero.
    """

    AUTO = "auto"  # what the class of the loss takes by default
    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every way to reduce."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError unless `key` is one of them."""
        if key not in cls.all():
            raise ValueError(f"reduction must be one of {sorted(set(cls.all()))}, got {key!r}")


@public
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The losses times their weights, reduced to one number.

    `weights` is a scalar, or has the rank of `losses` with each axis equal or 1. A sum over no
    elements, or over weights that are all zero, is 0.

    >>> print(agog.losses.compute_weighted_loss([1.0, 3.0, 5.0], weights=[1.0, 1.0, 0.0]))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """
    Reduction.validate(reduction)
    losses = agog.convert_to_tensor(losses)
    given = losses.dtype
    losses = agog.cast(losses, agog.float32)
    weights = agog.cast(agog.convert_to_tensor(weights), agog.float32)
    _check_weights(weights, losses)
    weighted = losses * weights
    if reduction == Reduction.NONE:
        return agog.cast(weighted, given)
    result = agog.reduce_sum(weighted)
    if reduction != Reduction.SUM:
        result = _divide(result, _present(losses, weights, reduction))
    return agog.cast(result, given)


@public
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean distance |predictions - labels|.

    >>> print(agog.losses.absolute_difference([1.0, 2.0], [1.0, 5.0]))
    tf.Tensor(1.5, shape=(), dtype=float32)
    """
    labels, predictions = _pair(labels, predictions)
    losses = agog.abs(predictions - labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@public
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean of (predictions - labels)^2; the shapes must be equal.

    >>> print(agog.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0]))
    tf.Tensor(2.0, shape=(), dtype=float32)
    """
    labels, predictions = _pair(labels, predictions)
    difference = predictions - labels
    return compute_weighted_loss(
        difference * difference, weights, scope, loss_collection, reduction
    )


@public
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
) -> Any:
    """The mean, over pairs of elements of one example, of their differences' errors squared.

    With d = predictions - labels it is the mean of (d_i - d_j)^2 over the pairs i, j of each
    example, so a shift of all predictions costs nothing. `weights` is a scalar or one for each
    example.

    >>> loss = agog.losses.mean_pairwise_squared_error([[0.0, 1.0]], [[5.0, 8.0]])
    >>> float(loss)
    4.0
    """
    labels, predictions = _pair(labels, predictions)
    weights = agog.cast(agog.convert_to_tensor(weights), agog.float32)
    _check_weights(weights, labels)
    axes = list(range(1, len(labels.shape)))
    difference = predictions - labels
    size = agog.cast(agog.size(labels), agog.float32)
    count = agog.math.divide_no_nan(size, agog.cast(agog.shape(labels)[0], agog.float32))
    squares = agog.reduce_sum(agog.square(difference), axes, keepdims=True)
    total = agog.reduce_sum(difference, axes, keepdims=True)
    pairs = agog.math.divide_no_nan(squares, count - 1.0)
    both = agog.math.divide_no_nan(agog.square(total), count * (count - 1.0))
    weighted = (2.0 * (pairs - both)) * weights
    present = agog.cast(agog.not_equal(weights, 0.0), agog.float32) * agog.ones_like(squares)
    return agog.math.divide_no_nan(agog.reduce_sum(weighted), agog.reduce_sum(present))


@public
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Any:
    """1 minus the product of labels and predictions summed along `axis`; both of unit length.

    >>> print(agog.losses.cosine_distance([[1.0, 0.0]], [[0.0, 1.0]], axis=1))
    tf.Tensor(1.0, shape=(), dtype=float32)
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("axis must be given: the one along which the vectors lie")
    labels, predictions = _pair(labels, predictions)
    losses = 1.0 - agog.reduce_sum(labels * predictions, axis=[axis], keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@public
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean of max(0, 1 - y * logits), where y is -1 for the label 0 and 1 for the label 1.

    >>> print(agog.losses.hinge_loss([0.0, 1.0], [-2.0, 0.5]))
    tf.Tensor(0.25, shape=(), dtype=float32)
    """
    labels, logits = _pair(labels, logits)
    losses = agog.nn.relu(1.0 - (2.0 * labels - 1.0) * logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@public
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean of e^2 / 2 where |e| <= delta and of delta |e| - delta^2 / 2 beyond.

    >>> print(agog.losses.huber_loss([0.0, 0.0], [1.0, 3.0]))
    tf.Tensor(1.5, shape=(), dtype=float32)
    """
    labels, predictions = _pair(labels, predictions)
    distance = agog.abs(predictions - labels)
    near = agog.minimum(distance, delta)
    losses = 0.5 * near * near + delta * (distance - near)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@public
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean of -labels * log(p) - (1 - labels) * log(1 - p) for probabilities p.

    `epsilon` is added inside both logarithms. From logits, use `sigmoid_cross_entropy`.

    >>> print(f"{float(agog.losses.log_loss([1.0, 0.0], [0.5, 0.5])):.4f}")
    0.6931
    """
    labels, predictions = _pair(labels, predictions)
    yes = labels * agog.math.log(predictions + epsilon)
    no = (1.0 - labels) * agog.math.log(1.0 - predictions + epsilon)
    return compute_weighted_loss(-yes - no, weights, scope, loss_collection, reduction)


@public
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean cross-entropy of independent yes-or-no labels, from logits.

    `label_smoothing` moves each label that far of the way towards 1/2.

    >>> print(f"{float(agog.losses.sigmoid_cross_entropy([1.0, 0.0], [0.0, 0.0])):.4f}")
    0.6931
    """
    labels, logits = _pair_logits(multi_class_labels, logits)
    if label_smoothing > 0:
        labels = labels * (1.0 - label_smoothing) + 0.5 * label_smoothing
    losses = agog.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@public
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean cross-entropy between label distributions and softmax(logits), along the last axis.

    `label_smoothing` moves the labels that far of the way towards all classes alike. No gradient
    flows to the labels.

    >>> logits = agog.constant([[0.0, 0.0]])
    >>> print(f"{float(agog.losses.softmax_cross_entropy([[1.0, 0.0]], logits)):.4f}")
    0.6931
    """
    labels, logits = _pair_logits(onehot_labels, logits)
    if label_smoothing > 0:
        classes = int(labels.shape[-1])
        labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    losses = agog.nn.softmax_cross_entropy_with_logits(
        labels=agog.stop_gradient(labels), logits=logits
    )
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@public
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = "losses",
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The mean cross-entropy between class numbers and softmax(logits), along the last axis.

    `labels` has the shape of `logits` without its last axis; a further axis of size 1 is dropped,
    also from `weights`.

    >>> logits = agog.constant([[0.0, 0.0], [0.0, 100.0]])
    >>> print(f"{float(agog.losses.sparse_softmax_cross_entropy([0, 1], logits)):.4f}")
    0.3466
    """
    logits = agog.convert_to_tensor(logits)
    labels = agog.convert_to_tensor(labels)
    weights = agog.convert_to_tensor(weights)
    rank = len(logits.shape) - 1
    if len(labels.shape) == rank + 1 > 0 and labels.shape[-1] == 1:
        labels = agog.squeeze(labels, [-1])
    if len(weights.shape) == rank + 1 > 0 and weights.shape[-1] == 1:
        weights = agog.squeeze(weights, [-1])
    losses = agog.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _pair(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Both in float32, as TensorFlow compares them whatever their dtype."""
    return _same_shape(agog.cast(labels, agog.float32), agog.cast(predictions, agog.float32))


def _pair_logits(labels: Any, logits: Any) -> tuple[Any, Any]:
    """Both in the dtype of the logits."""
    logits = agog.convert_to_tensor(logits)
    return _same_shape(agog.cast(labels, logits.dtype), logits)


def _same_shape(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Refuse shapes that merely broadcast.

    (n,) against (n, 1) would compare every label with every prediction.
    """
    if list(labels.shape) != list(predictions.shape):
        raise ValueError(
            f"labels and predictions must have the same shape, got {list(labels.shape)} and "
            f"{list(predictions.shape)}: reshape or squeeze one of them"
        )
    return labels, predictions


def _check_weights(weights: Any, losses: Any) -> None:
    shape, whole = list(weights.shape), list(losses.shape)
    if not shape:
        return
    fits = len(shape) == len(whole) and all(
        size in (1, full) for size, full in zip(shape, whole, strict=True)
    )
    if not fits:
        _refuse_weights(shape, whole)


def _refuse_weights(shape: list[int], whole: list[int]) -> NoReturn:
    raise ValueError(
        f"weights must be a scalar or have the rank of the losses with each axis equal or 1: "
        f"got shape {shape} for losses of shape {whole}"
    )


def _divide(total: Any, count: Any) -> Any:
    """total / count, and 0 where there is nothing to count."""
    if isinstance(count, int):
        return total / float(count) if count else agog.zeros_like(total)
    return agog.math.divide_no_nan(total, count)


def _present(losses: Any, weights: Any, reduction: str) -> Any:
    """What the sum is divided by: a number where shapes tell it, else a tensor."""
    size = _size(losses)
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return size
    spread = size // max(_size(weights), 1)
    if reduction == Reduction.MEAN:
        return agog.reduce_sum(weights) * float(spread)
    nonzero = agog.cast(agog.not_equal(weights, 0.0), agog.float32)
    return agog.reduce_sum(nonzero) * float(spread)


def _size(tensor: Any) -> int:
    size = 1
    for length in tensor.shape:
        size = operator.index(length) * size
    return size
