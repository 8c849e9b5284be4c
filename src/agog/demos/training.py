"""The loop that the demos train in."""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import agog
from agog.contrib.eager import implicit_value_and_gradients
from agog.demos import curves, display


@dataclass(frozen=True)
class Measure:
    """What is reported beside the loss: a name, how it is written, and the function giving it."""

    name: str
    form: str
    value: Callable[[], float]

    def shown(self, value: float) -> str:
        """Name and value."""
        return f"{self.name} {self.form.format(value)}"


class Training:
    """Steps down the gradient of `loss(*batch)`, at a rate that falls to 0 on the way.

    `optimizer` makes one from a function that gives the rate. A report is due every `period`
    steps, which are one epoch where `unit` says so. The rate rises in the first `warm_up` steps.
    """

    def __init__(
        self,
        loss: Callable[..., Any],
        rate: float,
        steps: int,
        period: int,
        unit: str = "step",
        optimizer: Callable[[Any], agog.train.Optimizer] = agog.train.AdamOptimizer,
        warm_up: int = 1,
    ) -> None:
        self.steps, self.step = steps, 0
        self._period, self._unit = period, unit
        self._optimizer = optimizer(
            lambda: rate * min(1.0, (self.step + 1) / warm_up) * (1 - self.step / steps)
        )
        self._gradients = implicit_value_and_gradients(loss)

    def update(self, *batch: Any) -> Any:
        """One step; returns the loss before it."""
        value, gradients = self._gradients(*batch)
        self._optimizer.apply_gradients(gradients)
        self.step += 1
        return value

    def run(
        self, batches: Iterable[tuple[Any, ...]], measure: Measure, show: display.Progress
    ) -> float:
        """All steps, with reports; returns what was measured last."""
        value = float("nan")
        for batch in islice(batches, self.steps):
            show.step(self.update(*batch))
            if self.step % self._period == 0 or self.step == self.steps:
                value = measure.value()
                loss = show.mean_loss()
                show.measured(measure.name, value)
                show.line(f"{self._where()}  loss {loss:.4f}  {measure.shown(value)}")
        return value

    def _where(self) -> str:
        if self._unit == "epoch":
            return f"epoch {self.step // self._period:2d}/{self.steps // self._period}"
        return f"step {self.step:{len(str(self.steps))}d}/{self.steps}"


class Timer:
    """Seconds from its making on."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    def seconds(self) -> float:
        """How many have passed."""
        return time.perf_counter() - self._start


@contextlib.contextmanager
def shown(steps: int, options: argparse.Namespace) -> Iterator[display.Progress]:
    """Shows progress while the block runs; then draws the curves, where --plot asks for them."""
    with display.progress(steps, plain=options.plain, quiet=options.quiet) as show:
        yield show
    if options.plot is not None:
        show.mean_loss()  # so that those after the last report are read, too
        curves.write(options.plot, show.losses, show.measures)
