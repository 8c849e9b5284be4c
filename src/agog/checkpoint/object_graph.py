"""Objects as a graph: who has whom under which name, and the keys of their values."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agog._core import Tensor
from agog.checkpoint.messages import Attribute, BoolValue, Child, Node, ObjectGraph, Slot
from agog.checkpoint.trackable import children, full_name, values

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
ATTRIBUTES = ".ATTRIBUTES"
SLOTS = ".OPTIMIZER_SLOT"

Named = Iterable[tuple[str, Any]]


@dataclass
class Tracked:
    """An object that was found, the way to it, and its children by number."""

    value: Any
    path: str
    children: list[tuple[str, int]] = field(default_factory=list)
    slots: list[tuple[int, str, int]] = field(default_factory=list)  # variable, name, its slot


def survey(root: Any, extra: Named = (), slots: bool = True) -> list[Tracked]:
    """All trackable objects below `root`, each once, nearest first; then slots of optimizers.

    `extra` are further children of the root. The slots of variables that are not found are left
    out.
    """
    found = [Tracked(root, "")]
    numbers = {id(root): 0}
    todo = deque([0])
    while todo:
        current = found[todo.popleft()]
        own = children(current.value)
        for name, child in own if current is not found[0] else (*own, *extra):
            number = numbers.setdefault(id(child), len(found))
            if number == len(found):
                found.append(Tracked(child, _join(current.path, escape(name))))
                todo.append(number)
            current.children.append((name, number))
    if slots:
        _add_slots(found, numbers)
    return found


def _add_slots(found: list[Tracked], numbers: dict[int, int]) -> None:
    for owner in [each for each in found if hasattr(each.value, "_slot_variables")]:
        for variable, name, slot in owner.value._slot_variables():
            original = numbers.get(id(variable))
            if original is None:
                continue
            path = "/".join((found[original].path, SLOTS, owner.path, escape(name)))
            owner.slots.append((original, name, len(found)))
            found.append(Tracked(slot, path))


def to_messages(found: list[Tracked]) -> tuple[ObjectGraph, dict[str, Tensor]]:
    """The graph as TensorFlow writes it, and the values of all objects by key."""
    graph, tensors = ObjectGraph(), {}
    for each in found:
        node = Node()
        node.children = [Child(number, name) for name, number in each.children]
        node.slot_variables = [Slot(*slot) for slot in each.slots]
        for name, tensor in values(each.value).items():
            key = _join(each.path, f"{ATTRIBUTES}/{name}")
            node.attributes.append(Attribute(name, full_name(each.value), key))
            tensors[key] = tensor
        graph.nodes.append(node)
    for number in with_values(graph):
        graph.nodes[number].has_checkpoint_values = BoolValue(1)
    return graph, tensors


def with_values(graph: ObjectGraph) -> set[int]:
    """The numbers of the nodes that have values, themselves or somewhere below."""
    parents: dict[int, list[int]] = {}
    todo = []
    for number, node in enumerate(graph.nodes):
        if node.attributes or node.slot_variables:
            todo.append(number)
        for child in node.children:
            parents.setdefault(child.node_id, []).append(number)
    found = set(todo)
    while todo:
        above = [number for number in parents.get(todo.pop(), ()) if number not in found]
        found.update(above)
        todo.extend(above)
    return found


def escape(name: str) -> str:
    """A name as a part of a key, in which `/` separates and a dot begins a reserved part."""
    return name.replace(".", "..").replace("/", ".S")


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name
