"""Running sums, products and log-sum-exps."""

from __future__ import annotations

import numpy as np

from tests.spec.table import BOOLS, bad, case, family

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def scan(step, start):
    """Element by element: the definition."""

    def ref(x, axis, exclusive=False, reverse=False):
        moved = np.moveaxis(np.asarray(x), int(axis), 0)
        out = np.empty_like(moved)
        state = np.full(moved.shape[1:], start, moved.dtype)
        order = range(len(moved))
        for i in reversed(order) if reverse else order:
            before = state
            state = step(state, moved[i]).astype(moved.dtype)
            out[i] = before if exclusive else state
        return np.moveaxis(out, 0, int(axis))

    return ref


def cases_of(lo, hi, ints):
    def cases(s):
        found = []
        for exclusive in BOOLS:
            for reverse in BOOLS:
                tag = f"{exclusive:d}{reverse:d}"
                attrs = {"exclusive": exclusive, "reverse": reverse}
                draw = {"lo": lo, "hi": hi, "ints": ints}
                found += [
                    case(f"vector{tag}", s(5, **draw), np.array(0), **attrs),
                    case(f"rows{tag}", s(2, 3, **draw), np.array(-1), **attrs),
                    case(f"middle{tag}", s(2, 3, 4, **draw), np.array(1), **attrs),
                ]
        return found

    return cases


def edges(s):
    return [
        case("empty", s(0), np.array(0)),
        case("empty3", s(3, 0, 2), np.array(1)),
        case("empty-out", s(3, 0, 2), np.array(0), exclusive=True),
        case("one", s(1, lo=0.5, hi=1.0), np.array(0)),
    ]


def few(cases):
    """Gradients in each direction, on the matrix only."""
    return lambda s: [c for c in cases(s) if c.id.startswith("rows")]


ERRORS = (
    bad("axis", (f32(2, 3), np.array(5, np.int32)), "InvalidArgumentError", "5"),
    bad("negative", (f32(3), np.array(-2, np.int32)), "InvalidArgumentError", "-2"),
)
_SUM = cases_of(-2.0, 2.0, None)
_PROD = cases_of(0.5, 1.5, (-2, 3))

add(
    "Cumsum",
    ref=scan(np.add, 0),
    cases=_SUM,
    edge=edges,
    ulp=3,
    ulps={"complex64": 4},
    scale=lambda x, axis, exclusive=False, reverse=False: np.sum(np.abs(x)),
    errors=ERRORS,
    grad_cases=few(_SUM),
    positional=False,
)
add(
    "Cumprod",
    ref=scan(np.multiply, 1),
    cases=_PROD,
    edge=edges,
    ulp=5,
    ulps={"complex64": 16, "complex128": 16},
    errors=ERRORS,
    grad_cases=few(_PROD),
    positional=False,
)
add(
    "CumulativeLogsumexp",
    ref=scan(np.logaddexp, -np.inf),
    cases=_SUM,
    edge=edges,
    ulp=4,
    scale=lambda x, axis, exclusive=False, reverse=False: np.sum(np.abs(x)) + 1,
    errors=ERRORS,
    positional=False,
    grad_cases=lambda s: [c for c in few(_SUM)(s) if not c.attrs["exclusive"]],
)
