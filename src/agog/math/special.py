"""Special functions: error functions and the gamma family."""

from __future__ import annotations

import math

from agog._core import Tensor, convert, handle, public, public_op
from agog.math.reductions import reduce_sum
from agog.types import TensorLike

_digamma = handle("Digamma")


@public_op(_digamma)
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """Derivative of `lgamma`.

    >>> print(agog.math.digamma([1.0, 2.0]).numpy().round(4))
    [-0.5772  0.4228]
    """
    return _digamma(x, name)


_erf = handle("Erf")


@public_op(_erf)
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The Gauss error function.

    >>> print(agog.math.erf([0.0, 1.0]).numpy().round(4))
    [0.     0.8427]
    """
    return _erf(x, name)


_erfc = handle("Erfc")


@public_op(_erfc)
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """1 - erf(x), exact for large `x`, too.

    >>> print(agog.math.erfc([0.0, 1.0]).numpy().round(4))
    [1.     0.1573]
    """
    return _erfc(x, name)


_erfinv = handle("Erfinv")


@public_op(_erfinv)
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Inverse of `erf`; infinite at -1 and 1, NaN beyond.

    >>> print(agog.math.erfinv([0.0, 0.5]).numpy().round(4))
    [0.     0.4769]
    """
    return _erfinv(x, name)


_lgamma = handle("Lgamma")


@public_op(_lgamma)
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """log(abs(gamma(x))).

    >>> print(agog.math.lgamma([1.0, 4.0]).numpy().round(4))
    [0.     1.7918]
    """
    return _lgamma(x, name)


_ndtri = handle("Ndtri")


@public_op(_ndtri)
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """Inverse of the distribution function of the standard normal distribution.

    >>> print(agog.math.ndtri([0.5, 0.975]).numpy().round(4))
    [0.   1.96]
    """
    return _ndtri(x, name)


@public
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """Inverse of `erfc` on [0, 2].

    >>> print(agog.math.erfcinv([1.0, 0.5]).numpy().round(4))
    [-0.      0.4769]
    """
    x = convert(x)
    return _ndtri(x * 0.5, name) * -math.sqrt(0.5)


@public
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """log of the multivariate beta function along the last axis: sum(lgamma(x)) - lgamma(sum(x)).

    >>> print(agog.math.lbeta([1.0, 2.0]).numpy().round(4))
    -0.6931
    """
    x = convert(x)
    return reduce_sum(_lgamma(x), -1) - _lgamma(reduce_sum(x, -1))


_igamma = handle("Igamma")


@public_op(_igamma)
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Lower regularised incomplete gamma function P(a, x).

    >>> print(agog.math.igamma(1.0, [0.0, 1.0]).numpy().round(4))
    [0.     0.6321]
    """
    return _igamma(a, x, name)


_igammac = handle("Igammac")


@public_op(_igammac)
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Upper regularised incomplete gamma function 1 - P(a, x).

    >>> print(agog.math.igammac(1.0, [0.0, 1.0]).numpy().round(4))
    [1.     0.3679]
    """
    return _igammac(a, x, name)


_polygamma = handle("Polygamma")


@public_op(_polygamma)
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Derivative number `a` of `digamma` at `x`.

    >>> print(agog.math.polygamma(1.0, [1.0, 2.0]).numpy().round(4))
    [1.6449 0.6449]
    """
    return _polygamma(a, x, name)


_zeta = handle("Zeta")


@public_op(_zeta)
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz zeta function: the sum of (q + k) ** -x over all integers k >= 0.

    >>> print(agog.math.zeta(2.0, [1.0, 2.0]).numpy().round(4))
    [1.6449 0.6449]
    """
    return _zeta(x, q, name)


_betainc = handle("Betainc")


@public_op(_betainc)
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Regularised incomplete beta function I_x(a, b).

    >>> print(agog.math.betainc(2.0, 2.0, [0.0, 0.5, 1.0]).numpy().round(4))
    [0.  0.5 1. ]
    """
    return _betainc(a, b, x, name)
