"""Pooling of lines, images and volumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agog._core import Tensor, convert, handle, public
from agog.nn._windows import (
    as_image,
    as_line,
    is_channels_first,
    layout,
    of_line,
    op_format,
    paddings,
    per_dimension,
)
from agog.types import TensorLike

_avg_pool = handle("AvgPool")
_avg_pool3d = handle("AvgPool3D")
_batch_to_space = handle("BatchToSpaceND")
_max_pool = handle("MaxPool")
_max_pool3d = handle("MaxPool3D")
_space_to_batch = handle("SpaceToBatchND")

# A window, a step, or a rate: one number, one for each dimension of space, or one for each of all.
Numbers = int | Sequence[int]


@public
def max_pool2d(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of images, for each channel.

    NaN is never the largest. `padding` is "SAME", "VALID" or four pairs of numbers; padding is
    never the largest, either. Gradients go to the first of equal numbers.

    >>> x = agog.reshape(agog.range(16.0), [1, 4, 4, 1])
    >>> agog.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID").numpy().ravel().tolist()
    [5.0, 7.0, 13.0, 15.0]
    """
    data_format = layout(data_format, 2)
    size = per_dimension(ksize, 2, data_format, "ksize")
    steps = per_dimension(strides, 2, data_format, "strides")
    kind, pads = paddings(padding, 4)
    return _max_pool(input, size, steps, kind, pads, data_format, name)


@public
def max_pool1d(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of lines, as `max_pool2d` of images.

    >>> agog.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    data_format = layout(data_format, 1)
    size = of_line(per_dimension(ksize, 1, data_format, "ksize"), data_format)
    steps = of_line(per_dimension(strides, 1, data_format, "strides"), data_format)
    kind, pads = paddings(padding, 3)
    if pads:
        at = 4 if is_channels_first(data_format) else 2
        pads = [*pads[:at], 0, 0, *pads[at:]]
    image = as_image(convert(input), data_format)
    return as_line(
        _max_pool(image, size, steps, kind, pads, op_format(data_format), name), data_format
    )


@public
def max_pool3d(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window of volumes, as `max_pool2d` of images.

    >>> x = agog.reshape(agog.range(8.0), [1, 2, 2, 2, 1])
    >>> agog.nn.max_pool3d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [7.0]
    """
    data_format = layout(data_format, 3)
    size = per_dimension(ksize, 3, data_format, "ksize")
    steps = per_dimension(strides, 3, data_format, "strides")
    return _max_pool3d(input, size, steps, padding, data_format, name)


@public
def avg_pool2d(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: str,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of images, for each channel; padding does not count.

    >>> x = agog.reshape(agog.range(16.0), [1, 4, 4, 1])
    >>> agog.nn.avg_pool2d(x, ksize=2, strides=2, padding="VALID").numpy().ravel().tolist()
    [2.5, 4.5, 10.5, 12.5]
    """
    data_format = layout(data_format, 2)
    size = per_dimension(ksize, 2, data_format, "ksize")
    steps = per_dimension(strides, 2, data_format, "strides")
    return _avg_pool(input, size, steps, padding, data_format, name)


@public
def avg_pool1d(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: str,
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of lines, as `avg_pool2d` of images.

    >>> agog.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy().ravel().tolist()
    [2.0, 2.5]
    """
    data_format = layout(data_format, 1)
    size = of_line(per_dimension(ksize, 1, data_format, "ksize"), data_format)
    steps = of_line(per_dimension(strides, 1, data_format, "strides"), data_format)
    image = as_image(convert(input), data_format)
    return as_line(
        _avg_pool(image, size, steps, padding, op_format(data_format), name), data_format
    )


@public
def avg_pool3d(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window of volumes, as `avg_pool2d` of images.

    >>> x = agog.reshape(agog.range(8.0), [1, 2, 2, 2, 1])
    >>> agog.nn.avg_pool3d(x, 2, 2, "VALID").numpy().ravel().tolist()
    [3.5]
    """
    data_format = layout(data_format, 3)
    size = per_dimension(ksize, 3, data_format, "ksize")
    steps = per_dimension(strides, 3, data_format, "strides")
    return _avg_pool3d(input, size, steps, padding, data_format, name)


_MAX: dict[int, Callable[..., Tensor]] = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
_AVG: dict[int, Callable[..., Tensor]] = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _space(x: Tensor) -> int:
    rank = x.shape.rank
    if rank is None or not 3 <= rank <= 5:
        raise ValueError(f"input must have 3, 4 or 5 dimensions, got shape {x.shape}")
    return rank - 2


@public
def max_pool(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, by the rank of `input`.

    >>> agog.nn.max_pool(agog.ones([1, 6, 6, 3]), 2, 2, "VALID").shape
    TensorShape([1, 3, 3, 3])
    """
    x = convert(input)
    space = _space(x)
    return _MAX[space](x, ksize, strides, padding, layout(data_format, space), name)


@public
def avg_pool(
    input: TensorLike,
    ksize: Numbers,
    strides: Numbers,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, by the rank of `input`.

    >>> agog.nn.avg_pool(agog.ones([1, 6, 3]), 2, 2, "VALID").shape
    TensorShape([1, 3, 3])
    """
    x = convert(input)
    space = _space(x)
    return _AVG[space](x, ksize, strides, padding, layout(data_format, space), name)


@public
def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    strides: Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`max_pool` or `avg_pool` ("MAX" or "AVG"), with windows that may take every n-th number.

    `window_shape`, `strides` and `dilations` have one number for each dimension of space. Where
    a dilation is not 1, all strides must be, and the padding must be "VALID".

    >>> agog.nn.pool([[[1.0], [3.0], [2.0]]], [2], "MAX", dilations=[2]).numpy().ravel().tolist()
    [2.0]
    """
    x = convert(input)
    space = _space(x)
    data_format = layout(data_format, space)
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(f"pooling_type must be 'MAX' or 'AVG', got {pooling_type!r}")
    run = (_MAX if pooling_type == "MAX" else _AVG)[space]
    steps = _of_space(strides, space, "strides")
    rates = _of_space(dilations, space, "dilations")
    window = _of_space(window_shape, space, "window_shape")
    if all(rate == 1 for rate in rates):
        return run(x, window, steps, padding, data_format, name)
    if any(step != 1 for step in steps):
        raise ValueError(f"strides must be 1 where dilations are not, got {steps} and {rates}")
    return _dilated(x, window, rates, padding, data_format, run)


def _of_space(value: Sequence[int] | None, space: int, name: str) -> list[int]:
    numbers = [1] * space if value is None else [int(number) for number in value]
    if len(numbers) != space or any(number < 1 for number in numbers):
        raise ValueError(f"{name} must be {space} positive numbers, got {value!r}")
    return numbers


def _dilated(
    x: Tensor,
    window: list[int],
    rates: list[int],
    padding: str,
    data_format: str,
    run: Callable[..., Tensor],
) -> Tensor:
    """Pools what each offset sees for itself: the offsets become batches."""
    if padding != "VALID":
        raise ValueError(f"padding must be 'VALID' where dilations are not 1, got {padding!r}")
    first = 2 if is_channels_first(data_format) else 1
    lengths = x.shape[first : first + len(rates)]
    more = [-length % rate for length, rate in zip(lengths, rates, strict=True)]
    # The axis of channels in front is a dimension of space that stays as it is.
    around = [[0, after] for after in ([0, *more] if first == 2 else more)]
    rates = [1, *rates] if first == 2 else rates
    y = run(_space_to_batch(x, rates, around), window, 1, "VALID", data_format)
    return _batch_to_space(y, rates, around)
