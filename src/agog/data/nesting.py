"""Datasets of datasets: flat_map, interleave, window, group_by_window."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from agog import _core, dtypes
from agog.data import elements
from agog.data.mapping import scalar_int64
from agog.data.node import UNKNOWN, DatasetBase, Node, as_dataset
from agog.data.options import is_debugging
from agog.data.probing import first_elements, spec_of_all
from agog.data.sources import Elements, ListStage
from agog.data.stage import Run, Stage, State, available_cpus, decode, encode
from agog.data.threads import Outcome, Pool, done
from agog.errors import InvalidArgumentError
from agog.tensor_shape import TensorShape
from agog.tensor_spec import TensorSpec, TypeSpec


class DatasetSpec(TypeSpec):
    """The description of a dataset that is an element, such as a window."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._element_spec

    def __eq__(self, other: object) -> bool:
        return type(other) is DatasetSpec and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash((DatasetSpec, str(self._element_spec)))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, TensorShape([]))"


class Interleave(Node):
    """The elements of the datasets that a function makes of the elements, `cycle` at a time."""

    kind = "Interleave"
    runs_code_for_spec = True

    def __init__(
        self,
        source: Node,
        function: Callable[..., Any],
        cycle: int | None = None,
        block: int | None = None,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> None:
        super().__init__(source)
        self.function = function
        self.cycle = available_cpus() if cycle in (None, -1) else int(cycle or 0)
        self.block = 1 if block is None else int(block)
        self.num_parallel_calls, self.deterministic = num_parallel_calls, deterministic
        self._check()

    def _check(self) -> None:
        calls = self.num_parallel_calls
        for name, value, least in (
            ("cycle_length", self.cycle, 1),
            ("block_length", self.block, 1),
            ("num_parallel_calls", 1 if calls in (None, -1) else calls, 1),
        ):
            if value < least:  # type: ignore[operator]
                raise InvalidArgumentError(
                    None, None, f"{name} of interleave must be greater than zero, got {value}"
                )

    @property
    def title(self) -> str:
        return f"{self.kind} {elements.name_of(self.function)}"

    def make_spec(self) -> Any:
        return spec_of_all([self.apply(e).spec for e in first_elements(self.inputs[0], 2)])

    def num_elements(self) -> int:
        return 0 if self.inputs[0].num_elements() == 0 else UNKNOWN

    def apply(self, element: Any) -> Node:
        """The node of the dataset that the function makes."""
        made = elements.call(self.function, element)
        if not isinstance(made, DatasetBase):
            raise TypeError(
                f"`map_func` {elements.name_of(self.function)} must return a `Dataset` object, "
                f"got {type(made).__name__}"
            )
        return made._node

    def start(self, run: Run) -> Stage:
        source = run.start(self.inputs[0])
        if self.num_parallel_calls is None or is_debugging():
            return InterleaveStage(source, self, run)
        pass_of = ParallelInterleaveStage
        if not run.is_deterministic(self.deterministic):
            pass_of = UnorderedInterleaveStage
        return pass_of(source, self, run)


class FlatMap(Interleave):
    """The elements of each dataset that a function makes, one dataset after another."""

    kind = "FlatMap"

    def __init__(self, source: Node, function: Callable[..., Any]) -> None:
        super().__init__(source, function, 1, 1)


class Slot:
    """A place in the cycle: the element, the pass over what was made of it."""

    def __init__(self, element: Any, stage: Stage) -> None:
        self.element, self.stage = element, stage
        self.ready: deque[Outcome] = deque()  # read ahead
        self.work: Any = None  # the future of the next block

    def next(self) -> Any:
        """The next element."""
        return self.ready.popleft().get() if self.ready else self.stage.next()

    def save(self) -> State:
        """The element and the position."""
        ready = [encode(outcome.element()) for outcome in self.ready if not outcome.is_end]
        return {"element": encode(self.element), "ready": ready, "stage": self.stage.save()}


class InterleaveStage(Stage):
    """A pass through the cycle: a block of each slot in turn, a slot at its end takes the next
    element when its turn comes."""

    def __init__(self, source: Stage, node: Interleave, run: Run) -> None:
        super().__init__(source)
        # Times of the datasets that come and go count as those of this stage.
        self.node, self.run = node, Run(run.options)
        self.slots: list[Slot | None] = [None] * node.cycle
        self.current = 0
        self.given = 0  # of the block
        self.ended = False

    def next(self) -> Any:
        idle = 0
        while idle <= len(self.slots):
            slot = self.slots[self.current] or self._open()
            if slot is None:
                idle += 1
                self._advance()
                continue
            try:
                element = self._next_of(slot)
            except StopIteration:
                idle = 0
                self._forget(self.current)
                self._advance()
                continue
            self.given += 1
            if self.given == self.node.block:
                self._advance()
            return element
        raise StopIteration

    def _next_of(self, slot: Slot) -> Any:
        return slot.next()

    def _advance(self) -> None:
        self.current = (self.current + 1) % len(self.slots)
        self.given = 0

    def _forget(self, i: int) -> None:
        slot = self.slots[i]
        self.slots[i] = None
        if slot is not None:
            slot.stage.close()

    def _open(self) -> Slot | None:
        """A pass over the next dataset, in the current slot; None where there is none."""
        if self.ended:
            return None
        try:
            element = self.inputs[0].next()
        except StopIteration:
            self.ended = True
            return None
        slot = Slot(element, self.run.start(self.node.apply(element)))
        self.slots[self.current] = slot
        return slot

    def save(self) -> State:
        return {
            "slots": [None if slot is None else slot.save() for slot in self.slots],
            "current": self.current,
            "given": self.given,
            "ended": self.ended,
            **super().save(),
        }

    def restore(self, state: State) -> None:
        super().restore(state)
        self.current, self.given = state["current"], state["given"]
        self.ended = state["ended"]
        for i, saved in enumerate(state["slots"]):
            if saved is None:
                continue
            element = decode(saved["element"], self.node.inputs[0])
            made = self.node.apply(element)
            slot = Slot(element, self.run.start(made))
            slot.stage.restore(saved["stage"])
            slot.ready.extend(done(decode(found, made)) for found in saved["ready"])
            self.slots[i] = slot

    def close(self) -> None:
        for i in range(len(self.slots)):
            self._forget(i)
        super().close()


class ParallelInterleaveStage(InterleaveStage):
    """The same order, with a block of every slot read ahead on threads."""

    def __init__(self, source: Stage, node: Interleave, run: Run) -> None:
        super().__init__(source, node, run)
        self.pool = Pool(self, run.threads(node.num_parallel_calls or -1), run.clock(node))

    def next(self) -> Any:
        self._read_ahead()
        return super().next()

    def _read_ahead(self) -> None:
        """Opens what can be opened in the order of turns, and has blocks read."""
        here = self.current, self.given
        for _ in self.slots:
            slot = self.slots[self.current]
            if slot is None and here[1] == 0 and not self.ended:
                slot = self._open()
            if slot is not None and slot.work is None and not slot.ready:
                slot.work = self.pool.submit(_read, slot.stage, self.node.block)
            self.current = (self.current + 1) % len(self.slots)
        self.current, self.given = here

    def _open(self) -> Slot | None:
        outcome = Outcome(super()._open, ())
        if not outcome.is_error:
            return outcome.value
        # An error comes in its turn, and not when its slot is opened ahead.
        slot = Slot(None, ListStage([]))
        slot.ready.append(outcome)
        self.slots[self.current] = slot
        return slot

    def _next_of(self, slot: Slot) -> Any:
        if not slot.ready:
            self._collect(slot)
        return slot.next()

    def _collect(self, slot: Slot) -> None:
        if slot.work is None:
            slot.work = self.pool.submit(_read, slot.stage, self.node.block)
        slot.ready.extend(self.pool.result(slot.work).get())
        slot.work = None

    def save(self) -> State:
        for slot in self.slots:
            if slot is not None and slot.work is not None:
                self._collect(slot)
        return super().save()

    def close(self) -> None:
        self.pool.close()
        super().close()


class UnorderedInterleaveStage(ParallelInterleaveStage):
    """The same, but the turn goes to a slot that is ready."""

    def next(self) -> Any:
        self._read_ahead()
        if self.given == 0:
            self._choose()
        return InterleaveStage.next(self)

    def _choose(self) -> None:
        for step in range(len(self.slots)):
            i = (self.current + step) % len(self.slots)
            slot = self.slots[i]
            if slot is not None and (slot.ready or (slot.work is not None and slot.work.done())):
                self.current = i
                return


def _read(stage: Stage, count: int) -> list[Outcome]:
    """The outcomes of the next `count` elements, up to the end."""
    found = []
    for _ in range(count):
        found.append(Outcome(stage.next, ()))
        if found[-1].is_end:
            break
    return found


class Window(Node):
    """Datasets of `size` elements each, one for every `shift` elements."""

    kind = "Window"

    def __init__(
        self, source: Node, size: int, shift: int | None, stride: int, drop_remainder: bool
    ) -> None:
        super().__init__(source)
        shift = size if shift is None else shift
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value < 1:
                raise InvalidArgumentError(
                    None, None, f"Window {name} must be greater than zero, got {value}."
                )
        self.size, self.shift, self.stride = size, shift, stride
        self.drop_remainder = drop_remainder
        self.span = (size - 1) * stride + 1

    def make_spec(self) -> Any:
        return elements.map_leaves(DatasetSpec, self.inputs[0].spec)

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        if size < 0:
            return size
        if self.drop_remainder:
            return 0 if size < self.span else (size - self.span) // self.shift + 1
        return -(-size // self.shift)

    def start(self, run: Run) -> Stage:
        return WindowStage(run.start(self.inputs[0]), self)


class WindowStage(Stage):
    """A pass over windows."""

    def __init__(self, source: Stage, node: Window) -> None:
        super().__init__(source)
        self.node = node
        self.buffer: deque[Any] = deque()
        self.to_skip = 0
        self.ended = False

    def next(self) -> Any:
        self._fill()
        if len(self.buffer) < self.node.span and (not self.buffer or self.node.drop_remainder):
            raise StopIteration
        found = list(self.buffer)[: self.node.span : self.node.stride]
        for _ in range(min(self.node.shift, len(self.buffer))):
            self.buffer.popleft()
        self.to_skip = max(self.node.shift - self.node.span, 0)
        return windows(found, self.node.inputs[0])

    def _fill(self) -> None:
        try:
            while not self.ended and self.to_skip > 0:
                self.to_skip -= 1
                self.inputs[0].next()
            while not self.ended and len(self.buffer) < self.node.span:
                self.buffer.append(self.inputs[0].next())
        except StopIteration:
            self.ended = True

    def save(self) -> State:
        buffer = [encode(element) for element in self.buffer]
        state = {"buffer": buffer, "to_skip": self.to_skip, "ended": self.ended}
        return {**state, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.buffer.extend(decode(found, self.node.inputs[0]) for found in state["buffer"])
        self.to_skip, self.ended = state["to_skip"], state["ended"]


def windows(found: list[Any], source: Node) -> Any:
    """Elements as a dataset: a structure of datasets where the elements are structures."""
    if not elements.is_nested(found[0]):
        return as_dataset(Elements(found, lambda: source.spec))
    columns = zip(*map(elements.flatten, found), strict=True)
    parts = [as_dataset(Elements(list(column))) for column in columns]
    return elements.pack_like(found[0], iter(parts))


class GroupByWindow(Node):
    """What a function makes of each `window_size` elements with the same key."""

    kind = "GroupByWindow"
    runs_code_for_spec = True

    def __init__(
        self,
        source: Node,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Callable[[int], int],
        sizes_differ: bool = False,
    ) -> None:
        super().__init__(source)
        self.sizes_differ = sizes_differ  # the first lengths of what the function makes
        self.key_func, self.reduce_func, self.window_size = key_func, reduce_func, window_size

    def make_spec(self) -> Any:
        samples = first_elements(self.inputs[0], 2)
        spec = spec_of_all([self.reduce(self.key(e), [e]).spec for e in samples])
        return elements.map_leaves(_of_any_size, spec) if self.sizes_differ else spec

    def num_elements(self) -> int:
        return 0 if self.inputs[0].num_elements() == 0 else UNKNOWN

    def key(self, element: Any) -> int:
        """The key of an element."""
        return scalar_int64(elements.call(self.key_func, element), "key_func")

    def reduce(self, key: int, found: list[Any]) -> Node:
        """The node of the dataset that the function makes of a window."""
        source = self.inputs[0]
        window = as_dataset(Elements(found, lambda: source.spec))
        made = elements.call(self.reduce_func, (_core.convert(key, dtypes.int64), window))
        if not isinstance(made, DatasetBase):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` "
                f"object but it returned {type(made).__name__}."
            )
        return made._node

    def start(self, run: Run) -> Stage:
        return GroupByWindowStage(run.start(self.inputs[0]), self, run)


def _of_any_size(spec: Any) -> TypeSpec:
    return TensorSpec(TensorShape([None]).concatenate(spec.shape[1:]), spec.dtype)


class GroupByWindowStage(Stage):
    """A pass over windows by key; at the end, over what is left, by ascending key."""

    def __init__(self, source: Stage, node: GroupByWindow, run: Run) -> None:
        super().__init__(source)
        self.node, self.run = node, Run(run.options)
        self.groups: dict[int, list[Any]] = {}
        self.sizes: dict[int, int] = {}
        self.current: tuple[int, list[Any], Stage] | None = None
        self.ended = False

    def next(self) -> Any:
        while True:
            if self.current is not None:
                try:
                    return self.current[2].next()
                except StopIteration:
                    self.current[2].close()
                    self.current = None
            if not self.ended:
                self._read_window()
            elif self.groups:
                self._open(min(self.groups))
            else:
                raise StopIteration

    def _read_window(self) -> None:
        """Reads up to a full window, or to the end."""
        try:
            while True:
                element = self.inputs[0].next()
                key = self.node.key(element)
                group = self.groups.setdefault(key, [])
                group.append(element)
                if len(group) >= self._size(key):
                    self._open(key)
                    return
        except StopIteration:
            self.ended = True

    def _size(self, key: int) -> int:
        if key not in self.sizes:
            size = int(self.node.window_size(key))
            if size < 1:
                raise InvalidArgumentError(
                    None, None, f"Window size must be greater than zero, got {size}."
                )
            self.sizes[key] = size
        return self.sizes[key]

    def _open(self, key: int) -> None:
        found = self.groups.pop(key)
        self.sizes.pop(key, None)
        self.current = key, found, self.run.start(self.node.reduce(key, found))

    def save(self) -> State:
        groups = [[key, [encode(e) for e in found]] for key, found in self.groups.items()]
        current = None
        if self.current is not None:
            key, found, stage = self.current
            current = {
                "key": key,
                "elements": [encode(element) for element in found],
                "stage": stage.save(),
            }
        return {"groups": groups, "current": current, "ended": self.ended, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        source = self.node.inputs[0]
        self.ended = state["ended"]
        for key, found in state["groups"]:
            self.groups[key] = [decode(element, source) for element in found]
        saved = state["current"]
        if saved is not None:
            found = [decode(element, source) for element in saved["elements"]]
            stage = self.run.start(self.node.reduce(saved["key"], found))
            stage.restore(saved["stage"])
            self.current = saved["key"], found, stage
