"""Metrics of yes-or-no predictions at one or more thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import agog
from agog._core import handle, public
from agog.losses.shapes import pair
from agog.metrics.base import Metric

_segment_sum = handle("UnsortedSegmentSum")
_cumsum = handle("Cumsum")

COUNTS = ("true_positives", "false_positives", "true_negatives", "false_negatives")
_EDGE = 1e-7  # how far the outer thresholds of a curve lie beyond 0 and 1


class ConfusionMetric(Metric):
    """Base of metrics that count right and wrong answers at each of some thresholds.

    A prediction above the threshold means yes. `_counted` says which of COUNTS the metric keeps,
    each as a variable with one entry for each threshold.
    """

    _counted: tuple[str, ...] = ()

    def _set_up(
        self,
        thresholds: Sequence[float],
        shape: Any = None,
        top_k: Any = None,
        class_id: Any = None,
    ) -> None:
        self.thresholds = list(thresholds)
        self._order = sorted(range(len(thresholds)), key=lambda i: thresholds[i])
        self._ranks = sorted(range(len(thresholds)), key=lambda i: self._order[i])
        self.top_k, self.class_id = top_k, class_id
        for name in self._counted:
            setattr(self, name, self.add_variable(shape or (len(thresholds),), name=name))

    @public
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes further labels (0 or 1) and predictions into account."""
        y_true, y_pred = pair(y_true, y_pred)
        weights = _spread(sample_weight, y_pred)
        if self.top_k is not None:
            y_pred = _only_top(y_pred, self.top_k)
        if self.class_id is not None:
            y_true, y_pred = y_true[..., self.class_id], y_pred[..., self.class_id]
            weights = None if weights is None else weights[..., self.class_id]
        self._count(y_true, y_pred, weights)

    def _count(self, y_true: Any, y_pred: Any, weights: Any, labels: Any = None) -> None:
        """Adds to the counts; `labels` numbers the columns that are counted apart."""
        dtype = self._dtype
        y_pred = agog.cast(agog.reshape(y_pred, [-1]), agog.float32)
        yes = agog.cast(agog.reshape(y_true, [-1]), agog.bool)
        each = agog.ones(y_pred.shape, dtype)
        if weights is not None:
            each = agog.cast(agog.reshape(weights, [-1]), dtype)
        ordered = agog.constant([self.thresholds[i] for i in self._order], agog.float32)
        below = agog.searchsorted(ordered, y_pred)  # how many thresholds it is above
        zero = agog.zeros_like(each)
        positives = self._above(agog.where(yes, each, zero), below, labels)
        negatives = self._above(agog.where(yes, zero, each), below, labels)
        found = {
            "true_positives": positives[0],
            "false_positives": negatives[0],
            "true_negatives": negatives[1],
            "false_negatives": positives[1],
        }
        for name in self._counted:
            getattr(self, name).assign_add(found[name])

    def _above(self, each: Any, below: Any, labels: Any) -> tuple[Any, Any]:
        """Per threshold, the weight of what is above it, and of what is not."""
        bins = len(self.thresholds) + 1
        columns = 1 if labels is None else int(labels.shape[-1])
        places = below
        if labels is not None:
            flat = agog.reshape(labels, [-1])
            places = below * columns + agog.cast(flat, below.dtype)
        sums = agog.reshape(_segment_sum(each, places, bins * columns), [bins, columns])
        above = _cumsum(sums, 0, True, True)[:-1]
        under = agog.reduce_sum(sums, 0) - above
        shape = [-1] if labels is None else [-1, columns]
        back = agog.constant(self._ranks)
        return tuple(  # type: ignore[return-value]
            agog.gather(agog.reshape(part, shape), back) for part in (above, under)
        )


class _OneCount(ConfusionMetric):
    @public
    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self._set_up(_thresholds(thresholds))

    @public
    def result(self) -> Any:
        """The weight of those that were counted: a number, or one for each threshold."""
        return _single(getattr(self, self._counted[0]).value())


