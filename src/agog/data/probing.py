"""What the elements of a mapped dataset are: told by running the function on a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agog import _core
from agog._core import handle
from agog.data import elements
from agog.data.node import Node
from agog.data.options import Options
from agog.data.stage import Run
from agog.errors import FailedPreconditionError
from agog.tensor_shape import TensorShape
from agog.tensor_spec import TensorSpec

_fill = handle("Fill")
_concat = handle("ConcatV2")


def first_elements(node: Node, count: int) -> list[Any]:
    """The first elements of a fresh pass; one that is made of zeros where the pass is empty."""
    stage = Run(Options()).start(node)
    try:
        return stage.next_elements(count) or [elements.map_leaves(_zeros, node.spec)]
    finally:
        stage.close()


def _zeros(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        raise FailedPreconditionError(
            None,
            None,
            f"the dataset is empty, so nothing tells what a function makes of its elements {spec}",
        )
    zero = "" if spec.dtype.name == "string" else 0
    shape = [1 if length is None else length for length in spec.shape]
    return _fill(_core.convert(shape, "int32"), _core.convert(zero, spec.dtype))


def spec_after(node: Node, function: Callable[[Any], Any]) -> Any:
    """The spec of `function(element)` for elements of `node`.

    The function runs on the first two elements, and, where lengths of the input are unknown, once
    more on a variant of the first in which these lengths differ. Lengths of the results that differ
    are unknown. (There is no symbolic run: the function sees values, as it does when the dataset is
    gone through.)
    """
    samples = first_elements(node, 2)
    result = spec_of_all([elements.spec_of(function(sample)) for sample in samples])
    sample = samples[0]
    other = elements.map_leaves(_of_other_length, sample, node.spec)
    if all(a is b for a, b in zip(elements.flatten(sample), elements.flatten(other), strict=True)):
        return result
    try:
        return elements.common_spec(result, elements.spec_of(function(other)))
    except Exception:  # a function may insist on the lengths it knows: they are as good as any
        return elements.map_leaves(_with_unknown_lengths, result)


def spec_of_all(specs: list[Any]) -> Any:
    """The narrowest spec that covers several."""
    result = specs[0]
    for spec in specs[1:]:
        result = elements.common_spec(result, spec)
    return result


def _of_other_length(leaf: Any, spec: Any) -> Any:
    """The tensor with its unknown lengths changed by one: cut, or doubled where there is one."""
    if not isinstance(spec, TensorSpec):
        return leaf
    rank = leaf.shape.rank
    lengths = list(spec.shape) if spec.shape.rank is not None else [None] * rank
    for axis, length in enumerate(lengths):
        if length is None and leaf.shape[axis]:
            if leaf.shape[axis] == 1:
                leaf = _concat([leaf, leaf], axis)
            else:
                leaf = leaf[(slice(None),) * axis + (slice(0, leaf.shape[axis] - 1),)]
    return leaf


def _with_unknown_lengths(spec: Any) -> Any:
    if not isinstance(spec, TensorSpec):
        return spec
    return TensorSpec(TensorShape([None] * (spec.shape.rank or 0)), spec.dtype)
