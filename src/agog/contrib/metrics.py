"""Metrics with the names of 2017: `agog.contrib.eager.metrics`.

Calling one updates it and gives its arguments back, so that calls chain; sums are in float64.
"""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public
from agog.losses.shapes import floating
from agog.metrics import AUC as _AUC
from agog.metrics import Mean as _Mean
from agog.metrics import Precision as _Precision
from agog.metrics import Recall as _Recall
from agog.metrics import functions


class Metric:
    """What all metrics here have beside those of `agog.metrics`.

    >>> import agog.contrib.eager as tfe
    >>> isinstance(tfe.metrics.Mean(), tfe.metrics.Metric)
    True
    """

    def init_variables(self) -> None:
        """Forgets all that was seen."""
        self.reset_state()  # type: ignore[attr-defined]


class Mean(Metric, _Mean):
    """The mean of all values, in float64.

    >>> mean = agog.contrib.eager.metrics.Mean()
    >>> _ = mean([1.0, 3.0])
    >>> _ = mean(8.0, weights=2.0)
    >>> float(mean.result())
    5.0
    """

    @public
    def __init__(
        self, name: str | None = None, dtype: Any = agog.float64, use_global_variables: bool = False
    ) -> None:
        super().__init__(name, dtype)

    @public
    def __call__(self, values: Any, weights: Any = None) -> Any:
        self.update_state(values, weights)
        return values if weights is None else (values, weights)


class _OfPredictions(Mean):
    """The mean of a function of labels and predictions."""

    def _values(self, labels: Any, predictions: Any) -> Any:
        raise NotImplementedError

    @public
    def __call__(  # type: ignore[override]
        self, labels: Any, predictions: Any, weights: Any = None
    ) -> Any:
        self.update_state(self._values(labels, predictions), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class Accuracy(_OfPredictions):
    """The share of predictions that equal the labels, which must have their shape.

    >>> accuracy = agog.contrib.eager.metrics.Accuracy()
    >>> _ = accuracy([1, 2, 3, 4], [1, 2, 3, 0])
    >>> float(accuracy.result())
    0.75
    """

    def _values(self, labels: Any, predictions: Any) -> Any:
        labels, predictions = (agog.convert_to_tensor(x) for x in (labels, predictions))
        if list(labels.shape) != list(predictions.shape):
            raise ValueError(
                f"labels and predictions must have the same shape, got {list(labels.shape)} and "
                f"{list(predictions.shape)}"
            )
        return functions.accuracy(labels, predictions)


class CategoricalAccuracy(_OfPredictions):
    """The share of examples whose largest prediction is at the largest label.

    >>> accuracy = agog.contrib.eager.metrics.CategoricalAccuracy()
    >>> _ = accuracy([[0.0, 1.0]], [[0.3, 0.7]])
    >>> float(accuracy.result())
    1.0
    """

    def _values(self, labels: Any, predictions: Any) -> Any:
        return functions.categorical_accuracy(labels, predictions)


class SparseAccuracy(_OfPredictions):
    """The share of examples whose largest prediction is at the class number that is the label.

    >>> accuracy = agog.contrib.eager.metrics.SparseAccuracy()
    >>> _ = accuracy([1], [[0.3, 0.7]])
    >>> float(accuracy.result())
    1.0
    """

    def _values(self, labels: Any, predictions: Any) -> Any:
        return functions.sparse_categorical_accuracy(labels, predictions)


class BinaryAccuracy(_OfPredictions):
    """The share of predictions on the label's side of `threshold`.

    >>> accuracy = agog.contrib.eager.metrics.BinaryAccuracy(threshold=0.8)
    >>> _ = accuracy([[0.0]], [[0.7]])
    >>> float(accuracy.result())
    1.0
    """

    @public
    def __init__(
        self, threshold: float, name: str | None = None, dtype: Any = agog.float64
    ) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def _values(self, labels: Any, predictions: Any) -> Any:
        return functions.binary_accuracy(labels, floating(predictions), self.threshold)


class _Counting(Metric):
    @public
    def __call__(self, labels: Any, predictions: Any, weights: Any = None) -> Any:
        self.update_state(labels, predictions, weights)  # type: ignore[attr-defined]
        return (labels, predictions) if weights is None else (labels, predictions, weights)


class Precision(_Counting, _Precision):
    """`agog.metrics.Precision`, called as the metrics of 2017 are.

    >>> precision = agog.contrib.eager.metrics.Precision()
    >>> _ = precision([1, 0, 1], [0.9, 0.8, 0.2])
    >>> float(precision.result())
    0.5
    """


class Recall(_Counting, _Recall):
    """`agog.metrics.Recall`, called as the metrics of 2017 are.

    >>> recall = agog.contrib.eager.metrics.Recall()
    >>> _ = recall([1, 0, 1], [0.9, 0.8, 0.2])
    >>> float(recall.result())
    0.5
    """


class AUC(_Counting, _AUC):
    """`agog.metrics.AUC`, called as the metrics of 2017 are.

    >>> auc = agog.contrib.eager.metrics.AUC()
    >>> _ = auc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> float(auc.result())
    0.75
    """


__all__ = [
    "AUC",
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "Metric",
    "Precision",
    "Recall",
    "SparseAccuracy",
]
