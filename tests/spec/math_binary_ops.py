"""Elementwise functions of two tensors that broadcast."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import scipy.special as sp

from tests.spec.table import bad, binary, case, family

add = family(__name__)


def rounded_quotient(x, y):
    """In the type that computes: float32 for the half types."""
    wide = np.promote_types(x.dtype, np.float32)
    return x.astype(wide) / y.astype(wide)


def truncate_div(x, y):
    """C's division: towards zero; the lowest integer over -1 wraps."""
    if x.dtype.kind not in "iu":
        return np.trunc(rounded_quotient(x, y))
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
    if x.dtype.kind in "iu":
        return np.floor_divide(x, y)
    return np.floor(rounded_quotient(x, y))


def floor_mod(x, y):
    """A zero has the sign of x, as in TensorFlow."""
    if x.dtype.kind in "iu":
        return np.mod(x, y)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


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
    return {"complex64": limit, "complex128": limit}


def f32(*shape):
    return np.ones(shape, np.float32)


def shape_error(name):
    return (bad("shapes", (f32(2, 3), f32(2, 4)), "InvalidArgumentError", "[2,3]"),)


def zero_error(name):
    """Floats have a quotient by zero; integers have none."""
    one, zero = np.ones(2, np.int32), np.array([1, 0], np.int32)
    return (
        *shape_error(name),
        bad("zero", (one, zero), "InvalidArgumentError", "division by zero"),
    )


for _name in ("Add", "AddV2"):
    binary(add, _name, np.add, ulp=0, ulps=cx(1), errors=shape_error(_name))
binary(add, "Sub", np.subtract, ulp=0, ulps=cx(1), errors=shape_error("Sub"))
binary(add, "Mul", np.multiply, ulp=0, ulps=cx(4), errors=shape_error("Mul"))
binary(
    add,
    "Div",
    div,
    errors=zero_error("Div"),
    ulp=0,
    ulps=cx(4),
    domain=((-2.0, 2.0), (0.5, 2.0)),
    valid=nonzero,
)
binary(add, "RealDiv", div, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)), valid=nonzero)
binary(
    add,
    "TruncateDiv",
    truncate_div,
    errors=zero_error("TruncateDiv"),
    ulp=0,
    widen=False,
    valid=normal_quotient,
    grad="none",
)
binary(
    add,
    "FloorDiv",
    floor_div,
    errors=zero_error("FloorDiv"),
    ulp=0,
    widen=False,
    domain=((-9.0, 9.0), (0.5, 2.0)),
    valid=normal_quotient,
    grad="none",
)
binary(
    add,
    "FloorMod",
    floor_mod,
    errors=zero_error("FloorMod"),
    ulp=0,
    domain=((-9.0, 9.0), (0.5, 2.0)),
    valid=nonzero,
)
binary(
    add,
    "TruncateMod",
    truncate_mod,
    errors=zero_error("TruncateMod"),
    ulp=0,
    domain=((-9.0, 9.0), (0.5, 2.0)),
    valid=nonzero,
)
binary(
    add,
    "Mod",
    truncate_mod,
    errors=zero_error("Mod"),
    ulp=0,
    domain=((-9.0, 9.0), (0.5, 2.0)),
    valid=nonzero,
)
binary(add, "DivNoNan", div_no_nan, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)))
binary(add, "MulNoNan", mul_no_nan, ulp=0, ulps=cx(4), domain=((-2.0, 2.0), (0.5, 2.0)))
# Which of two zeros wins depends on the place in a vector in NumPy and TensorFlow alike.
binary(add, "Maximum", np.maximum, ulp=0, zero_sign=False, kink=tie)
binary(add, "Minimum", np.minimum, ulp=0, zero_sign=False, kink=tie)
binary(
    add, "SquaredDifference", squared_difference, ulp=3, ulps=cx(4), grad_complex=False
)  # TensorFlow differentiates the square, not the squared modulus
binary(
    add,
    "Pow",
    pow_,
    ulp=2,
    ulps=cx(32),
    domain=((0.3, 3.0), (-2.0, 2.0)),
    ints=((0, 4), (0, 5)),
    flush=True,
)
binary(add, "Atan2", np.arctan2, ulp=4, domain=((0.3, 2.0), (0.3, 2.0)), flush=True)
binary(add, "Xlogy", sp.xlogy, ulp=4, ulps=cx(16), domain=((0.3, 2.0), (0.3, 2.0)), wild=False)
binary(add, "Xlog1py", sp.xlog1py, ulp=4, ulps=cx(16), domain=((0.3, 2.0), (0.3, 2.0)), wild=False)
binary(add, "Xdivy", div_no_nan, ulp=4, ulps=cx(16), domain=((0.3, 2.0), (0.3, 2.0)), wild=False)
binary(add, "NextAfter", next_after, ulp=0, widen=False)


