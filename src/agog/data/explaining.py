"""How long the stages of a pipeline work and wait."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

from agog.data.node import Node
from agog.data.options import Options
from agog.data.stage import Clock


class Row(NamedTuple):
    """A stage: what it is called, how many elements it gave, and its seconds."""

    stage: str
    elements: int
    work: float  # of itself, with its threads
    wait: float  # for other threads, or for its input


class Explanation:
    """Where the time of a pass went: `rows`, the last stage first."""

    def __init__(self, rows: list[Row], consumer: float, total: float) -> None:
        self.rows = rows
        self.consumer, self.total = consumer, total

    def __str__(self) -> str:
        width = max(len("(consumer)"), *(len(row.stage) for row in self.rows))
        lines = [f"{'stage':{width}}  elements   work ms   wait ms  work us/element"]
        for row in self.rows:
            each = 1e6 * row.work / row.elements if row.elements else 0.0
            lines.append(
                f"{row.stage:{width}}  {row.elements:8}  {1e3 * row.work:8.1f}  "
                f"{1e3 * row.wait:8.1f}  {each:15.1f}"
            )
        lines.append(f"{'(consumer)':{width}}  {'':8}  {1e3 * self.consumer:8.1f}")
        lines.append(f"{'(total)':{width}}  {'':8}  {1e3 * self.total:8.1f}")
        return "\n".join(lines)


def explain(
    node: Node, options: Options, count: int | None, consumer: Callable[..., Any] | None
) -> Explanation:
    """Goes through a node with clocks on."""
    from agog.data.iterator import Iterator

    start = perf_counter()
    iterator = Iterator(node, options, timed=True)
    consumed = 0.0
    for number, element in enumerate(iterator, 1):
        if consumer is not None:
            before = perf_counter()
            consumer(element)
            consumed += perf_counter() - before
        if number == count:
            break
    total = perf_counter() - start
    clocks = iterator._run.clocks or {}
    return Explanation(_rows(node, clocks, 0), consumed, total)


def _rows(node: Node, clocks: dict[int, Clock], depth: int) -> list[Row]:
    clock = clocks.get(id(node))
    found = []
    if clock is not None:
        own = clock.total - clock.inner - clock.waited
        row = Row(
            "  " * depth + node.title,
            clock.elements,
            max(own, 0.0) + clock.thread_work,
            clock.inner + clock.waited,
        )
        found.append(row)
        depth += 1
    for source in node.inputs:
        found += _rows(source, clocks, depth)
    return found
