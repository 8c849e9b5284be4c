"""Which elements come, and in what order: take, skip, shard, repeat, concatenate, zip, cache.

Where the input is a table, these only choose row numbers, and batches of rows are gathered later.
"""

from __future__ import annotations

from typing import Any

from agog.data import elements
from agog.data.node import INFINITE, UNKNOWN, Node
from agog.data.stage import Run, Stage, State
from agog.data.table import Rows, Table, join
from agog.errors import InvalidArgumentError


class Choosing(Stage):
    """A stage that passes on some elements of its one input as they are."""

    @property
    def input(self) -> Stage:
        """The one input."""
        return self.inputs[0]

    @property
    def table(self) -> Table | None:
        return self.input.table


class Take(Node):
    """At most the first `count` elements; all of them where `count` is negative."""

    kind = "Take"

    def __init__(self, source: Node, count: int) -> None:
        super().__init__(source)
        self.count = count

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        if self.count < 0:
            return size
        if size == INFINITE:
            return self.count
        return size if size == UNKNOWN and self.count else min(self.count, max(size, 0))

    def start(self, run: Run) -> Stage:
        return TakeStage(run.start(self.inputs[0]), self.count)


class TakeStage(Choosing):
    """A pass that stops early."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self.left = count if count >= 0 else 2**63

    def next(self) -> Any:
        if self.left <= 0:
            raise StopIteration
        # Before the call: an element that fails counts as taken.
        self.left -= 1
        return self.input.next()

    def next_rows(self, count: int) -> Rows:
        rows = self.input.next_rows(min(count, self.left))
        self.left -= len(rows)
        return rows

    def next_batch(self, count: int) -> tuple[Any, int]:
        batch, size = self.input.next_batch(min(count, self.left))
        self.left -= size
        return batch, size

    def save(self) -> State:
        return {"left": self.left, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.left = state["left"]


class Skip(Node):
    """All but the first `count` elements; none where `count` is negative."""

    kind = "Skip"

    def __init__(self, source: Node, count: int) -> None:
        super().__init__(source)
        self.count = count

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        if self.count < 0:
            return 0
        return size if size < 0 else max(size - self.count, 0)

    def start(self, run: Run) -> Stage:
        return SkipStage(run.start(self.inputs[0]), self.count)


class SkipStage(Choosing):
    """A pass that starts late."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self.ended = count < 0
        self.to_skip = count

    def _skip(self) -> None:
        if self.ended:
            raise StopIteration
        if self.to_skip > 0 and self.input.table is not None:
            self.to_skip -= len(self.input.next_rows(self.to_skip))
            self.ended = self.to_skip > 0
        while self.to_skip > 0 and not self.ended:
            self.to_skip -= 1
            self.input.next()

    def next(self) -> Any:
        self._skip()
        return self.input.next()

    def next_rows(self, count: int) -> Rows:
        try:
            self._skip()
        except StopIteration:
            return range(0)
        return range(0) if self.ended else self.input.next_rows(count)

    def next_batch(self, count: int) -> tuple[Any, int]:
        try:
            self._skip()
        except StopIteration:
            self.ended = True
        return (None, 0) if self.ended else self.input.next_batch(count)

    def save(self) -> State:
        return {"to_skip": self.to_skip, "ended": self.ended, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.to_skip, self.ended = state["to_skip"], state["ended"]


class Shard(Node):
    """Every `num_shards`-th element, from number `index` on."""

    kind = "Shard"

    def __init__(self, source: Node, num_shards: int, index: int) -> None:
        super().__init__(source)
        if num_shards < 1:
            raise InvalidArgumentError(
                None,
                None,
                "Number of shards must be greater than zero "
                f"(currently num_shards = {num_shards}).",
            )
        if not 0 <= index < num_shards:
            raise InvalidArgumentError(
                None,
                None,
                f"Index must be between 0 and {num_shards - 1} (currently index = {index}).",
            )
        self.num_shards, self.index = num_shards, index

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        return size if size < 0 else len(range(self.index, size, self.num_shards))

    def start(self, run: Run) -> Stage:
        return ShardStage(run.start(self.inputs[0]), self.num_shards, self.index)


class ShardStage(Choosing):
    """A pass over one element of each `num_shards`."""

    def __init__(self, source: Stage, num_shards: int, index: int) -> None:
        super().__init__(source)
        self.num_shards, self.index = num_shards, index
        self.position = 0  # of the next element of the input, modulo num_shards

    def next(self) -> Any:
        while True:
            mine = self.position == self.index
            self.position = (self.position + 1) % self.num_shards
            element = self.input.next()
            if mine:
                return element

    def next_rows(self, count: int) -> Rows:
        # From here to the last wanted row; a shorter answer means the end.
        before = (self.index - self.position) % self.num_shards
        rows = self.input.next_rows(before + 1 + (count - 1) * self.num_shards)
        self.position = (self.position + len(rows)) % self.num_shards
        return rows[before :: self.num_shards]

    def save(self) -> State:
        return {"position": self.position, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.position = state["position"]


class Repeat(Node):
    """The input `count` times, without end where `count` is negative."""

    kind = "Repeat"

    def __init__(self, source: Node, count: int) -> None:
        super().__init__(source)
        self.count = count

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        if self.count < 0:
            return INFINITE if size else 0
        if self.count == 0:
            return 0
        return size if size < 0 else size * self.count

    def start(self, run: Run) -> Stage:
        return SequenceStage(run, self.inputs, self.count if self.count >= 0 else None)


class Concatenate(Node):
    """The elements of one input after those of the other."""

    kind = "Concatenate"

    def __init__(self, first: Node, second: Node) -> None:
        super().__init__(first, second)
        if first.spec_is_free and second.spec_is_free:
            self._spec = elements.common_spec(first.spec, second.spec)

    def make_spec(self) -> Any:
        return elements.common_spec(self.inputs[0].spec, self.inputs[1].spec)

    def num_elements(self) -> int:
        sizes = [node.num_elements() for node in self.inputs]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)

    def start(self, run: Run) -> Stage:
        return SequenceStage(run, self.inputs, 1)


class SequenceStage(Stage):
    """Passes one after another: over each of some nodes, all of that several times."""

    def __init__(self, run: Run, nodes: tuple[Node, ...], rounds: int | None) -> None:
        super().__init__()
        self.run, self.nodes = run, nodes
        self.total = None if rounds is None else rounds * len(nodes)
        self.number = -1  # of the pass that goes on
        self._table: Table | None = None  # that of the last pass, once there is no other
        self.was_empty = False  # the passes so far gave nothing, so an endless repeat ends
        self._start_next()

    def _start_next(self) -> bool:
        """Starts the pass after this one; False where this was the last."""
        for stage in self.inputs:
            stage.close()
        if self.total is not None and self.number + 1 >= self.total:
            self.inputs = ()
            return False
        if self.total is None and self.was_empty and self.number >= 0:
            self.inputs = ()
            return False
        self.number += 1
        self.was_empty = True
        self.inputs = (self.run.start(self.nodes[self.number % len(self.nodes)]),)
        return True

    @property
    def table(self) -> Table | None:
        # Of one node only: its table is the same in every pass.
        if len(self.nodes) == 1 and self.inputs:
            self._table = self.inputs[0].table
        return self._table

    def next(self) -> Any:
        while self.inputs:
            try:
                element = self.inputs[0].next()
                self.was_empty = False
                return element
            except StopIteration:
                self._start_next()
            except BaseException:
                self.was_empty = False
                raise
        raise StopIteration

    def next_rows(self, count: int) -> Rows:
        parts: list[Rows] = []
        while count > 0 and self.inputs:
            rows = self.inputs[0].next_rows(count)
            count -= len(rows)
            parts.append(rows)
            self.was_empty = self.was_empty and not len(rows)
            if count > 0:
                self._start_next()
        return join(parts)

    def next_batch(self, count: int) -> tuple[Any, int]:
        if self.table is not None:
            return super().next_batch(count)
        if self.inputs:
            batch, size = self.inputs[0].next_batch(count)
            self.was_empty = self.was_empty and not size
            if size == count:
                return batch, size
            if size == 0:
                self._start_next()
                return self.next_batch(count) if self.inputs else (None, 0)
            found = [elements.map_leaves(lambda x, i=i: x[i], batch) for i in range(size)]
            found += self.next_elements(count - size)
            return elements.stack(found), len(found)
        return None, 0

    def save(self) -> State:
        state = {"number": self.number, "was_empty": self.was_empty, "ended": not self.inputs}
        return {**state, **super().save()}

    def restore(self, state: State) -> None:
        self.number, self.was_empty = state["number"], state["was_empty"]
        if state["ended"]:
            self.close()
            self.inputs = ()
            return
        if len(self.nodes) > 1:
            self.close()
            self.inputs = (self.run.start(self.nodes[self.number % len(self.nodes)]),)
        super().restore(state)


class Zip(Node):
    """One element of each of several inputs, nested as they are; ends with the shortest."""

    kind = "Zip"

    def __init__(self, structure: Any, nodes: list[Node]) -> None:
        super().__init__(*nodes)
        self.structure = structure  # of nodes
        self._tables = [node.table() for node in nodes]
        self._table: Table | None = None

    def make_spec(self) -> Any:
        return elements.pack_like(self.structure, iter([node.spec for node in self.inputs]))

    def num_elements(self) -> int:
        sizes = [node.num_elements() for node in self.inputs]
        if UNKNOWN in sizes:
            return UNKNOWN
        finite = [size for size in sizes if size >= 0]
        return min(finite) if finite else INFINITE

    def table(self) -> Table | None:
        if self._table is None:
            tables = [table for table in self._tables if table is not None]
            if len(tables) < len(self._tables):
                return None
            structure = elements.pack_like(self.structure, iter([t.structure for t in tables]))
            columns = [column for table in tables for column in table.columns]
            self._table = Table(structure, columns, min(table.length for table in tables))
        return self._table

    def start(self, run: Run) -> Stage:
        from agog.data.sources import TableStage

        table = self.table()
        if table is not None:
            return TableStage(table)
        return ZipStage(self.structure, [run.start(node) for node in self.inputs])


class ZipStage(Stage):
    """Passes side by side."""

    def __init__(self, structure: Any, stages: list[Stage]) -> None:
        super().__init__(*stages)
        self.pack = elements.packer(structure)

    def next(self) -> Any:
        return self.pack([stage.next() for stage in self.inputs])

    def next_batch(self, count: int) -> tuple[Any, int]:
        found = [stage.next_batch(count) for stage in self.inputs]
        size = min(size for _, size in found)
        if size == 0:
            return None, 0
        parts = [
            batch if given == size else elements.map_leaves(lambda x: x[:size], batch)
            for batch, given in found
        ]
        return self.pack(parts), size
