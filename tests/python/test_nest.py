"""Nested structures that are deep, or that hold themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import agog as tf


def holds_itself(kind: str) -> Any:
    inner: list[Any] = [1]
    structure = {"list": inner, "dict": {"a": inner}, "tuple": (2, inner)}[kind]
    inner.append(structure)
    return structure


USES: dict[str, Callable[[Any], Any]] = {
    "flatten": tf.nest.flatten,
    "pack": lambda s: tf.nest.pack_sequence_as(s, [1, 2]),
    "map two": lambda s: tf.nest.map_structure(lambda a, b: a, s, s),
    "watch": lambda s: tf.GradientTape().watch(s),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("kind", ["list", "dict", "tuple"])
def test_a_structure_that_holds_itself_is_refused(kind: str, use: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="holds itself"):
        use(holds_itself(kind))


def test_structures_that_hold_themselves_compare() -> None:
    one, two = holds_itself("list"), holds_itself("list")
    tf.nest.assert_same_structure(one, two)
    two.append(3)
    with pytest.raises(ValueError, match="lengths"):
        tf.nest.assert_same_structure(one, two)


def test_one_part_may_stand_in_several_places() -> None:
    part = [1, (2,)]
    structure = [part, {"a": part, "b": [part]}]
    assert tf.nest.flatten(structure) == [1, 2] * 3
    doubled = tf.nest.map_structure(lambda a, b: a + b, structure, structure)
    assert doubled == [[2, (4,)], {"a": [2, (4,)], "b": [[2, (4,)]]}]


def test_any_depth_is_flattened_and_compared() -> None:
    deep: Any = 1
    for _ in range(50_000):
        deep = [deep]
    assert tf.nest.flatten(deep) == [1]
    tf.nest.assert_same_structure(deep, deep)
    while isinstance(deep, list):  # Python frees nested lists of any depth, but prints them not
        [deep] = deep
