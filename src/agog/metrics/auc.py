"""The area under the curves of yes-or-no predictions."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public
from agog.losses.shapes import floating
from agog.metrics.confusion import _EDGE, COUNTS, ConfusionMetric, curve_thresholds

_CURVES = {"roc": "ROC", "pr": "PR"}
_METHODS = {
    "interpolation": "interpolation",
    "careful_interpolation": "interpolation",
    "minoring": "minoring",
    "majoring": "majoring",
}


class AUC(ConfusionMetric):
    """The area under the curve "ROC" (recall against false alarms) or "PR" (precision, recall).

    `summation_method` is "interpolation" (trapezoids for ROC, for PR the true positives
    interpolated, Davis and Goadrich, 2006), "minoring" or "majoring" (the lower or upper end of
    each step). `multi_label` takes the columns of the last axis apart and gives their mean,
    weighed by `label_weights`. The true area is that of infinitely many thresholds.

    >>> metric = agog.metrics.AUC()
    >>> metric.update_state([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> float(metric.result())
    0.75
    """

    _counted = COUNTS

    @public
    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
        multi_label: bool = False,
        num_labels: int | None = None,
        label_weights: Any = None,
        from_logits: bool = False,
    ) -> None:
        super().__init__(dtype, name)
        self.curve = _one_of("curve", curve, _CURVES)
        self.summation_method = _one_of("summation_method", summation_method, _METHODS)
        if thresholds is None and num_thresholds <= 1:
            raise ValueError(f"num_thresholds must be above 1, got {num_thresholds}")
        if thresholds is None:
            thresholds = curve_thresholds(num_thresholds)
        else:
            thresholds = [-_EDGE, *sorted(thresholds), 1.0 + _EDGE]
        self.multi_label, self._from_logits = multi_label, from_logits
        self.label_weights = label_weights
        self._points = thresholds
        self.thresholds = list(thresholds)
        if not multi_label or num_labels is not None:
            self._set_up(thresholds, (len(thresholds), num_labels) if multi_label else None)

    @public
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes further labels (0 or 1) and predictions (0 to 1, unless logits) into account."""
        y_pred = floating(y_pred)
        if self._from_logits:
            y_pred = agog.sigmoid(y_pred)
        if self.multi_label and not hasattr(self, COUNTS[0]):
            self._set_up(self._points, (len(self._points), int(y_pred.shape[-1])))
        super().update_state(y_true, y_pred, sample_weight)

    def _count(self, y_true: Any, y_pred: Any, weights: Any, labels: Any = None) -> None:
        if self.multi_label:
            labels = agog.broadcast_to(agog.range(int(y_pred.shape[-1])), y_pred.shape)
        super()._count(y_true, y_pred, weights, labels)

    @public
    def result(self) -> Any:
        """The area."""
        if not hasattr(self, COUNTS[0]):
            return agog.zeros([], self._dtype)
        counts = tuple(getattr(self, name).value() for name in COUNTS)
        if self.curve == "PR" and self.summation_method == "interpolation":
            areas = _interpolated_precision(*counts)
        else:
            areas = self._steps(*counts)
        if not self.multi_label:
            return agog.reduce_sum(areas)
        areas = agog.reduce_sum(areas, 0)
        if self.label_weights is None:
            return agog.reduce_mean(areas)
        weights = agog.cast(self.label_weights, areas.dtype)
        return agog.math.divide_no_nan(agog.reduce_sum(areas * weights), agog.reduce_sum(weights))

    def _steps(self, tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
        """The areas between neighbouring thresholds."""
        divide = agog.math.divide_no_nan
        recall = divide(tp, tp + fn)
        if self.curve == "ROC":
            across, up = divide(fp, fp + tn), recall
        else:
            across, up = recall, divide(tp, tp + fp)
        if self.summation_method == "interpolation":
            heights = (up[:-1] + up[1:]) / 2.0
        else:
            pick = agog.minimum if self.summation_method == "minoring" else agog.maximum
            heights = pick(up[:-1], up[1:])
        return (across[:-1] - across[1:]) * heights


def _interpolated_precision(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    """Areas under precision over recall, true positives growing evenly between thresholds.

    With tp = slope * p + intercept, p being all those predicted to be 1, the integral of tp / p
    over tp is slope * (change of tp + intercept * log(ratio of p)).
    """
    divide = agog.math.divide_no_nan
    p = tp + fp
    change, rise = tp[:-1] - tp[1:], p[:-1] - p[1:]
    slope = divide(change, agog.maximum(rise, 0.0))
    intercept = tp[1:] - slope * p[1:]
    both = agog.logical_and(p[:-1] > 0.0, p[1:] > 0.0)
    ratio = agog.where(both, divide(p[:-1], p[1:]), agog.ones_like(rise))
    area = slope * (change + intercept * agog.math.log(ratio))
    return divide(area, agog.maximum(tp[1:] + fn[1:], 0.0))


def _one_of(argument: str, given: str, known: dict[str, str]) -> str:
    found = known.get(str(given).lower())
    if found is None:
        raise ValueError(f"{argument} must be one of {sorted(set(known.values()))}, got {given!r}")
    return found
