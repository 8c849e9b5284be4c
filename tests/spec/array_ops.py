"""Ops that change shapes, build tensors, or read their shapes."""

from __future__ import annotations

import numpy as np

from tests.spec.table import ALL_DTYPES, bad, case, family, numpy_dtype

add = family(__name__)
EXACT = {"ulp": 0, "positional": False}
NO_SLOPE = {"grad": "none"}
NO_FLOAT = {"grad": "skip", "grad_why": "no float input"}


def f32(*shape):
    return np.ones(shape, np.float32)


def ints(*values):
    return np.array(values, np.int64)


def i32(*values):
    return np.array(values, np.int32)


def per_shape(*shapes):
    """One case per shape of a single input."""
    return lambda s: [case(str(list(shape)).replace(" ", ""), s(*shape)) for shape in shapes]


def single(name, ref, **fields):
    """An op of one tensor, of any shape."""
    add(
        name,
        ref=ref,
        cases=per_shape((2, 3), (4,), (2, 1, 3)),
        edge=per_shape((), (0,), (3, 0, 2)),
        **{**EXACT, **fields},
    )


# Shapes changed, values kept.
add(
    "Reshape",
    ref=lambda x, shape: np.reshape(x, tuple(shape)),
    **EXACT,
    cases=lambda s: [
        case("split", s(6), ints(2, 3)),
        case("guess", s(2, 3, 2), ints(4, -1)),
        case("flat", s(2, 3), ints(-1)),
        case("ones", s(4), ints(1, 4, 1)),
    ],
    edge=lambda s: [
        case("rank0", s(), ints(1, 1)),
        case("to-rank0", s(1), ints()),
        case("empty", s(0), ints(3, 0)),
        case("empty-guess", s(3, 0, 2), ints(2, -1)),
    ],
    errors=(
        bad("size", (f32(6), i32(4, 2)), "InvalidArgumentError", "[4,2]"),
        bad("guess", (f32(6), i32(4, -1)), "InvalidArgumentError", "4"),
        bad("two", (f32(6), i32(-1, -1)), "InvalidArgumentError", "shape"),
        bad("negative", (f32(6), i32(-6, -1)), "InvalidArgumentError", "-6"),
    ),
)
add(
    "ExpandDims",
    ref=lambda x, axis: np.expand_dims(x, int(axis)),
    **EXACT,
    cases=lambda s: [
        case("front", s(2, 3), ints(0)[0]),
        case("back", s(2, 3), ints(-1)[0]),
        case("middle", s(2, 3), ints(1)[0]),
    ],
    edge=lambda s: [case("rank0", s(), ints(0)[0]), case("empty", s(0), ints(1)[0])],
    errors=(
        bad("axis", (f32(2), np.int32(3)), "InvalidArgumentError", "3"),
        bad("low", (f32(2), np.int32(-3)), "InvalidArgumentError", "-3"),
    ),
)


def squeeze(x, axis=()):
    return np.squeeze(x, tuple(axis) if axis else None)


add(
    "Squeeze",
    ref=squeeze,
    **EXACT,
    cases=lambda s: [
        case("all", s(1, 2, 1, 3)),
        case("first", s(1, 2, 1), axis=[0]),
        case("negative", s(1, 2, 1), axis=[-1]),
        case("none", s(2, 3)),
    ],
    edge=lambda s: [case("rank0", s()), case("one", s(1)), case("empty", s(1, 0, 1))],
    errors=(
        bad("size", (f32(2, 3),), "InvalidArgumentError", "3", axis=[1]),
        bad("axis", (f32(1, 3),), "InvalidArgumentError", "2", axis=[2]),
    ),
)
add(
    "EnsureShape",
    ref=lambda x, shape: x,
    **EXACT,
    cases=lambda s: [case("whole", s(2, 3), shape=[2, 3]), case("open", s(2, 3), shape=[-1, 3])],
    edge=lambda s: [case("rank0", s(), shape=[]), case("empty", s(0), shape=[-1])],
    errors=(bad("size", (f32(2, 3),), "InvalidArgumentError", "[2,3]", shape=[2, 4]),),
)
single("Identity", lambda x: x)
single("StopGradient", lambda x: x, grad="none")
add(
    "PreventGradient",
    ref=lambda x, message="": x,
    cases=per_shape((2, 3)),
    **EXACT,
    edge=per_shape((), (0,)),
    grad="skip",
    grad_why="its gradient is an error, by design",
)
add(
    "IdentityN",
    ref=lambda xs: xs,
    cases=lambda s: [case("two", [s(2, 3), s(4)])],
    **EXACT,
    edge=lambda s: [case("rank0", [s(), s(0)])],
)