class TruePositives(_OneCount):
    """How many were predicted to be 1, and are.

    >>> metric = agog.metrics.TruePositives()
    >>> metric.update_state([1, 1, 0], [0.9, 0.2, 0.8])
    >>> float(metric.result())
    1.0
    """

    _counted = COUNTS[0:1]


class FalsePositives(_OneCount):
    """How many were predicted to be 1, and are 0.

    >>> metric = agog.metrics.FalsePositives()
    >>> metric.update_state([1, 1, 0], [0.9, 0.2, 0.8])
    >>> float(metric.result())
    1.0
    """

    _counted = COUNTS[1:2]


class TrueNegatives(_OneCount):
    """How many were predicted to be 0, and are.

    >>> metric = agog.metrics.TrueNegatives()
    >>> metric.update_state([1, 1, 0], [0.9, 0.2, 0.8])
    >>> float(metric.result())
    0.0
    """

    _counted = COUNTS[2:3]


class FalseNegatives(_OneCount):
    """How many were predicted to be 0, and are 1.

    >>> metric = agog.metrics.FalseNegatives()
    >>> metric.update_state([1, 1, 0], [0.9, 0.2, 0.8])
    >>> float(metric.result())
    1.0
    """

    _counted = COUNTS[3:4]


class _Ratio(ConfusionMetric):
    """The first count, as a share of both."""

    @public
    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        default = 0.5 if top_k is None else float("-inf")
        self._set_up(_thresholds(thresholds, default), top_k=top_k, class_id=class_id)

    @public
    def result(self) -> Any:
        """The share: a number, or one for each threshold."""
        right, wrong = (getattr(self, name).value() for name in self._counted)
        return _single(agog.math.divide_no_nan(right, right + wrong))


class Precision(_Ratio):
    """The share of those predicted to be 1 that are.

    With `top_k`, the k largest predictions of the last axis count as yes; `class_id` looks at one
    entry of the last axis only.

    >>> metric = agog.metrics.Precision()
    >>> metric.update_state([1, 0, 1], [0.9, 0.8, 0.2])
    >>> float(metric.result())
    0.5
    """

    _counted = ("true_positives", "false_positives")


class Recall(_Ratio):
    """The share of those that are 1 that were predicted to be.

    With `top_k`, the k largest predictions of the last axis count as yes; `class_id` looks at one
    entry of the last axis only.

    >>> metric = agog.metrics.Recall()
    >>> metric.update_state([1, 0, 1], [0.9, 0.8, 0.2])
    >>> float(metric.result())
    0.5
    """

    _counted = ("true_positives", "false_negatives")


def curve_thresholds(count: int) -> list[float]:
    """Evenly spaced thresholds, the outer ones just beyond 0 and 1."""
    if count < 1:
        raise ValueError(f"num_thresholds must be at least 1, got {count}")
    if count == 1:
        return [0.5]
    inner = [i / (count - 1) for i in range(1, count - 1)]
    return [-_EDGE, *inner, 1.0 + _EDGE]


class _AtBest(ConfusionMetric):
    """The best of one quantity over the thresholds at which another is large enough."""

    _counted = COUNTS

    def _start(
        self, least: float, what: str, count: int, class_id: Any, name: Any, dtype: Any
    ) -> None:
        if not 0 <= least <= 1:
            raise ValueError(f"{what} must be in the range [0, 1], got {least}")
        self._least = least
        self._set_up(curve_thresholds(count), class_id=class_id)

    def _best(self, limited: tuple[str, str], wanted: tuple[str, str]) -> Any:
        limit, value = (self._share(*names) for names in (limited, wanted))
        allowed = limit >= self._least
        kept = agog.where(allowed, value, agog.fill(value.shape, agog.constant(-1.0, value.dtype)))
        return agog.maximum(agog.reduce_max(kept), 0.0)

    def _share(self, right: str, wrong: str) -> Any:
        one, other = getattr(self, right).value(), getattr(self, wrong).value()
        return agog.math.divide_no_nan(one, one + other)


