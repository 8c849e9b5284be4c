"""Layers that shift and scale to mean 0 and variance 1."""

from __future__ import annotations

import math
from typing import Any

import agog
from agog import initializers
from agog._core import handle, public
from agog.layers.base import Layer

_layer_norm = handle("_LayerNorm")

_FUSED_EPSILON = 1.001e-5  # the least that the fused op takes


class _Normalizing(Layer):
    """What the three have in common: epsilon, and a scale gamma and an offset beta to learn."""

    def _set_up(
        self,
        axis: Any,
        epsilon: float,
        center: bool,
        scale: bool,
        beta_initializer: Any,
        gamma_initializer: Any,
        constraints: tuple[Any, Any],
    ) -> None:
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self.gamma: Any = None
        self.beta: Any = None
        self._initializers = initializers.get(gamma_initializer), initializers.get(beta_initializer)
        self._constraints = constraints

    def _make(self, shape: list[int]) -> None:
        gamma, beta = self._initializers
        dtype = _wide(self._variable_dtype)
        beta_constraint, gamma_constraint = self._constraints
        if self.scale:
            self.gamma = self.add_weight("gamma", shape, gamma, dtype, constraint=gamma_constraint)
        if self.center:
            self.beta = self.add_weight("beta", shape, beta, dtype, constraint=beta_constraint)

    def _scaled(self, inputs: Any, mean: Any, variance: Any, shape: list[int]) -> Any:
        """In float32 at least; the result in the dtype of the inputs."""
        dtype = inputs.dtype
        beta, gamma = (
            None if v is None else agog.reshape(v, shape) for v in (self.beta, self.gamma)
        )
        wide = agog.cast(inputs, _wide(dtype))
        result = agog.nn.batch_normalization(wide, mean, variance, beta, gamma, self.epsilon)
        return agog.cast(result, dtype)


