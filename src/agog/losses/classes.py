"""Losses as objects: a function with its settings, weights and a way to reduce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import agog
from agog._core import public
from agog.losses import functions
from agog.losses.shapes import floating, same_rank

_REDUCTIONS = {
    "sum": "sum",
    "sum_over_batch_size": "sum_over_batch_size",
    "auto": "sum_over_batch_size",
    "mean": "mean",
    "mean_with_sample_weight": "mean_with_sample_weight",
    "none": "none",
    None: "none",
    "weighted_sum": "sum",
    "weighted_sum_over_batch_size": "sum_over_batch_size",
    "weighted_mean": "mean_with_sample_weight",
}


class Loss:
    """Base of losses: a subclass defines `call(y_true, y_pred)`, one value for each example.

    Calling it weighs these by `sample_weight` and reduces them: "sum_over_batch_size" divides the
    sum by the number of values (so does "mean"), "mean_with_sample_weight" by the sum of the
    weights, "sum" and "none" by nothing.

    >>> class Distance(agog.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return agog.reduce_max(agog.abs(y_true - y_pred), -1)
    >>> y = agog.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> float(Distance()(y, y + 1.0, sample_weight=[1.0, 0.0]))
    0.5
    """

    @public
    def __init__(
        self,
        name: str | None = None,
        reduction: str | None = "sum_over_batch_size",
        dtype: Any = None,
    ) -> None:
        if reduction not in _REDUCTIONS:
            known = sorted(key for key in _REDUCTIONS if key)
            raise ValueError(f"reduction must be one of {known}, got {reduction!r}")
        self.name = type(self).__name__ if name is None else name
        self.reduction = _REDUCTIONS[reduction]
        self.dtype = None if dtype is None else agog.as_dtype(dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        raise NotImplementedError(f"{type(self).__name__} must define call(y_true, y_pred)")

    @public
    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        if self.dtype is not None:
            y_pred = agog.cast(y_pred, self.dtype)
        losses = floating(self.call(y_true, y_pred))
        return reduce_weighted(losses, sample_weight, self.reduction)


def reduce_weighted(losses: Any, sample_weight: Any, reduction: str) -> Any:
    """The losses times the weights, reduced to one number unless `reduction` is "none"."""
    weights = None
    if sample_weight is not None:
        weights = agog.cast(sample_weight, losses.dtype)
        losses, weights = same_rank(losses, weights)
        _check_weights(weights, losses)
        losses = losses * weights
    if reduction == "none":
        return losses
    total = agog.reduce_sum(losses)
    if reduction == "sum":
        return total
    if reduction == "mean_with_sample_weight" and weights is not None:
        count = agog.reduce_sum(agog.broadcast_to(weights, losses.shape))
    else:
        count = agog.cast(agog.size(losses), losses.dtype)
    return agog.math.divide_no_nan(total, count)


def _check_weights(weights: Any, losses: Any) -> None:
    """Refuse weights of another rank: they would silently go along the wrong axis."""
    sizes, whole = list(weights.shape), list(losses.shape)
    fits = len(sizes) == len(whole) and all(w in (1, n) for w, n in zip(sizes, whole, strict=True))
    if sizes and not fits:
        raise ValueError(
            f"sample_weight of shape {sizes} does not fit losses of shape {whole}: it must be a "
            "scalar or have their rank, each axis equal or 1; reshape it, as in "
            "sample_weight[:, agog.newaxis]"
        )


class _Wrapped(Loss):
    """A loss that calls a function with fixed settings."""

    def __init__(
        self,
        function: Callable[..., Any],
        reduction: str | None,
        name: str | None,
        dtype: Any,
        **settings: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        self._function, self._settings = function, settings

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        return self._function(y_true, y_pred, **self._settings)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal loss."""
        return {**self._settings, "reduction": self.reduction, "name": self.name}


def _plain(class_name: str, function: Callable[..., Any], name: str, what: str) -> type[_Wrapped]:
    """A class for a function without settings."""

    def __init__(
        self: Any,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = name,
        dtype: Any = None,
    ) -> None:
        _Wrapped.__init__(self, function, reduction, name, dtype)

    __init__.__qualname__ = f"{class_name}.__init__"
    body = {"__init__": public(__init__), "__doc__": what, "__module__": __name__}
    return type(class_name, (_Wrapped,), body)


MeanSquaredError = _plain(
    "MeanSquaredError", functions.mse, "mean_squared_error", "The loss `mse`, weighed and reduced."
)
MeanAbsoluteError = _plain(
    "MeanAbsoluteError",
    functions.mae,
    "mean_absolute_error",
    "The loss `mae`, weighed and reduced.",
)
MeanAbsolutePercentageError = _plain(
    "MeanAbsolutePercentageError",
    functions.mape,
    "mean_absolute_percentage_error",
    "The loss `mape`, weighed and reduced.",
)
MeanSquaredLogarithmicError = _plain(
    "MeanSquaredLogarithmicError",
    functions.msle,
    "mean_squared_logarithmic_error",
    "The loss `msle`, weighed and reduced.",
)
LogCosh = _plain("LogCosh", functions.logcosh, "log_cosh", "The loss `logcosh`, reduced.")
Poisson = _plain("Poisson", functions.poisson, "poisson", "The loss `poisson`, reduced.")
KLDivergence = _plain("KLDivergence", functions.kld, "kl_divergence", "The loss `kld`, reduced.")
Hinge = _plain("Hinge", functions.hinge, "hinge", "The loss `hinge`, weighed and reduced.")
SquaredHinge = _plain(
    "SquaredHinge", functions.squared_hinge, "squared_hinge", "The loss `squared_hinge`, reduced."
)
CategoricalHinge = _plain(
    "CategoricalHinge",
    functions.categorical_hinge,
    "categorical_hinge",
    "The loss `categorical_hinge`, weighed and reduced.",
)


class Huber(_Wrapped):
    """The loss `huber`, weighed and reduced.

    >>> float(agog.losses.Huber(delta=2.0)([[0.0]], [[3.0]]))
    4.0
    """

    @public
    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.huber, reduction, name, dtype, delta=delta)


