"""Progress bars: a bar where there is a terminal, lines elsewhere, nothing when asked for quiet."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from agog._core import public

_T = TypeVar("_T")

_LINE_SECONDS = 10.0  # between two lines where there is no terminal
_DRAW_SECONDS = 0.1


class Bar:
    """A bar in a terminal; `fields` stand beside it, as they were given last."""

    def __init__(self, what: str, total: int | None, unit: str, transient: bool) -> None:
        from rich import progress as rich

        class Rate(rich.ProgressColumn):
            def render(self, task: Any) -> str:
                return f"{task.speed or 0:,.0f} {unit}/s"

        shows_end = () if total is None else (rich.TimeRemainingColumn(),)
        self._bar = rich.Progress(
            rich.TextColumn("{task.description}"),
            rich.BarColumn(),
            rich.TextColumn("{task.percentage:3.0f}%" if total else "{task.completed:,.0f}"),
            Rate(),
            rich.TextColumn("{task.fields[shown]}"),
            *shows_end,
            transient=transient,
        )
        self._task = self._bar.add_task(what, total=total, shown="")
        self._waiting = 0
        self._fields: dict[str, Any] = {}
        self._drawn = time.monotonic()

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.draw()
        self._bar.stop()

    def step(self, **fields: Any) -> None:
        """One more is done; fields may be scalar tensors, read only when the bar is drawn."""
        self._waiting += 1
        self._fields |= fields
        # Redrawing for each of some thousand steps a second is waste.
        if time.monotonic() - self._drawn > _DRAW_SECONDS:
            self.draw()

    def line(self, text: str) -> None:
        """A line to keep above the bar."""
        self.draw()
        self._bar.console.print(text, highlight=False)

    def draw(self) -> None:
        """Shows where things stand."""
        self._bar.update(self._task, advance=self._waiting, shown=shown(self._fields))
        self._waiting = 0
        self._drawn = time.monotonic()


class Lines:
    """What stands for a bar where there is no terminal: a line now and then."""

    def __init__(self, what: str, total: int | None, unit: str) -> None:
        self._what, self._total, self._unit = what, total, unit
        self._done = 0
        self._fields: dict[str, Any] = {}
        self._start = self._last = time.monotonic()

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *exc: object) -> None:
        self.draw()

    def step(self, **fields: Any) -> None:
        """One more is done."""
        self._done += 1
        self._fields |= fields
        if time.monotonic() - self._last > _LINE_SECONDS:
            self.draw()

    def draw(self) -> None:
        """Prints where things stand."""
        self._last = time.monotonic()
        rate = self._done / max(self._last - self._start, 1e-9)
        of_total = "" if self._total is None else f" of {self._total:,}"
        line = f"{self._what}: {self._done:,}{of_total} {self._unit}, {rate:,.0f} {self._unit}/s"
        print(f"{line} {shown(self._fields)}".rstrip(), file=sys.stderr, flush=True)


def shown(fields: dict[str, Any]) -> str:
    """Names and values, numbers with three digits behind the point."""
    texts = []
    for name, value in fields.items():
        number = value if isinstance(value, str | int) else float(value)
        texts.append(f"{name} {number:.3f}" if isinstance(number, float) else f"{name} {number}")
    return " ".join(texts)


class _Progress(Iterable[_T]):
    """An iterable that shows how far it is."""

    def __init__(self, items: Iterable[_T], make: Any) -> None:
        self._items, self._make = items, make
        self._bar: Any = None

    def __iter__(self) -> Iterator[_T]:
        with self._make() as bar:
            self._bar = bar
            self._fields: dict[str, Any] = {}
            for item in self._items:
                yield item
                bar.step(**self._fields)

    def show(self, **fields: Any) -> None:
        """Shows these values beside the bar from now on; scalar tensors are read when drawn."""
        self._fields |= fields


class _Quiet:
    def step(self, **fields: Any) -> None:
        """Nobody looks."""


@public
def progress(
    iterable: Iterable[_T],
    description: str = "working",
    total: int | None = None,
    unit: str = "steps",
    disable: bool = False,
) -> _Progress[_T]:
    """The items of an iterable or dataset, with a bar that shows how far it is.

    `total` is how many there are, if `len` or the dataset's `cardinality` cannot tell. In a
    terminal it is a bar, elsewhere a line on standard error every ten seconds. `show` of what is
    returned puts values beside it, which are read only when it is drawn.

    >>> bar = agog.progress(range(3), disable=True)
    >>> for step in bar:
    ...     bar.show(loss=0.5)
    >>> step
    2
    """
    count = _count(iterable) if total is None else total

    def make() -> Any:
        if disable:
            return contextlib.nullcontext(_Quiet())
        if sys.stdout.isatty():
            return Bar(description, count, unit, transient=False)
        return Lines(description, count, unit)

    return _Progress(iterable, make)


def _count(iterable: Any) -> int | None:
    """How many items there are; None where nobody knows, or there is no end."""
    try:
        return len(iterable)
    except TypeError:
        cardinality = getattr(iterable, "cardinality", None)
        count = int(cardinality()) if callable(cardinality) else -1
        return count if count >= 0 else None
