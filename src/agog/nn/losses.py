"""Losses of logits and of rates, one value for each example."""

from __future__ import annotations

import math
from typing import Any

from agog import dtypes
from agog._axes import checked_axis
from agog._core import Tensor, convert, handle, public, public_op
from agog.errors import InvalidArgumentError
from agog.math.casting import cast
from agog.types import TensorLike

_exp = handle("Exp")
_greater_equal = handle("GreaterEqual")
_l2_loss = handle("L2Loss")
_log = handle("Log")
_log1p = handle("Log1p")
_logical_and = handle("LogicalAnd")
_less_equal = handle("LessEqual")
_reshape = handle("Reshape")
_select = handle("SelectV2")
_shape = handle("Shape")
_softmax_cross_entropy = handle("SoftmaxCrossEntropyWithLogits")
_sparse_softmax_cross_entropy = handle("SparseSoftmaxCrossEntropyWithLogits")
_transpose = handle("Transpose")
_zeros_like = handle("ZerosLike")

_HALF_TYPES = (dtypes.float16, dtypes.bfloat16)


@public
def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """-sum(labels * log_softmax(logits)) along `axis`.

    Each row of `labels` is a distribution. Gradients flow to both arguments.

    >>> print(agog.nn.softmax_cross_entropy_with_logits([0.0, 1.0], [0.0, 0.0]).numpy().round(4))
    0.6931
    """
    logits = convert(logits)
    dtype = logits.dtype
    if dtype in _HALF_TYPES:
        logits = cast(logits, dtypes.float32)
    wanted: Tensor = cast(convert(labels, None, dtype), logits.dtype)
    rank = logits.ndim
    axis = checked_axis(axis, rank)
    if wanted.ndim == 0:
        raise InvalidArgumentError(None, None, "labels must have an axis of classes, got a scalar")
    if axis != rank - 1:
        last = [*range(axis), *range(axis + 1, rank), axis]
        logits = _transpose(logits, last)
        wanted = _transpose(wanted, last)
    if rank == 2:
        loss = _softmax_cross_entropy(logits, wanted, name)[0]
    else:
        loss = _softmax_cross_entropy(_rows(convert(logits)), _rows(wanted), name)[0]
        loss = _reshape(loss, _shape(logits, dtypes.int32)[:-1])
    return cast(loss, dtype)


def _rows(x: Tensor) -> Tensor:
    """`x` as a matrix of its last axis."""
    classes = x.shape[-1]
    classes = _shape(x, dtypes.int32)[-1] if classes is None else classes
    return _reshape(x, [math.prod(x.shape[:-1]) if classes == 0 else -1, classes])


@public
def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """-log_softmax(logits) at the class numbers `labels`, along the last axis.

    `labels` has the shape of `logits` without its last axis. A label out of range is an error.

    >>> print(agog.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).numpy().round(4))
    [0.6931]
    """
    labels, logits = convert(labels), convert(logits)
    dtype = logits.dtype
    rank = logits.ndim
    if not rank or labels.ndim != rank - 1:
        raise ValueError(
            f"labels must have one axis less than logits, got shapes {labels.shape} "
            f"and {logits.shape}"
        )
    if dtype in _HALF_TYPES:
        logits = cast(logits, dtypes.float32)
    if rank == 2:
        loss = _sparse_softmax_cross_entropy(logits, labels, name)[0]
    else:
        labels.shape.assert_is_compatible_with(logits.shape[:-1])
        loss = _sparse_softmax_cross_entropy(_rows(logits), _reshape(labels, [-1]), name)[0]
        loss = _reshape(loss, _shape(labels, dtypes.int32))
    return cast(loss, dtype)


def _alike(labels: Any, logits: Any) -> tuple[Tensor, Tensor]:
    """Both as tensors of one dtype; ValueError unless their shapes fit."""
    logits = convert(logits)
    labels = convert(labels, None, logits.dtype)
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"labels and logits must have one shape, got shapes {labels.shape} and {logits.shape}"
        )
    return labels, logits


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """max(x, 0) and -abs(x), with the gradients of the right side at 0."""
    positive = _greater_equal(x, 0)
    return _select(positive, x, 0), _select(positive, -x, x)


@public
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """-(z * log(p) + (1 - z) * log(1 - p)) of labels z and p = sigmoid(logits), elementwise.

    >>> print(agog.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0]).numpy().round(4))
    [0.6931]
    """
    if labels is None or logits is None:
        raise ValueError("labels and logits must both be given")
    labels, logits = _alike(labels, logits)
    above, below = _parts(logits)
    return above - logits * labels + _log1p(_exp(below))


@public
def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: TensorLike, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` with the first of its terms times `pos_weight`.

    >>> print(agog.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy().round(4))
    [1.3863]
    """
    labels, logits = _alike(labels, logits)
    weight = 1 + (convert(pos_weight, None, logits.dtype) - 1) * labels
    above, below = _parts(-logits)
    return (1 - labels) * logits + weight * (_log1p(_exp(below)) + above)


@public
def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """exp(log_input) - log_input * targets: -log of the Poisson likelihood but for a constant.

    `compute_full_loss` adds Stirling's approximation of that constant, 0 for targets in [0, 1].

    >>> agog.nn.log_poisson_loss([2.0], [0.0]).numpy().tolist()
    [1.0]
    """
    targets, log_input = _alike(targets, log_input)
    loss = _exp(log_input) - log_input * targets
    if not compute_full_loss:
        return loss
    small = _logical_and(_greater_equal(targets, 0), _less_equal(targets, 1))
    safe = _select(small, 1, targets)
    stirling = safe * _log(safe) - safe + 0.5 * _log(2 * math.pi * safe)
    return loss + _select(small, _zeros_like(targets), stirling)


@public_op(_l2_loss)
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of squares.

    >>> agog.nn.l2_loss([3.0, 4.0]).numpy().item()
    12.5
    """
    return _l2_loss(t, name)
