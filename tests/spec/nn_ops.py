"""Activations, softmax, losses, bias and top-k."""

from __future__ import annotations

import numpy as np
import scipy.special as sp

from tests.spec.table import bad, binary, case, family, unary

add = family(__name__)
SCALE = 1.0507009873554804934193349852946
SCALE_ALPHA = SCALE * 1.6732632423543772848170429916717


def f32(*shape):
    return np.ones(shape, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def relu(x):
    return np.maximum(x, np.zeros((), x.dtype))


def relu6(x):
    return np.minimum(relu(x), np.array(6, x.dtype))


def elu(x):
    return np.where(x < 0, np.expm1(x), x)


def selu(x):
    return np.where(x < 0, SCALE_ALPHA * np.expm1(x), SCALE * x)


def softplus(x):
    return np.logaddexp(x, 0)


def leaky_relu(features, alpha=0.2):
    """The slope is a float32 attr."""
    return np.where(features > 0, features, features * np.float64(np.float32(alpha)))


def corner(*points):
    return lambda x, **attrs: np.min([np.abs(x - p) for p in points], axis=0)


ALPHAS = {"alpha": (0.2, 0.0, 1.0)}
unary(add, "Relu", relu, ulp=0, zero_sign=False, kink=corner(0.0))
unary(add, "Relu6", relu6, ulp=0, zero_sign=False, kink=corner(0.0, 6.0), domain=(-3.0, 9.0))
unary(add, "Elu", elu, ulp=3, kink=corner(0.0))
unary(add, "Selu", selu, ulp=4, kink=corner(0.0))
unary(add, "Softplus", softplus, ulp=4, flush=True, domain=(-4.0, 4.0))
unary(
    add,
    "Softsign",
    lambda x: np.where(np.isinf(x), np.nan, x / (1 + np.abs(x))),
    ulp=2,
    kink=corner(0.0),
)
unary(
    add,
    "LeakyRelu",
    leaky_relu,
    ulp=1,
    attrs=ALPHAS,
    kink=corner(0.0),
    zero_sign=False,
    valid=np.isfinite,
)

# Slopes as ops: what the tape calls, and what must have a slope again.
_PAIR = {"broadcasts": False, "wild": False, "zero_sign": False}


def second(*points):
    return lambda x, y, **attrs: corner(*points)(y)


def shape_error():
    return (bad("shapes", (f32(2, 3), f32(3, 2)), "InvalidArgumentError", "[3,2]"),)


binary(
    add,
    "ReluGrad",
    lambda g, x: g * (x > 0).astype(g.dtype),
    ulp=0,
    kink=second(0.0),
    **_PAIR,
    errors=shape_error(),
)
binary(
    add,
    "Relu6Grad",
    lambda g, x: g * ((x > 0) & (x < 6)).astype(g.dtype),
    ulp=0,
    **_PAIR,
    domain=((-2.0, 2.0), (-3.0, 9.0)),
    kink=second(0.0, 6.0),
)
binary(
    add,
    "EluGrad",
    lambda g, y: np.where(y < 0, g * (y + 1), g),
    ulp=3,
    kink=second(0.0),
    **_PAIR,
    domain=((-2.0, 2.0), (-0.9, 2.0)),
)
binary(
    add,
    "SeluGrad",
    lambda g, y: np.where(y < 0, g * (y + SCALE_ALPHA), g * SCALE),
    ulp=4,
    **_PAIR,
    kink=second(0.0),
    domain=((-2.0, 2.0), (-1.5, 2.0)),
)
binary(add, "SoftplusGrad", lambda g, x: g * sp.expit(x), ulp=4, **_PAIR)
binary(add, "SoftsignGrad", lambda g, x: g / (1 + np.abs(x)) ** 2, ulp=4, kink=second(0.0), **_PAIR)
binary(
    add,
    "LeakyReluGrad",
    lambda g, x, alpha=0.2: np.where(x > 0, g, g * np.float64(np.float32(alpha))),
    ulp=1,
    attrs=ALPHAS,
    kink=second(0.0),
    **_PAIR,
)

# Of complex outputs: the rules of Sigmoid and Tanh conjugate y beforehand, the others inside.
_OF_OUTPUT = {"broadcasts": False, "wild": False, "grad_complex": False}
CX = {"complex64": 16, "complex128": 16}
binary(
    add,
    "SigmoidGrad",
    lambda y, dy: dy * y * (1 - y),
    ulp=4,
    ulps=CX,
    domain=((0.05, 0.95), (-2.0, 2.0)),
    **_OF_OUTPUT,
)
binary(
    add,
    "TanhGrad",
    lambda y, dy: dy * (1 - y**2),
    ulp=16,
    ulps=CX,
    domain=((-0.9, 0.9), (-2.0, 2.0)),
    **_OF_OUTPUT,
)
binary(
    add,
    "SqrtGrad",
    lambda y, dy: dy * 0.5 / np.conj(y),
    ulp=4,
    ulps=CX,
    domain=((0.5, 2.0), (-2.0, 2.0)),
    **_OF_OUTPUT,
)
binary(
    add,
    "RsqrtGrad",
    lambda y, dy: dy * -0.5 * np.conj(y) ** 3,
    ulp=6,
    ulps=CX,
    domain=((0.5, 2.0), (-2.0, 2.0)),
    **_OF_OUTPUT,
)
binary(
    add,
    "ReciprocalGrad",
    lambda y, dy: -dy * np.conj(y) ** 2,
    ulp=4,
    ulps=CX,
    domain=((0.5, 2.0), (-2.0, 2.0)),
    **_OF_OUTPUT,
)


# Rows of logits.
def rows(s):
    return [
        case("matrix", s(2, 5)),
        case("long", s(2, 67, lo=-5, hi=5)),
        case("one", s(3, 1)),
        case("spread", s.cast([[0.0, 20.0, -30.0, 1.0]])),
    ]


def rows_edge(s):
    return [case("empty", s(0, 3)), case("vector", s(4))]


# SciPy's, by way of a logarithm, is 17 ulp off in float64.
def softmax(x):
    wide = np.asarray(x, np.longdouble)
    powers = np.exp(wide - wide.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True)).astype(np.float64)


add(
    "Softmax",
    ref=softmax,
    cases=rows,
    edge=rows_edge,
    ulp=8,  # the kernel rounds x - max: half an ulp of it in the exponent
    flush=True,
    grad_cases=lambda s: [case("matrix", s(2, 5)), case("vector", s(4)), case("one", s(2, 1))],
    positional=False,
    errors=(bad("rank", (f32(),), "InvalidArgumentError", "[]"),),
)
add(
    "LogSoftmax",
    ref=lambda x: sp.log_softmax(x, -1),
    cases=rows,
    edge=rows_edge,
    ulp=6,
    scale=lambda x: np.max(np.abs(x), initial=1.0),
    positional=False,
    errors=(bad("rank", (f32(),), "InvalidArgumentError", "[]"),),
)


def cross_entropy(features, labels):
    """The slope is for labels that sum to one, whatever they sum to."""
    log_p = sp.log_softmax(features, -1)
    loss = -np.sum(np.where(labels == 0, 0, labels * log_p), -1)
    return [loss, np.exp(log_p) - labels]


def probabilities(s, *shape):
    values = s.rng.uniform(0.1, 1.0, shape)
    return s.cast(values / values.sum(-1, keepdims=True))


def sparse_cross_entropy(features, labels):
    return cross_entropy(features, np.eye(features.shape[-1])[labels])


def logits_scale(features, labels):
    return np.max(np.abs(features), initial=2.0)


# The slope of a loss takes the sum of the labels as one: float64 samples are normalised in float64.
add(
    "SoftmaxCrossEntropyWithLogits",
    ref=cross_entropy,
    scale=logits_scale,
    ulp=6,
    positional=False,
    cases=lambda s: [
        case("matrix", s(3, 5), probabilities(s, 3, 5)),
        case("hard", s(2, 3), s.cast([[0, 1, 0], [1, 0, 0]])),
    ],
    grad_cases=lambda s: [case("matrix", s(2, 4), probabilities(s, 2, 4))],
    grad_outputs_without=(1,),
    edge=lambda s: [case("empty", s(0, 3), s(0, 3))],
    errors=(
        bad("shapes", (f32(2, 3), f32(2, 4)), "InvalidArgumentError", "[2,4]"),
        bad("rank", (f32(3), f32(3)), "InvalidArgumentError", "[3]"),
    ),
)
add(
    "SparseSoftmaxCrossEntropyWithLogits",
    ref=sparse_cross_entropy,
    scale=logits_scale,
    ulp=6,
    positional=False,
    grad_outputs_without=(1,),
    cases=lambda s: [
        case("rows", s(3, 5), np.array([0, 4, 2])),
        case("one", s(1, 3), np.array([1])),
    ],
    edge=lambda s: [case("empty", s(0, 3), np.zeros(0, np.int64))],
    errors=(
        bad("label", (f32(2, 3), i32(0, 3)), "InvalidArgumentError", "3"),
        bad("negative", (f32(2, 3), i32(0, -1)), "InvalidArgumentError", "-1"),
        bad("shape", (f32(2, 3), i32(0, 1, 2)), "InvalidArgumentError", "[3]"),
    ),
)


