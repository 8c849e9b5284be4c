"""Matrix products."""

from __future__ import annotations

import numpy as np

from tests.spec.table import BOOLS, bad, case, family

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def flip(a, yes):
    return np.swapaxes(a, -1, -2) if yes else a


def adjoint(a, yes):
    return np.conj(np.swapaxes(a, -1, -2)) if yes else a


def product(a, b):
    """Sums of products, written out."""
    if a.dtype.kind in "iu":
        return np.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2, dtype=a.dtype)
    return np.einsum("...ij,...jk->...ik", a, b)


def matmul(a, b, transpose_a=False, transpose_b=False):
    return product(flip(a, transpose_a), flip(b, transpose_b))


def batch_matmul(x, y, adj_x=False, adj_y=False):
    return product(adjoint(x, adj_x), adjoint(y, adj_y))


def of_magnitudes(ref):
    return lambda a, b, **attrs: ref(np.abs(a), np.abs(b), **attrs).real


def shape_of(rows, columns, swap):
    return (columns, rows) if swap else (rows, columns)


def matmul_cases(s):
    found = []
    for ta in BOOLS:
        for tb in BOOLS:
            for m, k, n in ((2, 3, 4), (1, 1, 1), (5, 17, 9)):
                found.append(
                    case(
                        f"{m}x{k}x{n}-{ta:d}{tb:d}",
                        s(*shape_of(m, k, ta)),
                        s(*shape_of(k, n, tb)),
                        transpose_a=ta,
                        transpose_b=tb,
                    )
                )
    return found


def matmul_edge(s):
    return [
        case("m0", s(0, 3), s(3, 2)),
        case("k0", s(2, 0), s(0, 3)),
        case("n0", s(2, 3), s(3, 0)),
        case("all0", s(0, 0), s(0, 0)),
    ]


def batch_cases(s):
    found = []
    for ax in BOOLS:
        for ay in BOOLS:
            for outer_x, outer_y in (((2,), (2,)), ((), ()), ((2, 1), (3,)), ((1,), (2, 2))):
                x, y = shape_of(2, 3, ax), shape_of(3, 2, ay)
                found.append(
                    case(
                        f"{outer_x}{outer_y}-{ax:d}{ay:d}".replace(" ", ""),
                        s(*outer_x, *x),
                        s(*outer_y, *y),
                        adj_x=ax,
                        adj_y=ay,
                    )
                )
    return found


def equal_batch_cases(s):
    return [
        c for c in batch_cases(s) if c.id[0] == "(" and c.args[0].shape[:-2] == c.args[1].shape[:-2]
    ]


def batch_edge(s):
    return [
        case("batch0", s(0, 2, 3), s(0, 3, 2)),
        case("k0", s(2, 2, 0), s(2, 0, 3)),
        case("n0", s(2, 2, 3), s(2, 3, 0)),
    ]


EINSUMS = (
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,kj->ki", (2, 3), (4, 3)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("i,j->ij", (3,), (4,)),
    ("ij,ij->", (2, 3), (2, 3)),
    ("ij->ji", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii->", (3, 3)),
    ("ij->", (2, 3)),
    ("ijk->j", (2, 3, 2)),
    ("...ij,jk->...ik", (2, 2, 3), (3, 2)),
    ("...i,...i->...", (2, 3), (3,)),
    ("abc,cd->abd", (2, 2, 3), (3, 2)),
    ("i,i->i", (4,), (4,)),
    ("ij,j->i", (2, 3), (3,)),
    ("i...->...", (2, 3)),
    ("...->...", (2, 3)),
    ("a,b->ba", (2,), (3,)),
)


def einsum(inputs, equation):
    return np.einsum(equation, *inputs)


def einsum_cases(s):
    return [
        case(equation, [s(*shape) for shape in shapes], equation=equation)
        for equation, *shapes in EINSUMS
    ]


def einsum_scale(inputs, equation):
    return np.einsum(equation, *[np.abs(x) for x in inputs])


_LOOSE = {"complex64": 8, "complex128": 8}
add(
    "MatMul",
    ref=matmul,
    cases=matmul_cases,
    edge=matmul_edge,
    ulp=4,
    ulps=_LOOSE,
    scale=of_magnitudes(matmul),
    positional=False,
    grad_cases=lambda s: [c for c in matmul_cases(s) if c.id.startswith("2x3")],
    errors=(
        bad("rank", (f32(3), f32(3, 2)), "InvalidArgumentError", "[3]"),
        bad("inner", (f32(2, 3), f32(4, 2)), "InvalidArgumentError", "[4,2]"),
        bad(
            "transposed", (f32(2, 3), f32(3, 2)), "InvalidArgumentError", "[2,3]", transpose_a=True
        ),
    ),
)
add(
    "BatchMatMulV2",
    ref=batch_matmul,
    cases=batch_cases,
    edge=batch_edge,
    ulp=4,
    ulps=_LOOSE,
    scale=of_magnitudes(batch_matmul),
    positional=False,
    grad_cases=lambda s: [c for c in batch_cases(s) if c.id.startswith(("(2,1)", "()"))],
    errors=(
        bad("rank", (f32(3), f32(3, 2)), "InvalidArgumentError", "[3]"),
        bad("inner", (f32(2, 2, 3), f32(2, 4, 2)), "InvalidArgumentError", "[2,4,2]"),
        bad("batch", (f32(2, 2, 3), f32(3, 3, 2)), "InvalidArgumentError", "[3,3,2]"),
    ),
)
add(
    "BatchMatMul",
    ref=batch_matmul,
    cases=equal_batch_cases,
    edge=batch_edge,
    ulp=4,
    ulps=_LOOSE,
    scale=of_magnitudes(batch_matmul),
    positional=False,
)
add(
    "Einsum",
    optional=True,  # agog.einsum is made of other ops
    ref=einsum,
    cases=einsum_cases,
    ulp=4,
    ulps=_LOOSE,
    scale=einsum_scale,
    positional=False,
    edge=lambda s: [
        case("k0", [s(2, 0), s(0, 3)], equation="ij,jk->ik"),
        case("rank0", [s(), s(3)], equation=",i->i"),
        case("out0", [s(0, 2)], equation="ij->ji"),
    ],
    errors=(
        bad("size", ([f32(2, 3), f32(4, 2)],), "InvalidArgumentError", "j", equation="ij,jk->ik"),
        bad("rank", ([f32(2)],), "InvalidArgumentError", "ij", equation="ij->i"),
        bad("count", ([f32(2)],), "InvalidArgumentError", "i,i->i", equation="i,i->i"),
    ),
)
