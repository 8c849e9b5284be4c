"""Arguments that convolutions and pools share: windows, strides, paddings, layouts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from agog._core import Tensor, handle

_expand_dims = handle("ExpandDims")
_reshape = handle("Reshape")
_shape = handle("Shape")
_squeeze = handle("Squeeze")
_concat = handle("ConcatV2")

# By the number of dimensions of space: the names that users give, and those of the ops.
CHANNELS_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
CHANNELS_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_OP_FORMATS = {"NWC": "NHWC", "NCW": "NCHW"}


def layout(data_format: str | None, space: int) -> str:
    """`data_format`, by default with channels last; ValueError for one of other images."""
    if data_format is None:
        return CHANNELS_LAST[space]
    if data_format not in (CHANNELS_LAST[space], CHANNELS_FIRST[space]):
        raise ValueError(
            f"data_format must be {CHANNELS_LAST[space]!r} or {CHANNELS_FIRST[space]!r}, "
            f"got {data_format!r}"
        )
    return data_format


def op_format(data_format: str) -> str:
    """The layout of the op that computes it: lines are images of height 1."""
    return _OP_FORMATS.get(data_format, data_format)


def is_channels_first(data_format: str) -> bool:
    return data_format.startswith("NC")


def per_dimension(value: Any, space: int, data_format: str, name: str) -> list[int]:
    """One number for each dimension of images, from one, one for each of space, or all."""
    given = list(value) if isinstance(value, Sequence) or hasattr(value, "__len__") else [value]
    numbers = [1] if given == [None] else [int(number) for number in given]
    if len(numbers) == space + 2:
        return numbers
    if len(numbers) not in (1, space):
        raise ValueError(
            f"{name} must have 1, {space} or {space + 2} numbers, got {len(numbers)}: {value!r}"
        )
    if len(numbers) == 1:
        numbers = numbers * space
    return [1, 1, *numbers] if is_channels_first(data_format) else [1, *numbers, 1]


def of_line(numbers: list[int], data_format: str) -> list[int]:
    """The numbers of a line for the image of height 1 that stands for it."""
    at = height_axis(data_format)
    return [*numbers[:at], 1, *numbers[at:]]


def height_axis(data_format: str) -> int:
    """Where the height of 1 of a line goes."""
    return 2 if is_channels_first(data_format) else 1


def paddings(padding: Any, rank: int) -> tuple[str, list[int]]:
    """The name of a padding and its numbers, two for each dimension, which only lists have."""
    if isinstance(padding, str):
        if padding == "EXPLICIT":
            raise ValueError("padding must be a list of pairs instead of 'EXPLICIT'")
        return padding, []
    pairs = [list(pair) for pair in padding]
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        raise ValueError(
            f"padding must be 'SAME', 'VALID' or {rank} pairs of numbers, got {padding!r}"
        )
    return "EXPLICIT", [int(number) for pair in pairs for number in pair]


def as_image(x: Tensor, data_format: str) -> Tensor:
    """A batch of lines as a batch of images of height 1."""
    return _expand_dims(x, height_axis(data_format))


def as_line(x: Tensor, data_format: str) -> Tensor:
    return _squeeze(x, [height_axis(data_format)])


def with_one_batch(x: Tensor, inner: int, f: Callable[[Tensor], Tensor]) -> Tensor:
    """f(x), where f takes one dimension of batch and `inner` others, and `x` may have more."""
    if x.shape.rank is None or x.shape.rank <= inner + 1:
        return f(x)
    shape = _shape(x)
    outer, rest = shape[:-inner], shape[-inner:]
    sizes = x.shape[:-inner].as_list()
    count = -1 if None in sizes else math.prod(sizes)
    flat = _reshape(x, _concat([[count], rest], 0))
    y = f(flat)
    return _reshape(y, _concat([outer, _shape(y)[1:]], 0))
