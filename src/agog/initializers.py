"""Starting values of variables: callables `(shape, dtype)`, found by class or by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

import agog
from agog._core import public
from agog.near_names import missing

Shape = Sequence[int]

# The standard deviation of a normal distribution of deviation 1 cut off at 2.
_CUT_DEVIATION = 0.87962566103423978


class Initializer:
    """Base of initializers: a subclass defines `__call__(shape, dtype=None)`.

    >>> class Sevens(agog.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None, **kwargs):
    ...         return agog.fill(shape, agog.constant(7, dtype))
    >>> layer = agog.layers.Dense(2, bias_initializer=Sevens())
    >>> layer(agog.zeros([1, 3])).numpy().tolist()
    [[7.0, 7.0]]
    """

    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        """A tensor of that shape and dtype."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer.

        >>> agog.initializers.RandomNormal(stddev=0.1).get_config()
        {'mean': 0.0, 'stddev': 0.1, 'seed': None}
        """
        names = inspect.signature(type(self).__init__).parameters
        return {name: getattr(self, name) for name in names if name in vars(self)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` described."""
        return cls(**config)


class Zeros(Initializer):
    """All zeros.

    >>> agog.initializers.Zeros()([2]).numpy().tolist()
    [0.0, 0.0]
    """

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        return agog.zeros(shape, _dtype(dtype))


class Ones(Initializer):
    """All ones.

    >>> agog.initializers.Ones()([2]).numpy().tolist()
    [1.0, 1.0]
    """

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        return agog.ones(shape, _dtype(dtype))


class Constant(Initializer):
    """`value` everywhere: a number, or an array that has or broadcasts to the shape.

    >>> agog.initializers.Constant(3.0)([2]).numpy().tolist()
    [3.0, 3.0]
    """

    @public
    def __init__(self, value: Any = 0.0) -> None:
        self.value = value

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        return agog.broadcast_to(agog.cast(self.value, _dtype(dtype)), shape)


class RandomNormal(Initializer):
    """Normal numbers. With a `seed`, every call gives the same.

    >>> agog.initializers.RandomNormal(seed=1)([2, 3]).shape.as_list()
    [2, 3]
    """

    @public
    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        return _normal(shape, self.mean, self.stddev, dtype, self.seed)


class TruncatedNormal(RandomNormal):
    """Normal numbers, none further than two standard deviations from the mean.

    >>> values = agog.initializers.TruncatedNormal(stddev=0.5)([100])
    >>> bool(agog.reduce_max(agog.abs(values)) <= 1.0)
    True
    """

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        return _truncated(shape, self.mean, self.stddev, dtype, self.seed)


class RandomUniform(Initializer):
    """Numbers evenly distributed in [minval, maxval). With a `seed`, every call gives the same.

    >>> values = agog.initializers.RandomUniform(0.5, 1.0)([100])
    >>> bool(agog.reduce_min(values) >= 0.5)
    True
    """

    @public
    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        return _uniform(shape, self.minval, self.maxval, dtype, self.seed)


class VarianceScaling(Initializer):
    """Random numbers of variance `scale` / n, n being the number of inputs, outputs or their mean.

    `mode` is "fan_in", "fan_out" or "fan_avg" (Glorot and Bengio, 2010; He and others, 2015);
    `distribution` "truncated_normal", "untruncated_normal" or "uniform". The last two axes of a
    shape are inputs and outputs; those before are positions of a kernel, and multiply both.

    >>> kernel = agog.initializers.VarianceScaling(distribution="uniform", seed=1)([300, 10])
    >>> bool(agog.reduce_max(agog.abs(kernel)) <= 0.1)
    True
    """

    @public
    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"scale must be above 0, got {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"mode must be 'fan_in', 'fan_out' or 'fan_avg', got {mode!r}")
        distribution = distribution.lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            raise ValueError(
                "distribution must be 'truncated_normal', 'untruncated_normal' or 'uniform', got "
                f"{distribution!r}"
            )
        self.scale, self.mode, self.distribution, self.seed = scale, mode, distribution, seed

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        variance = self.scale / max(1.0, self._count(shape))
        if self.distribution == "uniform":
            bound = math.sqrt(3.0 * variance)
            return _uniform(shape, -bound, bound, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return _normal(shape, 0.0, math.sqrt(variance), dtype, self.seed)
        return _truncated(shape, 0.0, math.sqrt(variance) / _CUT_DEVIATION, dtype, self.seed)

    def _count(self, shape: Shape) -> float:
        fan_in, fan_out = fans(shape)
        means = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}
        return means[self.mode]