class CosineSimilarity(_Wrapped):
    """The loss `cosine_similarity`: -1 for vectors of one direction.

    >>> float(agog.losses.CosineSimilarity()([[2.0, 0.0]], [[1.0, 0.0]]))
    -1.0
    """

    @public
    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.cosine_similarity, reduction, name, dtype, axis=axis)


class Dice(_Wrapped):
    """The loss `dice`, weighed and reduced.

    >>> float(agog.losses.Dice()([[1.0, 0.0]], [[1.0, 0.0]]))
    0.0
    """

    @public
    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.dice, reduction, name, dtype, axis=axis)


class BinaryCrossentropy(_Wrapped):
    """The loss `binary_crossentropy`, weighed and reduced.

    >>> print(f"{float(agog.losses.BinaryCrossentropy(from_logits=True)([[1.0]], [[0.0]])):.4f}")
    0.6931
    """

    @public
    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.binary_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class BinaryFocalCrossentropy(_Wrapped):
    """The loss `binary_focal_crossentropy`, weighed and reduced.

    >>> print(f"{float(agog.losses.BinaryFocalCrossentropy()([[1.0]], [[0.5]])):.4f}")
    0.1733
    """

    @public
    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.binary_focal_crossentropy,
            reduction,
            name,
            dtype,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalCrossentropy(_Wrapped):
    """The loss `categorical_crossentropy`, weighed and reduced.

    >>> loss = agog.losses.CategoricalCrossentropy(from_logits=True)
    >>> print(f"{float(loss([[1.0, 0.0]], [[0.0, 0.0]])):.4f}")
    0.6931
    """

    @public
    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalFocalCrossentropy(_Wrapped):
    """The loss `categorical_focal_crossentropy`, weighed and reduced.

    >>> loss = agog.losses.CategoricalFocalCrossentropy()
    >>> print(f"{float(loss([[1.0, 0.0]], [[0.5, 0.5]])):.4f}")
    0.0433
    """

    @public
    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.categorical_focal_crossentropy,
            reduction,
            name,
            dtype,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(_Wrapped):
    """The loss `sparse_categorical_crossentropy`, weighed and reduced.

    With `ignore_class`, the mean is over the other labels only.

    >>> loss = agog.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> print(f"{float(loss([1], [[0.0, 0.0]])):.4f}")
    0.6931
    """

    @public
    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            functions.sparse_categorical_crossentropy,
            reduction,
            name,
            dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )
