"""Reductions of segments of rows; the segments are named by sorted ids."""

from __future__ import annotations

import numpy as np

from tests.spec.slice_ops import segment, segment_edge
from tests.spec.table import bad, case, family

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def ints(*values):
    return np.array(values, np.int64)


def i32(*values):
    return np.array(values, np.int32)


def mean(rows, axis):
    """Integers: the sum divided towards zero."""
    total = np.sum(rows, axis=axis, dtype=rows.dtype)
    if rows.dtype.kind in "iu":
        wide = total.astype(object)
        return np.sign(wide) * (abs(wide) // len(rows))
    return total / len(rows)


def sorted_segment(reduce, empty):
    """A segment without rows gets `empty`."""

    def ref(data, segment_ids):
        count = int(segment_ids[-1]) + 1 if len(segment_ids) else 0
        out = np.full((count, *data.shape[1:]), empty, data.dtype)
        for number in set(segment_ids.tolist()):
            out[number] = reduce(data[segment_ids == number], axis=0)
        return out

    return ref


def small(s, *shape):
    return s(*shape, ints=(-3, 4)) if s.kind in "iu" else s(*shape, lo=0.5, hi=1.5)


def distinct(s, *shape):
    return s.distinct(*shape)


def cases_of(draw):
    return lambda s: [
        case("vector", draw(s, 5), ints(0, 0, 1, 1, 1)),
        case("rows", draw(s, 4, 2), ints(0, 1, 1, 2)),
        case("gap", draw(s, 3, 2), ints(1, 1, 3)),
        case("cube", draw(s, 3, 2, 2), ints(0, 0, 1)),
    ]


def edge(s):
    return [case("empty", s(0), ints()), case("no-column", s(2, 0), ints(0, 1))]


_ERRORS = (
    bad("unsorted", (f32(3), i32(0, 2, 1)), "InvalidArgumentError", "segment"),
    bad("negative", (f32(2), i32(-1, 0)), "InvalidArgumentError", "-1"),
    bad("length", (f32(2), i32(0, 1, 2)), "InvalidArgumentError", "segment_ids"),
    bad("rank", (f32(2, 2), np.zeros((2, 2), np.int32)), "InvalidArgumentError", "segment_ids"),
)


def total(data, segment_ids, *_):
    return np.sum(np.abs(data))


for _name, _reduce, _empty, _draw, _fields in (
    ("Sum", np.sum, 0, small, {"ulp": 2, "scale": total, "ulps": {"complex64": 4}}),
    ("Mean", mean, 0, small, {"ulp": 2, "scale": total, "ulps": {"complex64": 4}}),
    ("Prod", np.prod, 1, small, {"ulp": 4, "ulps": {"complex64": 16, "complex128": 16}}),
    ("Max", np.max, 0, distinct, {"ulp": 0}),
    ("Min", np.min, 0, distinct, {"ulp": 0}),
):
    add(
        f"Segment{_name}",
        ref=sorted_segment(_reduce, _empty),
        cases=cases_of(_draw),
        edge=edge,
        errors=_ERRORS,
        positional=False,
        **_fields,
    )
add(
    "UnsortedSegmentProd",
    ref=segment(np.multiply, lambda x: 1),
    cases=lambda s: [
        case("vector", small(s, 5), ints(2, 0, 2, -1, 0), np.int64(4)),
        case("rows", small(s, 3, 2), ints(1, 0, 1), np.int64(2)),
        case("matrix-ids", small(s, 2, 2, 2), ints(0, 1, 2, 0).reshape(2, 2), np.int64(3)),
    ],
    edge=segment_edge,
    ulp=4,
    ulps={"complex64": 16, "complex128": 16},
    positional=False,
    errors=(
        bad("id", (f32(2), i32(0, 5), np.int32(3)), "InvalidArgumentError", "5"),
        bad("shape", (f32(2), i32(0, 1, 2), np.int32(3)), "InvalidArgumentError", "[3]"),
    ),
)
