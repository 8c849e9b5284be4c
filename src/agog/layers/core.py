"""Layers without parameters, and the embedding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import agog
from agog import initializers
from agog._core import handle, public
from agog.layers.base import Layer
from agog.layers.base import activation as _named

_gather = handle("ResourceGather")


class Flatten(Layer):
    """Makes one axis of all but the first.

    With `data_format` "channels_first" the channels come last in it, as they would without.

    >>> agog.layers.Flatten()(agog.zeros([2, 3, 4])).shape.as_list()
    [2, 12]
    """

    @public
    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        rank = len(inputs.shape)
        if self.data_format == "channels_first" and rank > 2:
            inputs = agog.transpose(inputs, [0, *range(2, rank), 1])
        size = 1
        for length in inputs.shape[1:]:
            size *= int(length)
        return agog.reshape(inputs, [inputs.shape[0], size])


class Reshape(Layer):
    """Gives each example another shape; one entry may be -1.

    >>> agog.layers.Reshape([2, -1])(agog.zeros([5, 6])).shape.as_list()
    [5, 2, 3]
    """

    @public
    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        return agog.reshape(inputs, [inputs.shape[0], *self.target_shape])


class Activation(Layer):
    """A function, or the function of that name in `agog.nn`.

    >>> agog.layers.Activation("relu")([-1.0, 2.0]).numpy().tolist()
    [0.0, 2.0]
    """

    @public
    def __init__(self, activation: str | Callable[[Any], Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = _named(activation)

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        return inputs if self.activation is None else self.activation(inputs)


class Dropout(Layer):
    """In training, sets a share `rate` of the inputs to 0 and scales up the rest.

    Inputs that share a place in `noise_shape` share their fate.

    >>> agog.layers.Dropout(0.5)(agog.ones([4]), training=False).numpy().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    _takes_training = True

    @public
    def __init__(
        self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        if not 0 <= rate <= 1:
            raise ValueError(f"rate must be in [0, 1], got {rate}")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def _differs(self) -> bool:
        return self.rate > 0

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The outputs."""
        if not training or self.rate == 0:
            return inputs
        return agog.nn.dropout(inputs, self.rate, self.noise_shape, self.seed)


class Embedding(Layer):
    """Rows of a table, by number.

    With `mask_zero`, the number 0 is padding: `compute_mask` says which inputs are not.

    >>> layer = agog.layers.Embedding(10, 4)
    >>> layer(agog.constant([[1, 2, 3]])).shape.as_list()
    [1, 3, 4]
    """

    @public
    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self.embeddings: Any = None
        self._initializer = initializers.get(embeddings_initializer)
        self._constraint = embeddings_constraint

    def build(self, input_shape: Any) -> None:
        """Make the table."""
        shape = [self.input_dim, self.output_dim]
        self.embeddings = self.add_weight(
            "embeddings", shape, self._initializer, constraint=self._constraint
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The rows; a number out of range is an InvalidArgumentError."""
        if not inputs.dtype.is_integer:
            inputs = agog.cast(inputs, agog.int32)
        rows = _gather(self.embeddings.handle, inputs, dtype=self.embeddings.dtype)
        compute = self._policy.compute_dtype
        return rows if compute is None else agog.cast(rows, compute)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Which inputs are not padding, with `mask_zero`; else None."""
        return agog.not_equal(inputs, 0) if self.mask_zero else None


class Masking(Layer):
    """Marks as padding the steps at which all features are `mask_value`, and makes them 0.

    >>> x = agog.constant([[[0.0, 0.0], [0.0, 1.0]]])
    >>> agog.layers.Masking().compute_mask(x).numpy().tolist()
    [[False, True]]
    """

    @public
    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        kept = agog.expand_dims(self.compute_mask(inputs), -1)
        return inputs * agog.cast(kept, inputs.dtype)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """Which steps are not padding."""
        return agog.reduce_any(agog.not_equal(inputs, self.mask_value), -1)
