"""Convolutional layers, on the functions of `agog.nn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import agog
from agog import initializers
from agog._core import public
from agog.layers.base import Layer
from agog.layers.base import activation as named


def function(name: str, layer: str) -> Callable[..., Any]:
    """That function of `agog.nn`; UnimplementedError where there is none yet."""
    found: Callable[..., Any] | None = getattr(agog.nn, name, None)
    if found is None:
        raise agog.errors.UnimplementedError(
            None, None, f"layer {layer!r} needs agog.nn.{name}, which this version does not have"
        )
    return found


def sizes_of(argument: str, given: Any, rank: int) -> list[int]:
    """One size for each axis of space, from a number or a sequence."""
    found = [given] * rank if isinstance(given, int) else list(given)
    if len(found) != rank or any(not isinstance(n, int) or n < 1 for n in found):
        raise ValueError(f"{argument} must be {rank} positive integers or one, got {given!r}")
    return found


def format_of(data_format: str | None, rank: int) -> str:
    """TensorFlow's short name of a format, such as "NHWC"."""
    space = "DHW"[3 - rank :]
    if data_format in (None, "channels_last"):
        return f"N{space}C"
    if data_format == "channels_first":
        return f"NC{space}"
    raise ValueError(
        f"data_format must be 'channels_last' or 'channels_first', got {data_format!r}"
    )


class _Convolution(Layer):
    """What all of them have: a kernel, strides, padding, a bias and an activation."""

    _rank = 2

    def _set_up(
        self,
        kernel_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        dilation_rate: Any,
        activation: Any,
        use_bias: bool,
        bias_initializer: Any,
    ) -> None:
        rank = self._rank
        self.kernel_size = sizes_of("kernel_size", kernel_size, rank)
        self.strides = sizes_of("strides", strides, rank)
        self.dilation_rate = sizes_of("dilation_rate", dilation_rate, rank)
        allowed = ("valid", "same", "causal") if rank == 1 else ("valid", "same")
        self.padding = str(padding).lower()
        if self.padding not in allowed:
            raise ValueError(f"padding must be one of {allowed}, got {padding!r}")
        self.data_format = format_of(data_format, rank)
        self.activation = named(activation)
        self.use_bias = use_bias
        self._bias_initializer = initializers.get(bias_initializer)

    @property
    def _channel_axis(self) -> int:
        return 1 if self.data_format.startswith("NC") else -1

    def _channels(self, input_shape: Any) -> int:
        if len(input_shape) != self._rank + 2:
            raise ValueError(
                f"inputs of layer {self.name!r} must have axes {self.data_format}, got shape "
                f"{list(input_shape)}"
            )
        return int(input_shape[self._channel_axis])

    def _make_bias(self, size: int) -> None:
        self.bias = (
            self.add_weight("bias", [size], self._bias_initializer) if self.use_bias else None
        )

    def _finished(self, result: Any) -> Any:
        bias = self.read(self.bias)
        if bias is not None:
            result = agog.nn.bias_add(result, bias, self.data_format)
        return result if self.activation is None else self.activation(result)


