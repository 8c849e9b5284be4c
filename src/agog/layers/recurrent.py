"""Layers that run a cell along a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import agog
from agog._core import handle, public
from agog.layers.base import Layer
from agog.layers.cells import Cell, GRUCell, LSTMCell, SimpleRNNCell

_select = handle("SelectV2")
_zeros_like = handle("ZerosLike")


class StackedRNNCells(Layer):
    """Cells one upon the other, as one cell: each has the output of the one below as its input.

    >>> cell = agog.layers.StackedRNNCells([agog.layers.LSTMCell(3), agog.layers.GRUCell(2)])
    >>> cell.state_size
    [[3, 3], 2]
    """

    _takes_training = True

    @public
    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """That of each cell."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self) -> int:
        """That of the topmost cell."""
        return int(self.cells[-1].output_size)

    @public
    def get_initial_state(self, batch_size: Any = None, dtype: Any = None) -> list[Any]:
        """Zeros, a list for each cell."""
        return [cell.get_initial_state(batch_size, dtype) for cell in self.cells]

    def call(self, inputs: Any, states: Any, training: Any = None) -> Any:
        """(output, new states) of one step."""
        new = []
        for cell, state in zip(self.cells, states, strict=True):
            inputs, after = cell(inputs, state, training=training)
            new.append(after)
        return inputs, new


