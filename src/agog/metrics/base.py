"""Streaming metrics: variables that sum up what was seen, and a result of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import agog
from agog._core import public
from agog.losses.shapes import same_rank
from agog.module import Module


class Metric(Module):
    """Base of metrics: a subclass defines `update_state` and `result`, with `add_variable`.

    Calling it updates the state with its arguments and returns the result so far.

    >>> class Longest(agog.metrics.Metric):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.best = self.add_variable((), "zeros", name="best")
    ...     def update_state(self, text):
    ...         self.best.assign(agog.maximum(self.best, float(len(text))))
    ...     def result(self):
    ...         return self.best.value()
    >>> metric = Longest()
    >>> metric.update_state("abc")
    >>> float(metric("a"))
    3.0
    """

    @public
    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        super().__init__(None)
        if name is not None:
            self._name = str(name)
        self._dtype = agog.float32 if dtype is None else agog.as_dtype(dtype)

    @property
    def dtype(self) -> Any:
        """The dtype of the variables and of the result."""
        return self._dtype

    @public
    def add_variable(
        self,
        shape: Any = (),
        initializer: Any = "zeros",
        dtype: Any = None,
        name: str | None = None,
    ) -> Any:
        """A new variable, which `reset_state` sets to zero; keep it as an attribute."""
        value = agog.initializers.get(initializer)(shape, dtype or self._dtype)
        return agog.Variable(value, trainable=False, name=f"{self._name}/{name or 'variable'}")

    add_weight = add_variable

    def update_state(self, *args: Any, **kwargs: Any) -> None:
        """Takes further values into account."""
        raise NotImplementedError(f"{type(self).__name__} must define update_state")

    def result(self) -> Any:
        """The metric of all that was seen since the last reset."""
        raise NotImplementedError(f"{type(self).__name__} must define result")

    @public
    def reset_state(self) -> None:
        """Forgets all that was seen.

        >>> mean = agog.metrics.Mean()
        >>> mean.update_state(3.0)
        >>> mean.reset_state()
        >>> float(mean.result())
        0.0
        """
        for variable in self.variables:
            variable.assign(agog.zeros(variable.shape, variable.dtype))

    reset_states = reset_state

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.update_state(*args, **kwargs)
        return self.result()


class Mean(Metric):
    """The mean of all values, weighed by `sample_weight`.

    Weights of fewer axes than the values weigh the means over the axes that they lack. Each entry
    of the first axis counts as one example, however many values it has.

    >>> mean = agog.metrics.Mean()
    >>> mean.update_state([1.0, 3.0])
    >>> mean.update_state(8.0, sample_weight=2.0)
    >>> float(mean.result())
    5.0
    """

    @public
    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", name="total")
        self.count = self.add_variable((), "zeros", name="count")

    @public
    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes further values into account."""
        values, weights = weighed(values, sample_weight, self._dtype, agog.reduce_mean)
        if weights is None:
            values = _by_example(values)
            self.total.assign_add(agog.reduce_sum(values))
            self.count.assign_add(agog.cast(agog.size(values), self._dtype))
            return
        weights = agog.broadcast_to(weights, values.shape)
        self.total.assign_add(agog.reduce_sum(_by_example(values * weights)))
        self.count.assign_add(agog.reduce_sum(_by_example(weights)))

    @public
    def result(self) -> Any:
        """The mean; 0 of nothing."""
        return agog.math.divide_no_nan(self.total.value(), self.count.value())


class Sum(Metric):
    """The sum of all values times their weights.

    >>> total = agog.metrics.Sum()
    >>> total.update_state([1.0, 3.0])
    >>> float(total.result())
    4.0
    """

    @public
    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", name="total")

    @public
    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Takes further values into account."""
        values, weights = weighed(values, sample_weight, self._dtype, agog.reduce_sum)
        self.total.assign_add(agog.reduce_sum(values if weights is None else values * weights))

    @public
    def result(self) -> Any:
        """The sum."""
        return self.total.value()


class MeanMetricWrapper(Mean):
    """The mean of `fn(y_true, y_pred)` over all examples.

    >>> metric = agog.metrics.MeanMetricWrapper(agog.losses.mae)
    >>> metric.update_state([[1.0], [2.0]], [[2.0], [5.0]])
    >>> float(metric.result())
    2.0
    """

    @public
    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name if name is not None else fn.__name__, dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    @public
    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Takes further labels and predictions into account."""
        super().update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight)


def _by_example(values: Any) -> Any:
    """The means over all axes but the first."""
    axes = list(range(1, len(values.shape)))
    return agog.reduce_mean(values, axes) if axes else values


def weighed(values: Any, sample_weight: Any, dtype: Any, reduce: Any) -> tuple[Any, Any]:
    """Values and weights that broadcast to them; axes that the weights lack are reduced."""
    values = agog.cast(values, dtype)
    if sample_weight is None:
        return values, None
    weights = agog.cast(sample_weight, dtype)
    values, weights = same_rank(values, weights)
    extra = list(range(len(weights.shape), len(values.shape)))
    values = reduce(values, extra) if extra else values
    sizes, whole = list(weights.shape), list(values.shape)
    if len(sizes) != len(whole) or any(w not in (1, n) for w, n in zip(sizes, whole, strict=True)):
        raise ValueError(
            f"sample_weight of shape {sizes} does not fit values of shape {whole}: it must begin "
            "with their axes, each equal or 1"
        )
    return values, weights