# Axes moved and joined.


def perm_cases(s):
    return [
        case("matrix", s(2, 3), ints(1, 0)),
        case("cube", s(2, 3, 4), ints(2, 0, 1)),
        case("same", s(2, 3), ints(0, 1)),
        case("rank4", s(2, 1, 3, 2), ints(3, 1, 0, 2)),
        case("last", s(2, 3, 4), ints(0, 2, 1)),
        case("big", s(17, 33), ints(1, 0)),
    ]


_PERM = dict(
    cases=perm_cases,
    **EXACT,
    edge=lambda s: [
        case("rank0", s(), ints()),
        case("vector", s(3), ints(0)),
        case("empty", s(3, 0, 2), ints(2, 1, 0)),
    ],
    errors=(
        bad("length", (f32(2, 3), i32(0)), "InvalidArgumentError", "perm"),
        bad("range", (f32(2, 3), i32(0, 2)), "InvalidArgumentError", "2"),
        bad("twice", (f32(2, 3), i32(0, 0)), "InvalidArgumentError", "perm"),
    ),
)
add("Transpose", ref=lambda x, perm: np.transpose(x, perm), **_PERM)
add(
    "ConjugateTranspose",
    ref=lambda x, perm: (
        np.conj(np.transpose(x, perm)) if x.dtype.kind == "c" else np.transpose(x, perm)
    ),
    **_PERM,
)
add(
    "ConcatV2",
    ref=lambda values, axis: np.concatenate(values, int(axis)),
    **EXACT,
    cases=lambda s: [
        case("rows", [s(2, 3), s(1, 3)], ints(0)[0]),
        case("columns", [s(2, 3), s(2, 1), s(2, 2)], ints(-1)[0]),
        case("middle", [s(2, 1, 2), s(2, 3, 2)], ints(1)[0]),
    ],
    edge=lambda s: [
        case("empty", [s(0), s(3)], ints(0)[0]),
        case("all-empty", [s(3, 0), s(3, 0)], ints(0)[0]),
    ],
    errors=(
        bad("rank", ([f32(2, 3), f32(3)], np.int32(0)), "InvalidArgumentError", "[3]"),
        bad("shape", ([f32(2, 3), f32(2, 4)], np.int32(0)), "InvalidArgumentError", "[2,4]"),
        bad("axis", ([f32(2), f32(3)], np.int32(1)), "InvalidArgumentError", "1"),
        bad("scalar", ([f32(), f32()], np.int32(0)), "InvalidArgumentError", "axis"),
    ),
)


def concat_offset(concat_dim, shape):
    ends = np.cumsum([0] + [sizes[int(concat_dim)] for sizes in shape[:-1]])
    found = []
    for end in ends:
        offset = np.zeros_like(shape[0])
        offset[int(concat_dim)] = end
        found.append(offset)
    return found


add(
    "ConcatOffset",
    ref=concat_offset,
    main="shape_type",
    **EXACT,
    **NO_FLOAT,
    edge_why="shapes are vectors",
    cases=lambda s: [case("two", np.int32(1), [i32(2, 3), i32(2, 5), i32(2, 1)])],
)
add(
    "Pack",
    ref=lambda values, axis=0: np.stack(values, axis),
    **EXACT,
    cases=lambda s: [
        case("rows", [s(3), s(3)]),
        case("last", [s(2, 3), s(2, 3)], axis=-1),
        case("middle", [s(2, 3), s(2, 3), s(2, 3)], axis=1),
    ],
    edge=lambda s: [case("rank0", [s(), s(), s()]), case("empty", [s(0), s(0)])],
    errors=(
        bad("shape", ([f32(2), f32(3)],), "InvalidArgumentError", "[3]"),
        bad("axis", ([f32(2), f32(2)],), "InvalidArgumentError", "2", axis=2),
    ),
)


def unpack(x, num, axis=0):
    return [np.take(x, i, axis) for i in range(num)]