class _Scaled(VarianceScaling):
    """A VarianceScaling of which only the seed is open."""

    def __init__(self, scale: float, mode: str, distribution: str, seed: int | None) -> None:
        super().__init__(scale, mode, distribution, seed)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal initializer."""
        return {"seed": self.seed}


class GlorotUniform(_Scaled):
    """Uniform within sqrt(6 / (inputs + outputs)) of 0: keeps the variance both ways.

    >>> kernel = agog.initializers.GlorotUniform()([4, 2])
    >>> bool(agog.reduce_max(agog.abs(kernel)) <= 1.0)
    True
    """

    @public
    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(_Scaled):
    """Truncated normal of variance 2 / (inputs + outputs).

    >>> agog.initializers.GlorotNormal()([4, 2]).shape.as_list()
    [4, 2]
    """

    @public
    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


class HeUniform(_Scaled):
    """Uniform within sqrt(6 / inputs) of 0: keeps the variance through relu.

    >>> agog.initializers.HeUniform()([4, 2]).shape.as_list()
    [4, 2]
    """

    @public
    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "uniform", seed)


class HeNormal(_Scaled):
    """Truncated normal of variance 2 / inputs: keeps the variance through relu.

    >>> agog.initializers.HeNormal()([4, 2]).shape.as_list()
    [4, 2]
    """

    @public
    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "truncated_normal", seed)


class LecunUniform(_Scaled):
    """Uniform within sqrt(3 / inputs) of 0.

    >>> agog.initializers.LecunUniform()([4, 2]).shape.as_list()
    [4, 2]
    """

    @public
    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "uniform", seed)


class LecunNormal(_Scaled):
    """Truncated normal of variance 1 / inputs; for selu.

    >>> agog.initializers.LecunNormal()([4, 2]).shape.as_list()
    [4, 2]
    """

    @public
    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "truncated_normal", seed)


class Orthogonal(Initializer):
    """A random matrix with orthonormal rows or columns, whichever are fewer, times `gain`.

    The axes before the last are taken as one. By QR of normal numbers, signs fixed so that the
    matrix is evenly distributed (Saxe and others, 2013).

    >>> q = agog.initializers.Orthogonal()([2, 5])
    >>> print(agog.matmul(q, q, transpose_b=True).numpy().round(3) + 0.0)
    [[1. 0.]
     [0. 1.]]
    """

    @public
    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        self.gain, self.seed = gain, seed

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        import numpy as np

        shape = [int(size) for size in shape]
        if len(shape) < 2:
            raise ValueError(f"an orthogonal matrix needs at least 2 axes, got shape {shape}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        tall = [max(rows, columns), min(rows, columns)]
        sample = _normal(tall, 0.0, 1.0, agog.float64, self.seed).numpy()
        q, r = np.linalg.qr(sample)
        q = q * np.where(np.diag(r) < 0, -1.0, 1.0)
        q = (q.T if rows < columns else q).reshape(shape) * self.gain
        return agog.cast(agog.constant(q), _dtype(dtype))


class Identity(Initializer):
    """The identity matrix times `gain`; further rows or columns are zero.

    >>> agog.initializers.Identity(2.0)([2, 2]).numpy().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    @public
    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    @public
    def __call__(self, shape: Shape, dtype: Any = None, **kwargs: Any) -> Any:
        if len(shape) != 2:
            raise ValueError(f"an identity matrix has 2 axes, got shape {list(shape)}")
        return self.gain * agog.eye(int(shape[0]), int(shape[1]), dtype=_dtype(dtype))


