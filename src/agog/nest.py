"""Nested structures: lists, tuples, dicts, named tuples and attrs classes, with tensors as leaves.

Everything else, `None`, strings and arrays included, is a leaf. Dicts are walked in the order of
their sorted keys.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from typing import Any

from agog.near_names import missing

_LEAVES = (str, bytes, bytearray)


def is_nested(seq: Any) -> bool:
    """Whether `seq` is a structure rather than a leaf.

    >>> agog.nest.is_nested([1]), agog.nest.is_nested("ab"), agog.nest.is_nested(None)
    (True, False, False)
    """
    kind = type(seq)
    if kind is list or kind is tuple or kind is dict:
        return True
    return _is_attrs(seq) or (
        isinstance(seq, (Sequence, Mapping, MappingView)) and not isinstance(seq, _LEAVES)
    )


def _is_attrs(value: Any) -> bool:
    return hasattr(type(value), "__attrs_attrs__")


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _children(structure: Any) -> Iterator[Any]:
    """The parts of a structure, in walking order."""
    if isinstance(structure, Mapping):
        return iter([structure[key] for key in sorted(structure)])
    if _is_attrs(structure):
        return iter([getattr(structure, a.name) for a in type(structure).__attrs_attrs__])
    return iter(structure)


def _rebuild(structure: Any, parts: list[Any]) -> Any:
    """A structure like the given one, with these parts in walking order."""
    kind = type(structure)
    if kind is list:
        return parts
    if kind is tuple:
        return tuple(parts)
    if isinstance(structure, Mapping):
        return _rebuild_mapping(structure, dict(zip(sorted(structure), parts, strict=True)))
    if _is_namedtuple(structure) or _is_attrs(structure):
        return kind(*parts)
    if isinstance(structure, (MappingView, range)):
        return parts
    return kind(parts)


def _rebuild_mapping(structure: Any, parts: dict[Any, Any]) -> Any:
    """A mapping like the given one, its keys in their old order."""
    items = [(key, parts[key]) for key in structure]
    kind = type(structure)
    if hasattr(structure, "default_factory"):
        return kind(structure.default_factory, items)
    return dict(items) if kind.__name__ == "mappingproxy" else kind(items)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure`; a leaf alone gives a list of one.

    >>> agog.nest.flatten({"b": 1, "a": [2, (3, None)]})
    [2, 3, None, 1]
    """
    if not is_nested(structure):
        return [structure]
    leaves: list[Any] = []
    todo = [(structure, _children(structure))]
    above = {id(structure)}
    while todo:
        owner, parts = todo[-1]
        for part in parts:
            if is_nested(part):
                if id(part) in above:
                    raise _holds_itself(part)
                todo.append((part, _children(part)))
                above.add(id(part))
                break
            leaves.append(part)
        else:
            todo.pop()
            above.discard(id(owner))
    return leaves


def _holds_itself(structure: Any) -> ValueError:
    return ValueError(
        f"a {type(structure).__name__} that holds itself has no leaves to flatten: "
        f"{reprlib.repr(structure)}"
    )


def pack_sequence_as(
    structure: Any, flat_sequence: Sequence[Any], expand_composites: bool = False
) -> Any:
    """A structure like `structure` whose leaves are those of `flat_sequence`.

    Raises ValueError where their numbers differ, TypeError where `flat_sequence` is a leaf.

    >>> agog.nest.pack_sequence_as([0, {"b": 0, "a": 0}], [1, 2, 3])
    [1, {'b': 3, 'a': 2}]
    """
    if not is_nested(flat_sequence):
        raise TypeError(f"flat_sequence must be a sequence, got {type(flat_sequence).__name__}")
    leaves = list(flat_sequence)
    count = len(flatten(structure))
    if count != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
            f"{len(leaves)} items. Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(leaves))


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    return _rebuild(structure, [_pack(part, leaves) for part in _children(structure)])


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """A structure of `func(leaf, …)` over the leaves of one structure, or of several alike.

    The keyword arguments are those of `assert_same_structure`.

    >>> agog.nest.map_structure(lambda x, y: x + y, [1, {"a": 2}], [3, {"a": 4}])
    [4, {'a': 6}]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, "
            f"not: `{'`, `'.join(kwargs)}`"
        )
    first = structure[0]
    if len(structure) == 1:
        return _map_one(func, first)
    for other in structure[1:]:
        assert_same_structure(first, other, check_types)
    rows = zip(*map(flatten, structure), strict=True)
    return _pack(first, iter([func(*row) for row in rows]))


def _map_one(func: Callable[..., Any], structure: Any) -> Any:
    kind = type(structure)
    if kind is list:
        return [_map_one(func, part) for part in structure]
    if kind is tuple:
        return tuple([_map_one(func, part) for part in structure])
    if not is_nested(structure):
        return func(structure)
    return _rebuild(structure, [_map_one(func, part) for part in _children(structure)])


def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises ValueError unless the structures are nested alike, TypeError unless by the same types.

    All kinds of dicts count as one type, and so do named tuples of one name and the same fields.

    >>> agog.nest.assert_same_structure([1, (2, 3)], ["a", ("b", "c")])
    """
    todo = [(nest1, nest2)]
    # Pairs on their way are not compared again: a structure may hold itself. Kept, so that no other
    # object gets their ids.
    compared: dict[tuple[int, int], tuple[Any, Any]] = {}
    while todo:
        one, two = todo.pop()
        nested = is_nested(one)
        if nested != is_nested(two):
            raise ValueError(_different(nest1, nest2, f"{one!r} and {two!r}"))
        if not nested or (id(one), id(two)) in compared:
            continue
        compared[id(one), id(two)] = one, two
        if check_types and not _same_type(one, two):
            kinds = f"the types {type(one).__name__} and {type(two).__name__}"
            raise TypeError(_different(nest1, nest2, kinds))
        if isinstance(one, Mapping) and isinstance(two, Mapping) and set(one) != set(two):
            raise ValueError(_different(nest1, nest2, f"the keys {list(one)} and {list(two)}"))
        parts, others = list(_children(one)), list(_children(two))
        if len(parts) != len(others):
            raise ValueError(_different(nest1, nest2, f"the lengths of {one!r} and {two!r}"))
        todo.extend(zip(parts, others, strict=True))


def _same_type(one: Any, two: Any) -> bool:
    if type(one) is type(two) or (isinstance(one, Mapping) and isinstance(two, Mapping)):
        return True
    if _is_namedtuple(one) and _is_namedtuple(two):
        same_name = type(one).__name__ == type(two).__name__
        return same_name and one._fields == two._fields
    return False


def _different(nest1: Any, nest2: Any, what: str) -> str:
    return (
        f"The two structures don't have the same nested structure: they differ in {what}.\n\n"
        f"First structure: {nest1!r}\n\nSecond structure: {nest2!r}"
    )


__getattr__ = missing(__name__)

__all__ = [
    "assert_same_structure",
    "flatten",
    "is_nested",
    "map_structure",
    "pack_sequence_as",
]
