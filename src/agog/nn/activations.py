"""Activation functions, and the random zeros of dropout."""

from __future__ import annotations

import math
from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public, public_op
from agog.math.casting import cast
from agog.types import ShapeLike, TensorLike

_concat = handle("ConcatV2")
_elu = handle("Elu")
_erfc = handle("Erfc")
_greater_equal = handle("GreaterEqual")
_leaky_relu = handle("LeakyRelu")
_relu = handle("Relu")
_relu6 = handle("Relu6")
_select = handle("SelectV2")
_selu = handle("Selu")
_shape = handle("Shape")
_sigmoid = handle("Sigmoid")
_tanh = handle("Tanh")
_zeros_like = handle("ZerosLike")


@public_op(_relu)
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(features, 0).

    >>> agog.nn.relu([-2.0, 3.0]).numpy().tolist()
    [0.0, 3.0]
    """
    return _relu(features, name)


@public_op(_relu6)
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6).

    >>> agog.nn.relu6([-2.0, 3.0, 9.0]).numpy().tolist()
    [0.0, 3.0, 6.0]
    """
    return _relu6(features, name)


@public_op(_elu)
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """exp(features) - 1 below 0, features above.

    >>> print(agog.nn.elu([-1.0, 3.0]).numpy().round(4))
    [-0.6321  3.    ]
    """
    return _elu(features, name)


@public_op(_selu)
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """`elu` with the two factors that keep mean 0 and variance 1 from layer to layer.

    >>> print(agog.nn.selu([-1.0, 3.0]).numpy().round(4))
    [-1.1113  3.1521]
    """
    return _selu(features, name)


@public
def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """`features`, times `alpha` where negative; integers become float32.

    >>> print(agog.nn.leaky_relu([-2.0, 3.0]).numpy().round(4))
    [-0.4  3. ]
    """
    features = convert(features)
    if features.dtype.is_integer:
        features = cast(features, dtypes.float32)
    return _leaky_relu(features, alpha, name)


@public
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """`features` times the normal distribution function of `features`, or near it with a tanh.

    >>> print(agog.nn.gelu([-1.0, 0.0, 1.0]).numpy().round(4))
    [-0.1587  0.      0.8413]
    """
    x = convert(features)
    if not x.dtype.is_floating:
        raise ValueError(f"features must be floating-point, got {x.dtype.name}")
    if approximate:
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + _tanh(inner))
    return 0.5 * x * _erfc(x * -math.sqrt(0.5))


@public
def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """features * sigmoid(beta * features).

    >>> print(agog.nn.silu([-1.0, 0.0, 1.0]).numpy().round(4))
    [-0.2689  0.      0.7311]
    """
    x = convert(features)
    scaled = x if type(beta) is float and beta == 1.0 else x * beta
    return x * _sigmoid(scaled)


swish = silu


@public
def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of `features`, and of -`features`, one after the other along `axis`.

    >>> agog.nn.crelu([-2.0, 3.0]).numpy().tolist()
    [0.0, 3.0, 2.0, 0.0]
    """
    x = convert(features)
    return _relu(_concat([x, -x], axis), name)


@public
def dropout(
    x: TensorLike,
    rate: Any,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`x` with a share `rate` of the elements, chosen at random, set to 0; the rest grow to match.

    `noise_shape` broadcasts against the shape of `x`: elements that share a place in it share
    their fate; None in it stands for the length of `x` there.

    >>> agog.nn.dropout([1.0, 2.0], rate=0.0).numpy().tolist()
    [1.0, 2.0]
    """
    from agog.random.stateful import uniform

    return dropped(x, rate, noise_shape, lambda shape, dtype: uniform(shape, 0, 1, dtype, seed))


def dropped(x: TensorLike, rate: Any, noise_shape: Any, uniform: Any) -> Tensor:
    """Dropout with random numbers from `uniform(shape, dtype)`."""
    x = convert(x)
    dtype = x.dtype
    if not dtype.is_floating:
        raise ValueError(f"x must be floating-point, got {dtype.name}")
    if isinstance(rate, (int, float)):
        if not 0 <= rate <= 1:
            raise ValueError(f"rate must be in [0, 1], got {rate}")
        if rate in (0, 1):
            return x if rate == 0 else _zeros_like(x)
    else:
        rate = convert(rate, None, dtype)
        if rate.dtype is not dtype:
            rate = cast(rate, dtype)
    noise = uniform(_noise_shape(x, noise_shape), dtype)
    return _select(_greater_equal(noise, rate), x * (1 / (1 - rate)), _zeros_like(x))


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return _shape(x, dtypes.int32)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    sizes = list(noise_shape)
    if len(sizes) != x.ndim:
        return sizes
    return [x.shape[i] if size is None else size for i, size in enumerate(sizes)]
