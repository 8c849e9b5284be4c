"""Learning rates with TensorFlow 1's names: callables that read a step when they are called."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import agog
from agog._core import public
from agog.train import schedules


class _Decayed:
    """A rate that follows a step: a number, a variable or a callable."""

    def __init__(self, rule: Callable[[Any], Any], step: Any, name: str) -> None:
        if step is None:
            raise ValueError(f"global_step is required for {name}: the variable that counts steps")
        self._rule, self._step = rule, step

    def __call__(self) -> Any:
        return self._rule(self._step() if callable(self._step) else self._step)


class _Scaled:
    """`initial` times a factor of the share of `decay_steps` that is over."""

    def __init__(self, initial: Any, decay_steps: Any, factor: Callable[[Any], Any]) -> None:
        self._initial, self._decay_steps, self._factor = initial, decay_steps, factor

    def __call__(self, step: Any) -> Any:
        initial = agog.convert_to_tensor(self._initial)
        steps = agog.cast(self._decay_steps, initial.dtype)
        share = agog.minimum(agog.cast(step, initial.dtype), steps) / steps
        return initial * self._factor(share)


@public
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable that gives learning_rate * decay_rate^(global_step / decay_steps).

    `staircase` floors the exponent. As all decays here, it reads `global_step` (a variable, a
    number or a callable) at each call, so an optimizer that is given it follows the step.

    >>> step = agog.Variable(0)
    >>> rate = agog.train.exponential_decay(1.0, step, decay_steps=2, decay_rate=0.25)
    >>> before = float(rate())
    >>> _ = step.assign(1)
    >>> before, float(rate())
    (1.0, 0.5)
    """
    rule = schedules.ExponentialDecay(learning_rate, decay_steps, decay_rate, staircase)
    return _Decayed(rule, global_step, "exponential_decay")


@public
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable that gives learning_rate * exp(-decay_rate * global_step / decay_steps).

    >>> print(f"{float(agog.train.natural_exp_decay(1.0, 2, 1, 0.5)()):.4f}")
    0.3679
    """
    natural = agog.exp(-agog.convert_to_tensor(decay_rate, agog.float32))
    rule = schedules.ExponentialDecay(learning_rate, decay_steps, natural, staircase)
    return _Decayed(rule, global_step, "natural_exp_decay")


@public
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable that gives learning_rate / (1 + decay_rate * global_step / decay_steps).

    >>> float(agog.train.inverse_time_decay(1.0, 2, 1, 0.5)())
    0.5
    """
    rule = schedules.InverseTimeDecay(learning_rate, decay_steps, decay_rate, staircase)
    return _Decayed(rule, global_step, "inverse_time_decay")


@public
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable for a fall from learning_rate to end_learning_rate, along (1 - share)^power.

    >>> float(agog.train.polynomial_decay(1.0, 1, 4, end_learning_rate=0.0)())
    0.75
    """
    rule = schedules.PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)
    return _Decayed(rule, global_step, "polynomial_decay")


@public
def piecewise_constant(
    x: Any, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Callable[[], Any]:
    """A callable that gives values[i] while x <= boundaries[i], and the last value beyond.

    >>> float(agog.train.piecewise_constant(3, [2, 4], [1.0, 0.5, 0.25])())
    0.5
    """
    rule = schedules.PiecewiseConstantDecay(boundaries, values)
    return _Decayed(rule, x, "piecewise_constant")


piecewise_constant_decay = piecewise_constant


@public
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable for half a cosine from learning_rate down to alpha times it.

    >>> float(agog.train.cosine_decay(1.0, 0, 4)())
    1.0
    """
    rule = schedules.CosineDecay(learning_rate, decay_steps, alpha)
    return _Decayed(rule, global_step, "cosine_decay")


@public
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable for `cosine_decay` again and again, t_mul times as long and m_mul times as high.

    >>> float(agog.train.cosine_decay_restarts(1.0, 2, 2, m_mul=0.5)())
    0.5
    """
    rule = schedules.CosineDecayRestarts(learning_rate, first_decay_steps, t_mul, m_mul, alpha)
    return _Decayed(rule, global_step, "cosine_decay_restarts")


@public
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Callable[[], Any]:
    """A callable for a line times a cosine (Bello and others, 2017).

    The rate is learning_rate * ((alpha + 1 - share) * (1 + cos(2 pi num_periods share)) / 2 + beta)
    where `share` of decay_steps is over.

    >>> print(f"{float(agog.train.linear_cosine_decay(1.0, 0, 4)()):.4f}")
    1.0010
    """

    def factor(share: Any) -> Any:
        wave = 0.5 * (1.0 + agog.cos(2.0 * math.pi * num_periods * share))
        return (alpha + 1.0 - share) * wave + beta

    rule = _Scaled(learning_rate, decay_steps, factor)
    return _Decayed(rule, global_step, "linear_cosine_decay")


@public
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Callable[[], Any]:
    """`linear_cosine_decay` whose line has normal noise: initial_variance / (1 + step)^decay.

    >>> rate = agog.train.noisy_linear_cosine_decay(1.0, 0, 4, initial_variance=0.0)
    >>> print(f"{float(rate()):.4f}")
    1.0010
    """

    def rule(step: Any) -> Any:
        start = agog.convert_to_tensor(learning_rate)
        steps = agog.cast(decay_steps, start.dtype)
        step = agog.minimum(agog.cast(step, start.dtype), steps)
        variance = initial_variance / agog.pow(1.0 + step, variance_decay)
        noise = agog.sqrt(variance) * agog.random.normal([], dtype=start.dtype)
        wave = 0.5 * (1.0 + agog.cos(2.0 * math.pi * num_periods * step / steps))
        return start * ((alpha + (steps - step) / steps + noise) * wave + beta)

    return _Decayed(rule, global_step, "noisy_linear_cosine_decay")
