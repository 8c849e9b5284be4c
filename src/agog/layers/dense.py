"""The dense layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agog import initializers
from agog._core import handle, public
from agog.layers.base import Layer, activation

_add = handle("AddV2")
_matmul = handle("MatMul")
_reshape = handle("Reshape")


class Dense(Layer):
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
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(f"units must be at least 1, got {units}")
        self.units = int(units)
        self.activation = _activation(activation)
        self.use_bias = use_bias
        self.kernel: Any = None
        self.bias: Any = None
        self._initializers = tuple(map(initializers.get, (kernel_initializer, bias_initializer)))
        self._constraints = kernel_constraint, bias_constraint

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        shape = [int(input_shape[-1]), self.units]
        kernel, bias = self._initializers
        self.kernel = self.add_weight("kernel", shape, kernel, constraint=self._constraints[0])
        if self.use_bias:
            constraint = self._constraints[1]
            self.bias = self.add_weight("bias", [self.units], bias, constraint=constraint)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        kernel, bias = self.read(self.kernel), self.read(self.bias)
        if len(inputs.shape) == 2:
            result = _matmul(inputs, kernel)
        else:
            rows = _reshape(inputs, [-1, inputs.shape[-1]])
            result = _reshape(_matmul(rows, kernel), [*inputs.shape[:-1], self.units])
        if bias is not None:
            result = _add(result, bias)
        return result if self.activation is None else self.activation(result)

    def _build_for(self, inputs: Any) -> None:
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
        super()._build_for(inputs)


_activation = activation
