"""Stages that run a function of the user on each element: map, filter, take_while, scan."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from agog import dtypes
from agog._core import Tensor
from agog.data import elements
from agog.data.node import UNKNOWN, Node
from agog.data.options import is_debugging
from agog.data.probing import first_elements, spec_after, spec_of_all
from agog.data.stage import Run, Stage, State, decode, encode
from agog.data.threads import Outcome, Pool, done
from agog.errors import FailedPreconditionError, InvalidArgumentError


class Map(Node):
    """A function of each element."""

    kind = "Map"
    runs_code_for_spec = True

    def __init__(
        self,
        source: Node,
        function: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
    ) -> None:
        super().__init__(source)
        if num_parallel_calls is not None and num_parallel_calls < 1 and num_parallel_calls != -1:
            raise InvalidArgumentError(
                None,
                None,
                "num_parallel_calls must be greater than zero, or AUTOTUNE, got "
                f"{num_parallel_calls}",
            )
        self.function = function
        self.num_parallel_calls = num_parallel_calls
        self.deterministic = deterministic
        if num_parallel_calls is not None:
            self.kind = "ParallelMap"  # type: ignore[misc]

    @property
    def title(self) -> str:
        return f"{self.kind} {elements.name_of(self.function)}"

    def make_spec(self) -> Any:
        return spec_after(self.inputs[0], self.apply)

    def apply(self, element: Any) -> Any:
        """The function's value as an element."""
        value = elements.call(self.function, element)
        if value is None:
            raise TypeError(
                f"the function {elements.name_of(self.function)} passed to Dataset.map() returned "
                "None, which is no element: is a `return` missing?"
            )
        return elements.to_element(value)

    def start(self, run: Run) -> Stage:
        source = run.start(self.inputs[0])
        if self.num_parallel_calls is None or is_debugging():
            return MapStage(source, self)
        threads = run.threads(self.num_parallel_calls)
        pool_of = ParallelMapStage if run.is_deterministic(self.deterministic) else UnorderedStage
        return pool_of(source, self, threads, run)


class MapStage(Stage):
    """A pass that calls the function when an element is asked for."""

    def __init__(self, source: Stage, node: Map) -> None:
        super().__init__(source)
        self.node = node

    def next(self) -> Any:
        return self.node.apply(self.inputs[0].next())


