"""Metrics of the table of labels against predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import agog
from agog._core import handle, public
from agog.metrics.base import Metric

_segment_sum = handle("UnsortedSegmentSum")


class IoU(Metric):
    """Intersection over union of the classes `target_class_ids`, their mean.

    Labels and predictions are class numbers, or scores along `axis` where `sparse_y_true` or
    `sparse_y_pred` is false. Classes that occur in neither do not count.

    >>> metric = agog.metrics.IoU(num_classes=2, target_class_ids=[1])
    >>> metric.update_state([0, 1, 1], [0, 0, 1])
    >>> float(metric.result())
    0.5
    """

    @public
    def __init__(
        self,
        num_classes: int,
        target_class_ids: Sequence[int],
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(dtype, name)
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        if any(not 0 <= i < num_classes for i in self.target_class_ids):
            raise ValueError(
                f"target_class_ids must be in [0, {num_classes}), got {target_class_ids}"
            )
        self._ignore_class, self._axis = ignore_class, axis
        self._sparse = sparse_y_true, sparse_y_pred
        shape = (num_classes, num_classes)
        self.total_confusion_matrix = self.add_variable(shape, name="total_confusion_matrix")

    @public
    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes further labels and predictions into account."""
        numbers = [
            agog.reshape(agog.cast(y, agog.int64) if sparse else agog.argmax(y, self._axis), [-1])
            for y, sparse in zip((y_true, y_pred), self._sparse, strict=True)
        ]
        if numbers[0].shape != numbers[1].shape:
            raise ValueError(
                f"y_true and y_pred must have as many elements, got {numbers[0].shape[0]} and "
                f"{numbers[1].shape[0]}"
            )
        weights = agog.ones(numbers[0].shape, self._dtype)
        if sample_weight is not None:
            weights = agog.broadcast_to(agog.cast(sample_weight, self._dtype), agog.shape(y_true))
            weights = agog.reshape(weights, [-1])
        if self._ignore_class is not None:
            kept = agog.not_equal(numbers[0], self._ignore_class)
            numbers = [agog.boolean_mask(n, kept) for n in numbers]
            weights = agog.boolean_mask(weights, kept)
        self._add(numbers[0], numbers[1], weights)

    def _add(self, y_true: Any, y_pred: Any, weights: Any) -> None:
        count = self.num_classes
        for what, numbers in (("labels", y_true), ("predictions", y_pred)):
            if bool(agog.reduce_any(agog.logical_or(numbers < 0, numbers >= count))):
                raise agog.errors.InvalidArgumentError(
                    None, None, f"{what} must be class numbers in [0, {count})"
                )
        sums = _segment_sum(weights, y_true * count + y_pred, count * count)
        self.total_confusion_matrix.assign_add(agog.reshape(sums, [count, count]))

    @public
    def result(self) -> Any:
        """The mean over the target classes that occur."""
        table = self.total_confusion_matrix.value()
        right = agog.linalg.diag_part(table)
        union = agog.reduce_sum(table, 0) + agog.reduce_sum(table, 1) - right
        right, union = (agog.gather(v, self.target_class_ids) for v in (right, union))
        present = agog.reduce_sum(agog.cast(union > 0.0, self._dtype))
        shares = agog.math.divide_no_nan(right, union)
        return agog.math.divide_no_nan(agog.reduce_sum(shares), present)


class MeanIoU(IoU):
    """Intersection over union, the mean over all classes that occur.

    >>> metric = agog.metrics.MeanIoU(num_classes=2)
    >>> metric.update_state([0, 1, 1], [0, 0, 1])
    >>> float(metric.result())
    0.5
    """

    @public
    def __init__(
        self,
        num_classes: int,
        name: str | None = None,
        dtype: Any = None,
        ignore_class: int | None = None,
        sparse_y_true: bool = True,
        sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:
        super().__init__(
            num_classes,
            range(num_classes),
            name,
            dtype,
            ignore_class,
            sparse_y_true,
            sparse_y_pred,
            axis,
        )