add(
    "Unpack",
    ref=unpack,
    **EXACT,
    cases=lambda s: [case("rows", s(2, 3), num=2), case("last", s(2, 3), num=3, axis=-1)],
    edge=lambda s: [case("vector", s(3), num=3), case("empty", s(2, 0), num=2)],
    errors=(
        bad("num", (f32(2, 3),), "InvalidArgumentError", "3", num=3),
        bad("axis", (f32(2, 3),), "InvalidArgumentError", "2", num=2, axis=2),
    ),
)
add(
    "Split",
    ref=lambda axis, value, num_split: np.split(value, num_split, int(axis)),
    **EXACT,
    cases=lambda s: [
        case("rows", np.int32(0), s(4, 3), num_split=2),
        case("last", np.int32(-1), s(2, 6), num_split=3),
    ],
    edge=lambda s: [
        case("one", np.int32(0), s(3), num_split=1),
        case("empty", np.int32(0), s(0, 2), num_split=2),
    ],
    errors=(
        bad("uneven", (np.int32(0), f32(3, 2)), "InvalidArgumentError", "3", num_split=2),
        bad("axis", (np.int32(2), f32(3, 2)), "InvalidArgumentError", "2", num_split=1),
    ),
)


def split_v(value, size_splits, axis, num_split):
    sizes = [int(n) for n in size_splits]
    rest = value.shape[int(axis)] - sum(n for n in sizes if n >= 0)
    sizes = [rest if n < 0 else n for n in sizes]
    return np.split(value, np.cumsum(sizes)[:-1], int(axis))


add(
    "SplitV",
    ref=split_v,
    **EXACT,
    cases=lambda s: [
        case("rows", s(4, 2), ints(1, 3), np.int32(0), num_split=2),
        case("guess", s(2, 6), ints(2, -1, 1), np.int32(1), num_split=3),
    ],
    edge=lambda s: [
        case("zero", s(3), ints(0, 3), np.int32(0), num_split=2),
        case("empty", s(0), ints(0, 0), np.int32(0), num_split=2),
    ],
    errors=(
        bad(
            "sum",
            (f32(4), np.array([1, 2]), np.int32(0)),
            "InvalidArgumentError",
            "size_splits",
            num_split=2,
        ),
    ),
)
add(
    "ReverseV2",
    ref=lambda x, axis: np.flip(x, tuple(int(a) for a in axis)),
    **EXACT,
    cases=lambda s: [
        case("first", s(3, 2), ints(0)),
        case("both", s(2, 3), ints(-1, 0)),
        case("none", s(2, 3), ints()),
        case("middle", s(2, 3, 2), ints(1)),
    ],
    edge=lambda s: [case("rank0", s(), ints()), case("empty", s(3, 0), ints(1))],
    errors=(
        bad("axis", (f32(2), i32(1)), "InvalidArgumentError", "1"),
        bad("twice", (f32(2, 3), i32(0, 0)), "InvalidArgumentError", "axis"),
    ),
)

# Values repeated and padded.
add(
    "Tile",
    ref=lambda x, multiples: np.tile(x, tuple(multiples)),
    **EXACT,
    without={"uint16": "TensorFlow registers it and then refuses it at run time"},
    cases=lambda s: [
        case("rows", s(2, 3), ints(2, 1)),
        case("both", s(2, 2), ints(2, 3)),
        case("vector", s(3), ints(2)),
    ],
    edge=lambda s: [
        case("rank0", s(), ints()),
        case("zero", s(2, 3), ints(0, 2)),
        case("empty", s(0), ints(3)),
    ],
    errors=(
        bad("length", (f32(2, 3), i32(2)), "InvalidArgumentError", "multiples"),
        bad("negative", (f32(2), i32(-1)), "InvalidArgumentError", "-1"),
    ),
)
add(
    "BroadcastTo",
    ref=lambda x, shape: np.broadcast_to(x, tuple(shape)),
    **EXACT,
    cases=lambda s: [
        case("rows", s(3), ints(2, 3)),
        case("column", s(2, 1), ints(2, 3)),
        case("cube", s(2, 1, 2), ints(2, 3, 2)),
    ],
    edge=lambda s: [
        case("rank0", s(), ints(2, 2)),
        case("same", s(), ints()),
        case("empty", s(1), ints(0)),
    ],
    errors=(
        bad("size", (f32(2), i32(3)), "InvalidArgumentError", "[3]"),
        bad("rank", (f32(2, 3), i32(3)), "InvalidArgumentError", "[2,3]"),
    ),
)


