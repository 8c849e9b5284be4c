"""The dense layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import agog
from agog import initializers
from agog._core import handle, public
from agog.module import Module

_add = handle("AddV2")
_matmul = handle("MatMul")
_reshape = handle("Reshape")


class Dense(Module):
    """A dense layer: `activation(inputs @ kernel + bias)` over the last axis.

    `kernel` and `bias` are made at the first call, from the last axis of the inputs, in their
    dtype. `activation` is a callable or the name of a function in `agog.nn`; an initializer is a
    callable `(shape, dtype)` or a name such as "zeros".

    >>> layer = agog.layers.Dense(3, activation="relu", kernel_initializer="ones")
    >>> print(layer(agog.constant([[1.0, 2.0]])))
    tf.Tensor([[3. 3. 3.]], shape=(1, 3), dtype=float32)
    >>> layer.kernel.name, layer.kernel.shape.as_list()
    ('dense/kernel:0', [2, 3])
    """

    @public
    def __init__(
        self,
        units: int,
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        if units < 1:
            raise ValueError(f"units must be at least 1, got {units}")
        self.units = int(units)
        self.activation = _activation(activation)
        self.use_bias = use_bias
        self.kernel: Any = None
        self.bias: Any = None
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)

    @public
    def build(self, input_shape: Sequence[int], dtype: Any = None) -> None:
        """Make the variables for inputs of that shape; the first call does it by itself."""
        dtype = agog.float32 if dtype is None else dtype
        shape = [int(input_shape[-1]), self.units]
        kernel = self._kernel_initializer(shape, dtype)
        self.kernel = agog.Variable(kernel, name=f"{self.name}/kernel")
        if self.use_bias:
            bias = self._bias_initializer([self.units], dtype)
            self.bias = agog.Variable(bias, name=f"{self.name}/bias")

    @public
    def __call__(self, inputs: Any) -> Any:
        inputs = agog.convert_to_tensor(inputs)
        rank = len(inputs.shape)
        if self.kernel is None:
            self._check(inputs)
            self.build(inputs.shape, inputs.dtype)
        if rank == 2:
            result = _matmul(inputs, self.kernel)
        else:
            rows = _reshape(inputs, [-1, inputs.shape[-1]])
            result = _reshape(_matmul(rows, self.kernel), [*inputs.shape[:-1], self.units])
        if self.bias is not None:
            result = _add(result, self.bias)
        return result if self.activation is None else self.activation(result)

    def _check(self, inputs: Any) -> None:
        if len(inputs.shape) < 2:
            raise ValueError(
                f"inputs of the dense layer {self.name!r} must have a batch axis and a last axis "
                f"of features, got shape {list(inputs.shape)}"
            )
        if not inputs.dtype.is_floating:
            raise ValueError(
                f"inputs of the dense layer {self.name!r} must be floating point, got "
                f"{inputs.dtype.name}: cast them first"
            )


def _activation(activation: str | Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    if activation is None or callable(activation):
        return activation
    if not hasattr(agog.nn, activation):
        raise ValueError(f"activation must be a function or a name in agog.nn, got {activation!r}")
    return getattr(agog.nn, activation)
