"""Elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from tests.spec.table import family, unary

add = family(__name__)


def neg(x):
    return np.negative(x)


def sign(x):
    """Complex sign is x / |x|, as in NumPy 2."""
    return np.sign(x)


def reciprocal(x):
    if x.dtype.kind in "iu":
        return np.where(x == 1, 1, np.where(x == -1, -1, 0)).astype(x.dtype)
    return 1 / x


def rsqrt(x):
    return 1 / np.sqrt(x)


def sigmoid(x):
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    return sp.expit(x)


def at_least_one(ref):
    """Near its zeros a special function is only good to an ulp of one."""
    return lambda x: np.maximum(np.abs(ref(x)), 1.0)


def lgamma(x):
    return np.where(np.isinf(x), np.inf, sp.gammaln(x))


def digamma(x):
    """Poles at 0, -1, -2, ... have no value."""
    pole = (x <= 0) & (x == np.floor(x))
    return np.where(pole, np.nan, sp.psi(np.where(pole, 1.0, x)))


def round_even(x):
    return x if x.dtype.kind in "iu" else np.rint(x)


def digamma_scale(x):
    """The logarithm that the reflection formula cancels against a cotangent."""
    return np.maximum(np.abs(digamma(x)), 1 + np.log1p(np.abs(x)))


def near(*points):
    """Distance from the nearest of some points."""
    return lambda x: np.min([np.abs(x - p) for p in points], axis=0)


def from_integer(x):
    return np.abs(x - np.rint(x))


def from_half(x):
    return np.abs(x - np.floor(x) - 0.5)


# Exact or correctly rounded.
unary(add, "Abs", np.abs, ulp=0, kink=near(0.0))
unary(add, "Neg", neg, ulp=0)
unary(
    add,
    "Sign",
    sign,
    ulp=0,
    ulps={"complex64": 2, "complex128": 2},
    kink=near(0.0),
    grad_complex=False,
)  # TensorFlow gives zero, the slope of the phase is not
unary(add, "Square", np.square, ulp=0, ulps={"complex64": 2, "complex128": 2})
unary(add, "Sqrt", np.sqrt, ulp=0, domain=(0.1, 9.0), ulps={"complex64": 4, "complex128": 4})
unary(add, "Rsqrt", rsqrt, ulp=1, domain=(0.1, 9.0), ulps={"complex64": 4, "complex128": 4})
unary(
    add,
    "Reciprocal",
    reciprocal,
    ulp=1,
    domain=(0.3, 3.0),
    valid=lambda x: x != 0,
    ulps={"complex64": 4, "complex128": 4},
)
unary(
    add,
    "Inv",
    reciprocal,
    ulp=1,
    domain=(0.3, 3.0),
    valid=lambda x: x != 0,
    ulps={"complex64": 4, "complex128": 4},
)
unary(add, "Ceil", np.ceil, ulp=0, grad="none", kink=from_integer)
unary(add, "Floor", np.floor, ulp=0, grad="none", kink=from_integer)
unary(add, "Round", round_even, ulp=0, grad="none", kink=from_half)
unary(add, "Rint", np.rint, ulp=0, grad="none", kink=from_half)

# Exponentials and logarithms.
unary(
    add,
    "Exp",
    np.exp,
    ulp=2,
    domain=(-5.0, 5.0),
    flush=True,
    ulps={"complex64": 8, "complex128": 8},
)
unary(add, "Expm1", np.expm1, ulp=3, ulps={"complex64": 16, "complex128": 16}, flush=True)
unary(add, "Log", np.log, ulp=2, domain=(0.1, 9.0), ulps={"complex64": 8, "complex128": 8})
unary(add, "Log1p", np.log1p, ulp=3, domain=(-0.8, 5.0), ulps={"complex64": 16, "complex128": 16})

# Trigonometry.
unary(add, "Sin", np.sin, ulp=2, ulps={"complex64": 8, "complex128": 8})
unary(add, "Cos", np.cos, ulp=2, ulps={"complex64": 8, "complex128": 8})
unary(add, "Tan", np.tan, ulp=4, domain=(-1.2, 1.2), ulps={"complex64": 16, "complex128": 16})
unary(add, "Asin", np.arcsin, ulp=4, domain=(-0.9, 0.9), ulps={"complex64": 16, "complex128": 16})
unary(add, "Acos", np.arccos, ulp=4, domain=(-0.9, 0.9), ulps={"complex64": 16, "complex128": 16})
unary(add, "Atan", np.arctan, ulp=4, ulps={"complex64": 16, "complex128": 16}, domain=(-0.9, 0.9))
unary(add, "Sinh", np.sinh, ulp=4, ulps={"complex64": 16, "complex128": 16})
unary(add, "Cosh", np.cosh, ulp=4, ulps={"complex64": 16, "complex128": 16})
unary(add, "Tanh", np.tanh, ulp=4, domain=(-1.2, 1.2), ulps={"complex64": 16, "complex128": 16})
unary(add, "Asinh", np.arcsinh, ulp=4, ulps={"complex64": 16, "complex128": 16})
unary(add, "Acosh", np.arccosh, ulp=4, domain=(1.1, 5.0), ulps={"complex64": 16, "complex128": 16})
unary(add, "Atanh", np.arctanh, ulp=4, domain=(-0.9, 0.9), ulps={"complex64": 16, "complex128": 16})

# Special functions.
unary(add, "Erf", sp.erf, ulp=4)
unary(add, "Erfc", sp.erfc, ulp=8, flush=True)
# SciPy loses the sign of a zero.
unary(add, "Erfinv", lambda x: np.copysign(sp.erfinv(x), x), ulp=8, domain=(-0.95, 0.95))
unary(add, "Ndtri", sp.ndtri, ulp=8, domain=(0.05, 0.95))
unary(add, "Lgamma", lgamma, ulp=8, scale=at_least_one(lgamma), domain=(0.2, 6.0))
unary(add, "Digamma", digamma, ulp=8, scale=digamma_scale, domain=(0.2, 6.0))
unary(add, "Sigmoid", sigmoid, ulp=4, flush=True, ulps={"complex64": 16, "complex128": 16})
