"""Ops that read or write parts of a tensor."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family

add = family(__name__)
EXACT = {"ulp": 0, "positional": False}
NO_SLOPE = {"grad": "none"}


def f32(*shape):
    return np.ones(shape, np.float32)


def ints(*values):
    return np.array(values, np.int64)


def i32(*values):
    return np.array(values, np.int32)


def slice_(x, begin, size):
    """A size of -1 takes the rest."""
    stop = [n if c < 0 else b + c for b, c, n in zip(begin, size, x.shape, strict=True)]
    return x[tuple(slice(int(b), int(e)) for b, e in zip(begin, stop, strict=True))]


add(
    "Slice",
    ref=slice_,
    **EXACT,
    cases=lambda s: [
        case("matrix", s(3, 4), ints(1, 0), ints(2, 3)),
        case("rest", s(3, 4), ints(0, 2), ints(-1, -1)),
        case("cube", s(2, 3, 4), ints(0, 1, 1), ints(2, 1, 3)),
    ],
    edge=lambda s: [
        case("rank0", s(), ints(), ints()),
        case("none", s(3), ints(1), ints(0)),
        case("end", s(3), ints(3), ints(-1)),
        case("empty", s(0), ints(0), ints(0)),
    ],
    errors=(
        bad("size", (f32(3), i32(1), i32(3)), "InvalidArgumentError", "3"),
        bad("begin", (f32(3), i32(-1), i32(1)), "InvalidArgumentError", "-1"),
        bad("rank", (f32(3, 2), i32(0), i32(1)), "InvalidArgumentError", "begin"),
    ),
)

# (x shape, Python index) pairs; the masks are worked out from the index.
NEW = None
INDICES = {
    "range": ((5,), (slice(1, 4),)),
    "step": ((7,), (slice(1, 6, 2),)),
    "back": ((5,), (slice(None, None, -1),)),
    "back-step": ((6,), (slice(4, 0, -2),)),
    "negative": ((5,), (slice(-3, -1),)),
    "beyond": ((4,), (slice(2, 99),)),
    "item": ((3, 4), (1,)),
    "last-item": ((3, 4), (slice(None), -1)),
    "scalar": ((3, 4), (2, 3)),
    "ellipsis": ((2, 3, 4), (Ellipsis, slice(0, 2))),
    "ellipsis-mid": ((2, 3, 4), (1, Ellipsis, slice(None, None, 2))),
    "new": ((2, 3), (slice(None), NEW, slice(1, 3))),
    "new-front": ((3,), (NEW, Ellipsis)),
    "new-back": ((2, 3), (Ellipsis, NEW)),
    "mixed": ((2, 3, 4), (NEW, 1, slice(None), slice(3, 0, -1))),
    "none": ((4,), (slice(3, 1),)),
}
EMPTY_INDICES = {
    "empty": ((0,), (slice(None),)),
    "empty3": ((3, 0, 2), (slice(0, 2), Ellipsis)),
    "rank0": ((), (Ellipsis,)),
    "rank0-new": ((), (NEW,)),
}


def strided(index):
    """begin, end, strides and the masks of a Python index."""
    begin, end, strides = [], [], []
    masks = {
        "begin_mask": 0,
        "end_mask": 0,
        "ellipsis_mask": 0,
        "new_axis_mask": 0,
        "shrink_axis_mask": 0,
    }
    for i, item in enumerate(index):
        entry = (0, 0, 1)
        if item is Ellipsis:
            masks["ellipsis_mask"] |= 1 << i
        elif item is None:
            masks["new_axis_mask"] |= 1 << i
        elif isinstance(item, slice):
            masks["begin_mask"] |= (item.start is None) << i
            masks["end_mask"] |= (item.stop is None) << i
            entry = (item.start or 0, item.stop or 0, item.step or 1)
        else:
            masks["shrink_axis_mask"] |= 1 << i
            entry = (item, item + 1, 1)
        for values, value in zip((begin, end, strides), entry, strict=True):
            values.append(value)
    return np.array(begin), np.array(end), np.array(strides), masks


def index_of(begin, end, strides, masks):
    """The Python index again."""
    found = []
    for i, (b, e, d) in enumerate(zip(begin, end, strides, strict=True)):
        bit = {name: mask >> i & 1 for name, mask in masks.items()}
        if bit["ellipsis_mask"]:
            found.append(Ellipsis)
        elif bit["new_axis_mask"]:
            found.append(None)
        elif bit["shrink_axis_mask"]:
            found.append(int(b))
        else:
            found.append(
                slice(
                    None if bit["begin_mask"] else int(b),
                    None if bit["end_mask"] else int(e),
                    int(d),
                )
            )
    return tuple(found)


def strided_slice(x, begin, end, strides, **masks):
    return np.asarray(x[index_of(begin, end, strides, masks)])


def strided_cases(indices):
    def cases(s):
        found = []
        for name, (shape, index) in indices.items():
            begin, end, strides, masks = strided(index)
            found.append(case(name, s(*shape), begin, end, strides, **masks))
        return found

    return cases


def strided_grad_cases(indices):
    def cases(s):
        found = []
        for name, (shape, index) in indices.items():
            begin, end, strides, masks = strided(index)
            dy = s(*np.zeros(shape)[index].shape)
            found.append(case(name, np.array(shape, np.int64), begin, end, strides, dy, **masks))
        return found

    return cases


def strided_slice_grad(shape, begin, end, strides, dy, **masks):
    out = np.zeros(tuple(shape), dy.dtype)
    out[index_of(begin, end, strides, masks)] = dy
    return out


add(
    "StridedSlice",
    ref=strided_slice,
    cases=strided_cases(INDICES),
    **EXACT,
    edge=strided_cases(EMPTY_INDICES),
    errors=(
        bad(
            "item",
            (f32(3), i32(3), i32(4), i32(1)),
            "InvalidArgumentError",
            "3",
            shrink_axis_mask=1,
        ),
        bad("zero", (f32(3), i32(0), i32(3), i32(0)), "InvalidArgumentError", "strides"),
        bad("rank", (f32(3), i32(0, 0), i32(1, 1), i32(1, 1)), "InvalidArgumentError", "2"),
        bad("lengths", (f32(3), i32(0), i32(1, 1), i32(1)), "InvalidArgumentError", "end"),
    ),
)
add(
    "StridedSliceGrad",
    ref=strided_slice_grad,
    cases=strided_grad_cases(INDICES),
    **EXACT,
    edge=strided_grad_cases(EMPTY_INDICES),
    errors=(bad("dy", (i32(5), i32(1), i32(4), i32(1), f32(2)), "InvalidArgumentError", "[2]"),),
)


def gather(params, indices, axis, batch_dims=0):
    """Element by element: params[batch, outer, indices[batch, i], inner]."""
    axis = int(axis) + (params.ndim if axis < 0 else 0)
    if batch_dims == 0:
        return np.take(params, indices, axis)
    return np.stack(
        [
            gather(params[i], indices[i], np.int64(axis - 1), batch_dims - 1)
            for i in range(params.shape[0])
        ]
    )


def at(axis):
    return np.int64(axis)


add(
    "GatherV2",
    main="Tparams",
    ref=gather,
    **EXACT,
    cases=lambda s: [
        case("rows", s(4, 2), ints(3, 0, 3), at(0)),
        case("columns", s(2, 4), ints(1, 1), at(-1)),
        case("scalar", s(4, 2), ints(2)[0], at(0)),
        case("matrix", s(5), ints(0, 4, 2, 2).reshape(2, 2), at(0)),
        case("middle", s(2, 3, 2), ints(2, 0), at(1)),
        case("batch", s(2, 3), ints(2, 0, 1, 1).reshape(2, 2), at(1), batch_dims=1),
    ],
    edge=lambda s: [
        case("no-index", s(3), ints(), at(0)),
        case("empty-row", s(3, 0), ints(1), at(0)),
        case("empty-both", s(0), ints(), at(0)),
    ],
    errors=(
        bad("index", (f32(5), i32(0, 7), np.int32(0)), "InvalidArgumentError", "7"),
        bad("negative", (f32(5), i32(-1), np.int32(0)), "InvalidArgumentError", "-1"),
        bad("axis", (f32(5), i32(0), np.int32(1)), "InvalidArgumentError", "1"),
        bad("rank0", (f32(), i32(0), np.int32(0)), "InvalidArgumentError", "params"),
    ),
)
add(
    "Gather",
    main="Tparams",
    ref=lambda x, i, validate_indices=True: np.take(x, i, 0),
    **EXACT,
    cases=lambda s: [case("rows", s(4, 2), ints(3, 0, 3))],
    edge=lambda s: [case("no-index", s(3), ints())],
    errors=(bad("index", (f32(5), i32(0, 7)), "InvalidArgumentError", "7"),),
)


def places(indices):
    """Each index vector with its position."""
    for place in np.ndindex(indices.shape[:-1]):
        yield place, tuple(int(i) for i in indices[place])


def gather_nd(params, indices):
    depth = indices.shape[-1]
    out = np.empty(indices.shape[:-1] + params.shape[depth:], params.dtype)
    for place, index in places(indices):
        out[place] = params[index]
    return out


ND = ints(1, 0, 0, 2, 1, 1).reshape(3, 2)
ROWS_OF = ints(2, 0).reshape(2, 1)
TWICE = ints(1, 3, 1).reshape(3, 1)
add(
    "GatherNd",
    main="Tparams",
    ref=gather_nd,
    **EXACT,
    cases=lambda s: [
        case("items", s(2, 3), ND),
        case("rows", s(3, 2), ROWS_OF),
        case("blocks", s(2, 3, 2), ND),
        case("one", s(2, 3), ints(1, 2)),
        case("twice", s(4), TWICE),
    ],
    # TensorFlow's own rule fails for the single index "one".
    grad_cases=lambda s: [
        case("items", s(2, 3), ND),
        case("rows", s(3, 2), ROWS_OF),
        case("blocks", s(2, 3, 2), ND),
        case("twice", s(4), TWICE),
    ],
    edge=lambda s: [
        case("no-index", s(3), np.zeros((0, 1), int)),
        case("whole", s(2, 2), np.zeros((1, 0), int)),
    ],
    errors=(
        bad("index", (f32(2, 3), i32(1, 3)), "InvalidArgumentError", "3"),
        bad("deep", (f32(2), i32(0, 0)), "InvalidArgumentError", "indices"),
    ),
)


def scatter(start, step):
    """One update after another."""

    def ref(tensor, indices, updates):
        out = np.array(tensor)
        for place, index in places(indices):
            out[index] = step(out[index], updates[place])
        return out

    return ref


def scatter_nd(indices, updates, shape):
    return scatter(None, np.add)(np.zeros(tuple(shape), updates.dtype), indices, updates)


def scatter_nd_magnitude(indices, updates, shape):
    return scatter_nd(indices, np.abs(updates), shape)


add(
    "ScatterNd",
    ref=scatter_nd,
    scale=scatter_nd_magnitude,
    ulp=2,
    positional=False,
    cases=lambda s: [
        case("items", ND, s(3), ints(2, 3)),
        case("rows", ROWS_OF, s(2, 2), ints(3, 2)),
        case("twice", TWICE, s(3), ints(4)),
    ],
    edge=lambda s: [
        case("no-index", np.zeros((0, 1), int), s(0), ints(3)),
        case("empty", np.zeros((0, 1), int), s(0, 2), ints(0, 2)),
    ],
    errors=(
        bad("index", (i32(4).reshape(1, 1), f32(1), i32(4)), "InvalidArgumentError", "4"),
        bad("updates", (i32(1).reshape(1, 1), f32(2), i32(4)), "InvalidArgumentError", "[2]"),
    ),
)

_SCATTERS = {
    "TensorScatterUpdate": lambda old, new: new,
    "TensorScatterAdd": np.add,
    "TensorScatterSub": np.subtract,
    "TensorScatterMin": np.minimum,
    "TensorScatterMax": np.maximum,
}


def scatter_cases(repeat):
    """Repeated indices only where their order does not matter."""

    def cases(s):
        base = s.distinct(10)
        found = [
            case("items", base[:6].reshape(2, 3), ND, base[[9, 0, 8]]),
            case("rows", base[:6].reshape(3, 2), ROWS_OF, base[6:].reshape(2, 2)),
        ]
        return found + ([case("twice", base[:4], TWICE, base[4:7])] if repeat else [])

    return cases


for _name, _step in _SCATTERS.items():
    add(
        _name,
        ref=scatter(None, _step),
        cases=scatter_cases(_name != "TensorScatterUpdate"),
        ulp=2,
        positional=False,
        edge=lambda s: [
            case("no-index", s(3), np.zeros((0, 1), int), s(0)),
            case("empty", s(0, 2), np.zeros((0, 1), int), s(0, 2)),
        ],
        errors=(
            bad("index", (f32(4), i32(4).reshape(1, 1), f32(1)), "InvalidArgumentError", "4"),
            bad("negative", (f32(4), i32(-1).reshape(1, 1), f32(1)), "InvalidArgumentError", "-1"),
            bad("updates", (f32(4), i32(1).reshape(1, 1), f32(2)), "InvalidArgumentError", "[2]"),
        ),
    )


def where_cases(s):
    values = s(3, 4)
    return [
        case("matrix", np.where(s.rng.integers(0, 2, (3, 4)) > 0, values, s.cast(0))),
        case("cube", s(2, 2, 3)),
        case("vector", s.cast([0, 1, 0, 2])),
    ]


add(
    "Where",
    ref=np.argwhere,
    cases=where_cases,
    **EXACT,
    **NO_SLOPE,
    without={"float16": "TensorFlow registers it and then refuses it at run time"},
    errors=(bad("rank", (f32(),), "InvalidArgumentError", "[]"),),
    edge=lambda s: [case("empty", s(0)), case("none", s.cast([0, 0])), case("empty3", s(3, 0, 2))],
)


def unique(x, out_idx="int32"):
    """In the order of first appearance."""
    values, where = [], []
    for item in x:
        if item not in values:
            values.append(item)
        where.append(values.index(item))
    return [np.array(values, x.dtype), np.array(where, out_idx)]


def unique_counts(x, out_idx="int32"):
    values, where = unique(x, out_idx)
    return [values, where, np.bincount(where, minlength=len(values)).astype(out_idx)]


_REPEATS = (3, 1, 3, 2, 1, 7)


def unique_cases(s):
    if s.kind == "b":
        return [case("bools", np.array([True, False, True]))]
    return [case("six", s.cast(_REPEATS)), case("long", s.cast(_REPEATS), out_idx="int64")]


add(
    "Unique",
    ref=unique,
    cases=unique_cases,
    **EXACT,
    **NO_SLOPE,
    edge=lambda s: [case("empty", s(0)), case("one", s(1))],
    errors=(bad("rank", (f32(2, 3),), "InvalidArgumentError", "[2,3]"),),
)
add(
    "UniqueWithCounts",
    ref=unique_counts,
    cases=unique_cases,
    **EXACT,
    **NO_SLOPE,
    edge=lambda s: [case("empty", s(0))],
)


def segment(step, start):
    """Negative ids are dropped; a segment without data keeps the identity."""

    def ref(data, segment_ids, num_segments):
        inner = data.shape[segment_ids.ndim :]
        out = np.full((int(num_segments), *inner), start(data), data.dtype)
        for place in np.ndindex(segment_ids.shape):
            if segment_ids[place] >= 0:
                out[segment_ids[place]] = step(out[segment_ids[place]], data[place])
        return out

    return ref


def lowest(x):
    return np.finfo(x.dtype).min if x.dtype.kind == "f" else np.iinfo(x.dtype).min


def highest(x):
    return np.finfo(x.dtype).max if x.dtype.kind == "f" else np.iinfo(x.dtype).max


def full_segments(s):
    """Every segment has data: the empty ones' values depend on the dtype."""
    return [
        case("vector", s.distinct(5), ints(1, 0, 1, 2, 0), np.int64(3)),
        case("rows", s.distinct(3, 2), ints(1, 0, 1), np.int64(2)),
    ]


