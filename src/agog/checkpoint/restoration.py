"""One checkpoint on its way into objects: which object takes which value, now and later.

The graph in the file and the objects are walked side by side: a child takes the node that stands
under the same name. A step first finds all that can be placed, checks every dtype and shape and
reads every value, and only then changes anything.
"""

from __future__ import annotations

import logging
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from agog._core import Tensor, VariableBase
from agog.checkpoint import waiting
from agog.checkpoint.bundle_reader import BundleReader
from agog.checkpoint.messages import Attribute, ObjectGraph
from agog.checkpoint.object_graph import Tracked, survey, with_values
from agog.checkpoint.report import Mismatch, RestoreReport, Value, raise_mismatches
from agog.checkpoint.trackable import (
    VALUE,
    all_children,
    is_container,
    is_trackable,
    take_state,
    value_names,
)
from agog.errors import DataLossError, FailedPreconditionError

Pair = tuple[Any, int]  # an object, and the number of its node


@dataclass
class _Plan:
    """What one step is about to change."""

    assignments: list[tuple[Any, str]] = field(default_factory=list)  # variable, key
    states: list[tuple[Any, dict[str, str]]] = field(default_factory=list)  # object, keys by name
    mismatches: list[Mismatch] = field(default_factory=list)

    def keys(self) -> list[str]:
        """The keys of all that will be placed."""
        of_states = (key for _, keys in self.states for key in keys.values())
        return [*(key for _, key in self.assignments), *of_states]