class _Conv(_Convolution):
    @public
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if filters < 1 or groups < 1 or filters % groups:
            raise ValueError(
                f"filters must be positive and divisible by groups, got {filters} and {groups}"
            )
        self.filters, self.groups = int(filters), int(groups)
        self.kernel: Any = None
        self.bias: Any = None
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._set_up(
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer,
        )

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        channels = self._channels(input_shape)
        if channels % self.groups:
            raise ValueError(f"{channels} input channels cannot be split into {self.groups} groups")
        shape = [*self.kernel_size, channels // self.groups, self.filters]
        self.kernel = self.add_weight("kernel", shape, self._kernel_initializer)
        self._make_bias(self.filters)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        convolve = function(f"conv{self._rank}d", self.name)
        padding = self.padding
        if padding == "causal":
            before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            steps, rest = [before, 0], [0, 0]
            last = self.data_format == "NWC"
            inputs = agog.pad(inputs, [rest, steps, rest] if last else [rest, rest, steps])
            padding = "valid"
        one = self._rank == 1
        strides: Any = self.strides[0] if one else self.strides
        dilations: Any = self.dilation_rate[0] if one else self.dilation_rate
        if self._rank == 3:  # conv3d wants an entry for every axis
            first = self.data_format == "NCDHW"
            strides = [1, 1, *strides] if first else [1, *strides, 1]
            dilations = [1, 1, *dilations] if first else [1, *dilations, 1]
        result = convolve(
            inputs,
            self.read(self.kernel),
            strides,
            padding.upper(),
            data_format=self.data_format,
            dilations=dilations,
        )
        return self._finished(result)


class Conv1D(_Conv):
    """Convolution along one axis: inputs (batch, steps, channels), a kernel (size, in, out).

    `padding` is "valid", "same" or "causal", which looks back only.

    >>> agog.layers.Conv1D(8, 3).kernel_size
    [3]
    """

    _rank = 1


class Conv2D(_Conv):
    """Convolution of images: inputs (batch, height, width, channels), a kernel (h, w, in, out).

    >>> agog.layers.Conv2D(8, 3, strides=2).strides
    [2, 2]
    """

    _rank = 2


class Conv3D(_Conv):
    """Convolution of volumes: inputs (batch, depth, height, width, channels).

    >>> agog.layers.Conv3D(8, 3).kernel_size
    [3, 3, 3]
    """

    _rank = 3


class Conv2DTranspose(_Convolution):
    """The transpose of a convolution, which makes images larger; a kernel (h, w, out, in).

    >>> agog.layers.Conv2DTranspose(8, 3, strides=2).strides
    [2, 2]
    """

    @public
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filters = int(filters)
        self.kernel: Any = None
        self.bias: Any = None
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._set_up(
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer,
        )
        self.output_padding = output_padding
        if isinstance(output_padding, int):
            self.output_padding = [output_padding] * 2

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        shape = [*self.kernel_size, self.filters, self._channels(input_shape)]
        self.kernel = self.add_weight("kernel", shape, self._kernel_initializer)
        self._make_bias(self.filters)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        transposed = function("conv2d_transpose", self.name)
        first = self.data_format == "NCHW"
        space = [int(n) for n in (inputs.shape[2:] if first else inputs.shape[1:3])]
        large = [self._length(n, i) for i, n in enumerate(space)]
        shape = [self.filters, *large] if first else [*large, self.filters]
        result = transposed(
            inputs,
            self.read(self.kernel),
            [int(inputs.shape[0]), *shape],
            self.strides,
            self.padding.upper(),
            data_format=self.data_format,
            dilations=self.dilation_rate,
        )
        return self._finished(result)

    def _length(self, size: int, i: int) -> int:
        """The output length whose convolution has `size` positions."""
        stride = self.strides[i]
        reach = self.dilation_rate[i] * (self.kernel_size[i] - 1) + 1
        if self.output_padding is not None:
            margin = reach // 2 if self.padding == "same" else 0
            return int((size - 1) * stride + reach - 2 * margin + self.output_padding[i])
        return size * stride + (max(reach - stride, 0) if self.padding == "valid" else 0)


class DepthwiseConv2D(_Convolution):
    """Convolves each channel by itself, with `depth_multiplier` kernels (h, w, in, multiplier).

    >>> agog.layers.DepthwiseConv2D(3).depth_multiplier
    1
    """

    @public
    def __init__(
        self,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.depth_multiplier = int(depth_multiplier)
        self.kernel: Any = None
        self.bias: Any = None
        self._kernel_initializer = initializers.get(depthwise_initializer)
        self._set_up(
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer,
        )

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        channels = self._channels(input_shape)
        shape = [*self.kernel_size, channels, self.depth_multiplier]
        self.kernel = self.add_weight("kernel", shape, self._kernel_initializer)
        self._make_bias(channels * self.depth_multiplier)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        result = function("depthwise_conv2d", self.name)(
            inputs,
            self.read(self.kernel),
            _every_axis(self.strides, self.data_format),
            self.padding.upper(),
            data_format=self.data_format,
            dilations=self.dilation_rate,
        )
        return self._finished(result)


class SeparableConv2D(_Convolution):
    """A depthwise convolution, and a product over the channels of each pixel.

    >>> agog.layers.SeparableConv2D(8, 3).filters
    8
    """

    @public
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filters, self.depth_multiplier = int(filters), int(depth_multiplier)
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None
        self.bias: Any = None
        given = depthwise_initializer, pointwise_initializer
        self._initializers = tuple(map(initializers.get, given))
        self._set_up(
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer,
        )

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        channels = self._channels(input_shape)
        depthwise, pointwise = self._initializers
        shape = [*self.kernel_size, channels, self.depth_multiplier]
        self.depthwise_kernel = self.add_weight("depthwise_kernel", shape, depthwise)
        shape = [1, 1, channels * self.depth_multiplier, self.filters]
        self.pointwise_kernel = self.add_weight("pointwise_kernel", shape, pointwise)
        self._make_bias(self.filters)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        result = function("separable_conv2d", self.name)(
            inputs,
            self.read(self.depthwise_kernel),
            self.read(self.pointwise_kernel),
            _every_axis(self.strides, self.data_format),
            self.padding.upper(),
            data_format=self.data_format,
            dilations=self.dilation_rate,
        )
        return self._finished(result)


def _every_axis(sizes: list[int], data_format: str) -> list[int]:
    return [1, 1, *sizes] if data_format.startswith("NC") else [1, *sizes, 1]