def segment_cases(s):
    return [
        case("vector", s(5), ints(2, 0, 2, -1, 0), np.int64(4)),
        case("rows", s(3, 2), ints(1, 0, 1), np.int64(2)),
        case("matrix-ids", s(2, 2, 2), ints(0, 1, 2, 0).reshape(2, 2), np.int64(3)),
    ]


_SEGMENT_ERRORS = (
    bad("id", (f32(2), i32(0, 5), np.int32(3)), "InvalidArgumentError", "5"),
    bad("shape", (f32(2), i32(0, 1, 2), np.int32(3)), "InvalidArgumentError", "[3]"),
    bad("num", (f32(2), i32(0, 1), np.int32(-1)), "InvalidArgumentError", "-1"),
)


def segment_edge(s):
    return [
        case("empty", s(0), ints(), np.int64(0)),
        case("no-segment", s(0, 2), ints(), np.int64(0)),
    ]


add(
    "UnsortedSegmentSum",
    ref=segment(np.add, lambda x: 0),
    cases=segment_cases,
    ulp=2,
    scale=lambda d, i, n: np.sum(np.abs(d)),
    positional=False,
    errors=_SEGMENT_ERRORS,
    edge=lambda s: [*segment_edge(s), case("no-data", s(0), ints(), np.int64(2))],
)
for _name, _step, _start in (("Max", np.maximum, lowest), ("Min", np.minimum, highest)):
    add(
        f"UnsortedSegment{_name}",
        ref=segment(_step, _start),
        cases=full_segments,
        ulp=0,
        positional=False,
        errors=_SEGMENT_ERRORS[:2],
        edge=segment_edge,
    )