class Restoration:
    """The state of one restore: its nodes, and the objects that have taken them."""

    def __init__(
        self, reader: BundleReader, graph: ObjectGraph, skip_slots: bool, strict: bool | None
    ) -> None:
        _check_graph(graph, reader.prefix)
        for node in graph.nodes:  # TensorFlow's iterators name a key that holds nothing
            node.attributes = [each for each in node.attributes if each.checkpoint_key in reader]
        self.reader = reader
        self.graph = graph
        self.restored: list[str] = []  # keys
        self.mismatched: list[Mismatch] = []
        self.optional: Any = None  # an object whose value nobody misses
        self.ledger = _Ledger(reader.prefix)
        self._skip_slots = skip_slots
        self._strict = strict  # None: a mismatch raises, and nothing else
        self._bound: dict[int, Callable[[], Any]] = {}
        self._numbers: dict[int, int] = {}  # id of an object that is alive -> its node
        self._filled: set[int] = set()  # nodes whose values were placed, or did not fit
        self._containers: dict[int, type] = {}  # nodes that were met as lists, tuples and dicts
        self._root: Callable[[], Any] = lambda: None
        self._extra: dict[str, Any] = {}
        self._with_values = with_values(graph)
        self._slots_of: dict[int, list[tuple[int, str, int]]] = {}
        for owner, node in enumerate(graph.nodes):
            for slot in node.slot_variables:
                entry = (owner, slot.slot_name, slot.slot_variable_node_id)
                self._slots_of.setdefault(slot.original_variable_node_id, []).append(entry)
        weakref.finalize(self, self.ledger.warn)

    def start(self, root: Any, extra: dict[str, Any]) -> None:
        """The first walk, from the root, and the placing of all that it finds.

        `extra` are further children of the root, by name.
        """
        self._root = weakref.ref(root) if _can_be_referred_to(root) else lambda: root
        self._extra = extra
        waiting.settle(self, self._step([(root, 0)]))

    def resume(self, pairs: Iterable[Pair] = ()) -> None:
        """Walks on from objects that came later, or from everything known."""
        known = list(pairs)
        new = self._step(known or self.bound_objects())
        waiting.settle(self, new + known if known else self.bound_objects())

    def is_bound(self, number: int) -> bool:
        """Whether some object has taken the node, were it one that is gone by now."""
        return number in self._bound

    def number_of(self, value: Any) -> int | None:
        """The node that an object has taken."""
        number = self._numbers.get(id(value))
        return number if number is not None and self._bound[number]() is value else None

    def lacking(self, number: int) -> dict[str, int]:
        """The children of a node that hold values which no object has taken, by name."""
        return {
            child.local_name: child.node_id
            for child in self.graph.nodes[number].children
            if self._is_lacking(child.node_id)
        }

    def _is_lacking(self, number: int) -> bool:
        todo, seen = [number], set()
        while todo:
            current = todo.pop()
            if current in seen or current in self._bound or current not in self._with_values:
                continue
            if current not in self._containers:
                return True
            seen.add(current)
            todo.extend(child.node_id for child in self.graph.nodes[current].children)
        return False

    def bound_objects(self) -> list[Pair]:
        """All objects that have taken a node and are alive."""
        found = ((reference(), number) for number, reference in list(self._bound.items()))
        return [pair for pair in found if pair[0] is not None]

    def report(self, found: Iterable[Tracked], planned: Iterable[str] = ()) -> RestoreReport:
        """How things stand, with `found`, the objects of the program, and keys about to be read."""
        restored = [*self.restored, *planned]
        done = {*restored, *(mismatch.key for mismatch in self.mismatched)}
        later = self._placeable()
        report = RestoreReport(self.reader.prefix, restored, mismatched=list(self.mismatched))
        for number, attribute in self._open_attributes(done):
            value = Value.of(self.reader, attribute.checkpoint_key)
            (report.deferred if number in later else report.unused).append(value)
        report.missing = [
            Value.here(each.path, each.value)
            for each in found
            if value_names(each.value)
            and self.number_of(each.value) not in self._filled
            and each.value is not self.optional
        ]
        return report

    def _open_attributes(self, done: set[str]) -> list[tuple[int, Attribute]]:
        """The values that have not been placed, with the numbers of their nodes."""
        return [
            (number, attribute)
            for number, node in enumerate(self.graph.nodes)
            for attribute in node.attributes
            if attribute.checkpoint_key not in done
        ]

    def _placeable(self) -> set[int]:
        """The nodes that an object may still take: those below objects that can have new parts."""
        todo = [number for value, number in self.bound_objects() if waiting.can_grow(value)]
        todo += [number for number, kind in self._containers.items() if kind is not tuple]
        later: set[int] = set()
        while todo:
            node = self.graph.nodes[todo.pop()]
            below = [child.node_id for child in node.children]
            below += [slot.slot_variable_node_id for slot in node.slot_variables]
            new = {number for number in below if number not in self._bound} - later
            later |= new
            todo += [number for number in new if number not in self._containers]
        waits = {number for number in later if number not in self._containers}
        for original, rows in self._slots_of.items():
            for owner, _, number in rows:
                if {original, owner} & waits and number not in self._bound:
                    later.add(number)
        return later

    # ---- a step

    def _step(self, pairs: list[Pair]) -> list[Pair]:
        new = self._walk(pairs)
        plan = _Plan()
        for value, number in new:
            self._plan_one(plan, value, number)
        if plan.mismatches and self._strict is None:
            raise_mismatches(self.reader.prefix, plan.mismatches)
        self.mismatched += plan.mismatches
        if self._strict:
            self._require_all(plan)
        self._place(plan)
        done = {*self.restored, *(mismatch.key for mismatch in self.mismatched)}
        self.ledger.left = [each.checkpoint_key for _, each in self._open_attributes(done)]
        return new

    def _require_all(self, plan: _Plan) -> None:
        found = survey(self._root(), self._extra.items())
        report = self.report(found, plan.keys())
        if not report.is_complete:
            self.ledger.silent = True
            raise FailedPreconditionError(None, None, f"nothing was restored\n{report}")

    def _walk(self, pairs: list[Pair]) -> list[Pair]:
        """Binds objects to nodes, from these pairs downwards; returns those newly bound."""
        new: list[Pair] = []
        seen: set[int] = set()
        todo = deque(pairs)
        while todo:
            value, number = todo.popleft()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if is_container(value):
                self._containers[number] = tuple if isinstance(value, tuple) else type(value)
            elif self.number_of(value) is None:
                if self.is_bound(number):
                    continue
                self._bind(value, number)
                new.append((value, number))
                todo.extend(self._new_slots(value, number))
            elif self.number_of(value) != number:
                continue
            todo.extend(self._matching_children(value, number))
        return new

    def _bind(self, value: Any, number: int) -> None:
        refers = _can_be_referred_to(value)
        self._bound[number] = weakref.ref(value) if refers else lambda: value
        self._numbers[id(value)] = number

    def _matching_children(self, value: Any, number: int) -> list[Pair]:
        wanted = {child.local_name: child.node_id for child in self.graph.nodes[number].children}
        if not wanted:
            return []
        if hasattr(value, "_create_own_variables"):
            value._create_own_variables()
        own = dict(all_children(value))
        if number == 0:
            own.update(self._extra)
        return [
            (own[name], child)
            for name, child in wanted.items()
            if name in own and (is_container(own[name]) or is_trackable(own[name]))
        ]

    def _new_slots(self, value: Any, number: int) -> list[Pair]:
        """The slots whose variable or optimizer was just bound, and whose other side was before."""
        if self._skip_slots:
            return []
        rows = [(number, *row) for row in self._slots_of.get(number, ())]
        for slot in self.graph.nodes[number].slot_variables:
            original = slot.original_variable_node_id
            rows.append((original, number, slot.slot_name, slot.slot_variable_node_id))
        found = []
        for original, owner, name, slot_number in rows:
            if not (self.is_bound(original) and self.is_bound(owner)):
                continue
            make = getattr(self._bound[owner](), "_slot_for", None)
            made = make(self._bound[original](), name) if make else None
            if made is not None:
                found.append((made, slot_number))
        return found

    def _plan_one(self, plan: _Plan, value: Any, number: int) -> None:
        keys = {each.name: each.checkpoint_key for each in self.graph.nodes[number].attributes}
        if any(name not in keys for name in value_names(value)):
            return
        if not isinstance(value, VariableBase):
            if value_names(value):
                plan.states.append((value, keys))
                self._filled.add(number)
            return
        mismatch = compare(value, self.reader, keys[VALUE])
        if mismatch:
            plan.mismatches.append(mismatch)
            self._filled.add(number)
        else:
            plan.assignments.append((value, keys[VALUE]))
            self._filled.add(number)

    def _place(self, plan: _Plan) -> None:
        """Reads everything, then hands it over: states first, since only they can refuse."""
        tensors = [self.reader.tensor(key) for _, key in plan.assignments]
        states = [
            (value, {name: self.reader.tensor(key) for name, key in keys.items()})
            for value, keys in plan.states
        ]
        for value, parts in states:
            take_state(value, parts)
        assign_all([variable for variable, _ in plan.assignments], tensors)
        self.restored += plan.keys()


