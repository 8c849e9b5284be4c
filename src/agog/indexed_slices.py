"""IndexedSlices: some rows of a tensor that is zero, or unchanged, elsewhere."""

from __future__ import annotations

from typing import Any

from agog import _core
from agog._core import Tensor, handle, public
from agog.tensor_shape import TensorShape

_sum = handle("UnsortedSegmentSum")
_neg = handle("Neg")


class IndexedSlices:
    """Rows `values[i]` that stand at `indices[i]` of a tensor of shape `dense_shape`.

    Repeated indices add up. It converts to a tensor wherever one is expected, if `dense_shape` is
    known; the scatter methods of variables take it as it is.

    >>> rows = agog.IndexedSlices(agog.constant([[1.0, 2.0]]), agog.constant([1]), [2, 2])
    >>> agog.convert_to_tensor(rows).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """

    __slots__ = ("_dense_shape", "_indices", "_values")

    @public
    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = _core.convert(values)
        self._indices = _core.convert(indices)
        self._dense_shape = None if dense_shape is None else _core.convert(dense_shape)

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where each row stands."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole tensor, if it is known."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(self._dense_shape.numpy().tolist())

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._values.dtype

    @property
    def device(self) -> str:
        """Where the values are."""
        return self._values.device

    @property
    def name(self) -> str:
        """Raises AttributeError: eager tensors have no names."""
        return _undefined("name")

    @property
    def op(self) -> Any:
        """Raises AttributeError: no graph has an op that made it."""
        return _undefined("op")

    @property
    def graph(self) -> Any:
        """Raises AttributeError: there is no graph."""
        return _undefined("graph")

    @public
    def consumers(self) -> list[Any]:
        """The operations that take it: none are known."""
        return []

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(_neg(self._values), self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    @public
    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        """The whole tensor."""
        if dtype is not None and dtype != self.dtype:
            raise ValueError(
                f"IndexedSlices of dtype {self.dtype.name} were to become a tensor of dtype "
                f"{dtype.name}; agog.cast their values first"
            )
        if self._dense_shape is None:
            raise ValueError(
                "IndexedSlices without dense_shape cannot become a tensor: give dense_shape when "
                f"they are made ({self})"
            )
        return _sum(self._values, self._indices, self._dense_shape[0])

    def __reduce__(self) -> Any:
        return IndexedSlices, (self._values, self._indices, self._dense_shape)


def _undefined(what: str) -> Any:
    raise AttributeError(f"Tensor.{what} is undefined when eager execution is enabled.")