def pad(x, paddings, constant_values=0):
    if x.ndim == 0:
        return x
    return np.pad(
        x,
        np.asarray(paddings, int).reshape(-1, 2),
        constant_values=np.asarray(constant_values).item(),
    )


PAIRS = np.array([[1, 2], [0, 1]], np.int64)
_PAD_ERRORS = (
    bad("rows", (f32(2, 3), i32(1, 1).reshape(1, 2)), "InvalidArgumentError", "paddings"),
    bad("negative", (f32(2), np.array([[-1, 0]], np.int32)), "InvalidArgumentError", "-1"),
)
add(
    "Pad",
    ref=pad,
    **EXACT,
    errors=_PAD_ERRORS,
    cases=lambda s: [
        case("matrix", s(2, 3), PAIRS),
        case("none", s(2, 3), PAIRS * 0),
        case("cube", s(2, 2, 1), np.array([[0, 1], [2, 0], [1, 1]])),
    ],
    edge=lambda s: [
        case("rank0", s(), np.zeros((0, 2), int)),
        case("empty", s(0), np.array([[1, 1]])),
        case("empty3", s(3, 0), np.array([[0, 0], [0, 0]])),
    ],
)
add(
    "PadV2",
    ref=pad,
    **EXACT,
    grad_inputs=(0,),  # the constant gets no gradient in TensorFlow
    cases=lambda s: [case("matrix", s(2, 3), PAIRS, s()), case("vector", s(3), PAIRS[:1], s())],
    edge=lambda s: [
        case("rank0", s(), np.zeros((0, 2), int), s()),
        case("empty", s(0), np.array([[1, 1]]), s()),
    ],
)


def mirror_pad(x, paddings, mode):
    pairs = [tuple(map(int, row)) for row in paddings]
    return np.pad(x, pairs, mode=mode.lower())


def mirror_pad_grad(dy, paddings, mode):
    """Each padded element adds to the one that it copies."""
    pairs = [tuple(map(int, row)) for row in paddings]
    shape = [n - before - after for n, (before, after) in zip(dy.shape, pairs, strict=True)]
    where = np.pad(np.arange(int(np.prod(shape))).reshape(shape), pairs, mode=mode.lower())
    out = np.zeros(int(np.prod(shape)), dy.dtype)
    np.add.at(out, where.ravel(), dy.ravel())
    return out.reshape(shape)


def mirror_cases(*shapes):
    def cases(s):
        found = []
        for mode in ("REFLECT", "SYMMETRIC"):
            for shape in shapes:
                pairs = np.array([[1, 2], [0, 1], [1, 1]])[: len(shape)]
                found.append(
                    case(f"{list(shape)}{mode}".replace(" ", ""), s(*shape), pairs, mode=mode)
                )
        return found

    return cases


add(
    "MirrorPad",
    ref=mirror_pad,
    cases=mirror_cases((3, 2), (4,), (3, 2, 2)),
    **EXACT,
    edge=lambda s: [case("none", s(2), np.array([[0, 0]]), mode="REFLECT")],
    errors=(
        bad(
            "far",
            (f32(3), np.array([[3, 0]], np.int32)),
            "InvalidArgumentError",
            "3",
            mode="REFLECT",
        ),
        bad(
            "farther",
            (f32(3), np.array([[4, 0]], np.int32)),
            "InvalidArgumentError",
            "4",
            mode="SYMMETRIC",
        ),
    ),
)
add(
    "MirrorPadGrad",
    ref=mirror_pad_grad,
    cases=mirror_cases((6, 3), (7,)),
    **{**EXACT, "ulp": 2},
    edge=lambda s: [case("none", s(2), np.array([[0, 0]]), mode="REFLECT")],
)

