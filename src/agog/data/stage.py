"""Stages: one pass over the data, with its position, which can be saved and restored."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from agog.data import elements
from agog.data.table import Rows, Table
from agog.errors import UnimplementedError

if TYPE_CHECKING:
    from agog.data.node import Node
    from agog.data.options import Options

State = dict[str, Any]


class Stage:
    """A pass over the elements of a node.

    `next()` gives an element, or raises StopIteration at the end. An error that `next()` raises
    concerns one element only: the next call goes on after it.
    """

    def __init__(self, *inputs: Stage) -> None:
        self.inputs = inputs

    @property
    def table(self) -> Table | None:
        """The table whose rows are the elements, where `next_rows` can tell which come next.

        It may come up in the course of a pass, when a cache is full, but it does not go away.
        """
        return None

    def next(self) -> Any:
        """The next element."""
        raise NotImplementedError

    def next_rows(self, count: int) -> Rows:
        """The numbers of the next `count` rows of the table; fewer at the end only."""
        raise NotImplementedError

    def next_batch(self, count: int) -> tuple[Any, int]:
        """The next `count` elements stacked, and their number: fewer at the end only."""
        table = self.table
        if table is not None:
            rows = self.next_rows(count)
            return (table.gather(rows) if len(rows) else None), len(rows)
        found = self.next_elements(count)
        return (elements.stack(found) if found else None), len(found)

    def next_elements(self, count: int) -> list[Any]:
        """The next `count` elements; fewer at the end only."""
        found: list[Any] = []
        try:
            for _ in range(count):
                found.append(self.next())
        except StopIteration:
            pass
        return found

    def save(self) -> State:
        """The position as plain values and tensors; by default that of the inputs alone."""
        return {"inputs": [stage.save() for stage in self.inputs]}

    def restore(self, state: State) -> None:
        """Goes to a saved position; called on a fresh pass only."""
        for stage, part in zip(self.inputs, state["inputs"], strict=True):
            stage.restore(part)

    def close(self) -> None:
        """Stops threads and closes files."""
        for stage in self.inputs:
            stage.close()


class Clock:
    """How long a stage worked, waited for its input, and how many elements it gave."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.elements = 0
        self.total = 0.0
        self.inner = 0.0  # spent in the inputs, on the same thread
        self.waited = 0.0  # for other threads
        self.thread_work = 0.0  # done by other threads for this stage


class Run:
    """What the stages of one iterator share: options, and clocks where times are asked for."""

    def __init__(self, options: Options, timed: bool = False) -> None:
        self.options = options
        self.clocks: dict[int, Clock] | None = {} if timed else None

    def start(self, node: Node) -> Stage:
        """A new pass of a node, timed if asked for."""
        stage = node.start(self)
        return stage if self.clocks is None else Timed(stage, self.clock(node))

    def clock(self, node: Node) -> Clock | None:
        """The clock of a node; passes of one node share it. None where no times are asked for."""
        if self.clocks is None:
            return None
        return self.clocks.setdefault(id(node), Clock(node))

    def is_deterministic(self, asked: bool | None) -> bool:
        """Whether a parallel stage keeps the order."""
        if asked is not None:
            return asked
        return self.options.deterministic is not False

    def threads(self, asked: int) -> int:
        """How many threads a parallel stage gets."""
        limit = self.options.threading.private_threadpool_size
        count = asked if asked > 0 else available_cpus()
        return min(count, limit) if limit else count


def available_cpus() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Timed(Stage):
    """A stage with a clock around it."""

    def __init__(self, stage: Stage, clock: Any) -> None:
        super().__init__(stage)
        self.stage = stage
        self.clock = clock

    @property
    def table(self) -> Table | None:
        return self.stage.table

    def next(self) -> Any:
        element = self._measure(self.stage.next)
        self.clock.elements += 1
        return element

    def next_rows(self, count: int) -> Rows:
        rows = self._measure(self.stage.next_rows, count)
        self.clock.elements += len(rows)
        return rows

    def next_batch(self, count: int) -> tuple[Any, int]:
        batch, size = self._measure(self.stage.next_batch, count)
        self.clock.elements += size
        return batch, size

    def _measure(self, function: Callable[..., Any], *args: Any) -> Any:
        stack = _open_clocks()
        start = perf_counter()
        stack.append(self.clock)
        try:
            return function(*args)
        finally:
            seconds = perf_counter() - start
            stack.pop()
            self.clock.total += seconds
            if stack:
                stack[-1].inner += seconds

    def save(self) -> State:
        return self.stage.save()

    def restore(self, state: State) -> None:
        self.stage.restore(state)


def _open_clocks() -> list[Clock]:
    """The clocks of the stages that this thread is in."""
    if not hasattr(_local, "clocks"):
        _local.clocks = []
    return _local.clocks


_local = threading.local()


# ---- elements in saved states


def encode(element: Any) -> Any:
    """An element as dicts, lists and tensors."""
    if not elements.is_nested(element):
        if element is None or type(element) is elements.Tensor:
            return element
        found = getattr(getattr(element, "_node", None), "elements", None)
        if isinstance(found, list):  # a window
            return {"kind": "window", "keys": None, "parts": [encode(part) for part in found]}
        raise UnimplementedError(
            None,
            None,
            f"an iterator that holds elements of type {type(element).__name__} cannot be saved",
        )
    kind = "dict" if isinstance(element, dict) else type(element).__name__
    keys = list(element) if kind == "dict" else None
    parts = list(element.values()) if kind == "dict" else elements.parts_of(element)
    return {"kind": kind, "keys": keys, "parts": [encode(part) for part in parts]}


def decode(state: Any, node: Node) -> Any:
    """The element of a state of `encode`, an element of `node`."""
    element, is_plain = _decode(state)
    if is_plain:
        return element
    return elements.pack_like(node.spec, iter(elements.flatten(element)))


def _decode(state: Any) -> tuple[Any, bool]:
    if not isinstance(state, dict):
        return state, True
    found = [_decode(part) for part in state["parts"]]
    parts = [part for part, _ in found]
    is_plain = all(plain for _, plain in found)
    if state["kind"] == "window":
        return _window(parts), is_plain
    if state["kind"] == "dict":
        return dict(zip(state["keys"], parts, strict=True)), is_plain
    return tuple(parts), is_plain and state["kind"] == "tuple"


def _window(found: list[Any]) -> Any:
    from agog.data.node import as_dataset
    from agog.data.sources import Elements

    return as_dataset(Elements(found))
