"""Metrics that are means: accuracies, and losses over all examples."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import agog
from agog._core import public
from agog.losses import functions as losses
from agog.losses.shapes import pair
from agog.metrics import functions
from agog.metrics.base import Mean, MeanMetricWrapper


def _cosine(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    return -losses.cosine_similarity(y_true, y_pred, axis)


def _mean_of(
    class_name: str,
    name: str,
    function: Callable[..., Any],
    what: str,
    first: dict[str, Any] | None = None,
    **settings: Any,
) -> type[MeanMetricWrapper]:
    """A class whose constructor takes settings before (`first`) and after `name` and `dtype`."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        MeanMetricWrapper.__init__(self, function, given.pop("name"), given.pop("dtype"), **given)

    parameters = {**(first or {}), "name": name, "dtype": None, **settings}
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            inspect.Parameter("self", kind),
            *(inspect.Parameter(key, kind, default=value) for key, value in parameters.items()),
        ]
    )
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{class_name}.__init__"
    body = {"__init__": public(__init__), "__doc__": what, "__module__": __name__}
    return type(class_name, (MeanMetricWrapper,), body)


Accuracy = _mean_of(
    "Accuracy", "accuracy", functions.accuracy, "The share of predictions that equal the labels."
)
BinaryAccuracy = _mean_of(
    "BinaryAccuracy",
    "binary_accuracy",
    functions.binary_accuracy,
    "The share of predictions on the label's side of `threshold`.",
    threshold=0.5,
)
CategoricalAccuracy = _mean_of(
    "CategoricalAccuracy",
    "categorical_accuracy",
    functions.categorical_accuracy,
    "The share of examples whose largest prediction is at the largest label.",
)
SparseCategoricalAccuracy = _mean_of(
    "SparseCategoricalAccuracy",
    "sparse_categorical_accuracy",
    functions.sparse_categorical_accuracy,
    "The share of examples whose largest prediction is at the class number that is the label.",
)
TopKCategoricalAccuracy = _mean_of(
    "TopKCategoricalAccuracy",
    "top_k_categorical_accuracy",
    functions.top_k_categorical_accuracy,
    "The share of examples whose largest label is at one of the k largest predictions.",
    first={"k": 5},
)
SparseTopKCategoricalAccuracy = _mean_of(
    "SparseTopKCategoricalAccuracy",
    "sparse_top_k_categorical_accuracy",
    functions.sparse_top_k_categorical_accuracy,
    "The share of examples whose class number is among the k largest predictions.",
    first={"k": 5},
    from_sorted_ids=False,
)
MeanSquaredError = _mean_of(
    "MeanSquaredError", "mean_squared_error", losses.mse, "The mean of `losses.mse`."
)
MeanAbsoluteError = _mean_of(
    "MeanAbsoluteError", "mean_absolute_error", losses.mae, "The mean of `losses.mae`."
)
MeanAbsolutePercentageError = _mean_of(
    "MeanAbsolutePercentageError",
    "mean_absolute_percentage_error",
    losses.mape,
    "The mean of `losses.mape`.",
)
MeanSquaredLogarithmicError = _mean_of(
    "MeanSquaredLogarithmicError",
    "mean_squared_logarithmic_error",
    losses.msle,
    "The mean of `losses.msle`.",
)
LogCoshError = _mean_of("LogCoshError", "logcosh", losses.logcosh, "The mean of `losses.logcosh`.")
Poisson = _mean_of("Poisson", "poisson", losses.poisson, "The mean of `losses.poisson`.")
KLDivergence = _mean_of("KLDivergence", "kl_divergence", losses.kld, "The mean of `losses.kld`.")
Hinge = _mean_of("Hinge", "hinge", losses.hinge, "The mean of `losses.hinge`.")
SquaredHinge = _mean_of(
    "SquaredHinge", "squared_hinge", losses.squared_hinge, "The mean of `losses.squared_hinge`."
)
CategoricalHinge = _mean_of(
    "CategoricalHinge",
    "categorical_hinge",
    losses.categorical_hinge,
    "The mean of `losses.categorical_hinge`.",
)
CosineSimilarity = _mean_of(
    "CosineSimilarity",
    "cosine_similarity",
    _cosine,
    "The mean cosine of the angle between labels and predictions along `axis`.",
    axis=-1,
)
BinaryCrossentropy = _mean_of(
    "BinaryCrossentropy",
    "binary_crossentropy",
    losses.binary_crossentropy,
    "The mean of `losses.binary_crossentropy`.",
    from_logits=False,
    label_smoothing=0,
)
CategoricalCrossentropy = _mean_of(
    "CategoricalCrossentropy",
    "categorical_crossentropy",
    losses.categorical_crossentropy,
    "The mean of `losses.categorical_crossentropy`.",
    from_logits=False,
    label_smoothing=0,
    axis=-1,
)
SparseCategoricalCrossentropy = _mean_of(
    "SparseCategoricalCrossentropy",
    "sparse_categorical_crossentropy",
    losses.sparse_categorical_crossentropy,
    "The mean of `losses.sparse_categorical_crossentropy`.",
    from_logits=False,
    ignore_class=None,
    axis=-1,
)


class RootMeanSquaredError(Mean):
    """The root of the mean of (y_true - y_pred)^2 over all elements.

    >>> metric = agog.metrics.RootMeanSquaredError()
    >>> metric.update_state([1.0, 2.0], [1.0, 2.0])
    >>> float(metric.result())
    0.0
    """

    @public
    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    @public
    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Takes further labels and predictions into account."""
        y_true, y_pred = pair(y_true, y_pred)
        super().update_state(agog.math.squared_difference(y_true, y_pred), sample_weight)

    @public
    def result(self) -> Any:
        """The root of the mean."""
        return agog.sqrt(super().result())