def assign_all(variables: list[Any], tensors: list[Tensor]) -> None:
    """Gives variables values whose dtypes and shapes are known to fit."""
    for variable, tensor in zip(variables, tensors, strict=True):
        variable.assign(tensor)


def compare(variable: Any, reader: BundleReader, key: str) -> Mismatch | None:
    """What keeps a variable from taking the value under a key, if anything does."""
    dtype, shape = reader.dtype(key), reader.shape(key)
    if dtype is variable.dtype and variable.shape.is_compatible_with(list(shape)):
        return None
    return Mismatch(Value(key, dtype.name, shape), Value.here(variable.name, variable))


def _can_be_referred_to(value: Any) -> bool:
    """Whether weak references to it can be made."""
    return type(value).__weakrefoffset__ != 0


def _check_graph(graph: ObjectGraph, prefix: str) -> None:
    count = len(graph.nodes)
    numbers = [child.node_id for node in graph.nodes for child in node.children]
    for node in graph.nodes:
        for slot in node.slot_variables:
            numbers += [slot.original_variable_node_id, slot.slot_variable_node_id]
    if count == 0 or any(not 0 <= number < count for number in numbers):
        raise DataLossError(
            None, None, f"{prefix}.index: the object graph names nodes that it does not have"
        )


class _Ledger:
    """What is still to be said of a restore when nobody can use its values any more."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.left: list[str] = []
        self.silent = False

    def silence(self) -> None:
        """Nothing is logged."""
        self.silent = True

    def warn(self) -> None:
        """Log the values that no object took, unless somebody asked about them or said it is so."""
        left = [key for key in self.left if not key.startswith("save_counter/")]
        if left and not self.silent:
            names = ", ".join(left[:5]) + (", ..." if len(left) > 5 else "")
            logging.getLogger("agog").warning(
                "%d values of the checkpoint %s were restored into no object: %s. "
                "status.expect_partial() says that this is as it should be.",
                len(left),
                self.prefix,
                names,
            )
