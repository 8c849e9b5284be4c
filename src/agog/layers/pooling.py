"""Layers that take the largest or the mean value of windows, or of everything."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import public
from agog.layers.base import Layer
from agog.layers.convolution import format_of, function, sizes_of


class _Pooling(Layer):
    """Windows of `pool_size`, `strides` apart (by default side by side)."""

    _rank = 2
    _kind = "max"

    @public
    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.pool_size = sizes_of("pool_size", pool_size, self._rank)
        self.strides = sizes_of(
            "strides", self.pool_size if strides is None else strides, self._rank
        )
        self.padding = str(padding).lower()
        if self.padding not in ("valid", "same"):
            raise ValueError(f"padding must be 'valid' or 'same', got {padding!r}")
        self.data_format = format_of(data_format, self._rank)

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        pool = function(f"{self._kind}_pool{self._rank}d", self.name)
        return pool(
            inputs,
            self.pool_size,
            self.strides,
            self.padding.upper(),
            data_format=self.data_format,
        )


class MaxPooling1D(_Pooling):
    """The largest value of each window along the steps.

    >>> agog.layers.MaxPooling1D(3).strides
    [3]
    """

    _rank = 1


class MaxPooling2D(_Pooling):
    """The largest value of each window of an image.

    >>> agog.layers.MaxPooling2D(3, strides=1).pool_size
    [3, 3]
    """


class MaxPooling3D(_Pooling):
    """The largest value of each window of a volume.

    >>> agog.layers.MaxPooling3D().pool_size
    [2, 2, 2]
    """

    _rank = 3


class AveragePooling1D(MaxPooling1D):
    """The mean of each window along the steps; padding does not count.

    >>> agog.layers.AveragePooling1D(3).strides
    [3]
    """

    _kind = "avg"


class AveragePooling2D(MaxPooling2D):
    """The mean of each window of an image; padding does not count.

    >>> agog.layers.AveragePooling2D(3).strides
    [3, 3]
    """

    _kind = "avg"


class AveragePooling3D(MaxPooling3D):
    """The mean of each window of a volume; padding does not count.

    >>> agog.layers.AveragePooling3D(3).strides
    [3, 3, 3]
    """

    _kind = "avg"


class _Global(Layer):
    """Reduces all axes of space; `keepdims` keeps them with length 1."""

    _rank = 2
    _largest = False

    @public
    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.data_format, self.keepdims = format_of(data_format, self._rank), keepdims

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The outputs; with a `mask` the mean is over the steps that it marks."""
        first = 2 if self.data_format.startswith("NC") else 1
        axes = list(range(first, first + self._rank))
        if self._largest:
            return agog.reduce_max(inputs, axes, self.keepdims)
        if mask is None:
            return agog.reduce_mean(inputs, axes, self.keepdims)
        weights = agog.expand_dims(agog.cast(mask, inputs.dtype), 1 if first == 2 else -1)
        total = agog.reduce_sum(inputs * weights, axes, self.keepdims)
        return total / agog.reduce_sum(weights, axes, self.keepdims)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """None: no steps are left."""
        return None


class GlobalAveragePooling1D(_Global):
    """The mean over all steps.

    >>> agog.layers.GlobalAveragePooling1D()(agog.ones([2, 5, 3])).shape.as_list()
    [2, 3]
    """

    _rank = 1


class GlobalAveragePooling2D(_Global):
    """The mean over all pixels.

    >>> agog.layers.GlobalAveragePooling2D()(agog.ones([2, 5, 5, 3])).shape.as_list()
    [2, 3]
    """


class GlobalAveragePooling3D(_Global):
    """The mean over a volume.

    >>> agog.layers.GlobalAveragePooling3D()(agog.ones([2, 5, 5, 5, 3])).shape.as_list()
    [2, 3]
    """

    _rank = 3


class GlobalMaxPooling1D(GlobalAveragePooling1D):
    """The largest value of all steps.

    >>> agog.layers.GlobalMaxPooling1D()(agog.ones([2, 5, 3])).shape.as_list()
    [2, 3]
    """

    _largest = True


class GlobalMaxPooling2D(GlobalAveragePooling2D):
    """The largest value of all pixels.

    >>> agog.layers.GlobalMaxPooling2D(keepdims=True)(agog.ones([2, 5, 5, 3])).shape.as_list()
    [2, 1, 1, 3]
    """

    _largest = True


class GlobalMaxPooling3D(GlobalAveragePooling3D):
    """The largest value of a volume.

    >>> agog.layers.GlobalMaxPooling3D()(agog.ones([2, 5, 5, 5, 3])).shape.as_list()
    [2, 3]
    """

    _largest = True


MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
