"""Learning rates that are functions of the number of steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import agog
from agog._core import public


class LearningRateSchedule:
    """Base of schedules: a subclass defines `__call__(step)`, which returns the rate.

    An optimizer that is given a schedule as a setting counts its own steps and asks for the rate
    before each.

    >>> class Halving(agog.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** agog.cast(step, agog.float32)
    >>> opt, w = agog.train.GradientDescentOptimizer(Halving()), agog.Variable(0.0)
    >>> for _ in range(3):
    ...     opt.apply_gradients([(-1.0, w)])
    >>> float(w)
    1.75
    """

    def __call__(self, step: Any) -> Any:
        """The rate after `step` steps."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal schedule."""
        raise NotImplementedError(f"{type(self).__name__} must define get_config")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> LearningRateSchedule:
        """The schedule that `get_config` described."""
        return cls(**config)


class _Configured(LearningRateSchedule):
    """Keeps the arguments of its constructor."""

    def __init__(self, **config: Any) -> None:
        self._config = config

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal schedule.

        >>> agog.optimizers.schedules.PiecewiseConstantDecay([5], [1.0, 0.1]).get_config()
        {'boundaries': [5], 'values': [1.0, 0.1], 'name': 'PiecewiseConstant'}
        """
        return dict(self._config)

    def _start(self, step: Any) -> tuple[Any, Any]:
        """The initial rate as a tensor, and the step in its dtype."""
        rate = agog.convert_to_tensor(self._config["initial_learning_rate"])
        return rate, agog.cast(step, rate.dtype)


class ExponentialDecay(_Configured):
    """initial_learning_rate * decay_rate^(step / decay_steps); `staircase` floors the exponent.

    >>> rate = agog.optimizers.schedules.ExponentialDecay(1.0, decay_steps=2, decay_rate=0.25)
    >>> [float(rate(step)) for step in (0, 1, 2)]
    [1.0, 0.5, 0.25]
    """

    @public
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str = "ExponentialDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            decay_rate=decay_rate,
            staircase=staircase,
            name=name,
        )

    @public
    def __call__(self, step: Any) -> Any:
        rate, step = self._start(step)
        share = step / agog.cast(self._config["decay_steps"], rate.dtype)
        share = agog.floor(share) if self._config["staircase"] else share
        return rate * agog.pow(agog.cast(self._config["decay_rate"], rate.dtype), share)


class InverseTimeDecay(_Configured):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps); `staircase` floors the share.

    >>> rate = agog.optimizers.schedules.InverseTimeDecay(1.0, decay_steps=2, decay_rate=1.0)
    >>> [float(rate(step)) for step in (0, 2, 6)]
    [1.0, 0.5, 0.25]
    """

    @public
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str = "InverseTimeDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            decay_rate=decay_rate,
            staircase=staircase,
            name=name,
        )

    @public
    def __call__(self, step: Any) -> Any:
        rate, step = self._start(step)
        share = step / agog.cast(self._config["decay_steps"], rate.dtype)
        share = agog.floor(share) if self._config["staircase"] else share
        return rate / (1.0 + agog.cast(self._config["decay_rate"], rate.dtype) * share)


class PolynomialDecay(_Configured):
    """From initial_learning_rate to end_learning_rate in decay_steps, along (1 - share)^power.

    With `cycle`, the length grows to the next multiple of decay_steps instead of stopping.

    >>> rate = agog.optimizers.schedules.PolynomialDecay(1.0, 4, end_learning_rate=0.0)
    >>> [float(rate(step)) for step in (0, 1, 4, 9)]
    [1.0, 0.75, 0.0, 0.0]
    """

    @public
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            end_learning_rate=end_learning_rate,
            power=power,
            cycle=cycle,
            name=name,
        )

    @public
    def __call__(self, step: Any) -> Any:
        rate, step = self._start(step)
        end = agog.cast(self._config["end_learning_rate"], rate.dtype)
        length = agog.cast(self._config["decay_steps"], rate.dtype)
        if self._config["cycle"]:
            length = length * agog.maximum(agog.math.ceil(step / length), 1.0)
        else:
            step = agog.minimum(step, length)
        power = agog.cast(self._config["power"], rate.dtype)
        return (rate - end) * agog.pow(1.0 - step / length, power) + end


