"""Elements that are kept: prefetch and cache."""

from __future__ import annotations

import threading
from collections import deque
from time import perf_counter
from typing import Any, ClassVar

from agog.data import elements
from agog.data.choosing import Choosing
from agog.data.node import Node
from agog.data.options import is_debugging
from agog.data.stage import Run, Stage, State, decode, encode
from agog.data.table import Rows, Table
from agog.data.threads import Outcome, Pool, done
from agog.errors import InvalidArgumentError, UnimplementedError


class Prefetch(Node):
    """The input, read ahead on another thread."""

    kind = "Prefetch"
    AUTOMATIC: ClassVar[int] = 2  # elements that AUTOTUNE reads ahead

    def __init__(self, source: Node, buffer_size: int) -> None:
        super().__init__(source)
        if buffer_size < -1:
            raise InvalidArgumentError(
                None,
                None,
                "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, got "
                f"{buffer_size}",
            )
        self.buffer_size = buffer_size

    def start(self, run: Run) -> Stage:
        size = self.AUTOMATIC if self.buffer_size == -1 else self.buffer_size
        return PrefetchStage(run.start(self.inputs[0]), self, size, run)


class PrefetchStage(Stage):
    """A pass that reads ahead, once reading takes longer than handing over between threads does."""

    CHEAP = 100e-6  # seconds: about three times what a hand-over costs
    PATIENCE = 2  # elements that may take longer before a thread is started

    def __init__(self, source: Stage, node: Prefetch, size: int, run: Run) -> None:
        super().__init__(source)
        self.node, self.size, self.run = node, size, run
        self.pool: Pool | None = None
        self.pending: deque[Any] = deque()
        self.slow = 0

    def next(self) -> Any:
        if self.pool is None:
            if not self.pending:
                return self._read_here()
            return self.pending.popleft().get()  # what a restored state held
        while len(self.pending) < self.size:
            self.pending.append(self.pool.submit(self.inputs[0].next))
        work = self.pending.popleft()
        outcome = self._outcome(work)
        self.pending.append(self.pool.submit(self.inputs[0].next))
        return outcome.get()

    def _outcome(self, work: Any) -> Outcome:
        if type(work) is Outcome:
            return work
        assert self.pool is not None
        return self.pool.result(work)

    def _read_here(self) -> Any:
        if self.size == 0 or is_debugging():
            return self.inputs[0].next()
        start = perf_counter()
        element = self.inputs[0].next()
        seconds = perf_counter() - start
        if seconds > self.CHEAP:
            self.slow += self.PATIENCE if seconds > 100 * self.CHEAP else 1
            if self.slow >= self.PATIENCE:
                self.pool = Pool(self, 1, self.run.clock(self.node), owns_work=False)
                self.pending.extend(self.pool.submit(self.inputs[0].next) for _ in range(self.size))
        return element

    def save(self) -> State:
        outcomes = [self._outcome(work) for work in self.pending]
        self.pending = deque(outcomes)
        found = [encode(outcome.element()) for outcome in outcomes if not outcome.is_end]
        return {"pending": found, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.pending = deque(done(decode(found, self.node)) for found in state["pending"])

    def close(self) -> None:
        if self.pool is not None:
            self.pool.close()
        super().close()


class Cache(Node):
    """The input, gone through once and kept in memory."""

    kind = "Cache"

    def __init__(self, source: Node, filename: str) -> None:
        super().__init__(source)
        if filename:
            raise UnimplementedError(
                None,
                None,
                f"cache keeps elements in memory only, got filename={filename!r}; write a TFRecord "
                "file once and read that instead",
            )
        self.elements: list[Any] | None = None  # once the input was gone through to its end
        self.origin: State | None = None  # of the input, where the pass that filled it began
        self._table: Table | None = None
        self._lock = threading.Lock()

    def table(self) -> Table | None:
        return self._table

    def complete(self, found: list[Any], origin: State) -> None:
        """Keeps the elements: as a table where all have one shape, so that batches are gathered."""
        with self._lock:
            if self.elements is not None:
                return
            self.origin = origin
            leaves = [elements.flatten(element) for element in found]
            if found and leaves[0] and _is_regular(leaves):
                structure = found[0]
                columns = [elements.stack(list(column)) for column in zip(*leaves, strict=True)]
                self._table = Table(structure, columns, len(found))
                found = []
            self.elements = found

    def start(self, run: Run) -> Stage:
        if self.elements is None:
            return CacheStage(self, run.start(self.inputs[0]))
        return CacheStage(self)


def _is_regular(rows: list[list[Any]]) -> bool:
    """Whether the leaves of all elements are tensors of one shape and dtype."""
    first = rows[0]
    if any(type(leaf) is not elements.Tensor for leaf in first):
        return False
    kinds = [(leaf.shape, leaf.dtype) for leaf in first]
    return all(
        len(row) == len(first)
        and all(
            type(leaf) is elements.Tensor and leaf.dtype is dtype and leaf.shape == shape
            for leaf, (shape, dtype) in zip(row, kinds, strict=True)
        )
        for row in rows
    )


class CacheStage(Choosing):
    """A pass that fills the cache, or one over what it holds."""

    def __init__(self, node: Cache, *source: Stage) -> None:
        super().__init__(*source)
        self.node = node
        self.seen: list[Any] = []
        self.position = 0
        self.origin = self.input.save() if source else node.origin

    @property
    def table(self) -> Table | None:
        return None if self.inputs else self.node.table()

    def next(self) -> Any:
        if self.inputs:
            return self._next_of_input()
        table = self.node.table()
        found: list[Any] = self.node.elements or []
        if self.position >= (len(found) if table is None else table.length):
            raise StopIteration
        self.position += 1
        return found[self.position - 1] if table is None else table.row(self.position - 1)

    def _next_of_input(self) -> Any:
        try:
            element = self.input.next()
        except StopIteration:
            self.node.complete(self.seen, self.origin or {})
            self.close()
            self.inputs = ()
            self.seen = []
            raise
        self.seen.append(element)
        self.position += 1
        return element

    def next_rows(self, count: int) -> Rows:
        table = self.node.table()
        assert table is not None
        start = self.position
        self.position = min(start + count, table.length)
        return range(start, self.position)

    def save(self) -> State:
        return {"position": self.position, "complete": not self.inputs, "origin": self.origin}

    def restore(self, state: State) -> None:
        """What the cache holds is not saved: the input is gone through again."""
        if self.inputs:
            self.origin = state["origin"]
            self.input.restore(state["origin"])
            wanted = None if state["complete"] else state["position"]
            while wanted is None or self.position < wanted:
                try:
                    self._next_of_input()
                except StopIteration:
                    break
        self.position = state["position"]
