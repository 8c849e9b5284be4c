"""What a checkpoint sees of an object: its children, by name, and its own values.

Trackable are variables, modules, optimizers, checkpoints, random generators, lists, tuples and
dicts that hold any of these, and whatever follows one of two protocols:

* `checkpoint_children()` returns a dict of named trackable parts, which live as long as it does;
* `save_state()` returns plain values and tensors, nested at will, and `restore_state(state)` takes
  back what it returned. Data iterators are of this kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agog._core import Tensor, VariableBase, convert

VALUE = "VARIABLE_VALUE"  # TensorFlow's name of what a variable holds
PYTHON_STATE = "py_state"  # and of what a PythonState holds
STATE = "STATE"


class Trackable:
    """Base of objects whose attributes a checkpoint finds, also those that are set later.

    It costs nothing: only while a restored checkpoint has values left for some object does this
    class have a `__setattr__` (see `agog.checkpoint.waiting`).
    """

    __slots__ = ()


class PythonState:
    """Base of objects with a state of their own: `serialize` makes it a string.

    `deserialize` gets the string, as bytes, when a checkpoint is restored. It is stored where
    TensorFlow's `train.experimental.PythonState` has it.

    >>> class Epoch(agog.train.experimental.PythonState):
    ...     number = 3
    ...     def serialize(self):
    ...         return str(self.number)
    ...     def deserialize(self, string_value):
    ...         self.number = int(string_value)
    """

    def serialize(self) -> Any:
        """The state, as a string or bytes."""
        raise NotImplementedError(f"{type(self).__name__} must define serialize()")

    def deserialize(self, string_value: bytes) -> None:
        """Takes over a state that `serialize` returned."""
        raise NotImplementedError(f"{type(self).__name__} must define deserialize()")


def is_container(value: Any) -> bool:
    """Whether it is a list, tuple or dict, whose elements are children."""
    return isinstance(value, list | tuple | dict)


def is_trackable(value: Any) -> bool:
    """Whether a checkpoint takes notice of `value`."""
    return _is_object(value) or (is_container(value) and _holds_objects(value, set()))


def _is_object(value: Any) -> bool:
    kind = type(value)
    return (
        isinstance(value, VariableBase | Trackable | PythonState)
        or hasattr(kind, "checkpoint_children")
        or has_state(value)
    )


def has_state(value: Any) -> bool:
    """Whether it follows the protocol of `save_state` and `restore_state`."""
    kind = type(value)
    return hasattr(kind, "save_state") and hasattr(kind, "restore_state")


def _holds_objects(container: Any, outer: set[int]) -> bool:
    if id(container) in outer:
        return False
    outer.add(id(container))
    try:
        parts = container.values() if isinstance(container, dict) else container
        return any(
            _holds_objects(part, outer) if is_container(part) else _is_object(part)
            for part in parts
        )
    finally:
        outer.discard(id(container))


def all_children(value: Any) -> Iterator[tuple[str, Any]]:
    """The named parts of a trackable object, also those that are not trackable."""
    if hasattr(type(value), "checkpoint_children"):
        yield from value.checkpoint_children().items()
    elif isinstance(value, Trackable):
        yield from list(vars(value).items())
    elif isinstance(value, dict):
        yield from _items(value)
    elif isinstance(value, list | tuple):
        for name in getattr(value, "_fields", ()):
            yield name, getattr(value, name)
        yield from ((str(i), part) for i, part in enumerate(value))


def children(value: Any) -> Iterator[tuple[str, Any]]:
    """The named trackable parts of a trackable object."""
    return ((name, part) for name, part in all_children(value) if is_trackable(part))


def _items(value: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    """A dict's items under string keys: a number is a name as well, if no other is like it."""
    taken: set[str] = set()
    for key, part in list(value.items()):
        name = str(key) if isinstance(key, int) else key
        if isinstance(name, str) and name not in taken:
            taken.add(name)
            yield name, part
        elif is_trackable(part):
            why = "taken twice" if name in taken else "neither a string nor an integer"
            raise ValueError(
                f"Unable to save a dictionary whose key {key!r} is {why} and stands for a "
                f"trackable object: {part!r}"
            )


def child_at(value: Any, name: str) -> tuple[Any, Any]:
    """Where a list, dict or object keeps a part: its storage and the key in it, or (None, None)."""
    if isinstance(value, list):
        return value, int(name)
    if isinstance(value, dict):
        return (value, name) if name in value else (value, int(name))
    if isinstance(value, Trackable) and name in vars(value):
        return vars(value), name
    return None, None


def values(value: Any) -> dict[str, Tensor]:
    """The tensors that an object holds itself, by TensorFlow's names for them."""
    if isinstance(value, VariableBase):
        return {VALUE: value.value()}
    if isinstance(value, PythonState):
        return {PYTHON_STATE: convert(value.serialize(), "string")}
    if has_state(value):
        from agog.checkpoint.state import encode_state

        text, tensors = encode_state(value.save_state(), type(value).__name__)
        named = {f"{STATE}_{i}": tensor for i, tensor in enumerate(tensors)}
        return {STATE: convert(text, "string"), **named}
    return {}


def full_name(value: Any) -> str:
    """The name of a variable, under which checkpoints by name have it; others have none."""
    return getattr(value, "_shared_name", "")


def value_names(value: Any) -> tuple[str, ...]:
    """The name of each value that an object cannot do without."""
    if isinstance(value, VariableBase):
        return (VALUE,)
    if isinstance(value, PythonState):
        return (PYTHON_STATE,)
    return (STATE,) if has_state(value) else ()


def take_state(value: Any, tensors: dict[str, Tensor]) -> None:
    """Hands an object that is not a variable the values that `values` gave."""
    if isinstance(value, PythonState):
        value.deserialize(tensors[PYTHON_STATE].numpy())
        return
    from agog.checkpoint.state import decode_state

    parts = [tensors[f"{STATE}_{i}"] for i in range(len(tensors) - 1)]
    value.restore_state(decode_state(tensors[STATE].numpy(), parts))
