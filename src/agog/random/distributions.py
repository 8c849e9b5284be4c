"""Gamma, Poisson, binomial and truncated normal numbers.

Equal seeds give equal numbers, which are not those of TensorFlow.
"""

from __future__ import annotations

import math
from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public
from agog.dtypes import as_dtype
from agog.errors import InvalidArgumentError
from agog.math.casting import cast
from agog.random.seeds import get_seed
from agog.random.stateless import stateless_uniform
from agog.types import DTypeLike, ShapeLike, TensorLike

_any = handle("Any")
_broadcast_to = handle("BroadcastTo")
_erfc = handle("Erfc")
_exp = handle("Exp")
_gamma = handle("RandomGamma")
_greater_equal = handle("GreaterEqual")
_less = handle("Less")
_less_equal = handle("LessEqual")
_log = handle("Log")
_maximum = handle("Maximum")
_minimum = handle("Minimum")
_ndtri = handle("Ndtri")
_ones_like = handle("OnesLike")
_poisson = handle("RandomPoissonV2")
_select = handle("SelectV2")
_sqrt = handle("Sqrt")
_stateless_binomial = handle("StatelessRandomBinomial")
_stateless_gamma = handle("StatelessRandomGammaV2")
_stateless_poisson = handle("StatelessRandomPoisson")
_zeros_like = handle("ZerosLike")

_SMALLEST = {
    "float16": 6.103515625e-05,
    "float32": 1.1754943508222875e-38,
    "float64": 2.2250738585072014e-308,
}


def _rates(alpha: Any, beta: Any, dtype: Any) -> tuple[Tensor, Tensor]:
    """alpha and beta, broadcast against each other."""
    alpha = convert(alpha, dtype)
    beta = convert(1, dtype) if beta is None else convert(beta, dtype)
    return alpha + _zeros_like(beta), beta


def _positive(sample: Tensor) -> Tensor:
    return _maximum(convert(_SMALLEST[sample.dtype.name], sample.dtype), sample)


def _vector(shape: Any) -> Any:
    """A shape given as one number is a vector of it."""
    return [shape] if isinstance(shape, int) else shape


@public
def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`shape` samples of each of the gamma distributions of shape `alpha` and rate `beta`.

    The result has `shape` followed by the shape that `alpha` and `beta` broadcast to. Samples have
    gradients with respect to both. Marsaglia and Tsang, "A simple method for generating gamma
    variables", 2000; implicit reparameterization for the gradient.

    >>> agog.random.gamma([10], [0.5, 1.5]).shape
    TensorShape([10, 2])
    """
    alpha, beta = _rates(alpha, beta, as_dtype(dtype))
    seed1, seed2 = get_seed(seed)
    return _positive(_gamma(_vector(shape), alpha, seed1, seed2, name) / beta)


@public
def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Like `gamma`, from `seed` alone; `shape` is that of the result.

    >>> agog.random.stateless_gamma([3, 2], [1, 2], [0.5, 1.5]).shape
    TensorShape([3, 2])
    """
    alpha, beta = _rates(alpha, beta, as_dtype(dtype))
    return _positive(_stateless_gamma(_vector(shape), seed, alpha, name) / beta)


@public
def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`shape` samples of each of the Poisson distributions with the means `lam`.

    Hörmann, "The transformed rejection method for generating Poisson random variables", 1993; for
    means below 10 Knuth's product of uniform numbers.

    >>> agog.random.poisson([10], [0.5, 15.0]).shape
    TensorShape([10, 2])
    """
    seed1, seed2 = get_seed(seed)
    return _poisson(_vector(shape), convert(lam), seed1, seed2, as_dtype(dtype), name)


@public
def stateless_poisson(
    shape: ShapeLike,
    seed: TensorLike,
    lam: TensorLike,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Like `poisson`, from `seed` alone; `shape`, that of the result, ends with that of `lam`.

    >>> agog.random.stateless_poisson([3, 2], [1, 2], [0.5, 15.0]).shape
    TensorShape([3, 2])
    """
    return _stateless_poisson(_vector(shape), seed, convert(lam), as_dtype(dtype), name)


@public
def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many of `counts` trials succeed, each with probability `probs`; from `seed` alone.

    `shape`, that of the result, ends with what `counts` and `probs` broadcast to. Hörmann, "The
    generation of binomial random variates", 1993; for means below 10 geometric waiting times.

    >>> agog.random.stateless_binomial([3], [1, 2], 10.0, 1.0).numpy().tolist()
    [10, 10, 10]
    """
    probs = convert(probs)
    counts = convert(counts, None, probs.dtype)
    if counts.dtype != probs.dtype:
        counts = cast(counts, probs.dtype)
    return _stateless_binomial(_vector(shape), seed, counts, probs, as_dtype(output_dtype), name)


@public
def stateless_parameterized_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    means: TensorLike = 0.0,
    stddevs: TensorLike = 1.0,
    minvals: TensorLike = -2.0,
    maxvals: TensorLike = 2.0,
    name: str | None = None,
) -> Tensor:
    """Normal numbers with these means and deviations, given that they lie in [minvals, maxvals].

    The parameters broadcast to `shape`. By the inverse of the distribution function, in float64;
    more than 30 deviations from the mean by the tail's Rayleigh form (Marsaglia, "Generating a
    variable from the tail of the normal distribution", 1964). Raises InvalidArgumentError unless
    stddevs > 0 and minvals < maxvals.

    >>> drawn = agog.random.stateless_parameterized_truncated_normal([50], [1, 2], maxvals=-1.0)
    >>> bool(agog.reduce_max(drawn) <= -1)
    True
    """
    means = convert(means)
    dtype = means.dtype
    mean, deviation, low, high = (
        _broadcast_to(cast(convert(p, dtype), dtypes.float64), _vector(shape))
        for p in (means, stddevs, minvals, maxvals)
    )
    axes = list(range(mean.ndim))
    for wrong in (_greater_equal(low, high), _less_equal(deviation, _zeros_like(deviation))):
        if bool(_any(wrong, axes, False)):
            raise InvalidArgumentError(
                None, None, "Invalid parameters: stddevs must be > 0, and minvals < maxvals"
            )
    uniform = stateless_uniform(_vector(shape), seed, dtype=dtypes.float64)
    drawn = _between((low - mean) / deviation, (high - mean) / deviation, uniform)
    return cast(_minimum(_maximum(drawn * deviation + mean, low), high), dtype)


def _between(low: Tensor, high: Tensor, uniform: Tensor) -> Tensor:
    """Standard normal numbers of [low, high]; an interval above the mean is turned below it."""
    turned = _less(_zeros_like(low), low)
    sign = _select(turned, -_ones_like(low), _ones_like(low))
    a, b = _select(turned, -high, low), _select(turned, -low, high)
    at_a, at_b = _below(a), _below(b)
    inner = _ndtri(at_a + uniform * (at_b - at_a))
    in_tail = _less(b, convert(-30.0, dtypes.float64))
    edge = _select(in_tail, b, -_ones_like(b))
    least = _exp(_minimum((edge * edge - a * a) / 2, _zeros_like(a)))
    tail = -_sqrt(edge * edge - 2 * _log(least + (1 - uniform) * (1 - least)))
    return sign * _select(in_tail, tail, inner)


def _below(x: Tensor) -> Tensor:
    """The normal distribution function; exact in the lower tail."""
    return 0.5 * _erfc(x * -math.sqrt(0.5))
