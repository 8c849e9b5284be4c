"""Elementwise functions of two tensors that broadcast."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import scipy.special as sp

from tests.spec.table import bad, binary, family

add = family(__name__)


def truncate_div(x, y):
    """C's division: towards zero; the lowest integer over -1 wraps."""
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    if x.dtype.kind == "u":
        return x // y
    quotient = np.floor_divide(x, y)
    inexact = quotient * y != x
    return np.where(inexact & (quotient < 0), quotient + 1, quotient).astype(x.dtype)


def truncate_mod(x, y):
    return np.fmod(x, y)


def div(x, y):
    return truncate_div(x, y) if x.dtype.kind in "iu" else x / y


def div_no_nan(x, y):
    return np.where(y == 0, 0, x / np.where(y == 0, 1, y))


def mul_no_nan(x, y):
    return np.where(y == 0, 0, x * np.where(y == 0, 1, y))


def floor_div(x, y):
    return np.floor_divide(x, y) if x.dtype.kind in "iu" else np.floor(x / y)


def floor_mod(x, y):
    return np.mod(x, y)


def next_after(x, y):
    return np.nextafter(x, y)


def nonzero(x, y):
    return y != 0


def normal_quotient(x, y):
    """Floors of quotients that underflow depend on how the quotient is rounded."""
    if x.dtype.kind in "iu":
        return y != 0
    quotient = np.abs(x / y).astype(np.float64)
    return (y != 0) & ((x == 0) | (quotient >= float(ml_dtypes.finfo(x.dtype).tiny)))


def squared_difference(x, y):
    difference = x - y
    return difference * np.conj(difference)


def pow_(x, y):
    return np.power(x, y)


def tie(x, y):
    return np.abs(x - y)


def cx(limit):
    return dict(complex64=limit, complex128=limit)


def f32(*shape):
    return np.ones(shape, np.float32)


def shape_error(name):
    return (bad("shapes", (f32(2, 3), f32(2, 4)), "InvalidArgumentError", "[2,3]"),)


ZERO_DIVISOR = "integer division by zero is an error: see the golden records"

for _name in ("Add", "AddV2"):
    binary(add, _name, np.add, ulp=0, ulps=cx(1), errors=shape_error(_name))
binary(add, "Sub", np.subtract, ulp=0, ulps=cx(1), errors=shape_error("Sub"))
binary(add, "Mul", np.multiply, ulp=0, ulps=cx(4), errors=shape_error("Mul"))
binary(add, "Div", div, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)), valid=nonzero)
binary(add, "RealDiv", div, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)),
       valid=nonzero)
binary(add, "TruncateDiv", truncate_div, ulp=1, valid=normal_quotient, grad="none")
binary(add, "FloorDiv", floor_div, ulp=1, domain=((-9.0, 9.0), (0.5, 2.0)),
       valid=normal_quotient,
       grad="none")
binary(add, "FloorMod", floor_mod, ulp=0, domain=((-9.0, 9.0), (0.5, 2.0)), valid=nonzero)
binary(add, "TruncateMod", truncate_mod, ulp=0, domain=((-9.0, 9.0), (0.5, 2.0)), valid=nonzero)
binary(add, "Mod", truncate_mod, ulp=0, domain=((-9.0, 9.0), (0.5, 2.0)), valid=nonzero)
binary(add, "DivNoNan", div_no_nan, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)))
binary(add, "MulNoNan", mul_no_nan, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)))
binary(add, "Maximum", np.maximum, ulp=0, kink=tie)
binary(add, "Minimum", np.minimum, ulp=0, kink=tie)
binary(add, "SquaredDifference", squared_difference, ulp=3, ulps=cx(4),
       grad_complex=False)  # TensorFlow differentiates the square, not the squared modulus
binary(add, "Pow", pow_, ulp=2, ulps=cx(32), domain=((0.3, 3.0), (-2.0, 2.0)), ints=((0, 4), (0, 5)),
       flush=True)
binary(add, "Atan2", np.arctan2, ulp=4, domain=((0.3, 2.0), (0.3, 2.0)), flush=True)
binary(add, "Xlogy", sp.xlogy, ulp=4, ulps=cx(16), domain=((0.3, 2.0), (0.3, 2.0)), wild=False)
binary(add, "Xlog1py", sp.xlog1py, ulp=4, ulps=cx(16), domain=((0.3, 2.0), (0.3, 2.0)), wild=False)
binary(add, "Xdivy", div_no_nan, ulp=4, ulps=cx(16), domain=((0.3, 2.0), (0.3, 2.0)), wild=False)
binary(add, "NextAfter", next_after, ulp=0, widen=False)