# Bias.
def bias_add(value, bias, data_format="NHWC"):
    if data_format == "NHWC":
        return value + bias
    return value + bias.reshape(1, -1, *[1] * (value.ndim - 2))


def bias_add_grad(dy, data_format="NHWC"):
    channel = dy.ndim - 1 if data_format == "NHWC" else 1
    return np.sum(dy, axis=tuple(i for i in range(dy.ndim) if i != channel)).astype(dy.dtype)


def bias_cases(s):
    return [
        case("matrix", s(2, 3), s(3)),
        case("cube", s(2, 2, 3), s(3)),
        case("image", s(1, 2, 2, 3), s(3)),
        case("channels-first", s(2, 3, 2), s(3), data_format="NCHW"),
        case("image-first", s(1, 3, 2, 2), s(3), data_format="NCHW"),
    ]


def bias_grad_cases(s):
    return [case(c.id, c.args[0], **c.attrs) for c in bias_cases(s)]


add(
    "BiasAdd",
    ref=bias_add,
    cases=bias_cases,
    **{"ulp": 0, "positional": False},
    ulps={"complex64": 1, "complex128": 1},
    edge=lambda s: [case("empty", s(0, 3), s(3)), case("no-channel", s(2, 0), s(0))],
    errors=(
        bad("size", (f32(2, 3), f32(4)), "InvalidArgumentError", "[4]"),
        bad("rank", (f32(3), f32(3)), "InvalidArgumentError", "[3]"),
        bad("bias", (f32(2, 3), f32(1, 3)), "InvalidArgumentError", "[1,3]"),
    ),
)
add(
    "BiasAddGrad",
    ref=bias_add_grad,
    cases=bias_grad_cases,
    ulp=3,
    positional=False,
    scale=lambda dy, data_format="NHWC": np.sum(np.abs(dy)),
    edge=lambda s: [case("empty", s(0, 3)), case("no-channel", s(2, 0))],
    errors=(bad("rank", (f32(3),), "InvalidArgumentError", "[3]"),),
)
add(
    "L2Loss",
    ref=lambda t: np.sum(t * t) / 2,
    ulp=4,
    positional=False,
    cases=lambda s: [case("matrix", s(2, 3)), case("vector", s(5))],
    edge=lambda s: [case("rank0", s()), case("empty", s(0))],
)


# The largest.
def top_k(x, k, sorted=True, index_type="int32"):
    order = np.argsort(-x.astype(np.float64), axis=-1, kind="stable")[..., : int(k)]
    return [np.take_along_axis(x, order, -1), order.astype(index_type)]


add(
    "TopKV2",
    ref=top_k,
    ulp=0,
    positional=False,
    cases=lambda s: [
        case("vector", s.distinct(6), np.int64(3)),
        case("all", s.distinct(2, 4), np.int64(4)),
        case("rows", s.distinct(3, 5), np.int64(2)),
        case("ties", s.cast([1, 2, 2, 1]), np.int64(3)),
        case("one", s.distinct(4), np.int64(1), index_type="int64"),
    ],
    grad_cases=lambda s: [
        case("rows", s.distinct(3, 5), np.int64(2)),
        case("all", s.distinct(4), np.int64(4)),
    ],
    edge=lambda s: [case("k0", s.distinct(3), np.int64(0)), case("empty", s(0, 3), np.int64(2))],
    errors=(
        bad("k", (f32(3), np.int32(4)), "InvalidArgumentError", "4"),
        bad("negative", (f32(3), np.int32(-1)), "InvalidArgumentError", "-1"),
        bad("rank", (f32(), np.int32(1)), "InvalidArgumentError", "[]"),
    ),
)


def in_top_k(predictions, targets, k):
    """Ties at the border count as in; a class that is not finite does not."""
    found = []
    for row, target in zip(predictions, targets, strict=True):
        found.append(
            0 <= target < len(row) and np.sum(row > row[target]) < k and np.isfinite(row[target])
        )
    return np.array(found, bool)


PREDICTIONS = np.array(
    [[0.1, 0.5, 0.2, 0.5], [0.9, 0.1, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]], np.float32
)
add(
    "InTopKV2",
    ref=in_top_k,
    ulp=0,
    positional=False,
    grad="skip",
    grad_why="T is the dtype of the targets",
    cases=lambda s: [
        case("ties", PREDICTIONS, np.array([3, 2, 0]), np.int64(1)),
        case("two", PREDICTIONS, np.array([2, 2, 3]), np.int64(2)),
    ],
    edge=lambda s: [case("empty", PREDICTIONS[:0], np.zeros(0, int), np.int64(1))],
    errors=(bad("rows", (PREDICTIONS, i32(0), np.int32(1)), "InvalidArgumentError", "[1]"),),
)
