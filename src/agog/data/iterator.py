"""Iterators: what goes through a dataset, and how a checkpoint holds one.

The protocol for checkpoints is two methods, which any object may have:

* `save_state()` returns the position as a nest of dicts with string keys, lists, `None`, bools,
  ints, floats, strings, bytes and tensors. It does not disturb the iteration.
* `restore_state(state)` takes such a nest, made by an iterator of an equal dataset in this process
  or another, and goes there. A state is read only; it may be restored many times.

After a restore the elements are those that followed the save, in order, provided that map
functions depend on their arguments alone. Reading goes on in the middle of files; shuffle buffers
and elements read ahead are in the state. Python generators are run again up to the position, and a
cache is filled again. Where elements that hold datasets other than windows wait in a buffer,
saving raises UnimplementedError.
"""

from __future__ import annotations

import threading
from typing import Any

from agog import _core
from agog._core import public
from agog.data import elements
from agog.data.node import Node
from agog.data.options import Options
from agog.data.stage import Run, State
from agog.errors import InvalidArgumentError, OutOfRangeError
from agog.tensor_spec import TypeSpec

_VERSION = 1


class Iterator:
    """Goes through a dataset once: `iter(dataset)` makes one.

    >>> iterator = iter(agog.data.Dataset.range(3))
    >>> int(next(iterator)), int(iterator.get_next())
    (0, 1)
    >>> state = iterator.save_state()
    >>> other = iter(agog.data.Dataset.range(3))
    >>> other.restore_state(state)
    >>> int(next(other))
    2
    """

    def __init__(self, node: Node, options: Options, timed: bool = False) -> None:
        self._node = node
        self._options = options
        self._timed = timed
        # Threads may share an iterator; a map function may ask its own iterator for more.
        self._lock = threading.RLock()
        self._start()

    def _start(self) -> None:
        self._run = Run(self._options, self._timed)
        self._stage = self._run.start(self._node)
        self._next = self._stage.next

    def __iter__(self) -> Iterator:
        return self

    @public
    def __next__(self) -> Any:
        with self._lock:
            if _core.tape_depth():
                # What a map function does is no part of what the tapes of the caller record.
                with _core.stop_recording():
                    return self._next()
            return self._next()

    @public
    def next(self) -> Any:
        """The next element; StopIteration at the end."""
        return self.__next__()

    @public
    def get_next(self, name: str | None = None) -> Any:
        """The next element; OutOfRangeError at the end."""
        try:
            return self.__next__()
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    @public
    def get_next_as_optional(self) -> Optional:
        """The next element as an Optional, which is empty at the end."""
        try:
            return Optional(self.__next__(), True, lambda: self.element_spec)
        except StopIteration:
            return Optional(None, False, lambda: self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of the elements."""
        return self._node.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    @public
    def save_state(self) -> State:
        """The position, as plain values and tensors: see the top of this module."""
        with self._lock:
            return {"version": _VERSION, "stage": self._stage.save()}

    @public
    def restore_state(self, state: State) -> None:
        """Goes to a saved position; InvalidArgumentError where it is one of another dataset."""
        if state.get("version") != _VERSION:
            raise InvalidArgumentError(
                None,
                None,
                f"restore_state knows states of version {_VERSION}, got {state.get('version')!r}",
            )
        self._stage.close()
        self._start()
        try:
            self._stage.restore(state["stage"])
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            self._stage.close()
            self._start()
            raise InvalidArgumentError(
                None,
                None,
                "the state is not one of an iterator over such a dataset: the stages differ "
                f"({type(error).__name__}: {error})",
            ) from error

    def __del__(self) -> None:
        stage = getattr(self, "_stage", None)
        if stage is not None:
            stage.close()


class NumpyIterator:
    """Goes through a dataset once, with NumPy arrays and Python bytes in place of tensors."""

    def __init__(self, dataset: Any) -> None:
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    @public
    def __next__(self) -> Any:
        return elements.map_leaves(_to_numpy, self._iterator.__next__())


def _to_numpy(leaf: Any) -> Any:
    if leaf is None:
        return None
    if type(leaf) is not elements.Tensor:
        raise TypeError(
            "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce "
            f"values of type {type(leaf).__name__}"
        )
    return leaf.numpy()


class Optional:
    """An element or nothing, as `Iterator.get_next_as_optional` gives it.

    >>> optional = agog.data.experimental.Optional.from_value(agog.constant(3))
    >>> bool(optional.has_value()), int(optional.get_value())
    (True, 3)
    """

    _is_optional = True

    def __init__(self, value: Any, has_value: bool, make_spec: Any) -> None:
        self._value, self._has_value, self._make_spec = value, has_value, make_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that holds a value."""
        element = elements.to_tensors(value)
        return Optional(element, True, lambda: elements.spec_of(element))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional that holds nothing."""
        return Optional(None, False, lambda: element_spec)

    @public
    def has_value(self, name: str | None = None) -> Any:
        """Whether it holds a value, as a tensor."""
        return _core.convert(self._has_value)

    @public
    def get_value(self, name: str | None = None) -> Any:
        """The value; InvalidArgumentError where there is none."""
        if not self._has_value:
            raise InvalidArgumentError(None, None, "The given optional does not have a value.")
        return self._value

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of the value."""
        return self._make_spec()


class IteratorSpec(TypeSpec):
    """The description of an iterator."""

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    def __eq__(self, other: object) -> bool:
        return type(other) is IteratorSpec and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash((IteratorSpec, str(self.element_spec)))

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r})"


__all__ = ["Iterator", "IteratorSpec", "NumpyIterator", "Optional"]