class ParallelMapStage(Stage):
    """A pass that has several elements in work on threads, and gives them in order.

    The input is read by the thread that asks for elements, so that only the function runs beside
    it.
    """

    def __init__(self, source: Stage, node: Map, threads: int, run: Run) -> None:
        super().__init__(source)
        self.node = node
        self.threads = threads
        self.pool = Pool(self, threads, run.clock(node))
        self.pending: deque[Any] = deque()  # futures, and outcomes that were restored
        self.ended = False

    def next(self) -> Any:
        self._fill()
        if not self.pending:
            raise StopIteration
        return self._result(self.pending.popleft()).get()

    def _result(self, work: Any) -> Outcome:
        return work if type(work) is Outcome else self.pool.result(work)

    def _fill(self) -> None:
        while len(self.pending) < self.threads and not self.ended:
            read = Outcome(self.inputs[0].next, ())
            if read.is_end:
                self.ended = True
            elif read.is_error:
                self.pending.append(read)  # an error of the input: raised in its turn
            else:
                self.pending.append(self.pool.submit(self.node.apply, read.value))

    def save(self) -> State:
        outcomes = [self._result(work) for work in self.pending]
        self.pending = deque(outcomes)
        found = [encode(outcome.element()) for outcome in outcomes]
        return {"pending": found, "ended": self.ended, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.ended = state["ended"]
        self.pending = deque(done(decode(found, self.node)) for found in state["pending"])

    def close(self) -> None:
        self.pool.close()
        super().close()


class UnorderedStage(ParallelMapStage):
    """The same, but an element comes as soon as it is ready."""

    def _result(self, work: Any) -> Outcome:
        from concurrent.futures import FIRST_COMPLETED, Future, wait

        if type(work) is Outcome:
            return work
        futures = [work, *(other for other in self.pending if isinstance(other, Future))]
        ready = next((future for future in futures if future.done()), None)
        if ready is None:
            ready = wait(futures, return_when=FIRST_COMPLETED).done.pop()
        if ready is not work:
            self.pending.remove(ready)
            self.pending.appendleft(work)
        return self.pool.result(ready)

    def save(self) -> State:
        outcomes = []
        while self.pending:
            outcomes.append(self._result(self.pending.popleft()))
        self.pending = deque(outcomes)
        return super().save()


class Filter(Node):
    """The elements for which a predicate holds."""

    kind = "Filter"

    def __init__(self, source: Node, predicate: Callable[..., Any]) -> None:
        super().__init__(source)
        self.predicate = predicate

    @property
    def title(self) -> str:
        return f"{self.kind} {elements.name_of(self.predicate)}"

    def num_elements(self) -> int:
        return 0 if self.inputs[0].num_elements() == 0 else UNKNOWN

    def start(self, run: Run) -> Stage:
        return FilterStage(run.start(self.inputs[0]), self)

    def holds(self, element: Any) -> bool:
        """Whether the predicate, a scalar truth value, holds for an element."""
        value = elements.call(self.predicate, element)
        if value is True or value is False:
            return value
        tensor = elements.to_element(value)
        if type(tensor) is not Tensor or tensor.dtype is not dtypes.bool_ or tensor.shape.rank:
            raise ValueError(
                f"Invalid `predicate`. `predicate` {elements.name_of(self.predicate)} must return "
                f"a `tf.bool` scalar tensor, but its return type is {elements.spec_of(tensor)}."
            )
        return bool(tensor)


class FilterStage(Stage):
    """A pass over what the predicate lets through."""

    def __init__(self, source: Stage, node: Filter) -> None:
        super().__init__(source)
        self.node = node

    def next(self) -> Any:
        while True:
            element = self.inputs[0].next()
            if self.node.holds(element):
                return element


class TakeWhile(Filter):
    """The elements before the first one for which a predicate does not hold."""

    kind = "TakeWhile"

    def start(self, run: Run) -> Stage:
        return TakeWhileStage(run.start(self.inputs[0]), self)


class TakeWhileStage(Stage):
    """A pass that ends with the predicate."""

    def __init__(self, source: Stage, node: TakeWhile) -> None:
        super().__init__(source)
        self.node = node
        self.ended = False

    def next(self) -> Any:
        if not self.ended:
            element = self.inputs[0].next()
            if self.node.holds(element):
                return element
            self.ended = True
        raise StopIteration

    def save(self) -> State:
        return {"ended": self.ended, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.ended = state["ended"]


class Scan(Node):
    """A function of a state and each element, which gives the next state and an element."""

    kind = "Scan"
    runs_code_for_spec = True

    def __init__(self, source: Node, initial_state: Any, function: Callable[..., Any]) -> None:
        super().__init__(source)
        self.initial_state = elements.to_tensors(initial_state)
        self.function = function

    @property
    def title(self) -> str:
        return f"{self.kind} {elements.name_of(self.function)}"

    def make_spec(self) -> Any:
        state, specs = self.initial_state, []
        for element in first_elements(self.inputs[0], 2):
            state, given = self.apply(state, element)
            specs.append(elements.spec_of(given))
        return spec_of_all(specs)

    def apply(self, state: Any, element: Any) -> tuple[Any, Any]:
        """The next state and the element that is given."""
        value = elements.call(self.function, (state, element))
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state "
                f"and the output value but it returned {value!r}."
            )
        fresh = elements.to_tensors(value[0])
        check_state("scan_func", self.initial_state, fresh)
        return fresh, elements.to_tensors(value[1])

    def start(self, run: Run) -> Stage:
        return ScanStage(run.start(self.inputs[0]), self)


class ScanStage(Stage):
    """A pass that carries a state."""

    def __init__(self, source: Stage, node: Scan) -> None:
        super().__init__(source)
        self.node = node
        self.state = node.initial_state

    def next(self) -> Any:
        self.state, element = self.node.apply(self.state, self.inputs[0].next())
        return element

    def save(self) -> State:
        return {"state": encode(self.state), **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        leaves = elements.flatten(_plain(state["state"]))
        self.state = elements.pack_like(self.node.initial_state, iter(leaves))


def _plain(state: Any) -> Any:
    """The leaves of an encoded element in a nest of tuples, in walking order."""
    if not isinstance(state, dict):
        return state
    parts = [_plain(part) for part in state["parts"]]
    if state["kind"] == "dict":
        by_key = dict(zip(state["keys"], parts, strict=True))
        parts = [by_key[key] for key in sorted(by_key)]
    return tuple(parts)


def check_state(name: str, before: Any, after: Any) -> None:
    """TypeError unless a state kept its structure and dtypes."""
    old, new = elements.spec_of(before), elements.spec_of(after)
    try:
        elements.common_spec(old, new)
    except TypeError:
        raise TypeError(
            f"Invalid `{name}`. The element types for the new state must match the initial "
            f"state. Expected {old}, got {new}; convert one of them, as with agog.cast."
        ) from None


class IgnoreErrors(Node):
    """The elements that raise no error."""

    kind = "IgnoreErrors"

    def __init__(self, source: Node, log_warning: bool) -> None:
        super().__init__(source)
        self.log_warning = log_warning

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        return size if size <= 0 else UNKNOWN

    def start(self, run: Run) -> Stage:
        return IgnoreErrorsStage(run.start(self.inputs[0]), self)


class IgnoreErrorsStage(Stage):
    """A pass that goes on after errors."""

    def __init__(self, source: Stage, node: IgnoreErrors) -> None:
        super().__init__(source)
        self.node = node

    def next(self) -> Any:
        while True:
            try:
                return self.inputs[0].next()
            except StopIteration:
                raise
            except Exception as error:
                if self.node.log_warning:
                    import logging

                    logging.getLogger("agog").warning("ignored the error of an element: %s", error)


class Unique(Node):
    """The elements that did not come before: scalars of integers or strings, or vectors."""

    kind = "Unique"

    def num_elements(self) -> int:
        return 0 if self.inputs[0].num_elements() == 0 else UNKNOWN

    def start(self, run: Run) -> Stage:
        return UniqueStage(run.start(self.inputs[0]))


class UniqueStage(Stage):
    """A pass that remembers what it gave."""

    def __init__(self, source: Stage) -> None:
        super().__init__(source)
        self.seen: set[Any] = set()
        self.kept: list[Any] = []

    def next(self) -> Any:
        while True:
            element = self.inputs[0].next()
            if self._add(element):
                return element

    def _add(self, element: Any) -> bool:
        if type(element) is not Tensor:
            raise TypeError(
                f"unique takes datasets of single tensors, got elements {elements.spec_of(element)}"
            )
        array = element.numpy()
        value = array.tolist() if hasattr(array, "tolist") else array
        key = (element.shape, repr(value) if isinstance(value, list) else value)
        if key in self.seen:
            return False
        self.seen.add(key)
        self.kept.append(element)
        return True

    def save(self) -> State:
        return {"seen": list(self.kept), **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        for element in state["seen"]:
            self._add(element)


class AssertCardinality(Node):
    """The input, which must have a certain number of elements."""

    kind = "AssertCardinality"

    def __init__(self, source: Node, expected: int) -> None:
        super().__init__(source)
        self.expected = expected

    def num_elements(self) -> int:
        return self.expected

    def start(self, run: Run) -> Stage:
        return AssertCardinalityStage(run.start(self.inputs[0]), self.expected)


class AssertCardinalityStage(Stage):
    """A pass that counts."""

    def __init__(self, source: Stage, expected: int) -> None:
        super().__init__(source)
        self.expected = expected
        self.count = 0

    def next(self) -> Any:
        try:
            element = self.inputs[0].next()
        except StopIteration:
            if self.count != self.expected:
                raise self._error("only ") from None
            raise
        self.count += 1
        if self.count > self.expected >= 0:
            raise self._error("at least ")
        return element

    def _error(self, word: str) -> FailedPreconditionError:
        wanted = "an infinite number of" if self.expected < 0 else self.expected
        message = (
            f"Input dataset was expected to contain {wanted} elements but contained "
            f"{word}{self.count} elements."
        )
        return FailedPreconditionError(None, None, message)

    def save(self) -> State:
        return {"count": self.count, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.count = state["count"]


def scalar_int64(value: Any, what: str) -> int:
    """A user's function's value, which must be a scalar integer."""
    tensor = elements.to_element(value)
    if type(tensor) is not Tensor or not tensor.dtype.is_integer or tensor.shape.rank:
        raise ValueError(
            f"`{what}` must return a scalar tf.int64 tensor, got {elements.spec_of(tensor)}"
        )
    return int(tensor)
