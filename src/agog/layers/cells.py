"""Recurrent cells: one step of a sequence.

A cell projects inputs once for all steps (`project`), which is one large product, and then makes
its steps on the projections (`step`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import agog
from agog import initializers
from agog._core import handle, public
from agog.layers.base import Layer
from agog.layers.base import activation as named

_add = handle("AddV2")
_matmul = handle("MatMul")
_mul = handle("Mul")
_split = handle("Split")
_sub = handle("Sub")


class Cell(Layer):
    """Base of the cells here: weights "kernel", "recurrent_kernel" and "bias", and dropout.

    `dropout` falls on the inputs and `recurrent_dropout` on the state; both are drawn once for a
    whole sequence (Gal and Ghahramani, 2015).
    """

    _takes_training = True
    _gates = 1

    @public
    def __init__(
        self,
        units: int,
        activation: str | Callable[[Any], Any] | None = "tanh",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if units < 1:
            raise ValueError(f"units must be at least 1, got {units}")
        self.units = int(units)
        self.activation = named(activation)
        self.use_bias = use_bias
        self.dropout, self.recurrent_dropout, self.seed = dropout, recurrent_dropout, seed
        self.kernel: Any = None
        self.recurrent_kernel: Any = None
        self.bias: Any = None
        given = kernel_initializer, recurrent_initializer, bias_initializer
        self._initializers = tuple(map(initializers.get, given))

    @property
    def state_size(self) -> Any:
        """The size of a state, or a list of them."""
        return self.units

    @property
    def output_size(self) -> int:
        """The size of the output."""
        return self.units

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        width = self._gates * self.units
        kernel, recurrent, bias = self._initializers
        self.kernel = self.add_weight("kernel", [int(input_shape[-1]), width], kernel)
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [self.units, width], recurrent)
        if self.use_bias:
            self.bias = self.add_weight("bias", self._bias_shape(width), bias)
        self.built = True

    def _differs(self) -> bool:
        return self.dropout > 0 or self.recurrent_dropout > 0

    def _bias_shape(self, width: int) -> list[int]:
        return [width]

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        """(output, new states) of one step."""
        several = isinstance(states, (list, tuple))
        drop = self.masks(inputs, training)
        state = list(states) if several else [states]
        output, new = self.step(self.project(inputs, drop), state, drop)
        return output, new if several else new[0]

    @public
    def get_initial_state(self, batch_size: Any = None, dtype: Any = None) -> list[Any]:
        """Zeros, one for each state."""
        sizes = self.state_size if isinstance(self.state_size, list) else [self.state_size]
        kind = dtype or self._policy.compute_dtype or self._variable_dtype or agog.float32
        return [agog.zeros([batch_size, size], kind) for size in sizes]

    def masks(self, inputs: Any, training: Any) -> tuple[Any, Any]:
        """What dropout multiplies the inputs and the state with; None for nothing."""
        found: list[Any] = [None, None]
        if training:
            batch, features = int(inputs.shape[0]), int(inputs.shape[-1])
            for i, (rate, size) in enumerate(
                ((self.dropout, features), (self.recurrent_dropout, self.units))
            ):
                if rate:
                    found[i] = agog.nn.dropout(
                        agog.ones([batch, size], inputs.dtype), rate, seed=self.seed
                    )
        return found[0], found[1]

    def project(self, inputs: Any, drop: tuple[Any, Any]) -> Any:
        """The part of all gates that depends on the inputs: of one step, or of steps first."""
        if drop[0] is not None:
            inputs = inputs * drop[0]
        kernel, bias = self.read(self.kernel), self._input_bias()
        if len(inputs.shape) == 2:
            result = _matmul(inputs, kernel)
        else:
            steps, batch, features = inputs.shape
            rows = agog.reshape(inputs, [steps * batch, features])
            result = agog.reshape(_matmul(rows, kernel), [steps, batch, kernel.shape[-1]])
        return result if bias is None else _add(result, bias)

    def _input_bias(self) -> Any:
        return self.read(self.bias)

    def step(self, projected: Any, states: list[Any], drop: tuple[Any, Any]) -> Any:
        """(output, new states) from a projection."""
        raise NotImplementedError

    def _activated(self, x: Any) -> Any:
        return x if self.activation is None else self.activation(x)


class SimpleRNNCell(Cell):
    """h = activation(x @ kernel + h @ recurrent_kernel + bias).

    >>> cell = agog.layers.SimpleRNNCell(4)
    >>> output, state = cell(agog.zeros([2, 3]), agog.zeros([2, 4]))
    >>> output.shape.as_list()
    [2, 4]
    """

    def step(self, projected: Any, states: list[Any], drop: tuple[Any, Any]) -> Any:
        """(output, new states) from a projection."""
        h = states[0] if drop[1] is None else states[0] * drop[1]
        h = self._activated(_add(projected, _matmul(h, self.read(self.recurrent_kernel))))
        return h, [h]


class _GatedCell(Cell):
    """A cell whose gates have an activation of their own."""

    @public
    def __init__(
        self,
        units: int,
        activation: str | Callable[[Any], Any] | None = "tanh",
        recurrent_activation: str | Callable[[Any], Any] | None = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            dropout,
            recurrent_dropout,
            seed,
            **kwargs,
        )
        self.recurrent_activation = named(recurrent_activation)

    def _gate(self, x: Any) -> Any:
        return x if self.recurrent_activation is None else self.recurrent_activation(x)


class GRUCell(_GatedCell):
    """A gated recurrent unit (Cho and others, 2014): gates z (update) and r (reset).

    h = z h + (1 - z) activation(...), the reset gate being applied after the recurrent product
    (`reset_after`, with a bias of its own), or before it.

    >>> cell = agog.layers.GRUCell(4)
    >>> output, state = cell(agog.zeros([2, 3]), agog.zeros([2, 4]))
    >>> cell.bias.shape.as_list()
    [2, 12]
    """

    _gates = 3

    @public
    def __init__(self, units: int, *args: Any, reset_after: bool = True, **kwargs: Any) -> None:
        super().__init__(units, *args, **kwargs)
        self.reset_after = reset_after

    def _bias_shape(self, width: int) -> list[int]:
        return [2, width] if self.reset_after else [width]

    def _input_bias(self) -> Any:
        bias = self.read(self.bias)
        return bias[0] if bias is not None and self.reset_after else bias

    def step(self, projected: Any, states: list[Any], drop: tuple[Any, Any]) -> Any:
        """(output, new states) from a projection."""
        before = states[0]
        h = before if drop[1] is None else before * drop[1]
        kernel = self.read(self.recurrent_kernel)
        x_z, x_r, x_h = _split(-1, projected, 3)
        if self.reset_after:
            inner = _matmul(h, kernel)
            if self.bias is not None:
                inner = _add(inner, self.read(self.bias)[1])
            h_z, h_r, h_h = _split(-1, inner, 3)
            z, r = self._gate(x_z + h_z), self._gate(x_r + h_r)
            new = self._activated(x_h + r * h_h)
        else:
            both = _matmul(h, kernel[:, : 2 * self.units])
            h_z, h_r = _split(-1, both, 2)
            z, r = self._gate(x_z + h_z), self._gate(x_r + h_r)
            new = self._activated(x_h + _matmul(r * h, kernel[:, 2 * self.units :]))
        h = z * before + (1.0 - z) * new
        return h, [h]


class LSTMCell(_GatedCell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): gates i, f, c, o in this order.

    The states are h and c; `unit_forget_bias` begins with 1 as the bias of the forget gate.

    >>> cell = agog.layers.LSTMCell(4)
    >>> output, (h, c) = cell(agog.zeros([2, 3]), [agog.zeros([2, 4]), agog.zeros([2, 4])])
    >>> cell.bias.numpy().tolist()[4:8]
    [1.0, 1.0, 1.0, 1.0]
    """

    _gates = 4

    @public
    def __init__(
        self, units: int, *args: Any, unit_forget_bias: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(units, *args, **kwargs)
        self.unit_forget_bias = unit_forget_bias

    @property
    def state_size(self) -> Any:
        """The sizes of h and c."""
        return [self.units, self.units]

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        super().build(input_shape)
        if self.use_bias and self.unit_forget_bias:
            parts = agog.split(self.bias.value(), 4)
            self.bias.assign(agog.concat([parts[0], agog.ones_like(parts[1]), *parts[2:]], 0))

    def step(self, projected: Any, states: list[Any], drop: tuple[Any, Any]) -> Any:
        """(output, new states) from a projection."""
        h, c = states
        h = h if drop[1] is None else h * drop[1]
        gates = _add(projected, _matmul(h, self.read(self.recurrent_kernel)))
        i, f, new, o = _split(-1, gates, 4)
        c = self._gate(f) * c + self._gate(i) * self._activated(new)
        h = self._gate(o) * self._activated(c)
        return h, [h, c]
