"""Elementwise functions of one real or complex argument."""

from __future__ import annotations

from agog._core import Tensor, convert, handle, public, public_op
from agog.types import TensorLike

_acos = handle("Acos")


@public_op(_acos)
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """Arc cosine in radians; NaN outside [-1, 1].

    >>> print(agog.acos([1.0, 0.0]).numpy().round(4))
    [0.     1.5708]
    """
    return _acos(x, name)


_acosh = handle("Acosh")


@public_op(_acosh)
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Inverse hyperbolic cosine; NaN below 1.

    >>> print(agog.acosh([1.0, 2.0]).numpy().round(4))
    [0.    1.317]
    """
    return _acosh(x, name)


_asin = handle("Asin")


@public_op(_asin)
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """Arc sine in radians; NaN outside [-1, 1].

    >>> print(agog.asin([0.0, 1.0]).numpy().round(4))
    [0.     1.5708]
    """
    return _asin(x, name)


_asinh = handle("Asinh")


@public_op(_asinh)
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Inverse hyperbolic sine.

    >>> print(agog.asinh([0.0, 1.0]).numpy().round(4))
    [0.     0.8814]
    """
    return _asinh(x, name)


_atan = handle("Atan")


@public_op(_atan)
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """Arc tangent in radians, between -pi/2 and pi/2.

    >>> print(agog.atan([0.0, 1.0]).numpy().round(4))
    [0.     0.7854]
    """
    return _atan(x, name)


_atanh = handle("Atanh")


@public_op(_atanh)
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond.

    >>> print(agog.atanh([0.0, 0.5]).numpy().round(4))
    [0.     0.5493]
    """
    return _atanh(x, name)


_ceil = handle("Ceil")


@public_op(_ceil)
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The smallest whole number that is not less than `x`.

    >>> agog.math.ceil([1.2, -1.2]).numpy().tolist()
    [2.0, -1.0]
    """
    return _ceil(x, name)


_cos = handle("Cos")


@public_op(_cos)
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Cosine of an angle in radians.

    >>> print(agog.cos([0.0, 1.0]).numpy().round(4))
    [1.     0.5403]
    """
    return _cos(x, name)


_cosh = handle("Cosh")


@public_op(_cosh)
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """Hyperbolic cosine.

    >>> print(agog.cosh([0.0, 1.0]).numpy().round(4))
    [1.     1.5431]
    """
    return _cosh(x, name)


_exp = handle("Exp")


@public_op(_exp)
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """e to the power `x`.

    >>> print(agog.exp([0.0, 1.0]).numpy().round(4))
    [1.     2.7183]
    """
    return _exp(x, name)


_expm1 = handle("Expm1")


@public_op(_expm1)
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """exp(x) - 1, exact for small `x`, too.

    >>> agog.math.expm1([0.0, 1e-10]).numpy().tolist()
    [0.0, 1.000000013351432e-10]
    """
    return _expm1(x, name)


_floor = handle("Floor")


@public_op(_floor)
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The largest whole number that is not greater than `x`.

    >>> agog.floor([1.8, -1.2]).numpy().tolist()
    [1.0, -2.0]
    """
    return _floor(x, name)


_log = handle("Log")


@public_op(_log)
def log(x: TensorLike, name: str | None = None) -> Tensor:
    """Natural logarithm; -inf at 0, NaN below.

    >>> print(agog.math.log([1.0, 10.0]).numpy().round(4))
    [0.     2.3026]
    """
    return _log(x, name)


_log1p = handle("Log1p")


@public_op(_log1p)
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + x), exact for small `x`, too.

    >>> agog.math.log1p([0.0, 1e-10]).numpy().tolist()
    [0.0, 1.000000013351432e-10]
    """
    return _log1p(x, name)


_negative = handle("Neg")


@public_op(_negative)
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """-x.

    >>> agog.negative([1, -2]).numpy().tolist()
    [-1, 2]
    """
    return _negative(x, name)


_reciprocal = handle("Reciprocal")


@public_op(_reciprocal)
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x.

    >>> agog.math.reciprocal([2.0, -4.0]).numpy().tolist()
    [0.5, -0.25]
    """
    return _reciprocal(x, name)


