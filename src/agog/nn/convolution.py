"""Convolutions of lines, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog._core import Tensor, convert, handle, public
from agog.nn._windows import (
    as_image,
    as_line,
    height_axis,
    layout,
    of_line,
    op_format,
    paddings,
    per_dimension,
    with_one_batch,
)
from agog.types import TensorLike

_concat = handle("ConcatV2")
_conv2d = handle("Conv2D")
_conv2d_input = handle("Conv2DBackpropInput")
_conv3d = handle("Conv3D")
_conv3d_input = handle("Conv3DBackpropInputV2")
_depthwise = handle("DepthwiseConv2dNative")
_depthwise_filter = handle("DepthwiseConv2dNativeBackpropFilter")
_depthwise_input = handle("DepthwiseConv2dNativeBackpropInput")
_expand_dims = handle("ExpandDims")


@public
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Products of `filters` with the windows of images, added up over window and channels.

    `filters` has shape [height, width, in_channels, out_channels]; where the input has a multiple
    of in_channels, each group of channels meets its own share of the filters. `padding` is "SAME",
    "VALID" or four pairs of numbers. Dimensions before the last three are batch.

    >>> images = agog.ones([1, 3, 3, 1])
    >>> y = agog.nn.conv2d(images, agog.ones([2, 2, 1, 1]), strides=1, padding="VALID")
    >>> y.numpy().reshape(2, 2).tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    """
    data_format = layout(data_format, 2)
    steps = per_dimension(strides, 2, data_format, "strides")
    rates = per_dimension(dilations, 2, data_format, "dilations")
    kind, pads = paddings(padding, 4)
    return with_one_batch(
        convert(input),
        3,
        lambda x: _conv2d(x, filters, steps, kind, True, pads, data_format, rates, name),
    )