# Special functions of two or three arguments.
def zeta(x, q):
    return sp.zeta(x, q)


def polygamma(a, x):
    """Of order zero it is digamma."""
    order = a.astype(np.int64)
    return np.where(order == 0, sp.psi(x), sp.polygamma(order, x))


def orders(lo, hi):
    def cases(s):
        a = s.cast(s.rng.integers(0, 4, (9,)))
        return [
            case("vector", a, s(9, lo=lo, hi=hi)),
            case("row", a[:3], s(2, 3, lo=lo, hi=hi)),
            case("scalar", a[0], s(lo=lo, hi=hi)),
        ]

    return cases


def pair_edge(s):
    return [
        case("rank0", s.cast(2.0), s.cast(1.5)),
        case("empty", s(0), s(0)),
        case("empty3", s(3, 0, 2, lo=1.1, hi=2), s.cast(1.5)),
    ]


def betainc_cases(s):
    a, b = s(2, 3, lo=0.5, hi=3), s(2, 3, lo=0.5, hi=3)
    return [
        case("matrix", a, b, s(2, 3, lo=0.1, hi=0.9)),
        case("scalars", s.cast(2.0), s.cast(1.5), s(4, lo=0.1, hi=0.9)),
    ]


_SPECIAL = {"wild": False, "domain": ((0.5, 4.0), (0.5, 4.0))}
IGAMMA_A = "the slope in a is itself an op (IgammaGradA), which has no gradient"
binary(add, "Igamma", sp.gammainc, ulp=64, grad_order=1, grad_why=IGAMMA_A, **_SPECIAL)
binary(add, "Igammac", sp.gammaincc, ulp=64, grad_order=1, grad_why=IGAMMA_A, **_SPECIAL)
binary(add, "Zeta", zeta, ulp=64, wild=False, domain=((1.5, 4.0), (0.5, 4.0)), grad_inputs=(1,))
add(
    "Polygamma",
    ref=polygamma,
    cases=orders(0.5, 4.0),
    ulp=256,
    grad_inputs=(1,),
    broadcasts=True,
    edge=pair_edge,
)
add(
    "Betainc",
    ref=sp.betainc,
    cases=betainc_cases,
    ulp=64,
    grad_inputs=(2,),
    edge=lambda s: [
        case("rank0", s.cast(2.0), s.cast(1.5), s.cast(0.3)),
        case("empty", s(0), s(0), s(0)),
    ],
)


# Sums of lists.
def add_n(inputs):
    total = inputs[0]
    for item in inputs[1:]:
        total = total + item
    return total


add(
    "AddN",
    ref=add_n,
    ulp=2,
    scale=lambda inputs: add_n([np.abs(x) for x in inputs]),
    cases=lambda s: [
        case("one", [s(2, 3)]),
        case("three", [s(2, 3), s(2, 3), s(2, 3)]),
        case("scalars", [s(), s()]),
    ],
    edge=lambda s: [
        case("rank0", [s(), s()]),
        case("empty", [s(0), s(0)]),
        case("empty3", [s(3, 0, 2)] * 2),
    ],
    errors=(bad("shapes", ([f32(2), f32(3)],), "InvalidArgumentError", "[3]"),),
)
