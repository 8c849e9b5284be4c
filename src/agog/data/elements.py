"""Elements of datasets: nested structures of tensors, as `data` sees them.

Tuples, named tuples, attrs classes and dicts are structures; lists are tensors to be. `None`,
datasets and sparse tensors may be leaves beside tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agog import _core, nest
from agog._core import Tensor, handle
from agog.data.node import DatasetBase
from agog.errors import InvalidArgumentError
from agog.sparse_tensor import SparseTensor
from agog.tensor_spec import NoneTensorSpec, TensorSpec, TypeSpec, type_spec_from_value
from agog.variable import Variable

_pack_op = handle("Pack")


def is_nested(value: Any) -> bool:
    """Whether a value is a structure and not a leaf."""
    kind = type(value)
    if kind is Tensor:
        return False
    return isinstance(value, (tuple, Mapping)) or hasattr(kind, "__attrs_attrs__")


def parts_of(structure: Any) -> list[Any]:
    """The parts of a structure in walking order: dicts by sorted keys."""
    if isinstance(structure, Mapping):
        return [structure[key] for key in sorted(structure)]
    if isinstance(structure, tuple):
        return list(structure)
    return [getattr(structure, a.name) for a in type(structure).__attrs_attrs__]


def flatten(value: Any) -> list[Any]:
    """The leaves of an element."""
    if not is_nested(value):
        return [value]
    return [leaf for part in parts_of(value) for leaf in flatten(part)]


def rebuild(structure: Any, parts: list[Any]) -> Any:
    """A structure like the given one with other parts, in walking order."""
    if type(structure) is dict:
        by_key = dict(zip(sorted(structure), parts, strict=True))
        return {key: by_key[key] for key in structure}
    return nest._rebuild(structure, parts)


def map_leaves(func: Callable[..., Any], first: Any, *others: Any) -> Any:
    """`func` of the leaves of one element, or of several that are nested alike."""
    if not is_nested(first):
        return func(first, *others)
    rows = zip(parts_of(first), *map(parts_of, others), strict=True)
    return rebuild(first, [map_leaves(func, *row) for row in rows])


def pack_like(structure: Any, leaves: Any) -> Any:
    """A structure like the given one with the leaves of an iterator."""
    if not is_nested(structure):
        return next(leaves)
    return rebuild(structure, [pack_like(part, leaves) for part in parts_of(structure)])


def packer(structure: Any) -> Callable[[list[Any]], Any]:
    """A function from a list of leaves to a structure like the given one, quick for flat ones."""
    if not is_nested(structure):
        return lambda leaves: leaves[0]
    if type(structure) is tuple and not any(map(is_nested, structure)):
        return tuple
    return lambda leaves: pack_like(structure, iter(leaves))


def to_element(value: Any) -> Any:
    """What a user's function returned, as an element: a list at the top counts as a tuple."""
    if type(value) is Tensor:
        return value
    if type(value) is list:
        value = tuple(value)
    return to_tensors(value)


def to_tensors(value: Any) -> Any:
    """A structure whose leaves are tensors, or what may stand beside them."""
    kind = type(value)
    if kind is Tensor:
        return value
    if kind is tuple:
        return tuple([to_tensors(part) for part in value])
    if kind is dict:
        return {key: to_tensors(part) for key, part in value.items()}
    if is_nested(value):
        return rebuild(value, [to_tensors(part) for part in parts_of(value)])
    if value is None or isinstance(value, (DatasetBase, SparseTensor)):
        return value
    if hasattr(kind, "_is_optional"):
        return value
    if isinstance(value, Variable):
        return value.value()
    if isinstance(value, (set, frozenset)):
        raise TypeError(f"a set is no element of a dataset, as it has no order: {value!r}")
    return _core.convert(value)


def call(function: Callable[..., Any], element: Any) -> Any:
    """A user's function of an element: the parts of a tuple are its arguments."""
    try:
        return function(*element) if type(element) is tuple else function(element)
    except StopIteration as error:
        # It would end the pass as if the input were used up.
        raise RuntimeError(f"{name_of(function)} raised StopIteration") from error


def name_of(function: Callable[..., Any]) -> str:
    """The name of a user's function, for messages."""
    return getattr(function, "__name__", type(function).__name__)


def spec_of(element: Any) -> Any:
    """The specs of an element's leaves."""
    return map_leaves(_spec_of_leaf, element)


def _spec_of_leaf(leaf: Any) -> TypeSpec:
    if type(leaf) is Tensor:
        return TensorSpec(leaf.shape, leaf.dtype)
    return NoneTensorSpec() if leaf is None else type_spec_from_value(leaf)


def stack(elements: list[Any]) -> Any:
    """One element with a new first axis from several; InvalidArgumentError where shapes differ."""
    first = elements[0]
    kind = type(first)
    if kind is Tensor:
        return _stack_tensors(elements)
    if first is None:
        return None
    if not is_nested(first):
        raise TypeError(f"elements of type {kind.__name__} cannot be batched")
    columns = zip(*map(parts_of, elements), strict=True)
    return rebuild(first, [stack(list(column)) for column in columns])


def _stack_tensors(tensors: list[Any]) -> Tensor:
    try:
        return _pack_op(tensors, 0)
    except ValueError as error:
        first = tensors[0]
        for i, tensor in enumerate(tensors):
            if tensor.shape != first.shape or tensor.dtype is not first.dtype:
                raise InvalidArgumentError(None, None, _differ(first, i, tensor)) from None
        raise error


def _differ(first: Any, i: int, tensor: Any) -> str:
    return (
        f"Cannot batch tensors with different shapes or dtypes: the first element has "
        f"{first.dtype.name} {first.shape}, element {i} has {tensor.dtype.name} {tensor.shape}; "
        "padded_batch takes elements of several lengths"
    )


def common_spec(one: Any, two: Any) -> Any:
    """The narrowest spec that describes the elements of both; TypeError where there is none."""
    try:
        nest.assert_same_structure(one, two)
        return map_leaves(lambda a, b: a.most_specific_compatible_type(b), one, two)
    except (TypeError, ValueError):
        raise TypeError(
            f"Incompatible dataset elements:\n  {one}\n  vs.\n  {two}; the datasets must have "
            "the same structure and dtypes"
        ) from None