@public
def conv1d(
    input: TensorLike,
    filters: TensorLike,
    stride: int | Sequence[int],
    padding: str,
    data_format: str = "NWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Products of `filters` with the windows of lines, as `conv2d` of images.

    `filters` has shape [width, in_channels, out_channels].

    >>> lines = [[[1.0], [2.0], [4.0]]]
    >>> y = agog.nn.conv1d(lines, [[[1.0]], [[1.0]]], stride=1, padding="VALID")
    >>> y.numpy().ravel().tolist()
    [3.0, 6.0]
    """
    data_format = layout(data_format, 1)
    steps = of_line(per_dimension(stride, 1, data_format, "stride"), data_format)
    rates = of_line(per_dimension(dilations, 1, data_format, "dilations"), data_format)
    wide = _expand_dims(filters, 0)

    def run(x: Tensor) -> Tensor:
        image = as_image(x, data_format)
        y = _conv2d(image, wide, steps, padding, True, [], op_format(data_format), rates, name)
        return as_line(y, data_format)

    return with_one_batch(convert(input, None, wide.dtype), 2, run)


@public
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Products of `filters` with the windows of volumes, as `conv2d` of images.

    `filters` has shape [depth, height, width, in_channels, out_channels].

    >>> y = agog.nn.conv3d(agog.ones([1, 2, 2, 2, 1]), agog.ones([2, 2, 2, 1, 3]), 1, "VALID")
    >>> y.numpy().ravel().tolist()
    [8.0, 8.0, 8.0]
    """
    data_format = layout(data_format, 3)
    steps = per_dimension(strides, 3, data_format, "strides")
    rates = per_dimension(dilations, 3, data_format, "dilations")
    return with_one_batch(
        convert(input), 4, lambda x: _conv3d(x, filters, steps, padding, data_format, rates, name)
    )


@public
def convolution(
    input: TensorLike,
    filters: TensorLike,
    strides: int | Sequence[int] | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d`, `conv2d` or `conv3d`, by the rank of `filters`.

    >>> agog.nn.convolution(agog.ones([1, 5, 2]), agog.ones([3, 2, 4])).shape
    TensorShape([1, 3, 4])
    """
    filters = convert(filters)
    space = _space(filters.shape.rank, "filters")
    data_format = layout(data_format, space)
    steps: Any = 1 if strides is None else strides
    forward = {1: conv1d, 2: conv2d, 3: conv3d}[space]
    return forward(input, filters, steps, padding, data_format, dilations, name)


def _space(rank: int | None, name: str) -> int:
    """How many dimensions of space images, filters or shapes of `rank` dimensions have."""
    if rank is None or not 3 <= rank <= 5:
        raise ValueError(f"{name} must have 3, 4 or 5 dimensions, got {rank}")
    return rank - 2


@public
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int | Sequence[int],
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv2d` as a linear map: its gradient for an input of `output_shape`.

    `filters` has shape [height, width, out_channels, in_channels].

    >>> x = agog.ones([1, 1, 2, 1])
    >>> y = agog.nn.conv2d_transpose(x, agog.ones([1, 2, 1, 1]), [1, 1, 4, 1], strides=2)
    >>> y.numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    data_format = layout(data_format, 2)
    steps = per_dimension(strides, 2, data_format, "strides")
    rates = per_dimension(dilations, 2, data_format, "dilations")
    kind, pads = paddings(padding, 4)
    return _conv2d_input(
        output_shape, filters, input, steps, kind, True, pads, data_format, rates, name
    )


@public
def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int | Sequence[int],
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d` as a linear map, into an output of `output_shape`.

    `filters` has shape [width, out_channels, in_channels].

    >>> y = agog.nn.conv1d_transpose([[[1.0], [2.0]]], [[[1.0]], [[3.0]]], [1, 4, 1], strides=2)
    >>> y.numpy().ravel().tolist()
    [1.0, 3.0, 2.0, 6.0]
    """
    data_format = layout(data_format, 1)
    steps = of_line(per_dimension(strides, 1, data_format, "strides"), data_format)
    rates = of_line(per_dimension(dilations, 1, data_format, "dilations"), data_format)
    sizes, at = convert(output_shape), height_axis(data_format)
    sizes = _concat([sizes[:at], convert([1], None, sizes.dtype), sizes[at:]], 0)
    wide, image = _expand_dims(filters, 0), as_image(convert(input), data_format)
    y = _conv2d_input(
        sizes, wide, image, steps, padding, True, [], op_format(data_format), rates, name
    )
    return as_line(y, data_format)


@public
def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int | Sequence[int],
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv3d` as a linear map, into an output of `output_shape`.

    `filters` has shape [depth, height, width, out_channels, in_channels].

    >>> x, filters = agog.ones([1, 1, 1, 1, 2]), agog.ones([2, 2, 2, 3, 2])
    >>> y = agog.nn.conv3d_transpose(x, filters, [1, 2, 2, 2, 3], strides=2)
    >>> y.shape, float(agog.reduce_max(y))
    (TensorShape([1, 2, 2, 2, 3]), 2.0)
    """
    data_format = layout(data_format, 3)
    steps = per_dimension(strides, 3, data_format, "strides")
    rates = per_dimension(dilations, 3, data_format, "dilations")
    return _conv3d_input(output_shape, filters, input, steps, padding, data_format, rates, name)


@public
def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    strides: int | Sequence[int],
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d_transpose`, `conv2d_transpose` or `conv3d_transpose`, by the rank of `filters`.

    >>> x, filters = agog.ones([1, 2, 1]), agog.ones([2, 3, 1])
    >>> agog.nn.conv_transpose(x, filters, [1, 4, 3], strides=2).shape
    TensorShape([1, 4, 3])
    """
    filters = convert(filters)
    space = _space(filters.shape.rank, "filters")
    data_format = layout(data_format, space)
    transpose = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}[space]
    return transpose(input, filters, output_shape, strides, padding, data_format, dilations, name)


# --- One filter for each channel -------------------------------------------------------------


@public
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: Any,
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Convolves each channel of images with filters of its own.

    `filter` has shape [height, width, channels, multiplier]; channel c gives the outputs from
    c * multiplier on. `strides` has one number for each dimension of the images.

    >>> images, filters = agog.ones([1, 2, 2, 3]), agog.ones([2, 2, 3, 2])
    >>> y = agog.nn.depthwise_conv2d(images, filters, [1, 1, 1, 1], "VALID")
    >>> y.shape, float(y[0, 0, 0, 0])
    (TensorShape([1, 1, 1, 6]), 4.0)
    """
    data_format = layout(data_format, 2)
    rates = per_dimension(dilations, 2, data_format, "dilations")
    kind, pads = paddings(padding, 4)
    return _depthwise(input, filter, list(strides), kind, pads, data_format, rates, name)


@public
def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],  # noqa: B006
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for an input of `input_sizes`.

    >>> dy, filters = agog.ones([1, 1, 1, 2]), agog.ones([2, 2, 2, 1])
    >>> dx = agog.nn.depthwise_conv2d_backprop_input(
    ...     [1, 2, 2, 2], filters, dy, [1, 1, 1, 1], "VALID")
    >>> float(agog.reduce_sum(dx))
    8.0
    """
    kind, pads = paddings(padding, 4)
    return _depthwise_input(
        input_sizes, filter, out_backprop, strides, kind, pads, data_format, dilations, name
    )


@public
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],  # noqa: B006
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d` for a filter of `filter_sizes`.

    >>> x, dy = agog.ones([1, 2, 2, 2]), agog.ones([1, 1, 1, 2])
    >>> dw = agog.nn.depthwise_conv2d_backprop_filter(
    ...     x, [2, 2, 2, 1], dy, [1, 1, 1, 1], "VALID")
    >>> dw.shape, float(agog.reduce_sum(dw))
    (TensorShape([2, 2, 2, 1]), 8.0)
    """
    kind, pads = paddings(padding, 4)
    return _depthwise_filter(
        input, filter_sizes, out_backprop, strides, kind, pads, data_format, dilations, name
    )


@public
def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Sequence[int],
    padding: Any,
    data_format: str | None = None,
    dilations: int | Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """`depthwise_conv2d`, then `conv2d` with windows of one pixel, which mix the channels.

    `pointwise_filter` has shape [1, 1, channels * multiplier, out_channels].

    >>> images = agog.ones([1, 2, 2, 3])
    >>> depthwise, pointwise = agog.ones([2, 2, 3, 1]), agog.ones([1, 1, 3, 2])
    >>> y = agog.nn.separable_conv2d(images, depthwise, pointwise, [1, 1, 1, 1], "VALID")
    >>> y.numpy().ravel().tolist()
    [12.0, 12.0]
    """
    mixing = convert(pointwise_filter)
    if mixing.shape.rank is not None and (mixing.ndim != 4 or mixing.shape[:2] != [1, 1]):
        raise ValueError(f"pointwise_filter must have shape [1, 1, in, out], got {mixing.shape}")
    data_format = layout(data_format, 2)
    y = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(y, mixing, 1, "VALID", data_format, None, name)


@public
def atrous_conv2d(
    value: TensorLike,
    filters: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """`conv2d` whose windows take every `rate`-th pixel.

    >>> y = agog.nn.atrous_conv2d(agog.ones([1, 5, 5, 1]), agog.ones([3, 3, 1, 1]), 2, "VALID")
    >>> y.numpy().ravel().tolist()
    [9.0]
    """
    return conv2d(value, filters, 1, padding, "NHWC", rate, name)


@public
def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: TensorLike,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d` as a linear map, into an output of `output_shape`.

    >>> x, filters = agog.ones([1, 1, 1, 1]), agog.ones([3, 3, 1, 1])
    >>> y = agog.nn.atrous_conv2d_transpose(x, filters, [1, 5, 5, 1], 2, "VALID")
    >>> y.numpy()[0, :, 0, 0].tolist()
    [1.0, 0.0, 1.0, 0.0, 1.0]
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, "NHWC", rate, name)
