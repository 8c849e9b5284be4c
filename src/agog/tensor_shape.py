"""Shapes of tensors, known wholly, in part, or not at all."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Any


class Dimension:
    """One length of a shape, or unknown: what `TensorShape.dims` lists."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = _as_dimension(value)

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("The dimension is unknown.")
        return self.value

    __int__ = __index__

    def __eq__(self, other: object) -> Any:
        value = getattr(other, "value", other)
        return None if value is None or self.value is None else self.value == value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)


def _as_dimension(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is Dimension:
        return value.value
    try:
        length = operator.index(value)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value {value!r} of type {type(value).__name__}"
        ) from None
    if length < 0:
        raise ValueError(f"Dimension {length} must be >= 0")
    return length


def _merge_dimension(x: int | None, y: int | None) -> int | None:
    return y if x is None else x


class TensorShape:
    """A shape: a tuple of lengths, each an int or None (unknown), or of unknown rank.

    >>> agog.TensorShape([2, None])
    TensorShape([2, None])
    >>> agog.TensorShape([2, 3])[0], agog.TensorShape([2, 3]) == (2, 3)
    (2, True)
    """

    __slots__ = ("__weakref__", "_dims")

    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: Any) -> None:
        if type(dims) is TensorShape:
            self._dims = dims._dims
        elif dims is None:
            self._dims = None
        elif type(dims) is tuple or type(dims) is list:
            self._dims = tuple(map(_as_dimension, dims))
        elif hasattr(dims, "__index__") and not hasattr(dims, "__len__"):
            self._dims = (_as_dimension(dims),)
        else:
            self._dims = _dims_of(dims)

    @classmethod
    def _from_tuple(cls, dims: tuple[int | None, ...] | None) -> TensorShape:
        """The shape with these lengths, unchecked."""
        self = object.__new__(cls)
        self._dims = dims
        return self

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None where it is unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The lengths as `Dimension` objects, or None where the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """The lengths as ints and Nones; ValueError where the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The product of the lengths, or None where it is unknown."""
        if self._dims is None:
            return None
        total = 1
        for length in self._dims:
            if length is None:
                return None
            total *= length
        return total

    def is_fully_defined(self) -> bool:
        """Whether the rank and every length are known."""
        return self._dims is not None and None not in self._dims

    def concatenate(self, other: Any) -> TensorShape:
        """This shape followed by `other`; unknown where either rank is."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape._from_tuple(self._dims + other._dims)

    def merge_with(self, other: Any) -> TensorShape:
        """What both shapes tell together; ValueError where they contradict each other."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return other if self._dims is None else self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape._from_tuple(tuple(map(_merge_dimension, self._dims, other._dims)))

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one tensor can have both shapes: unknown lengths fit every length."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            x == y or x is None or y is None for x, y in zip(self._dims, other._dims, strict=True)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape also has the shape `other`."""
        if type(other) is not TensorShape:
            return False
        if other._dims is None:
            return True
        return (
            self._dims is not None
            and len(self._dims) == len(other._dims)
            and all(y is None or x == y for x, y in zip(self._dims, other._dims, strict=True))
        )

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape | None:
        """The narrowest shape that covers this one and all `others`; None for another type."""
        result = self
        for other in others:
            if type(other) is not TensorShape:
                return None
            result = result.most_specific_compatible_shape(other)
        return result

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that covers both: lengths that differ become unknown."""
        other = as_shape(other)
        if self._dims is None or other.rank != len(self._dims):
            return TensorShape(None)
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape._from_tuple(tuple(x if x == y else None for x, y in pairs))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless one tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless the rank and every length are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError where both ranks are known and differ."""
        other = as_shape(other)
        if self._dims is not None and other._dims is not None and len(self) != len(other):
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int | None) -> None:
        """Raises ValueError where the rank is known and not `rank`."""
        if rank not in (None, self.rank) and self._dims is not None:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int | None) -> TensorShape:
        """This shape, known to have `rank` dimensions; ValueError where it has not."""
        self.assert_has_rank(rank)
        return unknown_shape(rank) if self._dims is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError where it has fewer than `rank` dimensions."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError where it has more than `rank` dimensions."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return _slice_of_unknown(key) if isinstance(key, slice) else None
        found = self._dims[key]
        return TensorShape._from_tuple(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is tuple:
            return self._dims == other
        if type(other) is not TensorShape:
            try:
                other = TensorShape(other)
            except (TypeError, ValueError):
                return NotImplemented
        return self._dims == other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> Any:
        return TensorShape, (self._dims,)

    def __repr__(self) -> str:
        return "TensorShape(None)" if self._dims is None else f"TensorShape({list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)


def _dims_of(value: Any) -> tuple[int | None, ...]:
    """The lengths that a tensor, an array or another iterable lists."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, int):
        return (_as_dimension(value),)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(
            f"Failed to convert {value!r} to a shape: a shape is one length (10) "
            "or an iterable of lengths ([1, 10, None])."
        )
    return tuple(map(_as_dimension, value))


def _slice_of_unknown(key: slice) -> TensorShape:
    """A slice of a shape of unknown rank: its length is known where both ends say it."""
    start, stop = key.start or 0, key.stop
    if key.step not in (None, 1) or stop is None or start < 0 or stop < 0:
        return TensorShape(None)
    return unknown_shape(max(stop - start, 0))


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a TensorShape."""
    return shape if type(shape) is TensorShape else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape of which nothing is known, or only the rank."""
    return TensorShape._from_tuple(None if rank is None else (None,) * rank)
