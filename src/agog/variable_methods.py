"""What variables offer beyond reading and assigning: rows, counting, and the names of graphs."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from agog import _core
from agog._core import Tensor, handle, public
from agog.indexed_slices import IndexedSlices

_batch_indices = handle("Pack")
_broadcast_to = handle("BroadcastTo")
_count_up_to = handle("ResourceCountUpTo")
_range = handle("Range")
_reshape = handle("Reshape")


def _row_method(op_name: str, what: str) -> Any:
    op = handle(op_name)

    def method(
        self: Any, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "
                f"{sparse_delta}"
            )
        op(self, sparse_delta.indices, _fitted(self, sparse_delta.values))
        return self

    return _finished(method, op_name, what)


def _nd_method(op_name: str, what: str) -> Any:
    op = handle(op_name)

    def method(self: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
        op(self, indices, _fitted(self, updates))
        return self

    return _finished(method, op_name, what)


def _fitted(variable: Any, updates: Any) -> Tensor:
    """Python values take the variable's dtype."""
    return _core.convert(updates, None, variable.dtype)


def _finished(method: Any, op_name: str, what: str) -> Any:
    words = op_name.removeprefix("Resource").replace("Nd", "_nd")
    name = "".join(f"_{c.lower()}" if c.isupper() else c for c in words).lstrip("_")
    method.__name__, method.__qualname__, method.__doc__ = name, f"Variable.{name}", what
    return public(method)


def _eager(what: str) -> Any:
    """A property of graphs, which eager variables do not have."""

    def missing(self: Any) -> Any:
        raise AttributeError(f"Tensor.{what} is undefined when eager execution is enabled.")

    return property(missing)


def _not_eager(name: str, what: str, signature: Any) -> Any:
    @functools.wraps(signature)
    def method(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"Variable.{name} is not supported when eager execution is enabled: {what}"
        )

    method.__name__, method.__qualname__ = name, f"Variable.{name}"
    method.__doc__ = f"Raises RuntimeError: {what}."
    return public(method)


class VariableMethods:
    """The part of Variable that is not about its place."""

    __slots__ = ()

    dtype: Any
    shape: Any
    name: Any

    # ---- rows, and elements that indices name; all return the variable

    scatter_add = _row_method(
        "ResourceScatterAdd", "Adds to the rows that `sparse_delta` names; repeated ones add up."
    )
    scatter_sub = _row_method(
        "ResourceScatterSub", "Subtracts from the rows that `sparse_delta` names."
    )
    scatter_update = _row_method(
        "ResourceScatterUpdate",
        "Gives the rows that `sparse_delta` names new values; the last wins.",
    )
    scatter_mul = _row_method(
        "ResourceScatterMul", "Multiplies the rows that `sparse_delta` names."
    )
    scatter_div = _row_method(
        "ResourceScatterDiv", "Divides the rows that `sparse_delta` names; 0 raises."
    )
    scatter_max = _row_method(
        "ResourceScatterMax",
        "Takes the larger of each row that `sparse_delta` names and its value.",
    )
    scatter_min = _row_method(
        "ResourceScatterMin",
        "Takes the smaller of each row that `sparse_delta` names and its value.",
    )
    scatter_nd_update = _nd_method(
        "ResourceScatterNdUpdate", "Gives the elements (or slices) at `indices` new values."
    )
    scatter_nd_add = _nd_method(
        "ResourceScatterNdAdd",
        "Adds to the elements (or slices) at `indices`; repeated ones add up.",
    )
    scatter_nd_sub = _nd_method(
        "ResourceScatterNdSub",
        "Subtracts from the elements (or slices) at `indices`; repeated ones add up.",
    )
    scatter_nd_max = _nd_method(
        "ResourceScatterNdMax",
        "Takes the larger of each element (or slice) at `indices` and its update.",
    )
    scatter_nd_min = _nd_method(
        "ResourceScatterNdMin",
        "Takes the smaller of each element (or slice) at `indices` and its update.",
    )

    @public
    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Gives each row of the last batch dimension new values at its own indices.

        All dimensions of the indices but the last are batch dimensions, shared with the variable.

        >>> v = agog.Variable([[1, 2], [3, 4]])
        >>> rows = agog.IndexedSlices([[10], [20]], [[1], [0]])
        >>> v.batch_scatter_update(rows).numpy().tolist()
        [[1, 10], [20, 4]]
        """
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "
                f"{sparse_delta}"
            )
        indices = sparse_delta.indices
        shape = indices.shape.as_list()
        grids = []
        for axis, length in enumerate(shape[:-1]):
            numbers = _core.convert(list(range(length or 0)), indices.dtype)
            along = [length if d == axis else 1 for d in range(len(shape))]
            grids.append(_broadcast_to(_reshape(numbers, along), shape))
        places = _batch_indices([*grids, indices], -1)
        return self.scatter_nd_update(places, sparse_delta.values)

    # ---- counting

    @public
    def count_up_to(self, limit: int) -> Tensor:
        """The value before, and one more from now on; OutOfRangeError once it is at `limit`.

        >>> v = agog.Variable(1)
        >>> int(v.count_up_to(2)), int(v)
        (1, 2)
        """
        return _count_up_to(self, limit, self.dtype)

    # ---- what graphs have

    op = _eager("op")
    graph = _eager("graph")
    create = property(
        lambda self: _raise("Variable.create is not supported when eager execution is enabled")
    )
    initial_value = property(
        lambda self: _raise(
            "Variable.initial_value is not supported when eager execution is enabled"
        )
    )

    @property
    def initializer(self) -> None:
        """None: variables have their values as soon as they are made."""
        return None

    eval = _not_eager("eval", "numpy() gives the values", lambda self, session=None: None)
    to_proto = _not_eager(
        "to_proto", "a checkpoint keeps the values", lambda self, export_scope=None: None
    )

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Any:
        """Raises NotImplementedError: there are no graphs to take variables from."""
        raise NotImplementedError("Variable.from_proto needs a graph, which eager code has not")

    @public
    def experimental_ref(self) -> Any:
        """The older name of `ref`."""
        warnings.warn("experimental_ref is called ref now", DeprecationWarning, stacklevel=2)
        return self.ref()  # type: ignore[attr-defined]

    @public
    def read_value_no_copy(self) -> Tensor:
        """The current value, as a tensor."""
        return self.read_value()  # type: ignore[attr-defined]

    # ---- names that libraries on top of TensorFlow read

    _in_graph_mode = False
    _cached_value = None
    _caching_device = None
    _save_slice_info = None
    _dtype = property(lambda self: self.dtype)
    _shape = property(lambda self: self.shape)
    _trainable = property(lambda self: self.trainable)
    _handle = property(lambda self: self.handle)
    _handle_name = property(lambda self: self.name)
    _unique_id = property(lambda self: f"{self._shared_name}_{self.handle._id}")
    _synchronization = property(lambda self: self.synchronization)
    _aggregation = property(lambda self: self.aggregation)

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self.shape.rank is None else self.shape.as_list()

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        return None if self.shape.rank is None else tuple(self.shape.as_list())


def _raise(message: str) -> Any:
    raise RuntimeError(message)
