"""SparseTensor: the elements of a tensor that are given, by their places."""

from __future__ import annotations

from typing import Any

from agog import _core, dtypes
from agog._core import public
from agog.errors import InvalidArgumentError
from agog.tensor_shape import TensorShape
from agog.tensor_spec import TypeSpec


class SparseTensor:
    """`values` [n] at the places `indices` [n, rank] of a tensor of shape `dense_shape` [rank].

    A container for what parsing yields; no operation takes it yet: `agog.scatter_nd(indices,
    values, dense_shape)` makes it dense. Raises InvalidArgumentError where the shapes do not fit
    together.

    >>> x = agog.SparseTensor(indices=[[0, 1]], values=[5], dense_shape=[1, 3])
    >>> x.shape, x.dtype
    (TensorShape([1, 3]), tf.int32)
    """

    @public
    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices = _core.convert(indices, dtypes.int64)
        self.values = _core.convert(values)
        self.dense_shape = _core.convert(dense_shape, dtypes.int64)
        found = [x.shape.as_list() for x in (self.indices, self.values, self.dense_shape)]
        fits = list(map(len, found)) == [2, 1, 1]
        if not fits or found[0] != [found[1][0], found[2][0]]:
            raise InvalidArgumentError(
                None,
                None,
                "a SparseTensor needs indices of shape [n, rank], values of shape [n] and "
                f"dense_shape of shape [rank], got the shapes {found[0]}, {found[1]}, {found[2]}",
            )

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return TensorShape(self.dense_shape.numpy().tolist())

    def get_shape(self) -> TensorShape:
        """The shape of the whole tensor."""
        return self.shape

    def with_values(self, new_values: Any) -> SparseTensor:
        """The same places with other values."""
        return SparseTensor(self.indices, new_values, self.dense_shape)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self.indices!r}, values={self.values!r}, "
            f"dense_shape={self.dense_shape!r})"
        )


class SparseTensorSpec(TypeSpec):
    """The shape and dtype of a SparseTensor."""

    @public
    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is SparseTensorSpec
            and self.shape == other.shape
            and self.dtype is other.dtype
        )

    def __hash__(self) -> int:
        return hash((SparseTensorSpec, self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape!r}, {self.dtype!r})"


__all__ = ["SparseTensor", "SparseTensorSpec"]
