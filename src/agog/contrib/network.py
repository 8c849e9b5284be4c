"""Networks of 2017: modules whose `call` is written by hand and whose layers are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import agog
from agog._core import public
from agog.layers.base import Layer, Phase
from agog.module import Module


class Network(Module):
    """Base class of a model: `call` says what it computes, `track_layer` names its layers.

    Variables made in a call are named after the network, `net/dense/kernel`. A `training` argument
    of the call is that of all layers inside that are given none.

    >>> class Net(agog.contrib.eager.Network):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = self.track_layer(agog.layers.Dense(4, activation="relu"))
    ...         self.out = self.track_layer(agog.layers.Dense(2))
    ...     def call(self, inputs):
    ...         return self.out(self.hidden(inputs))
    >>> net = Net()
    >>> net(agog.zeros([5, 3])).shape.as_list(), len(net.trainable_variables)
    ([5, 2], 4)
    >>> net.out.kernel.name
    'net/dense_1/kernel:0'
    """

    @public
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._named = name is not None
        self._layers: list[Any] = []

    @public
    def track_layer(self, layer: Any) -> Any:
        """Make `layer` one of the network's layers and return it.

        A layer that was given no name gets one that no other has: dense, dense_1. Two layers of
        one given name are a ValueError.
        """
        if not callable(layer):
            raise TypeError(f"a layer must be callable, got {type(layer).__name__}")
        if any(layer is known for known in self._layers):
            return layer
        name, taken = getattr(layer, "name", None), {known.name for known in self._layers}
        if name in taken:
            if getattr(layer, "_named", True) or layer.variables:
                raise ValueError(
                    f"two layers of the network {self.name!r} are named {name!r}: give one of "
                    "them another name"
                )
            number = 1
            while f"{name}_{number}" in taken:
                number += 1
            layer._name = f"{name}_{number}"
        self._layers.append(layer)
        return layer

    @property
    def layers(self) -> list[Any]:
        """The tracked layers, in the order of tracking."""
        return list(self._layers)

    @public
    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """The tracked layer of that name, or at that index."""
        if (name is None) == (index is None):
            raise ValueError("get_layer needs a name or an index, and not both")
        if index is not None:
            return self._layers[index]
        for layer in self._layers:
            if layer.name == name:
                return layer
        known = ", ".join(layer.name for layer in self._layers)
        raise ValueError(f"no layer is named {name!r}; there are: {known}")

    @public
    def count_params(self) -> int:
        """How many numbers the variables hold."""
        return sum(int(agog.size(variable)) for variable in self.variables)

    @public
    def summary(self, print_fn: Callable[[str], Any] | None = None) -> None:
        """Print a table of the layers and their variables.

        `print_fn` gets the text instead. Layers that were never called have no variables yet.

        >>> net = agog.contrib.eager.Sequential([agog.layers.Dense(4)])
        >>> _ = net(agog.zeros([1, 3]))
        >>> lines = []
        >>> net.summary(print_fn=lines.append)
        >>> "kernel [3, 4], bias [4]" in lines[0], "16 parameters, 16 of them trainable" in lines[0]
        (True, True)
        """
        text = _table(self)
        print(text) if print_fn is None else print_fn(text)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the network computes; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define call")

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with agog.name_scope(self._name):
            training = kwargs.get("training")
            if training is None:
                return self.call(*args, **kwargs)
            with Phase(training):
                return self.call(*args, **kwargs)


class Sequential(Network):
    """A network that calls its layers one after the other.

    `training` goes to all of them, and `mask`, or the one that an Embedding or Masking makes, along
    them to those that take one.

    >>> net = agog.contrib.eager.Sequential([agog.layers.Dense(4), agog.nn.relu])
    >>> net(agog.zeros([5, 3])).shape.as_list()
    [5, 4]
    """

    @public
    def __init__(
        self, layers_funcs: Iterable[Callable[[Any], Any]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(name)
        self._steps: list[Callable[[Any], Any]] = []
        for step in layers_funcs or ():
            self.add(step)

    @public
    def add(self, layer_func: Callable[[Any], Any]) -> None:
        """Append a layer or a function."""
        if isinstance(layer_func, Module):
            self.track_layer(layer_func)
        self._steps.append(layer_func)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The layers' result, each called on that of the one before."""
        for step in self._steps:
            before, given = inputs, {}
            if mask is not None and _takes_mask(step):
                given["mask"] = mask
            inputs = step(inputs, **given)
            if isinstance(step, Layer):
                mask = step.compute_mask(before, mask)
        return inputs


def _takes_mask(step: Any) -> bool:
    if isinstance(step, Sequential):
        return True
    if not isinstance(step, Layer):
        return False
    import inspect

    return "mask" in inspect.signature(type(step).call).parameters


def _table(network: Network) -> str:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{network.name} ({type(network).__name__})", title_justify="left")
    table.add_column("layer")
    table.add_column("type")
    table.add_column("variables")
    table.add_column("parameters", justify="right")
    _rows(network, table, 0)
    total = network.count_params()
    trained = sum(int(agog.size(variable)) for variable in network.trainable_variables)
    console = Console(width=100, force_terminal=False, no_color=True)
    with console.capture() as capture:
        console.print(table)
    return f"{capture.get()}{total:,} parameters, {trained:,} of them trainable"


def _rows(network: Network, table: Any, depth: int) -> None:
    for layer in network.layers:
        variables = [] if isinstance(layer, Network) else layer.variables
        if isinstance(layer, Layer):
            variables = layer.weights
        shapes = ", ".join(f"{_last(v.name)} {v.shape.as_list()}" for v in variables)
        count = sum(int(agog.size(variable)) for variable in layer.variables)
        table.add_row("  " * depth + layer.name, type(layer).__name__, shapes, f"{count:,}")
        if isinstance(layer, Network):
            _rows(layer, table, depth + 1)


def _last(name: str) -> str:
    return name.rpartition("/")[2].partition(":")[0]