@public
def get(identifier: Any) -> Any:
    """The initializer of that name, class or configuration; a callable stands for itself.

    A configuration is a dict of `class_name` and `config`. None gives None.

    >>> agog.initializers.get("he_normal").get_config()
    {'seed': None}
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        return _named(identifier["class_name"]).from_config(identifier.get("config", {}))
    if isinstance(identifier, str):
        return _named(identifier)()
    if inspect.isclass(identifier) and issubclass(identifier, Initializer):
        return identifier()
    if not callable(identifier):
        raise ValueError(f"an initializer must be callable or a name, got {identifier!r}")
    return identifier


@public
def serialize(initializer: Initializer) -> dict[str, Any]:
    """What `get` takes to make an equal initializer.

    >>> agog.initializers.serialize(agog.initializers.Constant(2.0))
    {'class_name': 'Constant', 'config': {'value': 2.0}}
    """
    return {"class_name": type(initializer).__name__, "config": initializer.get_config()}


@public
def deserialize(config: dict[str, Any]) -> Any:
    """The initializer that `serialize` described.

    >>> config = {"class_name": "Constant", "config": {"value": 2.0}}
    >>> agog.initializers.deserialize(config)([1]).numpy().tolist()
    [2.0]
    """
    return get(config)


def fans(shape: Shape) -> tuple[int, int]:
    """How many inputs and outputs a kernel of that shape connects."""
    shape = [int(size) for size in shape]
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    positions = math.prod(shape[:-2])
    return shape[-2] * positions, shape[-1] * positions


def _named(name: str) -> Any:
    if name not in _BY_NAME:
        known = ", ".join(sorted(known for known in _BY_NAME if known.islower()))
        raise ValueError(f"initializer must be callable or one of {known}, got {name!r}")
    return _BY_NAME[name]


def _dtype(dtype: Any) -> Any:
    return agog.float32 if dtype is None else agog.as_dtype(dtype)


def _seeds(seed: int) -> list[int]:
    return [int(seed), 0]


def _normal(shape: Shape, mean: float, stddev: float, dtype: Any, seed: int | None) -> Any:
    dtype = _dtype(dtype)
    if seed is None:
        return agog.random.normal(shape, mean, stddev, dtype=dtype)
    return agog.random.stateless_normal(shape, _seeds(seed), mean, stddev, dtype=dtype)


def _truncated(shape: Shape, mean: float, stddev: float, dtype: Any, seed: int | None) -> Any:
    dtype = _dtype(dtype)
    if seed is None:
        return agog.random.truncated_normal(shape, mean, stddev, dtype=dtype)
    return agog.random.stateless_truncated_normal(shape, _seeds(seed), mean, stddev, dtype=dtype)


def _uniform(shape: Shape, low: Any, high: Any, dtype: Any, seed: int | None) -> Any:
    dtype = _dtype(dtype)
    if seed is None:
        return agog.random.uniform(shape, low, high, dtype=dtype)
    return agog.random.stateless_uniform(shape, _seeds(seed), low, high, dtype=dtype)


zeros, ones, constant, identity, orthogonal = Zeros, Ones, Constant, Identity, Orthogonal
random_normal, random_uniform = RandomNormal, RandomUniform
truncated_normal, variance_scaling = TruncatedNormal, VarianceScaling
glorot_normal, glorot_uniform = GlorotNormal, GlorotUniform
he_normal, he_uniform = HeNormal, HeUniform
lecun_normal, lecun_uniform = LecunNormal, LecunUniform
IdentityInitializer, OrthogonalInitializer = Identity, Orthogonal

_NAMES = (
    "Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity IdentityInitializer "
    "LecunNormal LecunUniform Ones Orthogonal OrthogonalInitializer RandomNormal RandomUniform "
    "TruncatedNormal VarianceScaling Zeros constant glorot_normal glorot_uniform he_normal "
    "he_uniform identity lecun_normal lecun_uniform ones orthogonal random_normal random_uniform "
    "truncated_normal variance_scaling zeros"
).split()
_BY_NAME = {name: globals()[name] for name in _NAMES}
_BY_NAME |= {"normal": RandomNormal, "uniform": RandomUniform}

__getattr__ = missing(__name__)

__all__ = sorted([*_NAMES, "Initializer", "deserialize", "get", "serialize"])
