"""Ops that look values up, count them or find the unique ones."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family

add = family(__name__)
EXACT = {"ulp": 0, "positional": False}
NO_SLOPE = {"grad": "skip", "grad_why": "integers come out, or no gradient is registered"}


def f32(*shape):
    return np.ones(shape, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def bound(side):
    def ref(sorted_inputs, values, out_type="int32"):
        pairs = zip(sorted_inputs, values, strict=True)
        found = [np.searchsorted(row, wanted, side) for row, wanted in pairs]
        return np.array(found, np.int64).reshape(values.shape)

    return ref


def bound_cases(s):
    def rows(*shape):
        return np.sort(s(*shape), axis=-1)

    ties = s.cast([[0, 1, 1, 1, 3, 5]])
    return [
        case("ties", ties, s.cast([[0, 1, 2, 3, 5, 6]])),
        case("rows", rows(2, 7), s(2, 4)),
        case("long", rows(1, 67), s(1, 33)),
        case("wide", rows(2, 5), s(2, 3), out_type="int64"),
    ]


for _name, _side in (("LowerBound", "left"), ("UpperBound", "right")):
    add(
        _name,
        ref=bound(_side),
        cases=bound_cases,
        edge=lambda s: [
            case("no-value", np.sort(s(2, 3)), s(2, 0)),
            case("no-row", s(0, 3), s(0, 2)),
            case("nothing-sorted", s(2, 0), s(2, 3)),
        ],
        errors=(
            bad("rank", (f32(3), f32(2)), "InvalidArgumentError", "[3]"),
            bad("batch", (f32(2, 3), f32(1, 3)), "InvalidArgumentError", "1"),
        ),
        **EXACT,
        **NO_SLOPE,
    )


def bincount(arr, size, weights):
    """No weights: every value counts one; values from `size` on are dropped."""
    out = np.zeros(int(size), weights.dtype)
    flat = arr.ravel()
    for value, weight in zip(flat, weights.ravel() if weights.size else np.ones(len(flat))):
        if value < size:
            out[value] += weights.dtype.type(weight)
    return out


def dense_bincount(input, size, weights, binary_output=False):
    if input.ndim == 2:
        parts = weights if weights.size else [weights[:0]] * len(input)
        return np.array(
            [dense_bincount(r, size, w, binary_output) for r, w in zip(input, parts, strict=True)]
        ).reshape(len(input), int(size))
    out = bincount(input, size, weights)
    if binary_output:
        present = np.isin(np.arange(int(size)), input)
        return present.astype(weights.dtype)
    return out


def bincount_cases(s):
    five = np.int64(5)
    return [
        case("counts", i32(1, 3, 1, 0, 4, 1), five, s(0)),
        case("weights", i32(1, 3, 1, 0), five, s(4)),
        case("beyond", i32(1, 9, 5, 0), five, s(4)),
    ]


_LOOSE = {"ulp": 2, "positional": False, "scale": lambda a, n, w, **_: np.sum(np.abs(w)) + 1}
add(
    "Bincount",
    ref=bincount,
    cases=lambda s: [*bincount_cases(s), case("matrix", i32(1, 3, 1, 0).reshape(2, 2), 4, s(2, 2))],
    edge=lambda s: [
        case("empty", i32(), np.int64(3), s(0)),
        case("no-bin", i32(0, 1), np.int64(0), s(0)),
    ],
    errors=(
        bad("negative", (i32(1, -1), np.int32(3), f32(0)), "InvalidArgumentError", "-1"),
        bad("size", (i32(1), np.int32(-2), f32(0)), "InvalidArgumentError", "-2"),
        bad("weights", (i32(1, 2), np.int32(3), f32(3)), "InvalidArgumentError", "[3]"),
    ),
    **_LOOSE,
    **NO_SLOPE,
)
add(
    "DenseBincount",
    ref=dense_bincount,
    cases=lambda s: [
        *bincount_cases(s),
        case("binary", i32(1, 3, 1, 0), np.int64(5), s(0), binary_output=True),
        case("rows", i32(1, 3, 1, 0, 7, 0).reshape(2, 3), np.int64(4), s(0)),
        case("row-weights", i32(1, 3, 1, 0).reshape(2, 2), np.int64(4), s(2, 2)),
        case("binary-rows", i32(1, 1, 0, 2).reshape(2, 2), np.int64(3), s(0), binary_output=True),
    ],
    edge=lambda s: [
        case("empty", i32(), np.int64(3), s(0)),
        case("no-bin", i32(0, 1), np.int64(0), s(0)),
        case("no-row", np.zeros((0, 2), np.int32), np.int64(3), s(0)),
    ],
    errors=(
        bad("negative", (i32(1, -1), np.int32(3), f32(0)), "InvalidArgumentError", "-1"),
        bad("size", (i32(1), np.int32(-2), f32(0)), "InvalidArgumentError", "-2"),
        bad("weights", (i32(1, 2), np.int32(3), f32(3)), "InvalidArgumentError", "[3]"),
    ),
    **_LOOSE,
    **NO_SLOPE,
)


def unique(x, axis, out_idx="int32"):
    """In the order of first appearance: values, index of each, and how many."""
    along = int(axis[0]) if len(axis) else 0
    rows = np.moveaxis(x, along, 0)
    seen, index = [], []
    for row in rows:
        match = [i for i, old in enumerate(seen) if np.array_equal(old, row)]
        index.append(match[0] if match else len(seen))
        if not match:
            seen.append(row)
    values = np.moveaxis(np.array(seen, x.dtype).reshape(len(seen), *rows.shape[1:]), 0, along)
    index = np.array(index, np.int64)
    return values, index, np.bincount(index, minlength=len(seen))


def unique_cases(s):
    low = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]])
    none = np.zeros(0, np.int64)
    return [
        case("vector", s(12, ints=(0, 4)), none),
        case("ties", s.cast([1, 0, 1, 1, 0]), none),
        case("rows", s.cast(low), np.array([0])),
        case("columns", s.cast(low), np.array([1])),
        case("wide", s.cast([1, 0, 1]), none, out_idx="int64"),
    ]


for _name, _count in (("UniqueV2", 2), ("UniqueWithCountsV2", 3)):
    add(
        _name,
        ref=lambda x, axis, out_idx="int32", count=_count: unique(x, axis)[:count],
        cases=unique_cases,
        edge=lambda s: [case("empty", s(0), np.zeros(0, np.int64))],
        errors=(
            bad("axis", (f32(2, 3), i32(2)), "InvalidArgumentError", "2"),
            bad("rank", (f32(2, 3), i32()), "InvalidArgumentError", "[2,3]"),
        ),
        **EXACT,
        **NO_SLOPE,
    )
