"""Networks of 2017: modules whose `call` is written by hand and whose layers are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from agog._core import public
from agog.module import Module


class Network(Module):
    """Base class of a model: `call` says what it computes, `track_layer` names its layers.

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
    """

    @public
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._layers: list[Any] = []

    @public
    def track_layer(self, layer: Any) -> Any:
        """Make `layer` one of the network's layers and return it."""
        if not callable(layer):
            raise TypeError(f"a layer must be callable, got {type(layer).__name__}")
        if not any(layer is known for known in self._layers):
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

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """What the network computes; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define call")

    @public
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)


class Sequential(Network):
    """A network that calls its layers one after the other.

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

    def call(self, inputs: Any) -> Any:
        """The layers' result, each called on that of the one before."""
        for step in self._steps:
            inputs = step(inputs)
        return inputs