_rint = handle("Rint")


@public_op(_rint)
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two equally near.

    >>> agog.math.rint([0.5, 1.5, -1.7]).numpy().tolist()
    [0.0, 2.0, -2.0]
    """
    return _rint(x, name)


_round = handle("Round")


@public
def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two equally near; integers stay.

    >>> agog.round([0.5, 1.5, -1.7]).numpy().tolist()
    [0.0, 2.0, -2.0]
    """
    x = convert(x)
    return x if x.dtype.is_integer else _round(x, name)


_rsqrt = handle("Rsqrt")


@public_op(_rsqrt)
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / sqrt(x).

    >>> agog.math.rsqrt([4.0, 1.0]).numpy().tolist()
    [0.5, 1.0]
    """
    return _rsqrt(x, name)


_sigmoid = handle("Sigmoid")


@public_op(_sigmoid)
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), without overflow.

    >>> print(agog.sigmoid([-1000.0, 0.0, 2.0]).numpy().round(4))
    [0.     0.5    0.8808]
    """
    return _sigmoid(x, name)


_sign = handle("Sign")


@public_op(_sign)
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1; for complex numbers x / abs(x), and 0 at 0.

    >>> agog.sign([-3, 0, 5]).numpy().tolist()
    [-1, 0, 1]
    """
    return _sign(x, name)


_sin = handle("Sin")


@public_op(_sin)
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Sine of an angle in radians.

    >>> print(agog.sin([0.0, 1.0]).numpy().round(4))
    [0.     0.8415]
    """
    return _sin(x, name)


_sinh = handle("Sinh")


@public_op(_sinh)
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """Hyperbolic sine.

    >>> print(agog.sinh([0.0, 1.0]).numpy().round(4))
    [0.     1.1752]
    """
    return _sinh(x, name)


_sqrt = handle("Sqrt")


@public_op(_sqrt)
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """Square root; NaN for negative real numbers.

    >>> agog.sqrt([4.0, 9.0]).numpy().tolist()
    [2.0, 3.0]
    """
    return _sqrt(x, name)


_square = handle("Square")


@public_op(_square)
def square(x: TensorLike, name: str | None = None) -> Tensor:
    """x * x.

    >>> agog.square([2, -3]).numpy().tolist()
    [4, 9]
    """
    return _square(x, name)


_tan = handle("Tan")


@public_op(_tan)
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """Tangent of an angle in radians.

    >>> print(agog.tan([0.0, 1.0]).numpy().round(4))
    [0.     1.5574]
    """
    return _tan(x, name)


_tanh = handle("Tanh")


@public_op(_tanh)
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """Hyperbolic tangent.

    >>> print(agog.tanh([0.0, 1.0]).numpy().round(4))
    [0.     0.7616]
    """
    return _tanh(x, name)


_softplus = handle("Softplus")


@public_op(_softplus)
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(x)), without overflow.

    >>> print(agog.math.softplus([-1000.0, 0.0, 2.0]).numpy().round(4))
    [0.     0.6931 2.1269]
    """
    return _softplus(features, name)


_softsign = handle("Softsign")


@public_op(_softsign)
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """x / (1 + abs(x)).

    >>> agog.nn.softsign([-1.0, 0.0, 3.0]).numpy().tolist()
    [-0.5, 0.0, 0.75]
    """
    return _softsign(features, name)


@public
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), finite wherever the true value is.

    >>> print(agog.math.log_sigmoid([-20.0, 0.0]).numpy().round(4))
    [-20.      -0.6931]
    """
    return _negative(_softplus(_negative(x)), name)


_div_no_nan = handle("DivNoNan")


@public
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where `x` is 0.

    >>> agog.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
    [0.5, 0.0]
    """
    return _div_no_nan(1, convert(x), name)