class BatchNormalization(_Normalizing):
    """Normalizes each entry of `axis` over all other axes (Ioffe and Szegedy, 2015).

    With training=True the mean and variance are those of the batch (and, with `mask`, of the steps
    that it marks), and the moving ones move towards them: `moving = momentum * moving +
    (1 - momentum) * batch`. Otherwise the moving ones are used. Where `training` is given neither
    here nor to what is around, that is inference; under a tape there is a warning. A layer with
    trainable=False always uses its moving ones.

    >>> layer = agog.layers.BatchNormalization(momentum=0.5)
    >>> layer(agog.constant([[1.0], [3.0]]), training=True).numpy().round(2).tolist()
    [[-1.0], [1.0]]
    >>> layer.moving_mean.numpy().tolist()
    [1.0]
    """

    _takes_training = True

    @public
    def __init__(
        self,
        axis: int = -1,
        momentum: float = 0.99,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        constraints = beta_constraint, gamma_constraint
        self._set_up(axis, epsilon, center, scale, beta_initializer, gamma_initializer, constraints)
        self.momentum = momentum
        self.moving_mean: Any = None
        self.moving_variance: Any = None
        self._moving = (
            initializers.get(moving_mean_initializer),
            initializers.get(moving_variance_initializer),
        )

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        shape = [int(input_shape[self.axis])]
        self._make(shape)
        dtype = _wide(self._variable_dtype)
        mean, variance = self._moving
        self.moving_mean = self.add_weight("moving_mean", shape, mean, dtype, trainable=False)
        self.moving_variance = self.add_weight(
            "moving_variance", shape, variance, dtype, trainable=False
        )
        self.built = True

    def _differs(self) -> bool:
        return self.trainable

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs; in training, the moving mean and variance move."""
        rank = len(inputs.shape)
        axis = self.axis % rank
        shape = [1] * rank
        shape[axis] = int(inputs.shape[axis])
        if mask is None and self._fits_fused(inputs, axis):
            return self._fused(inputs, axis, bool(training and self.trainable))
        if training and self.trainable:
            mean, variance = self._of_batch(inputs, [i for i in range(rank) if i != axis], mask)
            self._move(agog.stop_gradient(mean), agog.stop_gradient(variance))
        else:
            mean, variance = self.moving_mean.value(), self.moving_variance.value()
        mean, variance = agog.reshape(mean, shape), agog.reshape(variance, shape)
        return self._scaled(inputs, mean, variance, shape)

    def _fits_fused(self, inputs: Any, axis: int) -> bool:
        """Whether one op normalizes them, which is fast and keeps much less for the gradient."""
        rank = len(inputs.shape)
        return (
            (axis == rank - 1 > 0 or (rank == 4 and axis == 1))
            and inputs.dtype.is_floating
            and inputs.dtype.size <= 4
            and self.moving_mean.dtype is agog.float32
            and self.epsilon >= _FUSED_EPSILON
            and 0 not in inputs.shape.as_list()
        )

    def _fused(self, inputs: Any, axis: int, training: bool) -> Any:
        size = [inputs.shape[axis]]
        is_images = len(inputs.shape) == 4
        # Rows of channels are images of 1x1.
        images = inputs if is_images else agog.reshape(inputs, [-1, 1, 1, *size])
        result, mean, variance = agog.nn.fused_batch_norm(
            images,
            agog.ones(size) if self.gamma is None else self.gamma,
            agog.zeros(size) if self.beta is None else self.beta,
            None if training else self.moving_mean,
            None if training else self.moving_variance,
            self.epsilon,
            "NCHW" if is_images and axis == 1 else "NHWC",
            training,
        )
        if training:
            count = math.prod(inputs.shape.as_list()) // size[0]
            # The op gives the variance of a sample; what moves is that of the batch itself.
            variance = agog.stop_gradient(variance) * ((count - 1) / count)
            self._move(agog.stop_gradient(mean), variance)
        return result if is_images else agog.reshape(result, inputs.shape)

    def _of_batch(self, inputs: Any, axes: list[int], mask: Any) -> tuple[Any, Any]:
        wide = agog.cast(inputs, _wide(inputs.dtype))
        if mask is None:
            return agog.nn.moments(wide, axes)
        weights = agog.cast(mask, wide.dtype)
        weights = agog.reshape(
            weights, [*weights.shape, *[1] * (len(wide.shape) - len(weights.shape))]
        )
        spread = agog.broadcast_to(weights, wide.shape)
        count = agog.reduce_sum(spread, axes, keepdims=True)
        mean = agog.math.divide_no_nan(agog.reduce_sum(wide * weights, axes, keepdims=True), count)
        squares = agog.square(wide - mean) * weights
        variance = agog.reduce_sum(squares, axes, keepdims=True)
        variance = agog.math.divide_no_nan(variance, count)
        return agog.reshape(mean, [-1]), agog.reshape(variance, [-1])

    def _move(self, mean: Any, variance: Any) -> None:
        keep = self.momentum
        for moving, new in ((self.moving_mean, mean), (self.moving_variance, variance)):
            moving.assign(moving.value() * keep + new * (1.0 - keep))


class LayerNormalization(_Normalizing):
    """Normalizes each example over `axis` (Ba, Kiros and Hinton, 2016).

    >>> layer = agog.layers.LayerNormalization()
    >>> layer(agog.constant([[1.0, 3.0]])).numpy().round(2).tolist()
    [[-1.0, 1.0]]
    """

    @public
    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        constraints = beta_constraint, gamma_constraint
        self._set_up(axis, epsilon, center, scale, beta_initializer, gamma_initializer, constraints)

    def _axes(self, rank: int) -> list[int]:
        given = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        if not all(-rank <= axis < rank for axis in given):
            raise ValueError(f"{self.name}: axis {self.axis} is not one of inputs of rank {rank}")
        return sorted(axis % rank for axis in given)

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        self._make([int(input_shape[axis]) for axis in self._axes(len(input_shape))])
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        rank = len(inputs.shape)
        axes = self._axes(rank)
        shape = [int(inputs.shape[i]) if i in axes else 1 for i in range(rank)]
        wide = agog.cast(inputs, _wide(inputs.dtype))
        if axes == list(range(axes[0], rank)):
            return agog.cast(self._by_rows(wide, axes[0]), inputs.dtype)
        mean, variance = agog.nn.moments(wide, axes, keepdims=True)
        return self._scaled(inputs, mean, variance, shape)

    def _by_rows(self, inputs: Any, first: int) -> Any:
        """In one op, where the axes are the last ones."""
        sizes = [int(n) for n in inputs.shape[first:]]
        length = math.prod(sizes)
        gamma = agog.ones([length], inputs.dtype) if self.gamma is None else self.gamma
        beta = agog.zeros([length], inputs.dtype) if self.beta is None else self.beta
        if len(sizes) == 1:
            return _layer_norm(inputs, gamma, beta, self.epsilon)
        rows = agog.reshape(inputs, [*inputs.shape[:first], length])
        gamma, beta = agog.reshape(gamma, [length]), agog.reshape(beta, [length])
        return agog.reshape(_layer_norm(rows, gamma, beta, self.epsilon), inputs.shape)


class GroupNormalization(_Normalizing):
    """Normalizes each example within `groups` groups of the entries of `axis` (Wu and He, 2018).

    -1 for `groups` means a group for each entry.

    >>> layer = agog.layers.GroupNormalization(groups=2)
    >>> layer(agog.constant([[1.0, 3.0, 5.0, 9.0]])).numpy().round(2).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """

    @public
    def __init__(
        self,
        groups: int = 32,
        axis: int = -1,
        epsilon: float = 0.001,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        constraints = beta_constraint, gamma_constraint
        self._set_up(axis, epsilon, center, scale, beta_initializer, gamma_initializer, constraints)
        self.groups = groups

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of that shape."""
        size = int(input_shape[self.axis])
        if self.groups == -1:
            self.groups = size
        if self.groups < 1 or size % self.groups:
            raise ValueError(f"{size} channels cannot be split into {self.groups} equal groups")
        self._make([size])
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs."""
        sizes = [int(n) for n in inputs.shape]
        axis = self.axis % len(sizes)
        split = [*sizes[:axis], self.groups, sizes[axis] // self.groups, *sizes[axis + 1 :]]
        wide = agog.reshape(agog.cast(inputs, _wide(inputs.dtype)), split)
        axes = [i for i in range(1, len(split)) if i != axis]
        mean, variance = agog.nn.moments(wide, axes, keepdims=True)
        repeated = [1] * len(split)
        repeated[axis + 1] = split[axis + 1]
        once = [sizes[0], *[1] * (len(sizes) - 1)]
        once[axis] = sizes[axis]
        mean, variance = (agog.reshape(agog.tile(v, repeated), once) for v in (mean, variance))
        shape = [1] * len(sizes)
        shape[axis] = sizes[axis]
        return self._scaled(inputs, mean, variance, shape)


def _wide(dtype: Any) -> Any:
    """The dtype of sums: float32 for the half types."""
    return agog.float32 if dtype is None or dtype.size < 4 else dtype
