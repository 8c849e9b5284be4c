"""Reductions over axes."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def over(reduce):
    """A reduction with TensorFlow's arguments."""

    def ref(x, axis, keep_dims=False):
        axes = tuple(int(a) for a in np.atleast_1d(axis))
        return reduce(x, axis=axes, keepdims=keep_dims)

    return ref


def cases_of(draw):
    def cases(s):
        i = np.int64
        return [
            case("none", draw(s, 2, 3), np.zeros(0, i)),
            case("first", draw(s, 2, 3), np.array([0], i)),
            case("last", draw(s, 2, 3), np.array([-1], i), keep_dims=True),
            case("all", draw(s, 2, 3), np.array([0, 1], i)),
            case("scalar-axis", draw(s, 4), np.array(0, i)),
            case("middle", draw(s, 2, 3, 4), np.array([1], i)),
            case("outer", draw(s, 2, 3, 4), np.array([-3, 2], i), keep_dims=True),
            case("long", draw(s, 3, 67), np.array([1], i)),
            case("tall", draw(s, 67, 3), np.array([0], i)),
        ]

    return cases


def edges(s):
    i = np.int64
    return [
        case("rank0", s(), np.zeros(0, i)),
        case("empty", s(0), np.array([0], i)),
        case("empty-keep", s(3, 0, 2), np.array([1], i), keep_dims=True),
        case("empty-out", s(3, 0, 2), np.array([0], i)),
    ]


def full_edges(s):
    """Only where no output is reduced from nothing: that has no value here."""
    i = np.int64
    return [case("rank0", s(), np.zeros(0, i)), case("empty-out", s(3, 0, 2), np.array([0], i))]


def plain(s, *shape):
    return s(*shape)


def factors(s, *shape):
    if s.kind in "iu":
        return s(*shape, ints=(-2, 3))
    return s(*shape, lo=0.6, hi=1.4) * s.cast(np.sign(s.rng.normal(size=shape)))


def counts(s, *shape):
    """Squares of integers whose sum fits in eight bits."""
    top = 4 if np.prod(shape) <= 24 else 2
    return s(*shape, ints=(0, top)) if s.kind in "iu" else s(*shape)


def distinct(s, *shape):
    return s.distinct(*shape)


def magnitude(reduce):
    ref = over(reduce)
    return lambda x, axis, keep_dims=False: ref(np.abs(x), axis, keep_dims)


def mean(x, axis, keepdims):
    """Integers: the sum divided towards zero."""
    total = np.sum(x, axis=axis, keepdims=keepdims, dtype=None if x.dtype.kind != "b" else int)
    count = int(np.prod([x.shape[a] for a in axis])) if axis else 1
    if x.dtype.kind in "iu":
        return (np.abs(total) // count * np.sign(total)).astype(x.dtype)
    return total / count if count else np.full(total.shape, np.nan)


def lowest(x):
    return -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min


def highest(x):
    return np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max


def maximum(x, axis, keepdims):
    return np.max(x, axis=axis, keepdims=keepdims, initial=lowest(x))


def minimum(x, axis, keepdims):
    return np.min(x, axis=axis, keepdims=keepdims, initial=highest(x))


def norm(x, axis, keepdims):
    return np.sqrt(np.sum((x * np.conj(x)).real, axis=axis, keepdims=keepdims))


def axis_errors():
    return (
        bad("axis", (f32(2, 3), np.array([2], np.int32)), "InvalidArgumentError", "2"),
        bad("negative", (f32(2, 3), np.array([-3], np.int32)), "InvalidArgumentError", "-3"),
        bad(
            "twice",
            (f32(2, 3), np.array([1, -1], np.int32)),
            "InvalidArgumentError",
            "axis",
        ),
    )


_LOOSE = {"complex64": 4, "complex128": 4}
add(
    "Sum",
    ref=over(np.sum),
    cases=cases_of(plain),
    edge=edges,
    ulp=2,
    ulps=_LOOSE,
    scale=magnitude(np.sum),
    errors=axis_errors(),
    positional=False,
)
add(
    "Mean",
    ref=over(mean),
    cases=cases_of(plain),
    edge=full_edges,
    ulp=2,
    ulps=_LOOSE,
    scale=magnitude(mean),
    errors=axis_errors(),
    positional=False,
)
add(
    "Prod",
    ref=over(np.prod),
    cases=cases_of(factors),
    edge=edges,
    ulp=3,
    ulps={"float32": 20, "float64": 20, "complex64": 80, "complex128": 80},
    errors=axis_errors(),
    grad_cases=lambda s: cases_of(factors)(s)[:7],
    positional=False,
)
add(
    "Max",
    ref=over(maximum),
    cases=cases_of(distinct),
    edge=edges,
    ulp=0,
    errors=axis_errors(),
    positional=False,
)
add(
    "Min",
    ref=over(minimum),
    cases=cases_of(distinct),
    edge=edges,
    ulp=0,
    errors=axis_errors(),
    positional=False,
)
add(
    "EuclideanNorm",
    ref=over(norm),
    cases=cases_of(counts),
    edge=edges,
    ulp=2,
    ulps=_LOOSE,
    errors=axis_errors(),
    positional=False,
    grad_complex=False,
)  # TensorFlow's rule takes the cotangent of the norm as complex


def bools(s, *shape):
    return s.rng.integers(0, 4, shape) > 0


for _name, _ref in {"All": np.all, "Any": np.any}.items():
    add(
        _name,
        ref=over(_ref),
        cases=cases_of(bools),
        ulp=0,
        grad="skip",
        grad_why="no float input",
        positional=False,
        edge=lambda s: [
            case("rank0", np.array(True), np.zeros(0, np.int64)),
            case("empty", np.zeros((0,), bool), np.array([0])),
            case("empty3", np.zeros((3, 0, 2), bool), np.array([1])),
        ],
    )


def arg_cases(s):
    found = [
        case("vector", s.distinct(5), np.array(0)),
        case("rows", s.distinct(2, 3), np.array(1), output_type="int32"),
        case("columns", s.distinct(4, 3), np.array(0), output_type="int64"),
        case("negative", s.distinct(2, 3, 4), np.array(-2)),
        case("long", s.distinct(67), np.array(0)),
        case("ties", s.cast([1, 0, 1, 0]), np.array(0)),
    ]
    return found


def arg(f):
    return lambda x, axis, output_type="int64": f(x, axis=int(axis))


def arg_errors():
    return (
        bad("axis", (f32(2, 3), np.array(2, np.int32)), "InvalidArgumentError", "2"),
        bad("empty", (f32(0, 3), np.array(0, np.int32)), "InvalidArgumentError", "[0,3]"),
    )


for _name, _ref in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
    add(
        _name,
        ref=arg(_ref),
        cases=arg_cases,
        ulp=0,
        grad="none",
        errors=arg_errors(),
        positional=False,
        edge=lambda s: [case("empty-out", s.distinct(3, 0), np.array(0))],
    )
