"""Complex numbers: their parts, and functions that treat real ones as such."""

from __future__ import annotations

import math

from agog import dtypes
from agog._core import Tensor, convert, handle, public
from agog.types import TensorLike

_abs = handle("Abs")
_angle = handle("Angle")
_complex = handle("Complex")
_complex_abs = handle("ComplexAbs")
_conj = handle("Conj")
_imag = handle("Imag")
_less = handle("Less")
_real = handle("Real")
_select = handle("SelectV2")
_zeros_like = handle("ZerosLike")


@public
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """Absolute value; for complex numbers the modulus, which is real.

    >>> agog.abs([-2, 3]).numpy().tolist()
    [2, 3]
    >>> agog.abs([3 + 4j]).numpy().tolist()
    [5.0]
    """
    x = convert(x)
    dtype = x.dtype
    if dtype.is_complex:
        return _complex_abs(x, dtype.real_dtype, name)
    return _abs(x, name)


@public
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """Argument of a complex number in radians; for real numbers 0, or pi where negative.

    >>> print(agog.math.angle([1j, -1 + 0j]).numpy().round(4))
    [1.5708 3.1416]
    """
    input = convert(input)
    dtype = input.dtype
    if dtype.is_complex:
        return _angle(input, dtype.real_dtype, name)
    zeros = _zeros_like(input)
    return _select(_less(input, zeros), math.pi, zeros, name)


@public
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """Complex numbers from their parts: complex64 of float32 parts, complex128 of float64 ones.

    >>> agog.complex([1.0, 2.0], [0.0, 3.0]).numpy().tolist()
    [(1+0j), (2+3j)]
    """
    real, imag = convert(real), convert(imag)
    dtype = real.dtype
    if dtype is not imag.dtype or dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"real and imag must be both float32 or both float64, got {dtype.name} "
            f"and {imag.dtype.name}"
        )
    wide = dtype is dtypes.float64
    return _complex(real, imag, dtypes.complex128 if wide else dtypes.complex64, name)


@public
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """Complex conjugate; real numbers stay.

    >>> agog.math.conj([1 + 2j]).numpy().tolist()
    [(1-2j)]
    """
    x = convert(x)
    return _conj(x, name) if x.dtype.is_complex else x


@public
def real(input: TensorLike, name: str | None = None) -> Tensor:
    """Real part.

    >>> agog.math.real([1 + 2j]).numpy().tolist()
    [1.0]
    """
    input = convert(input)
    dtype = input.dtype
    return _real(input, dtype.real_dtype, name) if dtype.is_complex else input


@public
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """Imaginary part; 0 for real numbers.

    >>> agog.math.imag([1 + 2j]).numpy().tolist()
    [2.0]
    """
    input = convert(input)
    dtype = input.dtype
    return _imag(input, dtype.real_dtype, name) if dtype.is_complex else _zeros_like(input, name)