_SENSITIVITY = ("true_positives", "false_negatives")
_SPECIFICITY = ("true_negatives", "false_positives")
_PRECISION = ("true_positives", "false_positives")


class SensitivityAtSpecificity(_AtBest):
    """The best recall of the 1s where at least the share `specificity` of the 0s is recognised.

    >>> metric = agog.metrics.SensitivityAtSpecificity(0.5)
    >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
    >>> float(metric.result())
    0.5
    """

    @public
    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        self._start(specificity, "specificity", num_thresholds, class_id, name, dtype)

    @public
    def result(self) -> Any:
        """The best sensitivity."""
        return self._best(_SPECIFICITY, _SENSITIVITY)


class SpecificityAtSensitivity(_AtBest):
    """The best share of 0s recognised where at least `sensitivity` of the 1s are.

    >>> metric = agog.metrics.SpecificityAtSensitivity(0.5)
    >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
    >>> print(f"{float(metric.result()):.4f}")
    0.6667
    """

    @public
    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        self._start(sensitivity, "sensitivity", num_thresholds, class_id, name, dtype)

    @public
    def result(self) -> Any:
        """The best specificity."""
        return self._best(_SENSITIVITY, _SPECIFICITY)


class PrecisionAtRecall(_AtBest):
    """The best precision where the recall is at least `recall`.

    >>> metric = agog.metrics.PrecisionAtRecall(0.5)
    >>> metric.update_state([0, 0, 0, 1, 1], [0.0, 0.3, 0.8, 0.3, 0.8])
    >>> float(metric.result())
    0.5
    """

    @public
    def __init__(
        self,
        recall: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        self._start(recall, "recall", num_thresholds, class_id, name, dtype)

    @public
    def result(self) -> Any:
        """The best precision."""
        return self._best(_SENSITIVITY, _PRECISION)


class RecallAtPrecision(_AtBest):
    """The best recall where the precision is at least `precision`.

    >>> metric = agog.metrics.RecallAtPrecision(0.8)
    >>> metric.update_state([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9])
    >>> float(metric.result())
    0.5
    """

    @public
    def __init__(
        self,
        precision: float,
        num_thresholds: int = 200,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        self._start(precision, "precision", num_thresholds, class_id, name, dtype)

    @public
    def result(self) -> Any:
        """The best recall."""
        return self._best(_PRECISION, _SENSITIVITY)


def _thresholds(given: Any, default: float = 0.5) -> list[float]:
    values = [default] if given is None else given
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    wrong = [value for value in values if not 0 <= value <= 1 and value != float("-inf")]
    if wrong:
        raise ValueError(f"thresholds must be in the range [0, 1], got {wrong[0]}")
    return values


def _single(values: Any) -> Any:
    return values[0] if values.shape[0] == 1 else values


def _spread(sample_weight: Any, y_pred: Any) -> Any:
    """Weights of the predictions' shape: the axes that they lack are the last."""
    if sample_weight is None:
        return None
    weights = agog.cast(sample_weight, y_pred.dtype)
    missing = len(y_pred.shape) - len(weights.shape)
    if missing == -1 and weights.shape[-1] == 1:
        weights, missing = agog.squeeze(weights, [-1]), 0
    if missing > 0 and len(weights.shape):
        weights = agog.reshape(weights, [*weights.shape, *[1] * missing])
    return agog.broadcast_to(weights, y_pred.shape)


def _only_top(y_pred: Any, k: int) -> Any:
    """Predictions below the k largest of the last axis, moved to minus infinity."""
    places = agog.math.top_k(y_pred, k)[1]
    chosen = agog.reduce_sum(agog.one_hot(places, int(y_pred.shape[-1])), -2) > 0.0
    lowest = agog.fill(y_pred.shape, agog.constant(float("-inf"), y_pred.dtype))
    return agog.where(chosen, y_pred, lowest)
