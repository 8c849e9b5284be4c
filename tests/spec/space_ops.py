"""Ops that move values between space, batch and depth."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family

add = family(__name__)
EXACT = {"ulp": 0, "positional": False}


def f32(*shape):
    return np.ones(shape, np.float32)


def ints(*values):
    return np.array(values, np.int64)


def i32(*values):
    return np.array(values, np.int32)


def no_pads(count):
    return np.zeros((count, 2), np.int64)


def space_to_batch(x, block_shape, paddings):
    """Each place inside a block becomes a batch of its own, in row-major order."""
    count = len(block_shape)
    rest = [(0, 0)] * (x.ndim - 1 - count)
    padded = np.pad(x, [(0, 0), *[(int(a), int(b)) for a, b in paddings], *rest])
    found = []
    for place in np.ndindex(*[int(b) for b in block_shape]):
        steps = [slice(p, None, int(b)) for p, b in zip(place, block_shape, strict=True)]
        found.append(padded[(slice(None), *steps)])
    return np.concatenate(found, 0)


def batch_to_space(x, block_shape, crops):
    """The inverse, with the crops cut off afterwards."""
    blocks = [int(b) for b in block_shape]
    count, batch = len(blocks), x.shape[0] // int(np.prod(blocks))
    space = [n * b for n, b in zip(x.shape[1:], blocks, strict=False)]
    out = np.zeros((batch, *space, *x.shape[1 + count :]), x.dtype)
    for number, place in enumerate(np.ndindex(*blocks)):
        steps = [slice(p, None, b) for p, b in zip(place, blocks, strict=True)]
        out[(slice(None), *steps)] = x[number * batch : (number + 1) * batch]
    kept = [slice(int(a), n - int(b)) for (a, b), n in zip(crops, space, strict=True)]
    return out[(slice(None), *kept)]


def depth_to_space(input, block_size, data_format="NHWC"):
    out_depth = input.shape[3] // block_size**2
    batch, height, width, _ = input.shape
    out = np.zeros((batch, height * block_size, width * block_size, out_depth), input.dtype)
    for i in range(block_size):
        for j in range(block_size):
            start = (i * block_size + j) * out_depth
            out[:, i::block_size, j::block_size] = input[..., start : start + out_depth]
    return out


def space_to_depth(input, block_size, data_format="NHWC"):
    places = [
        input[:, i::block_size, j::block_size] for i in range(block_size) for j in range(block_size)
    ]
    return np.concatenate(places, 3)


add(
    "SpaceToBatchND",
    ref=space_to_batch,
    **EXACT,
    cases=lambda s: [
        case("image", s(1, 4, 2, 1), ints(2, 2), no_pads(2)),
        case("padded", s(2, 3, 2), ints(2), np.array([[1, 2]])),
        case("uneven", s(1, 2, 6), ints(1, 3), no_pads(2)),
        case("no-rest", s(2, 3), ints(2), np.array([[0, 1]])),
        case("one-block", s(2, 3), ints(1), no_pads(1)),
    ],
    edge=lambda s: [
        case("empty-batch", s(0, 4), ints(2), no_pads(1)),
        case("empty-rest", s(1, 4, 0), ints(2), no_pads(1)),
    ],
    errors=(
        bad("divide", (f32(1, 3), i32(2), np.zeros((1, 2), np.int32)), "InvalidArgumentError", "3"),
        bad("block", (f32(1, 4), i32(0), np.zeros((1, 2), np.int32)), "InvalidArgumentError", "0"),
        bad(
            "negative",
            (f32(1, 4), i32(2), np.array([[-1, 1]], np.int32)),
            "InvalidArgumentError",
            "negative",
        ),
    ),
)
add(
    "BatchToSpaceND",
    ref=batch_to_space,
    **EXACT,
    cases=lambda s: [
        case("image", s(4, 2, 1, 1), ints(2, 2), no_pads(2)),
        case("cropped", s(4, 3, 2), ints(2), np.array([[1, 2]])),
        case("uneven", s(3, 2, 2), ints(1, 3), no_pads(2)),
        case("no-rest", s(4, 3), ints(2), np.array([[0, 1]])),
        case("one-block", s(2, 3), ints(1), no_pads(1)),
    ],
    edge=lambda s: [
        case("empty-batch", s(0, 4), ints(2), no_pads(1)),
        case("empty-rest", s(2, 4, 0), ints(2), no_pads(1)),
    ],
    errors=(
        bad("divide", (f32(3, 2), i32(2), np.zeros((1, 2), np.int32)), "InvalidArgumentError", "3"),
        bad("block", (f32(2, 4), i32(0), np.zeros((1, 2), np.int32)), "InvalidArgumentError", "0"),
        bad(
            "negative",
            (f32(2, 4), i32(2), np.array([[-1, 1]], np.int32)),
            "InvalidArgumentError",
            "negative",
        ),
    ),
)
add(
    "DepthToSpace",
    ref=depth_to_space,
    **EXACT,
    cases=lambda s: [
        case("two", s(1, 2, 1, 8), block_size=2),
        case("three", s(2, 1, 2, 9), block_size=3),
    ],
    edge=lambda s: [
        case("empty-batch", s(0, 1, 2, 4), block_size=2),
        case("empty-width", s(1, 2, 0, 4), block_size=2),
    ],
    errors=(
        bad("depth", (f32(1, 2, 2, 6),), "InvalidArgumentError", "6", block_size=2),
        bad("rank", (f32(2, 2, 4),), "InvalidArgumentError", "[2,2,4]", block_size=2),
    ),
)
add(
    "SpaceToDepth",
    ref=space_to_depth,
    **EXACT,
    cases=lambda s: [
        case("two", s(1, 2, 4, 2), block_size=2),
        case("three", s(2, 3, 3, 1), block_size=3),
    ],
    edge=lambda s: [
        case("empty-batch", s(0, 2, 4, 1), block_size=2),
        case("empty-width", s(1, 2, 0, 4), block_size=2),
    ],
    errors=(
        bad("height", (f32(1, 3, 2, 1),), "InvalidArgumentError", "3", block_size=2),
        bad("rank", (f32(2, 2, 4),), "InvalidArgumentError", "[2,2,4]", block_size=2),
    ),
)