class RNN(Layer):
    """Runs a cell along axis 1 of its inputs, or several cells one upon the other.

    Returns the last output, or with `return_sequences` all of them; with `return_state` a tuple
    with the last states behind. Where `mask` is False, a step changes no state and repeats the
    output before it (zeros at first, or always with `zero_output_for_mask`). `go_backwards` begins
    with the last step, and its outputs are in that order. `stateful` begins each call where the
    last one ended, until `reset_state`. `unroll` changes nothing.

    A cell is called with (inputs, states), returns (output, new states) and has `state_size`, a
    number or a list of them.

    >>> layer = agog.layers.RNN(agog.layers.GRUCell(4), return_sequences=True)
    >>> layer(agog.zeros([2, 5, 3])).shape.as_list()
    [2, 5, 4]
    """

    _takes_training = True

    @public
    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful, self.unroll = go_backwards, stateful, unroll
        self.zero_output_for_mask = zero_output_for_mask
        self.states: Any = None  # what the last call ended with, where stateful

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs where all steps are returned."""
        return mask if self.return_sequences else None

    def _differs(self) -> bool:
        return isinstance(self.cell, Cell) and self.cell._differs()

    @public
    def reset_state(self) -> None:
        """Begin the next call with zeros."""
        self.states = None

    reset_states = reset_state

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None
    ) -> Any:
        """The outputs, and the states where asked for."""
        if len(sequences.shape) != 3:
            raise ValueError(
                f"inputs of {self.name!r} must have axes batch, steps and features, got shape "
                f"{list(sequences.shape)}"
            )
        if not int(sequences.shape[1]):
            raise ValueError(f"inputs of {self.name!r} must have at least one step")
        states = self._first_states(sequences, initial_state)
        outputs, states = self._run(
            sequences, states, _step_masks(mask, self.go_backwards), training
        )
        if self.stateful:
            self.states = states
        result = agog.stack(outputs, axis=1) if self.return_sequences else outputs[-1]
        return (result, *states) if self.return_state else result

    def _first_states(self, sequences: Any, initial_state: Any) -> list[Any]:
        if initial_state is not None:
            several = isinstance(initial_state, (list, tuple))
            return list(initial_state) if several else [initial_state]
        if self.states is not None:
            return list(self.states)
        batch, dtype = sequences.shape[0], sequences.dtype
        if hasattr(self.cell, "get_initial_state"):
            return list(self.cell.get_initial_state(batch_size=batch, dtype=dtype))
        sizes = self.cell.state_size
        sizes = sizes if isinstance(sizes, (list, tuple)) else [sizes]
        return [agog.zeros([batch, size], dtype) for size in sizes]

    def _run(self, sequences: Any, states: Any, masks: Any, training: Any) -> Any:
        by_step = agog.transpose(sequences, [1, 0, 2])
        if self.go_backwards:
            by_step = agog.reverse(by_step, [0])
        step, inputs = self._stepper(by_step, training)
        outputs: list[Any] = []
        for i, projected in enumerate(inputs):
            output, new = step(projected, states)
            if masks is not None:
                kept = masks[i]
                zeros = self.zero_output_for_mask or not outputs
                output = _select(kept, output, _zeros_like(output) if zeros else outputs[-1])
                new = agog.nest.map_structure(
                    lambda after, before, kept=kept: _select(kept, after, before),
                    list(new),
                    list(states),
                )
            states = new
            outputs.append(output)
        return outputs, list(states)

    def _stepper(self, by_step: Any, training: Any) -> tuple[Callable[..., Any], list[Any]]:
        """What makes a step, and what it takes."""
        cell = self.cell
        if not isinstance(cell, Cell) or type(cell).call is not Cell.call:

            def other(x: Any, states: Any) -> Any:
                several = isinstance(cell.state_size, (list, tuple))
                kwargs = {"training": training} if getattr(cell, "_takes_training", False) else {}
                output, new = cell(x, states if several else states[0], **kwargs)
                return output, new if isinstance(new, (list, tuple)) else [new]

            return other, agog.unstack(by_step)
        if not cell.built:
            with agog.name_scope(self.name):
                cell._build_for(by_step[0])
        drop = cell.masks(by_step[0], training)
        return (
            lambda x, states: cell.step(x, states, drop),
            agog.unstack(cell.project(by_step, drop)),
        )


def _step_masks(mask: Any, backwards: bool) -> Any:
    """For each step, which examples count, as a column."""
    if mask is None:
        return None
    columns = agog.expand_dims(agog.transpose(agog.cast(mask, agog.bool), [1, 0]), -1)
    return agog.unstack(agog.reverse(columns, [0]) if backwards else columns)


_RUNNING = (
    "return_sequences",
    "return_state",
    "go_backwards",
    "stateful",
    "unroll",
    "zero_output_for_mask",
)
_OF_LAYERS = ("name", "trainable")


class _OfCell(RNN):
    """A layer that makes its own cell, with the arguments of both."""

    _cell: type[Cell]

    @public
    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        running = {key: kwargs.pop(key) for key in (*_RUNNING, *_OF_LAYERS) if key in kwargs}
        kwargs.pop("use_cudnn", None)
        dtype = kwargs.get("dtype")
        super().__init__(self._cell(units, *args, **kwargs), dtype=dtype, **running)
        self.units = int(units)


class SimpleRNN(_OfCell):
    """A `SimpleRNNCell` along a sequence; takes the arguments of the cell and of `RNN`.

    >>> agog.layers.SimpleRNN(4)(agog.zeros([2, 5, 3])).shape.as_list()
    [2, 4]
    """

    _cell = SimpleRNNCell


class GRU(_OfCell):
    """A `GRUCell` along a sequence; takes the arguments of the cell and of `RNN`.

    >>> agog.layers.GRU(4, return_sequences=True)(agog.zeros([2, 5, 3])).shape.as_list()
    [2, 5, 4]
    """

    _cell = GRUCell


class LSTM(_OfCell):
    """An `LSTMCell` along a sequence; takes the arguments of the cell and of `RNN`.

    >>> output, h, c = agog.layers.LSTM(4, return_state=True)(agog.zeros([2, 5, 3]))
    >>> h.shape.as_list(), c.shape.as_list()
    ([2, 4], [2, 4])
    """

    _cell = LSTMCell


class Bidirectional(Layer):
    """Runs a recurrent layer in both directions.

    `merge_mode` is "concat", "sum", "mul", "ave", or None for a pair. `layer` runs forwards, a
    copy of it (or `backward_layer`) backwards, whose outputs are put into the order of the steps.
    With a mask and `return_sequences`, outputs of masked steps are zeros.

    >>> layer = agog.layers.Bidirectional(agog.layers.LSTM(4, return_sequences=True))
    >>> layer(agog.zeros([2, 5, 3])).shape.as_list()
    [2, 5, 8]
    """

    _takes_training = True

    @public
    def __init__(
        self,
        layer: RNN,
        merge_mode: str | None = "concat",
        backward_layer: RNN | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if merge_mode not in ("concat", "sum", "mul", "ave", None):
            raise ValueError(
                f"merge_mode must be 'concat', 'sum', 'mul', 'ave' or None, got {merge_mode!r}"
            )
        self.merge_mode = merge_mode
        self.forward_layer = layer
        self.backward_layer = _reversed(layer) if backward_layer is None else backward_layer
        if self.backward_layer.go_backwards == layer.go_backwards:
            raise ValueError("forward and backward layers must have different go_backwards")
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        for each in (self.forward_layer, self.backward_layer):  # or both ends would not line up
            each.zero_output_for_mask = each.zero_output_for_mask or self.return_sequences

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs where all steps are returned."""
        return mask if self.return_sequences else None

    @public
    def reset_state(self) -> None:
        """Begin the next call with zeros."""
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    def call(
        self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None
    ) -> Any:
        """The merged outputs, and the states of both where asked for."""
        states: tuple[Any, Any] = (None, None)
        if initial_state is not None:
            half = len(initial_state) // 2
            states = list(initial_state[:half]), list(initial_state[half:])
        found = [
            layer(sequences, initial_state=state, mask=mask, training=training)
            for layer, state in zip((self.forward_layer, self.backward_layer), states, strict=True)
        ]
        ends: tuple[Any, ...] = ()
        if self.return_state:
            ends = (*found[0][1:], *found[1][1:])
            found = [output for output, *_ in found]
        if self.return_sequences:
            found[1] = agog.reverse(found[1], [1])
        merged = self._merged(*found)
        if not self.return_state:
            return merged
        return (*merged, *ends) if self.merge_mode is None else (merged, *ends)

    def _merged(self, one: Any, other: Any) -> Any:
        if self.merge_mode == "concat":
            return agog.concat([one, other], -1)
        if self.merge_mode == "mul":
            return one * other
        if self.merge_mode is None:
            return one, other
        return one + other if self.merge_mode == "sum" else (one + other) / 2.0


def _reversed(layer: RNN) -> RNN:
    """A copy that runs the other way, with random numbers of its own."""
    import copy

    if layer.built:
        raise ValueError("give backward_layer, too, where the layer has been called already")
    other = copy.deepcopy(layer)
    other.go_backwards = not layer.go_backwards
    other._name = f"backward_{layer.name}"
    return other
