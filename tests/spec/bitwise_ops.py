"""Operations on the bits of integers."""

from __future__ import annotations

import numpy as np

from tests.spec.table import binary, family, unary

add = family(__name__)
NO_FLOAT = {"grad": "skip", "grad_why": "integers only"}


def bits_of(x):
    return x.dtype.itemsize * 8


def population_count(x):
    raw = x.view(f"u{x.dtype.itemsize}")
    return np.array([bin(int(v)).count("1") for v in raw.ravel()], np.uint8).reshape(x.shape)


def in_range(x, y):
    """Shifts by less than the width; others are implementation-defined."""
    return (y >= 0) & (y < bits_of(y))


for _name, _ref in {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}.items():
    binary(add, _name, _ref, ulp=0, **NO_FLOAT)
binary(add, "LeftShift", np.left_shift, ulp=0, valid=in_range, **NO_FLOAT)
binary(add, "RightShift", np.right_shift, ulp=0, valid=in_range, **NO_FLOAT)
unary(add, "Invert", np.invert, ulp=0, **NO_FLOAT)
unary(add, "PopulationCount", population_count, ulp=0, **NO_FLOAT)
