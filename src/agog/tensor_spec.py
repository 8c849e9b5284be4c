"""Descriptions of values: what `element_spec` and signatures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.tensor_shape import TensorShape, as_shape


class TypeSpec:
    """The base class of descriptions of values, such as TensorSpec."""

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or every value that another spec describes, may be of this kind."""
        other = _as_spec(spec_or_value)
        return type(other) is type(self) and self == other

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec that describes the values of both; ValueError where there is none."""
        if self != other:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self


class TensorSpec(TypeSpec):
    """The shape and dtype of a tensor; lengths of the shape may be unknown.

    >>> agog.TensorSpec([None, 2], agog.int32)
    TensorSpec(shape=(None, 2), dtype=tf.int32, name=None)
    >>> agog.TensorSpec([None]).is_compatible_with(agog.ones([3]))
    True
    """

    __slots__ = ("_dtype", "_name", "_shape")

    @public
    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name of what is described, or None."""
        return self._name

    @property
    def value_type(self) -> type:
        """The class of what is described: Tensor."""
        return Tensor

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A spec like another one, with this name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a tensor, or one that another spec describes, may be described by this one."""
        other = _as_spec(spec_or_value)
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and self._shape.is_compatible_with(other._shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether all that this spec describes is described by `other`, too."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorSpec | None:
        """The narrowest spec that covers this one and all `others`; None where there is none."""
        if not all(isinstance(o, TensorSpec) and o._dtype is self._dtype for o in others):
            return None
        shape = self._shape.most_specific_common_supertype([o._shape for o in others])
        name = self._name if all(o._name == self._name for o in others) else None
        return TensorSpec(shape, self._dtype, name)

    def most_specific_compatible_type(self, other: Any) -> TensorSpec:
        """The narrowest spec that covers both; ValueError where the dtypes differ."""
        common = self.most_specific_common_supertype([other])
        if common is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return common

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is TensorSpec
            and self._shape == other._shape
            and self._dtype is other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __reduce__(self) -> Any:
        return TensorSpec, (self._shape, self._dtype, self._name)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class NoneTensorSpec(TypeSpec):
    """The description of `None`."""

    def __eq__(self, other: object) -> bool:
        return type(other) is NoneTensorSpec

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


def _as_spec(value: Any) -> Any:
    if isinstance(value, TypeSpec):
        return value
    try:
        return type_spec_from_value(value)
    except TypeError:
        return None


@public
def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of a tensor, a variable, a dataset, or of what converts to a tensor.

    Raises TypeError for anything else.

    >>> agog.type_spec_from_value([1.5, 2.0])
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)
    """
    if value is None:
        return NoneTensorSpec()
    own = getattr(type(value), "_type_spec", None)
    if own is not None:
        return value._type_spec
    try:
        return TensorSpec.from_tensor(value if type(value) is Tensor else _core.convert(value))
    except (ValueError, TypeError) as error:
        raise TypeError(
            f"Could not build a TypeSpec for {value!r} of type {type(value).__name__}: {error}"
        ) from None


__all__ = ["NoneTensorSpec", "TensorSpec", "TypeSpec", "type_spec_from_value"]
