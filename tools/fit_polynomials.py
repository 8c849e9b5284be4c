"""Print the coefficients of csrc/kernels/vmath_*.h: Chebyshev interpolation with 60 digits."""

from __future__ import annotations

import sys
from collections.abc import Callable

import mpmath as mp
import numpy as np

mp.mp.dps = 60
Function = Callable[[mp.mpf], mp.mpf]


def fit(f: Function, low: float, high: float, count: int) -> list[mp.mpf]:
    """Coefficients, constant first, of the polynomial through Chebyshev nodes of [low, high]."""
    middle, half = (mp.mpf(high) + low) / 2, (mp.mpf(high) - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    matrix = mp.matrix(count, count)
    for i, x in enumerate(nodes):
        for j in range(count):
            matrix[i, j] = x**j
    return list(mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes])))


def literal(value: mp.mpf, kind: str) -> str:
    if kind == "float":
        return float(np.float32(float(value))).hex() + "f"
    return float(value).hex()


def expm1_tail(r: mp.mpf) -> mp.mpf:
    """expm1(r) = r + r^2 q(r)."""
    return mp.mpf(1) / 2 + r / 6 if abs(r) < 1e-25 else (mp.expm1(r) - r) / r**2


def log_tail(z: mp.mpf) -> mp.mpf:
    """log(1 + f) = 2 s + s z q(z) with s = f / (2 + f) and z = s^2."""
    s = mp.sqrt(z)
    return mp.mpf(2) / 3 if z == 0 else (2 * mp.atanh(s) - 2 * s) / (s * z)


def sin_tail(z: mp.mpf) -> mp.mpf:
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / (r * z)


def cos_tail(z: mp.mpf) -> mp.mpf:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def atan_tail(z: mp.mpf) -> mp.mpf:
    x = mp.sqrt(z)
    return (mp.atan(x) - x) / (x * z)


def asin_tail(z: mp.mpf) -> mp.mpf:
    x = mp.sqrt(z)
    return (mp.asin(x) - x) / (x * z)


def erf_tail(z: mp.mpf) -> mp.mpf:
    """erf(x) = x + x q(x^2)."""
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def erfc_log(x: mp.mpf) -> mp.mpf:
    return mp.log(mp.erfc(x))


def erfcx_of_map(t: mp.mpf) -> mp.mpf:
    """(1 + 2 x) e^(x^2) erfc(x) with t = (x - 3.75) / (x + 3.75)."""
    x = mp.mpf("3.75") * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


REDUCED = float(mp.log(2) / 2) * 1.0001
LOG_END = float(((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2) * 1.0001
QUARTER = float((mp.pi / 4) ** 2) * 1.0001

TABLE: list[tuple[str, Function, float, float, int, str]] = [
    ("expm1", expm1_tail, -REDUCED, REDUCED, 6, "float"),
    ("expm1", expm1_tail, -REDUCED, REDUCED, 11, "double"),
    ("log", log_tail, 0.0, LOG_END, 4, "float"),
    ("log", log_tail, 0.0, LOG_END, 7, "double"),
    ("sin, for floats", sin_tail, 0.0, QUARTER, 4, "double"),
    ("cos, for floats", cos_tail, 0.0, QUARTER, 4, "double"),
    ("atan, for floats", atan_tail, 0.0, float(mp.tan(mp.pi / 8) ** 2) * 1.0001, 7, "double"),
    ("asin, for floats", asin_tail, 0.0, 0.25, 10, "double"),
    ("erf", erf_tail, 0.0, 1.0, 8, "float"),
    ("log erfc on [1, 4]", erfc_log, 1.0, 4.0, 11, "float"),
    ("scaled erfc, for floats", erfcx_of_map, -1.0, 0.47, 13, "double"),
]


def main() -> None:
    for name, f, low, high, count, kind in TABLE:
        print(f"// {name}, {kind}")
        for c in fit(f, low, high, count):
            print(f"    {literal(c, kind)},")
    for kind, bits in (("float", 15), ("double", 32)):
        unit = mp.mpf(2) ** -bits
        high = mp.nint(mp.log(2) / unit) * unit
        print(f"// log 2, {kind}: {literal(high, kind)} + {literal(mp.log(2) - high, kind)}")


if __name__ == "__main__":
    sys.exit(main())