# Tensors built.
add(
    "Fill",
    ref=lambda dims, value: np.full(tuple(dims), value),
    **EXACT,
    cases=lambda s: [case("matrix", ints(2, 3), s()), case("vector", ints(5), s())],
    edge=lambda s: [case("rank0", ints(), s()), case("empty", ints(3, 0), s())],
    errors=(
        bad("negative", (i32(2, -1), np.float32(1)), "InvalidArgumentError", "-1"),
        bad("rank", (i32(2).reshape(1, 1), np.float32(1)), "InvalidArgumentError", "dims"),
    ),
)


def range_cases(s):
    found = [
        case("up", s.cast(0), s.cast(7), s.cast(2)),
        case("one", s.cast(3), s.cast(4), s.cast(1)),
        case("past", s.cast(1), s.cast(6), s.cast(10)),
    ]
    if s.kind != "u":
        found.append(case("down", s.cast(5), s.cast(-3), s.cast(-2)))
    if s.kind == "f":
        found.append(case("quarter", s.cast(0), s.cast(1.5), s.cast(0.25)))
    return found


add(
    "Range",
    main="Tidx",
    ref=lambda a, b, d: np.arange(a, b, d, dtype=a.dtype),
    cases=range_cases,
    **EXACT,
    **NO_SLOPE,
    edge=lambda s: [case("empty", s.cast(3), s.cast(3), s.cast(1))],
    errors=(
        bad("delta", (np.int32(0), np.int32(3), np.int32(0)), "InvalidArgumentError", "delta"),
        bad("sign", (np.int32(0), np.int32(3), np.int32(-1)), "InvalidArgumentError", "-1"),
        bad("rank", (i32(0, 1), np.int32(3), np.int32(1)), "InvalidArgumentError", "start"),
    ),
)
add(
    "LinSpace",
    ref=lambda a, b, n: np.linspace(a, b, int(n)),
    **NO_SLOPE,
    positional=False,
    ulp=2,
    scale=lambda a, b, n: np.maximum(np.abs(a), np.abs(b)),
    cases=lambda s: [
        case("five", s.cast(0), s.cast(1), ints(5)[0]),
        case("down", s.cast(2.5), s.cast(-1), ints(7)[0]),
    ],
    edge=lambda s: [case("one", s.cast(2), s.cast(3), ints(1)[0])],
    errors=(
        bad("num", (np.float32(0), np.float32(1), np.int32(0)), "InvalidArgumentError", "num"),
    ),
)
for _name, _value in {"ZerosLike": 0, "OnesLike": 1}.items():
    single(_name, lambda x, value=_value: np.full(x.shape, value, x.dtype), **NO_SLOPE)


def one_hot(indices, depth, on_value, off_value, axis=-1):
    """An index out of range has no hot element."""
    out = np.full((*indices.shape, int(depth)), off_value)
    for place in np.ndindex(indices.shape):
        if 0 <= indices[place] < depth:
            out[(*place, int(indices[place]))] = on_value
    return np.moveaxis(out, -1, axis)


add(
    "OneHot",
    ref=one_hot,
    **EXACT,
    **NO_SLOPE,
    cases=lambda s: [
        case("vector", ints(0, 2, 1), np.int32(3), s.cast(1), s.cast(0)),
        case("outside", ints(0, 5, 9), np.int32(3), s.cast(1), s.cast(0)),
        case("first", ints(1, 2), np.int32(4), s.cast(1), s.cast(0), axis=0),
        case("middle", ints(1, 0, 2, 2).reshape(2, 2), np.int32(3), s.cast(1), s.cast(0), axis=1),
    ],
    edge=lambda s: [
        case("rank0", ints(1)[0], np.int32(3), s.cast(1), s.cast(0)),
        case("empty", ints(), np.int32(3), s.cast(1), s.cast(0)),
        case("depth0", ints(1, 2), np.int32(0), s.cast(1), s.cast(0)),
    ],
    errors=(
        bad(
            "depth",
            (i32(0).astype(np.int64), np.int32(-1), np.float32(1), np.float32(0)),
            "InvalidArgumentError",
            "-1",
        ),
        bad(
            "axis",
            (np.zeros(2, np.int64), np.int32(3), np.float32(1), np.float32(0)),
            "InvalidArgumentError",
            "3",
            axis=3,
        ),
    ),
)


def diag(x):
    out = np.zeros((x.size, x.size), x.dtype)
    np.fill_diagonal(out, x.ravel())
    return out.reshape(x.shape + x.shape)


