"""Arithmetic of two arguments, which broadcast against each other."""

from __future__ import annotations

from agog import dtypes
from agog._core import Tensor, convert, handle, public, public_op
from agog.errors import InvalidTypeError
from agog.math.casting import cast
from agog.types import TensorLike

_add = handle("AddV2")


@public
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x + y; strings are joined.

    >>> agog.add([1, 2], 3).numpy().tolist()
    [4, 5]
    >>> agog.add(["a", "b"], "c").numpy().tolist()
    [b'ac', b'bc']
    """
    try:
        return _add(x, y, name)
    except InvalidTypeError:
        first = convert(x)
        if first.dtype.name != "string":
            raise
        return first + convert(y)


_subtract = handle("Sub")


@public_op(_subtract)
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x - y.

    >>> agog.subtract([1, 2], 3).numpy().tolist()
    [-2, -1]
    """
    return _subtract(x, y, name)


_multiply = handle("Mul")


@public_op(_multiply)
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y.

    >>> agog.multiply([1, 2], 3).numpy().tolist()
    [3, 6]
    """
    return _multiply(x, y, name)


_divide_no_nan = handle("DivNoNan")


@public_op(_divide_no_nan)
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where `y` is 0.

    >>> agog.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy().tolist()
    [0.0, 0.5]
    """
    return _divide_no_nan(x, y, name)


_multiply_no_nan = handle("MulNoNan")


@public_op(_multiply_no_nan)
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * y, and 0 where `y` is 0 even if `x` is infinite or NaN.

    >>> agog.math.multiply_no_nan([float('nan'), 2.0], [0.0, 4.0]).numpy().tolist()
    [0.0, 8.0]
    """
    return _multiply_no_nan(x, y, name)


_floordiv = handle("FloorDiv")


@public_op(_floordiv)
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded down.

    >>> agog.math.floordiv([7, -7], 2).numpy().tolist()
    [3, -4]
    """
    return _floordiv(x, y, name)


_floormod = handle("FloorMod")


@public_op(_floormod)
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Remainder of `floordiv`: it has the sign of `y`.

    >>> agog.math.floormod([7, -7], 3).numpy().tolist()
    [1, 2]
    """
    return _floormod(x, y, name)


_realdiv = handle("RealDiv")


@public_op(_realdiv)
def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y of floats, or of complex numbers.

    >>> agog.realdiv([1.0, 3.0], 2.0).numpy().tolist()
    [0.5, 1.5]
    """
    return _realdiv(x, y, name)


_truncatediv = handle("TruncateDiv")


@public_op(_truncatediv)
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y rounded towards 0.

    >>> agog.truncatediv([7, -7], 2).numpy().tolist()
    [3, -3]
    """
    return _truncatediv(x, y, name)


_truncatemod = handle("TruncateMod")


@public_op(_truncatemod)
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Remainder of `truncatediv`: it has the sign of `x`.

    >>> agog.truncatemod([7, -7], 3).numpy().tolist()
    [1, -1]
    """
    return _truncatemod(x, y, name)


_maximum = handle("Maximum")


@public_op(_maximum)
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of `x` and `y`; NaN where either is.

    >>> agog.maximum([1, 5], 3).numpy().tolist()
    [3, 5]
    """
    return _maximum(x, y, name)


_minimum = handle("Minimum")


@public_op(_minimum)
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of `x` and `y`; NaN where either is.

    >>> agog.minimum([1, 5], 3).numpy().tolist()
    [1, 3]
    """
    return _minimum(x, y, name)


_nextafter = handle("NextAfter")


@public_op(_nextafter)
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The next number that the dtype can represent after `x1`, on the way to `x2`.

    >>> agog.math.nextafter([1.0], 2.0).numpy().tolist()
    [1.0000001192092896]
    """
    return _nextafter(x1, x2, name)


_pow = handle("Pow")


@public_op(_pow)
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` to the power `y`.

    >>> agog.pow([2, 3], 2).numpy().tolist()
    [4, 9]
    """
    return _pow(x, y, name)


_squared_difference = handle("SquaredDifference")


@public_op(_squared_difference)
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """(x - y) squared.

    >>> agog.math.squared_difference([1, 5], 3).numpy().tolist()
    [4, 4]
    """
    return _squared_difference(x, y, name)


_xdivy = handle("Xdivy")


@public_op(_xdivy)
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where `x` is 0 whatever `y` is.

    >>> agog.math.xdivy([0.0, 1.0], [0.0, 2.0]).numpy().tolist()
    [0.0, 0.5]
    """
    return _xdivy(x, y, name)


_xlog1py = handle("Xlog1py")


@public_op(_xlog1py)
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log1p(y), and 0 where `x` is 0 whatever `y` is.

    >>> print(agog.math.xlog1py([0.0, 1.0], [-1.0, 1.0]).numpy().round(4))
    [0.     0.6931]
    """
    return _xlog1py(x, y, name)


_xlogy = handle("Xlogy")


@public_op(_xlogy)
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x * log(y), and 0 where `x` is 0 whatever `y` is.

    >>> print(agog.math.xlogy([0.0, 1.0], [0.0, 2.0]).numpy().round(4))
    [0.     0.6931]
    """
    return _xlogy(x, y, name)


_atan2 = handle("Atan2")


@public_op(_atan2)
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """Angle in radians of the point (x, y), between -pi and pi.

    >>> print(agog.atan2([1.0, -1.0], [1.0, -1.0]).numpy().round(4))
    [ 0.7854 -2.3562]
    """
    return _atan2(y, x, name)


mod = floormod

_TRUE_QUOTIENT = {
    dtypes.int8: dtypes.float32,
    dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint64: dtypes.float64,
}


def _pair(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Both as tensors: a Python value takes the dtype of the tensor beside it."""
    if isinstance(y, Tensor):
        return convert(x, None, y.dtype), y
    x = convert(x)
    return x, convert(y, None, x.dtype)


@public
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y; integers of up to 16 bits divide as float32, wider ones as float64.

    >>> agog.truediv([1, 3], 2).numpy().tolist()
    [0.5, 1.5]
    """
    x, y = _pair(x, y)
    quotient = _TRUE_QUOTIENT.get(x.dtype)
    if quotient is not None and x.dtype is y.dtype:
        x, y = cast(x, quotient), cast(y, quotient)
    return _realdiv(x, y, name)


@public
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, like Python's operator: see `truediv`.

    >>> agog.divide([1.0, 3.0], 2.0).numpy().tolist()
    [0.5, 1.5]
    """
    return truediv(x, y, name)


@public
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """`x` times a number or a tensor of rank 0; ValueError where `scalar` has a rank.

    >>> agog.scalar_mul(2, [1, 2]).numpy().tolist()
    [2, 4]
    """
    x = convert(x)
    scalar = convert(scalar, x.dtype)
    if scalar.ndim not in (0, None):
        raise ValueError(f"scalar must have rank 0, got shape {scalar.shape}")
    return _multiply(scalar, x, name)
