"""Special functions and older names of ops."""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy.special as sp

from tests.spec import nn_ops  # noqa: F401 (a row of it is used)
from tests.spec.slice_ops import INDICES, index_of, strided
from tests.spec.table import ROWS, bad, binary, case, family, unary

add = family(__name__)
EXACT = {"ulp": 0, "positional": False}


def f32(*shape):
    return np.ones(shape, np.float32)


def ints(*values):
    return np.array(values, np.int64)


def i32(*values):
    return np.array(values, np.int32)


unary(add, "BesselI0e", sp.i0e, ulp=8)
unary(add, "BesselI1e", sp.i1e, ulp=8, flush=True)


def igamma_grad_a(a, x):
    """The power series of P(a, x), term by term."""
    n = np.arange(200.0).reshape(-1, *[1] * np.ndim(a + x))
    with np.errstate(all="ignore"):
        terms = np.exp((a + n) * np.log(x) - x - sp.gammaln(a + n + 1))
        return np.sum(terms * (np.log(x) - sp.psi(a + n + 1)), axis=0)


binary(
    add,
    "IgammaGradA",
    igamma_grad_a,
    domain=((0.5, 4.0), (0.3, 4.0)),
    wild=False,
    ulp=128,
    scale=lambda a, x: np.maximum(np.abs(igamma_grad_a(a, x)), 0.1),
    grad="skip",
    grad_why="no gradient is registered",
)
# The older name of one op.
ROWS["InvGrad"] = dataclasses.replace(ROWS["ReciprocalGrad"], name="InvGrad")

add(
    "AccumulateNV2",
    form="law",
    cases=lambda s: [],
    grad="skip",
    grad_why="TensorFlow has no kernel; see test_old_names",
)
add(
    "Concat",
    ref=lambda concat_dim, values: np.concatenate(values, int(concat_dim)),
    **EXACT,
    cases=lambda s: [
        case("rows", ints(0)[0], [s(2, 3), s(1, 3)]),
        case("columns", ints(1)[0], [s(2, 3), s(2, 1), s(2, 2)]),
        case("last", ints(-1)[0], [s(2, 1, 2), s(2, 1, 3)]),
    ],
    edge=lambda s: [
        case("empty", ints(0)[0], [s(0), s(3)]),
        case("all-empty", ints(0)[0], [s(3, 0), s(3, 0)]),
    ],
    errors=(
        bad("rank", (np.int32(0), [f32(2, 3), f32(3)]), "InvalidArgumentError", "[3]"),
        bad("shape", (np.int32(0), [f32(2, 3), f32(2, 4)]), "InvalidArgumentError", "[2,4]"),
        bad("axis", (np.int32(1), [f32(2), f32(3)]), "InvalidArgumentError", "1"),
    ),
)
add(
    "Roll",
    ref=lambda x, shift, axis: np.roll(
        x,
        tuple(map(int, np.atleast_1d(shift))),
        tuple(map(int, np.atleast_1d(axis))),
    ),
    **EXACT,
    cases=lambda s: [
        case("vector", s(5), ints(2)[0], ints(0)[0]),
        case("back", s(2, 3), ints(-1), ints(1)),
        case("two", s(2, 3, 2), ints(1, 4), ints(0, -2)),
        case("same-axis", s(5), ints(1, 3), ints(0, 0)),
    ],
    edge=lambda s: [
        case("empty", s(0), ints(1), ints(0)),
        case("empty3", s(3, 0, 2), ints(1, 1), ints(0, 2)),
    ],
    errors=(
        bad("axis", (f32(3), i32(1), i32(1)), "InvalidArgumentError", "1"),
        bad("length", (f32(3), i32(1, 2), i32(0)), "InvalidArgumentError", "[2]"),
        bad("rank0", (f32(), i32(1), i32(0)), "InvalidArgumentError", "input"),
    ),
)


def set_diag(input, diagonal):
    out = input.copy()
    for i in range(min(input.shape[-2:])):
        out[..., i, i] = diagonal[..., i]
    return out


add(
    "MatrixSetDiag",
    ref=set_diag,
    **EXACT,
    cases=lambda s: [
        case("square", s(3, 3), s(3)),
        case("wide", s(2, 4), s(2)),
        case("tall", s(2, 3, 2), s(2, 2)),
    ],
    edge=lambda s: [
        case("empty", s(0, 0), s(0)),
        case("empty-batch", s(0, 2, 3), s(0, 2)),
        case("no-column", s(2, 0), s(0)),
    ],
    errors=(
        bad("rank", (f32(3), f32()), "InvalidArgumentError", "[3]"),
        bad("length", (f32(3, 3), f32(2)), "InvalidArgumentError", "[2]"),
    ),
)


MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def slice_update(input, begin, end, strides, value, **masks):
    out, every = input.copy(), {**dict.fromkeys(MASKS, 0), **masks}
    out[index_of(begin, end, strides, every)] = value
    return out


def update_cases(s):
    found = []
    for name, (shape, index) in INDICES.items():
        begin, end, strides, masks = strided(index)
        value = s(*np.zeros(shape)[index].shape)
        found.append(case(name, s(*shape), begin, end, strides, value, **masks))
    return found


add(
    "TensorStridedSliceUpdate",
    ref=slice_update,
    **EXACT,
    cases=update_cases,
    edge=lambda s: [
        case("empty", s(0), ints(0), ints(0), ints(1), s(0)),
        case("none", s(3), ints(2), ints(1), ints(1), s(0)),
    ],
    errors=(
        bad("shape", (f32(4), i32(0), i32(2), i32(1), f32(3)), "InvalidArgumentError", "[3]"),
        bad("stride", (f32(4), i32(0), i32(2), i32(0), f32(2)), "InvalidArgumentError", "strides"),
    ),
)
