"""Comparisons, logic, tests of a value, and selection."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, binary, case, family, unary

add = family(__name__)

NO_SLOPE = "no float output"


def f32(*shape):
    return np.ones(shape, np.float32)


def approximate(x, y, tolerance=1e-5):
    """The tolerance is a float32 attr."""
    return np.abs(x - y) < np.float32(tolerance)


def shape_error():
    return (bad("shapes", (f32(2, 3), f32(2, 4)), "InvalidArgumentError", "[2,3]"),)


for _name, _ref in {
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
}.items():
    binary(add, _name, _ref, ulp=0, grad="none", errors=shape_error())
# Unequal shapes are compared as wholes unless incompatible_shape_error says to raise.
binary(add, "Equal", np.equal, ulp=0, grad="none", errors=shape_error())
binary(add, "NotEqual", np.not_equal, ulp=0, grad="none", errors=shape_error())
binary(
    add,
    "ApproximateEqual",
    approximate,
    ulp=0,
    grad="none",
    broadcasts=False,
    attrs={"tolerance": (1e-5, 0.5)},
    wild=False,
    errors=(bad("shapes", (f32(2), f32(3)), "InvalidArgumentError", "[2]"),),
)

for _name, _ref in {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or}.items():
    binary(add, _name, _ref, ulp=0, grad="skip", grad_why=NO_SLOPE)
unary(add, "LogicalNot", np.logical_not, ulp=0, grad="skip", grad_why=NO_SLOPE)

for _name, _ref in {"IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite}.items():
    unary(add, _name, _ref, ulp=0, grad="none")


def select_cases(s):
    c = s.rng.integers(0, 2, (2, 3)).astype(bool)
    return [case("matrix", c, s(2, 3), s(2, 3)), case("scalar", np.array(True), s(), s())]


def select_v1_cases(s):
    c = s.rng.integers(0, 2, (2, 3)).astype(bool)
    return [
        *select_cases(s),
        case("rows", c[0, :2], s(2, 3), s(2, 3)),
        case("whole", np.array(False), s(2, 3), s(2, 3)),
    ]


def select_v1(condition, t, e):
    """A vector condition picks rows; a scalar picks everything."""
    shape = condition.shape + (1,) * (t.ndim - condition.ndim)
    return np.where(condition.reshape(shape), t, e)


def select_v2_cases(s):
    c = s.rng.integers(0, 2, (3,)).astype(bool)
    return [
        *select_cases(s),
        case("row", c, s(2, 3), s(2, 1)),
        case("column", c[:2, None], s(3), s()),
        case("scalars", c, s(), s()),
    ]


def select_edge(s):
    return [
        case("scalar", np.array(True), s(), s()),
        case("empty", np.zeros((0,), bool), s(0), s(0)),
        case("empty3", np.zeros((3, 0, 2), bool), s(3, 0, 2), s(3, 0, 2)),
    ]


def clip(t, clip_value_min, clip_value_max):
    return np.minimum(np.maximum(t, clip_value_min), clip_value_max)


def clip_cases(s):
    return [
        case("scalars", s(2, 3, lo=-3, hi=3), s.cast(1), s.cast(2)),
        case("tensors", s(4), s.cast([0, 0, 1, 1]), s.cast([1, 2, 3, 4])),
        case("lower", s(4), s.cast([0, 0, 1, 1]), s.cast(1)),
        case("scalar", s(), s.cast(0), s.cast(1)),
    ]


def clip_grad_cases(s):
    t = s.cast([[-2.0, 0.3, 0.7], [3.0, 1.4, -0.6]])
    return [
        case("inside-and-out", t, s.cast(-1.0), s.cast(1.0)),
        case("tensors", t, s.cast(np.full((2, 3), -1.0)), s.cast(np.full((2, 3), 1.0))),
    ]


def clip_edge(s):
    return [
        case("scalar", s(), s.cast(0), s.cast(1)),
        case("empty", s(0), s.cast(0), s.cast(1)),
        case("empty3", s(3, 0, 2), s.cast(0), s.cast(1)),
    ]


TF_COMPLEX = "TensorFlow orders complex numbers by their real part; agog refuses"

add(
    "Select",
    ref=select_v1,
    cases=select_v1_cases,
    edge=select_edge,
    ulp=0,
    errors=(bad("shapes", (np.ones(2, bool), f32(2), f32(3)), "InvalidArgumentError", "[3]"),),
)
add(
    "SelectV2",
    ref=lambda c, t, e: np.where(c, t, e),
    cases=select_v2_cases,
    edge=select_edge,
    ulp=0,
    errors=(bad("shapes", (np.ones(2, bool), f32(2), f32(3)), "InvalidArgumentError", "[3]"),),
)
add(
    "ClipByValue",
    ref=clip,
    cases=clip_cases,
    edge=clip_edge,
    grad_cases=clip_grad_cases,
    ulp=0,
    without={"complex64": TF_COMPLEX, "complex128": TF_COMPLEX},
    grad_complex=False,
    errors=(bad("shapes", (f32(2, 3), f32(4), f32(1)), "InvalidArgumentError", "clip_value_min"),),
)