def diag_part(x):
    half = x.shape[: x.ndim // 2]
    size = int(np.prod(half))
    return np.diagonal(x.reshape(size, size)).reshape(half)


def matrix_diag(x):
    return np.where(np.eye(x.shape[-1], dtype=bool), x[..., None], np.zeros((), x.dtype))


def matrix_diag_part(x):
    return np.diagonal(x, axis1=-2, axis2=-1)


add("Diag", ref=diag, cases=per_shape((3,), (2, 2)), edge=per_shape((0,), (1,)), **EXACT)
add(
    "DiagPart",
    ref=diag_part,
    cases=per_shape((3, 3), (2, 2, 2, 2)),
    edge=per_shape((0, 0)),
    **EXACT,
    errors=(
        bad("square", (f32(2, 3),), "InvalidArgumentError", "[2,3]"),
        bad("odd", (f32(2, 2, 2),), "InvalidArgumentError", "[2,2,2]"),
    ),
)
add(
    "MatrixDiag",
    ref=matrix_diag,
    cases=per_shape((3,), (2, 3)),
    edge=per_shape((0,), (0, 2)),
    **EXACT,
)
add(
    "MatrixDiagPart",
    ref=matrix_diag_part,
    cases=per_shape((3, 3), (2, 2, 3), (3, 2)),
    edge=per_shape((0, 0), (0, 2, 2)),
    **EXACT,
)


def diagonals(k):
    low, high = (int(k[0]), int(k[-1])) if np.ndim(k) else (int(k), int(k))
    return range(high, low - 1, -1)


def offset_of(d, rows, columns, longest, align):
    """Where diagonal `d` starts in its row of the packed form."""
    length = min(rows + min(d, 0), columns - max(d, 0))
    right = (align.split("_")[0] if d >= 0 else align.split("_")[1]) == "RIGHT"
    if d == 0:
        right = longest != length and align.split("_")[0] == "RIGHT"
    return (longest - length if right else 0), length


def matrix_diag_part_v3(x, k, padding_value, align="RIGHT_LEFT"):
    rows, columns = x.shape[-2:]
    wanted = list(diagonals(k))
    longest = max(min(rows + min(d, 0), columns - max(d, 0)) for d in wanted)
    out = np.full((*x.shape[:-2], len(wanted), longest), padding_value, x.dtype)
    for row, d in enumerate(wanted):
        start, length = offset_of(d, rows, columns, longest, align)
        out[..., row, start : start + length] = np.diagonal(x, d, -2, -1)
    return out if len(wanted) > 1 else out[..., 0, :]


def set_diagonals(out, diagonal, k, align):
    rows, columns = out.shape[-2:]
    wanted = list(diagonals(k))
    packed = diagonal if len(wanted) > 1 else diagonal[..., None, :]
    for row, d in enumerate(wanted):
        start, length = offset_of(d, rows, columns, packed.shape[-1], align)
        for i in range(length):
            out[..., i - min(d, 0), i + max(d, 0)] = packed[..., row, start + i]
    return out


def matrix_diag_v3(diagonal, k, num_rows, num_cols, padding_value, align="RIGHT_LEFT"):
    wanted = list(diagonals(k))
    longest = diagonal.shape[-1]
    rows = int(num_rows) if num_rows >= 0 else longest - min(wanted[0], 0)
    columns = int(num_cols) if num_cols >= 0 else longest + max(wanted[-1], 0)
    if num_rows < 0 and num_cols < 0:
        rows = columns = max(rows, columns)
    outer = diagonal.shape[: -2 if len(wanted) > 1 else -1]
    out = np.full((*outer, rows, columns), padding_value, diagonal.dtype)
    return set_diagonals(out, diagonal, k, align)


def matrix_set_diag_v3(x, diagonal, k, align="RIGHT_LEFT"):
    return set_diagonals(np.array(x), diagonal, k, align)


ALIGNS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def diag_part_v3_cases(s):
    found = [
        case("main", s(2, 3, 3), i32(0)[0], s.cast(0)),
        case("upper", s(3, 4), i32(1)[0], s.cast(0)),
        case("lower", s(3, 2), i32(-1)[0], s.cast(0)),
    ]
    return found + [
        case(f"band-{align}", s(3, 4), i32(-1, 2), s.cast(1), align=align) for align in ALIGNS
    ]


def diag_v3_cases(s):
    any_ = np.int32(-1)
    return [
        case("main", s(2, 3), np.int32(0), any_, any_, s.cast(0)),
        case("upper", s(3), np.int32(1), any_, any_, s.cast(1)),
        case("lower", s(2), np.int32(-1), np.int32(3), np.int32(2), s.cast(0)),
        case("wide", s(2), np.int32(0), np.int32(2), np.int32(4), s.cast(1)),
        case("band", s(3, 3), i32(-1, 1), np.int32(3), np.int32(3), s.cast(0)),
    ]


_PADDING_SLOPE = {"grad_inputs": (0,)}  # the padding value gets no gradient in TensorFlow
add(
    "MatrixDiagPartV3",
    ref=matrix_diag_part_v3,
    cases=diag_part_v3_cases,
    **EXACT,
    **_PADDING_SLOPE,
    edge=lambda s: [case("empty", s(0, 2, 2), np.int32(0), s.cast(0))],
    errors=(
        bad("rank", (f32(3), np.int32(0), np.float32(0)), "InvalidArgumentError", "[3]"),
        bad("k", (f32(3, 3), np.int32(5), np.float32(0)), "InvalidArgumentError", "5"),
    ),
)
add(
    "MatrixDiagV3",
    ref=matrix_diag_v3,
    cases=diag_v3_cases,
    **EXACT,
    **_PADDING_SLOPE,
    edge=lambda s: [case("empty", s(0, 2), np.int32(0), np.int32(-1), np.int32(-1), s.cast(0))],
    errors=(
        bad(
            "k",
            (f32(3), np.int32(5), np.int32(3), np.int32(3), np.float32(0)),
            "InvalidArgumentError",
            "5",
        ),
    ),
)
add(
    "MatrixSetDiagV3",
    ref=matrix_set_diag_v3,
    **EXACT,
    cases=lambda s: [
        case("main", s(2, 3, 3), s(2, 3), np.int32(0)),
        case("upper", s(3, 4), s(3), np.int32(1)),
        case("band", s(3, 3), s(3, 3), i32(-1, 1)),
    ],
    edge=lambda s: [case("empty", s(0, 2, 2), s(0, 2), np.int32(0))],
    errors=(bad("length", (f32(3, 3), f32(2), np.int32(0)), "InvalidArgumentError", "[2]"),),
)


def band(x, num_lower, num_upper):
    i, j = np.indices(x.shape[-2:])
    keep = ((num_lower < 0) | (i - j <= num_lower)) & ((num_upper < 0) | (j - i <= num_upper))
    return np.where(keep, x, np.zeros((), x.dtype))


def pair(a, b):
    return ints(a)[0], ints(b)[0]


add(
    "MatrixBandPart",
    ref=band,
    **EXACT,
    cases=lambda s: [
        case("lower", s(3, 4), *pair(-1, 0)),
        case("upper", s(3, 4), *pair(0, -1)),
        case("band", s(2, 3, 3), *pair(1, 1)),
        case("all", s(3, 3), *pair(-1, -1)),
        case("main", s(4, 3), *pair(0, 0)),
    ],
    edge=lambda s: [
        case("empty", s(0, 2, 2), *pair(0, 0)),
        case("empty-rows", s(0, 3), *pair(0, 0)),
    ],
    errors=(bad("rank", (f32(3), np.int64(0), np.int64(0)), "InvalidArgumentError", "[3]"),),
)

# Shapes read.
for _name, _ref in {"Shape": lambda x: x.shape, "Size": lambda x: x.size}.items():
    add(
        _name,
        ref=lambda x, out_type="int32", f=_ref: np.array(f(x), out_type),
        **EXACT,
        **NO_SLOPE,
        cases=lambda s: [case("matrix", s(2, 3)), case("long", s(4), out_type="int64")],
        edge=per_shape((), (0,), (3, 0, 2)),
    )
single("Rank", lambda x: np.array(x.ndim), **NO_SLOPE)
add(
    "ShapeN",
    ref=lambda xs, out_type="int32": [np.array(x.shape, out_type) for x in xs],
    **EXACT,
    **NO_SLOPE,
    cases=lambda s: [case("two", [s(2, 3), s(4)])],
    edge=lambda s: [case("rank0", [s(), s(0)])],
)
add(
    "InvertPermutation",
    ref=np.argsort,
    **EXACT,
    **NO_FLOAT,
    cases=lambda s: [case("four", ints(2, 0, 3, 1))],
    edge=lambda s: [case("empty", ints()), case("one", ints(0))],
    errors=(
        bad("twice", (i32(0, 0),), "InvalidArgumentError", "0"),
        bad("range", (i32(0, 2),), "InvalidArgumentError", "2"),
    ),
)
add(
    "BroadcastArgs",
    ref=lambda a, b: np.array(np.broadcast_shapes(tuple(a), tuple(b)), a.dtype),
    **EXACT,
    **NO_FLOAT,
    cases=lambda s: [case("two", ints(2, 1), ints(3))],
    edge=lambda s: [case("scalars", ints(), ints()), case("empty", ints(0), ints(1))],
    errors=(bad("sizes", (i32(2), i32(3)), "InvalidArgumentError", "3"),),
)


def gradient_args(a, b):
    """Axes over which the gradient of each operand is summed."""
    rank = max(len(a), len(b))
    found = []
    for own, other in ((a, b), (b, a)):
        mine = [1] * (rank - len(own)) + list(own)
        yours = [1] * (rank - len(other)) + list(other)
        same = mine == yours
        axes = [i for i in range(rank) if mine[i] == 1 and not (same and len(a) == len(b))]
        found.append(np.array(axes, a.dtype))
    return found


add(
    "BroadcastGradientArgs",
    ref=gradient_args,
    **EXACT,
    **NO_FLOAT,
    cases=lambda s: [case("two", ints(2, 1), ints(3)), case("same", ints(2, 3), ints(2, 3))],
    edge=lambda s: [case("scalars", ints(), ints())],
)

# Types changed.


def cast_to(x, DstT, Truncate=False):
    """Complex to others drops the imaginary part, even to bool; to bool is `!= 0`."""
    if x.dtype.kind == "c" and DstT not in ("complex64", "complex128"):
        x = x.real
    return x != 0 if DstT == "bool" else x.astype(numpy_dtype(DstT))


def cast_cases(s):
    """Values that every dtype can hold; the rest is in the golden records."""
    values = s.cast([0, 1, 2, 3, 7, 100]) if s.kind != "b" else np.array([True, False])
    return [case(to, values, DstT=to) for to in ALL_DTYPES] + [
        case("fraction", s(2, 3, lo=0, hi=9), DstT="int32")
    ]


add(
    "Cast",
    ref=cast_to,
    cases=cast_cases,
    main="SrcT",
    **EXACT,
    grad_complex=False,
    grad_cases=lambda s: [
        case("float64", s(2, 3), DstT="float64"),
        case("complex", s(2), DstT="complex128"),
    ],
    edge=lambda s: [
        case("rank0", s.cast(1), DstT="float32"),
        case("empty", s(0), DstT="int8"),
        case("empty3", s(3, 0, 2), DstT="complex64"),
    ],
)
BITS = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


def bitcast_cases(s):
    size = numpy_dtype(s.dtype).itemsize
    found = [case("bytes", s(2, 3), type="uint8")]
    if size in BITS:
        found.append(case("same", s(2, 3), type=BITS[size]))
    if size * 2 in BITS:
        found.append(case("wider", s(3, 2), type=BITS[size * 2]))
    return found


def bitcast(x, type):
    """A wider type eats the last axis, a narrower one adds it."""
    to, size = np.dtype(type), x.dtype.itemsize
    raw = np.array(x, order="C")
    if to.itemsize > size:
        return raw.view(to)[..., 0]
    return raw.view(to) if to.itemsize == size else raw[..., None].view(to)


add(
    "Bitcast",
    ref=bitcast,
    cases=bitcast_cases,
    widen=False,
    **EXACT,
    grad="skip",
    grad_why="bits have no slope",
    edge=lambda s: [case("rank0", s(), type=s.dtype), case("empty", s(0), type=s.dtype)],
    errors=(bad("size", (f32(3),), "InvalidArgumentError", "[3]", type="float64"),),
)

add(
    "StringJoin",
    form="law",
    main="",
    cases=lambda s: [],
    grad="skip",
    grad_why="strings: see tests/python/test_tensor.py",
)
