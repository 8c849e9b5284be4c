"""Shuffling with a buffer.

The rule: the buffer is filled with the first `buffer_size` elements. While the input has more, an
element is drawn from all of the buffer and the next one of the input takes its place. What is left
at the end comes in a random order. Draws come in blocks (see `randomness`), so the order depends
on seeds and epoch only, and not on how many elements are asked for at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agog import _core
from agog.data.choosing import Choosing
from agog.data.node import Node
from agog.data.randomness import LAST, Seeds, blocks
from agog.data.stage import Run, Stage, State, decode, encode
from agog.data.table import Rows, Table, as_array
from agog.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np


class Shuffle(Node):
    """The elements in random order."""

    kind = "Shuffle"

    def __init__(self, source: Node, buffer_size: int, seed: Any, reshuffle: bool | None) -> None:
        super().__init__(source)
        if buffer_size == -2:  # UNKNOWN_CARDINALITY: all of the input
            buffer_size = 2**62
        if buffer_size < 1:
            raise InvalidArgumentError(
                None,
                None,
                f"buffer_size of shuffle must be greater than zero, got {buffer_size}",
            )
        self.buffer_size = buffer_size
        self.seeds = Seeds(seed, reshuffle is not False)

    def start(self, run: Run) -> Stage:
        return ShuffleStage(run.start(self.inputs[0]), self)


class Draws:
    """Places in a full buffer, drawn in blocks, and the order of what is left at the end."""

    BLOCK: ClassVar[int] = 1024

    def __init__(self, seeds: Seeds, size: int) -> None:
        self.seeds, self.size = seeds, size
        self.epoch = seeds.next_epoch()
        self.position = 0
        self._block: tuple[int, Any] = (-1, None)

    def take(self, count: int) -> np.ndarray:
        """The next places: at least one and at most `count`, up to the end of a block."""
        number, offset = divmod(self.position, self.BLOCK)
        if self._block[0] != number:
            draws = blocks(self.seeds, self.epoch, number)
            self._block = number, draws.integers(0, self.size, self.BLOCK)
        found = self._block[1][offset : offset + count]
        self.position += len(found)
        return found

    def give_back(self, count: int) -> None:
        """Takes back the last places, which found no element."""
        self.position -= count

    def last_order(self, count: int) -> np.ndarray:
        """A random order of `count` elements."""
        return blocks(self.seeds, self.epoch, LAST).permutation(count)

    def save(self) -> State:
        """Epoch and position."""
        return {"epoch": self.epoch, "position": self.position}

    def restore(self, state: State) -> None:
        """Goes to a saved position."""
        self.epoch, self.position = state["epoch"], state["position"]
        self.seeds.go_to(self.epoch)


class ShuffleStage(Choosing):
    """A pass in random order, of row numbers where the input is a table."""

    def __init__(self, source: Stage, node: Shuffle) -> None:
        super().__init__(source)
        self.node = node
        self.draws = Draws(node.seeds, node.buffer_size)
        self._choose(by_rows=source.table is not None)

    def _choose(self, by_rows: bool) -> None:
        kind = RowBuffer if by_rows else ElementBuffer
        self.buffer: Any = kind(self.input, self.node, self.draws)

    @property
    def table(self) -> Table | None:
        return self.buffer.table if type(self.buffer) is RowBuffer else None

    def next(self) -> Any:
        return self.buffer.next()

    def next_rows(self, count: int) -> Rows:
        return self.buffer.next_rows(count)

    def save(self) -> State:
        by_rows = type(self.buffer) is RowBuffer
        state = {"draws": self.draws.save(), "by_rows": by_rows, "buffer": self.buffer.save()}
        return {**state, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.draws.restore(state["draws"])
        self._choose(state["by_rows"])
        self.buffer.restore(state["buffer"])


class ElementBuffer:
    """A buffer of elements."""

    def __init__(self, source: Stage, node: Shuffle, draws: Draws) -> None:
        self.input, self.node, self.draws = source, node, draws
        self.elements: list[Any] = []
        self.hole = -1  # the place whose element was given last
        self.ended = False  # then what is left is in order, from its end

    def next(self) -> Any:
        """The next element."""
        if not self.ended:
            self._fill()
        if self.ended:
            if not self.elements:
                raise StopIteration
            return self.elements.pop()
        self.hole = int(self.draws.take(1)[0])
        element = self.elements[self.hole]
        self.elements[self.hole] = None  # let go of it: the consumer may be the last to hold it
        return element

    def _fill(self) -> None:
        try:
            if self.hole >= 0:
                self.elements[self.hole] = self.input.next()
                self.hole = -1
            while len(self.elements) < self.node.buffer_size:
                self.elements.append(self.input.next())
        except StopIteration:
            if self.hole >= 0:
                del self.elements[self.hole]
            order = self.draws.last_order(len(self.elements))
            self.elements = [self.elements[i] for i in reversed(order)]
            self.ended = True

    def save(self) -> State:
        """What is in the buffer."""
        found = [encode(element) for element in self.elements]
        return {"elements": found, "hole": self.hole, "ended": self.ended}

    def restore(self, state: State) -> None:
        """Fills the buffer with what was saved."""
        self.elements = [decode(element, self.node.inputs[0]) for element in state["elements"]]
        self.hole, self.ended = state["hole"], state["ended"]


class RowBuffer:
    """The same with row numbers, in whole arrays."""

    AHEAD = 1024  # rows that are drawn at a time at least

    def __init__(self, source: Stage, node: Shuffle, draws: Draws) -> None:
        self.input, self.node, self.draws = source, node, draws
        self.table: Any = source.table
        self.rows: Any = None  # the buffer; None before it is filled
        self.hole = -1
        self.ended = False
        self.ready: Any = as_array(range(0))
        self.position = 0  # of the next one in `ready`

    def next(self) -> Any:
        """The next element."""
        rows = self.next_rows(1)
        if not len(rows):
            raise StopIteration
        return self.table.row(int(rows[0]))

    def next_rows(self, count: int) -> Rows:
        """The next row numbers."""
        while len(self.ready) - self.position < count and not self.ended:
            self._draw(max(count, self.AHEAD))
        found = self.ready[self.position : self.position + count]
        self.position += len(found)
        return found

    def _draw(self, count: int) -> None:
        import numpy as np

        if self.rows is None:
            self.rows = np.array(as_array(self.input.next_rows(self.node.buffer_size)))
            if len(self.rows) < self.node.buffer_size:
                self._give([self.rows[self.draws.last_order(len(self.rows))]])
                self.ended = True
                return
        places = self.draws.take(count)
        if self.hole < 0:  # the first draw: the buffer is full
            self.hole = int(places[0])
            self.draws.give_back(len(places) - 1)
            self._give([self.rows[places[:1]]])
            return
        fresh = as_array(self.input.next_rows(len(places)))
        self.draws.give_back(len(places) - len(fresh))
        given = [self._exchange(fresh, places[: len(fresh)])]
        if len(fresh) < len(places):
            left = np.delete(self.rows, self.hole)
            given.append(left[self.draws.last_order(len(left))])
            self.ended = True
        self._give(given)

    def _exchange(self, fresh: np.ndarray, places: np.ndarray) -> np.ndarray:
        """What is drawn from `places`, when before each draw a fresh row fills the hole."""
        import numpy as np

        count = len(fresh)
        if count == 0:
            return fresh
        holes = np.concatenate([[self.hole], places[:-1]])
        # In order of time: fill hole 0, draw 0, fill hole 1, draw 1, …. Sorted by place, what a
        # draw finds is the last fill before it at its place, or else what the buffer held.
        events = np.stack([holes, places], axis=1).reshape(-1)
        order = np.argsort(events, kind="stable")
        at = events[order]
        steps = np.arange(2 * count)
        is_fill = order % 2 == 0
        last_fill = np.maximum.accumulate(np.where(is_fill, steps, -1))
        begins = np.maximum.accumulate(np.where(np.r_[True, at[1:] != at[:-1]], steps, 0))
        found = np.where(last_fill >= begins, fresh[order[last_fill] // 2], self.rows[at])
        result = np.empty(count, np.int64)
        draws = ~is_fill
        result[order[draws] // 2] = found[draws]
        self.rows[holes] = fresh  # of equal places the last counts
        self.hole = int(places[-1])
        return result

    def _give(self, parts: list[Any]) -> None:
        import numpy as np

        self.ready = np.concatenate([self.ready[self.position :], *parts])
        self.position = 0

    def save(self) -> State:
        """What is in the buffer, and what was drawn from it already."""
        return {
            "rows": None if self.rows is None or self.ended else _core.convert(self.rows),
            "hole": self.hole,
            "ended": self.ended,
            "ready": _core.convert(self.ready[self.position :]),
        }

    def restore(self, state: State) -> None:
        """Fills the buffer with what was saved."""
        self.rows = None if state["rows"] is None else state["rows"].numpy()
        self.hole, self.ended = state["hole"], state["ended"]
        self.ready, self.position = state["ready"].numpy(), 0
