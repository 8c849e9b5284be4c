"""Complex numbers and their parts."""

from __future__ import annotations

import numpy as np

from tests.spec.table import case, family

add = family(__name__)

REAL = {"complex64": "float32", "complex128": "float64"}
BOTH = {"float32": "complex64", "float64": "complex128"}


def part_cases(s):
    values = s(2, 3, lo=0.3, hi=2.0)
    return [
        case("matrix", values * s.cast([1, -1, 1j]), Tout=REAL[s.dtype]),
        case("scalar", s(lo=0.3, hi=2.0), Tout=REAL[s.dtype]),
    ]


def part_edge(s):
    return [
        case("rank0", s(), Tout=REAL[s.dtype]),
        case("empty", s(0), Tout=REAL[s.dtype]),
        case("empty3", s(3, 0, 2), Tout=REAL[s.dtype]),
    ]


def without_type(f):
    def ref(x, Tout=None):
        return f(x)

    return ref


_PART = {
    "cases": part_cases,
    "edge": part_edge,
    "grad_dtype": "complex128",
    "ulp": 0,
    "grad_complex": False,
}
add("Real", ref=without_type(np.real), **_PART)
add("Imag", ref=without_type(np.imag), **_PART)
add("ComplexAbs", ref=without_type(np.abs), **{**_PART, "ulp": 2})
add("Angle", ref=without_type(np.angle), **{**_PART, "ulp": 4})
add(
    "Conj",
    ref=np.conj,
    ulp=0,
    grad_dtype="complex128",
    grad_complex=False,
    cases=lambda s: [case("matrix", s(2, 3))],
    edge=lambda s: [case("rank0", s()), case("empty", s(0)), case("empty3", s(3, 0, 2))],
)


def complex_cases(s):
    out = BOTH[s.dtype]
    return [
        case("matrix", s(2, 3), s(2, 3), Tout=out),
        case("row", s(2, 3), s(3), Tout=out),
        case("column", s(2, 1), s(3), Tout=out),
        case("scalar", s(), s(2), Tout=out),
    ]


add(
    "Complex",
    ref=lambda x, y, Tout=None: x + 1j * y,
    cases=complex_cases,
    ulp=0,
    grad_complex=False,
    broadcasts=True,
    edge=lambda s: [
        case("rank0", s(), s(), Tout=BOTH[s.dtype]),
        case("empty", s(0), s(1), Tout=BOTH[s.dtype]),
    ],
)