class PiecewiseConstantDecay(_Configured):
    """values[i] while step <= boundaries[i], and the last value after the last boundary.

    >>> rate = agog.optimizers.schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.25])
    >>> [float(rate(step)) for step in (0, 2, 3, 5)]
    [1.0, 1.0, 0.5, 0.25]
    """

    @public
    def __init__(
        self, boundaries: Sequence[Any], values: Sequence[Any], name: str = "PiecewiseConstant"
    ) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values, got "
                f"{len(boundaries)} boundaries and {len(values)} values"
            )
        super().__init__(boundaries=boundaries, values=values, name=name)

    @public
    def __call__(self, step: Any) -> Any:
        values = agog.stack([agog.convert_to_tensor(v) for v in self._config["values"]])
        step = agog.convert_to_tensor(step)
        if not self._config["boundaries"]:
            return values[0]
        boundaries = agog.stack([agog.cast(b, step.dtype) for b in self._config["boundaries"]])
        return values[agog.reduce_sum(agog.cast(step > boundaries, agog.int32))]


class CosineDecay(_Configured):
    """Half a cosine from initial_learning_rate down to alpha times it (Loshchilov and Hutter).

    With `warmup_target`, the rate first rises to it in a line over `warmup_steps`; the cosine then
    begins there.

    >>> rate = agog.optimizers.schedules.CosineDecay(1.0, decay_steps=4)
    >>> [round(float(rate(step)), 4) for step in (0, 2, 4, 9)]
    [1.0, 0.5, 0.0, 0.0]
    """

    @public
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: Any = 0.0,
        name: str = "CosineDecay",
        warmup_target: Any = None,
        warmup_steps: Any = 0,
    ) -> None:
        _check_steps("decay_steps", decay_steps)
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            decay_steps=decay_steps,
            alpha=alpha,
            name=name,
            warmup_target=warmup_target,
            warmup_steps=warmup_steps,
        )

    @public
    def __call__(self, step: Any) -> Any:
        rate, step = self._start(step)
        dtype, length = rate.dtype, agog.cast(self._config["decay_steps"], rate.dtype)
        if self._config["warmup_target"] is None:
            return rate * _half_cosine(agog.minimum(step, length) / length, self._config["alpha"])
        target = agog.cast(self._config["warmup_target"], dtype)
        warm = agog.cast(self._config["warmup_steps"], dtype)
        share = agog.minimum(agog.maximum(step - warm, 0.0), length) / length
        rising = agog.math.divide_no_nan(step, warm) * (target - rate) + rate
        falling = target * _half_cosine(share, self._config["alpha"])
        return agog.where(step < warm, rising, falling)


class CosineDecayRestarts(_Configured):
    """`CosineDecay` again and again: each run t_mul times as long and from m_mul times as high.

    >>> rate = agog.optimizers.schedules.CosineDecayRestarts(1.0, first_decay_steps=2, m_mul=0.5)
    >>> [round(float(rate(step)), 4) for step in (0, 1, 2, 4)]
    [1.0, 0.5, 0.5, 0.25]
    """

    @public
    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: Any = 2.0,
        m_mul: Any = 1.0,
        alpha: Any = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        _check_steps("first_decay_steps", first_decay_steps)
        super().__init__(
            initial_learning_rate=initial_learning_rate,
            first_decay_steps=first_decay_steps,
            t_mul=t_mul,
            m_mul=m_mul,
            alpha=alpha,
            name=name,
        )

    @public
    def __call__(self, step: Any) -> Any:
        rate, step = self._start(step)
        share = step / agog.cast(self._config["first_decay_steps"], rate.dtype)
        t_mul = self._config["t_mul"]
        if t_mul == 1.0:
            run = agog.floor(share)
            share = share - run
        else:  # the run whose geometric sum of lengths `share` has reached
            reached = agog.math.log(1.0 - share * (1.0 - t_mul)) / math.log(t_mul)
            run = agog.floor(reached)
            length = agog.pow(agog.cast(t_mul, rate.dtype), run)
            share = (share - (1.0 - length) / (1.0 - t_mul)) / length
        height = agog.pow(agog.cast(self._config["m_mul"], rate.dtype), run)
        return rate * _half_cosine(share, self._config["alpha"], height)


def _half_cosine(share: Any, alpha: Any, height: Any = 1.0) -> Any:
    fall = 0.5 * height * (1.0 + agog.cos(math.pi * share))
    return (1.0 - alpha) * fall + alpha


def _check_steps(argument: str, steps: Any) -> None:
    if isinstance(steps, (int, float)) and steps <= 0:
        raise ValueError(f"{argument} must be above 0, got {steps}")
