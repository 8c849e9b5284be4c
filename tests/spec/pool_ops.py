"""Pools: the largest and the mean of one window after another."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family
from tests.spec.windows import Windows, as_given, channels_last, of_space

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def windows_of(x, ksize, strides, padding, data_format=None, explicit_paddings=()):
    data_format = data_format or ("NHWC" if x.ndim == 4 else "NDHWC")
    size = of_space(ksize, data_format)
    return Windows(
        x.shape[1:-1], size, strides, padding, data_format, explicit_paddings=explicit_paddings
    )


def layout(attrs):
    return attrs.get("data_format", "N.C")


def max_pool(input, **attrs):
    x = channels_last(input, layout(attrs))
    windows = windows_of(x, **attrs)
    y = np.zeros((x.shape[0], *windows.count, x.shape[-1]), x.dtype)
    for out, met in windows.each():
        values = [x[(slice(None), *place)] for place, _ in met]
        y[(slice(None), *out)] = np.max(values, axis=0)
    return as_given(y, layout(attrs))


def each_largest(x, attrs):
    """Image, window, channel and the place of the first of its largest numbers."""
    for out, met in windows_of(x, **attrs).each():
        for image, channel in np.ndindex(x.shape[0], x.shape[-1]):
            values = [x[(image, *place, channel)] for place, _ in met]
            yield (image, *out, channel), (image, *met[int(np.argmax(values))][0], channel)


def max_pool_grad(orig_input, orig_output, grad, **attrs):
    x, dy = channels_last(orig_input, layout(attrs)), channels_last(grad, layout(attrs))
    dx = np.zeros(x.shape, dy.dtype)
    for at_y, at_x in each_largest(x, attrs):
        dx[at_x] += dy[at_y]
    return as_given(dx, layout(attrs))


def max_pool_grad_grad(orig_input, orig_output, grad, **attrs):
    x, dx = channels_last(orig_input, layout(attrs)), channels_last(grad, layout(attrs))
    dy = np.zeros(channels_last(orig_output, layout(attrs)).shape, dx.dtype)
    for at_y, at_x in each_largest(x, attrs):
        dy[at_y] = dx[at_x]
    return as_given(dy, layout(attrs))


def avg_pool(value, **attrs):
    x = channels_last(value, layout(attrs))
    windows = windows_of(x, **attrs)
    y = np.zeros((x.shape[0], *windows.count, x.shape[-1]), x.dtype)
    for out, met in windows.each():
        y[(slice(None), *out)] = np.mean([x[(slice(None), *p)] for p, _ in met], axis=0)
    return as_given(y, layout(attrs))


def avg_pool_grad(orig_input_shape, grad, **attrs):
    dy = channels_last(grad, layout(attrs))
    dx = channels_last(np.zeros([int(n) for n in orig_input_shape], dy.dtype), layout(attrs))
    for out, met in windows_of(dx, **attrs).each():
        for place, _ in met:
            dx[(slice(None), *place)] += dy[(slice(None), *out)] / len(met)
    return as_given(dx, layout(attrs))


def of_magnitudes(ref):
    def scale(*args, **attrs):
        return ref(*[np.abs(arg) for arg in args], **attrs)

    return scale


def of_gradient(x, y, grad, **attrs):
    return max_pool_grad(x, y, np.abs(grad), **attrs)


def attrs_of(ksize, strides, padding, **more):
    return {"ksize": ksize, "strides": strides, "padding": padding, **more}


TWO, ONE = [1, 2, 2, 1], [1, 1, 1, 1]
IMAGES = [
    ("valid", (1, 4, 3, 2), attrs_of(TWO, TWO, "VALID")),
    ("same", (1, 3, 3, 2), attrs_of(TWO, TWO, "SAME")),
    ("overlap", (1, 3, 4, 1), attrs_of([1, 3, 2, 1], ONE, "VALID")),
    ("overlap-same", (1, 3, 3, 2), attrs_of([1, 3, 3, 1], ONE, "SAME")),
    ("beyond", (1, 5, 4, 1), attrs_of([1, 1, 2, 1], [1, 3, 3, 1], "VALID")),
    ("first", (1, 2, 3, 3), attrs_of([1, 1, 2, 2], [1, 1, 2, 1], "SAME", data_format="NCHW")),
]
LARGE = [("many", (3, 12, 11, 70), attrs_of([1, 3, 3, 1], TWO, "SAME"))]
EXPLICIT = [
    ("explicit", (1, 3, 3, 2),
     attrs_of(TWO, TWO, "EXPLICIT", explicit_paddings=[0, 0, 1, 1, 0, 1, 0, 0])),
]  # fmt: skip
EMPTY = [
    ("batch0", (0, 4, 4, 2), attrs_of(TWO, TWO, "VALID")),
    ("channels0", (1, 4, 4, 0), attrs_of(TWO, TWO, "SAME")),
    ("space0", (1, 0, 4, 1), attrs_of(TWO, TWO, "SAME")),
]
CUBE, UNIT = [1, 2, 2, 2, 1], [1] * 5
VOLUMES = [
    ("valid", (1, 2, 4, 2, 1), attrs_of(CUBE, CUBE, "VALID")),
    ("same", (1, 3, 2, 2, 2), attrs_of(CUBE, UNIT, "SAME")),
    ("first", (2, 2, 2, 2, 3),
     attrs_of([1, 1, 2, 1, 2], [1, 1, 2, 1, 1], "SAME", data_format="NCDHW")),
]  # fmt: skip


EMPTY_VOLUMES = [
    ("batch0", (0, 2, 2, 2, 1), attrs_of(CUBE, CUBE, "VALID")),
    ("channels0", (1, 2, 2, 2, 0), attrs_of(CUBE, CUBE, "SAME")),
    ("space0", (1, 2, 0, 2, 1), attrs_of(CUBE, CUBE, "SAME")),
]


def inputs(*shapes):
    return lambda s: [case(name, s.distinct(*x), **attrs) for name, x, attrs in shapes]


def pooled(s, *shapes):
    for name, x, attrs in shapes:
        values = s.distinct(*x)
        yield name, values, np.asarray(max_pool(values, **attrs)), attrs


def grads(*shapes):
    return lambda s: [
        case(name, x, y, s(*y.shape), **attrs) for name, x, y, attrs in pooled(s, *shapes)
    ]


def grad_grads(*shapes):
    return lambda s: [
        case(name, x, y, s(*x.shape), **attrs) for name, x, y, attrs in pooled(s, *shapes)
    ]


def means(*shapes):
    return lambda s: [case(name, s(*x), **attrs) for name, x, attrs in shapes]


def mean_grads(*shapes):
    def cases(s):
        found = []
        for name, x, attrs in shapes:
            dy = s(*max_pool(np.zeros(x, np.int8), **attrs).shape)
            found.append(case(name, i32(*x), dy, **attrs))
        return found

    return cases


X, Y = f32(1, 4, 4, 2), f32(1, 2, 2, 2)
GOOD = attrs_of(TWO, TWO, "SAME")


def wrong(name, text, error="InvalidArgumentError", args=(X,), **attrs):
    return bad(name, args, error, text, **{**GOOD, **attrs})


def pool_errors(first=()):
    args = (*first, X) if not first else (*first, Y)
    return (
        wrong("ksize-batch", "ksize", "UnimplementedError", args, ksize=[2, 2, 2, 1]),
        wrong("ksize-count", "ksize must have 4", args=args, ksize=[2, 2]),
        wrong("ksize-zero", "ksize[1] = 0", args=args, ksize=[1, 0, 2, 1]),
        wrong("strides-zero", "strides[1] = 0", args=args, strides=[1, 0, 2, 1]),
        wrong("padding", "FULL", args=args, padding="FULL"),
        wrong("data-format", "NWHC", args=args, data_format="NWHC"),
    )


EXACT = {"ulp": 0, "positional": False}
SUMS = {"ulp": 4, "positional": False, "zero_sign": False}
# Where the largest number is does not change within a difference step.
GIVEN = {"grad_inputs": (2,)}
WHY = "the op has no float64: in test_pooling, against pools of images"
NO_DOUBLE = {"grad": "skip", "grad_why": WHY}

add(
    "MaxPool",
    ref=max_pool,
    widen=False,
    **EXACT,
    cases=inputs(*IMAGES, *EXPLICIT, *LARGE),
    edge=inputs(*EMPTY),
    errors=(
        *pool_errors(),
        wrong("rank", "input must have 4 dimensions, got shape [4,4,2]", args=(X[0],)),
        wrong(
            "explicit-wide",
            "smaller than ksize, 2",
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 3, 3, 0, 1, 0, 0],
        ),
    ),
)
add(
    "MaxPoolGrad",
    ref=max_pool_grad,
    scale=of_gradient,
    **SUMS,
    **GIVEN,
    cases=grads(*IMAGES, *EXPLICIT, *LARGE),
    edge=grads(*EMPTY),
    errors=(
        bad("output", (X, X, Y), "InvalidArgumentError", "orig_output", **GOOD),
        bad("grad", (X, Y, X), "InvalidArgumentError", "grad must have shape", **GOOD),
    ),
)
add(
    "MaxPoolGradGrad",
    ref=max_pool_grad_grad,
    **EXACT,
    **GIVEN,
    cases=grad_grads(*IMAGES, *LARGE),
    edge=grad_grads(*EMPTY),
    errors=(
        bad("output", (X, X, X), "InvalidArgumentError", "orig_output", **GOOD),
        bad("grad", (X, Y, Y), "InvalidArgumentError", "grad must have shape", **GOOD),
    ),
)
add(
    "AvgPool",
    ref=avg_pool,
    scale=of_magnitudes(avg_pool),
    **SUMS,
    cases=means(*IMAGES, *LARGE),
    edge=means(*EMPTY),
    errors=pool_errors(),
)
add(
    "AvgPoolGrad",
    ref=avg_pool_grad,
    scale=of_magnitudes(avg_pool_grad),
    **SUMS,
    cases=mean_grads(*IMAGES, *LARGE),
    edge=mean_grads(*EMPTY),
    errors=(
        *pool_errors((i32(1, 4, 4, 2),)),
        bad("count", (i32(4, 4), Y), "InvalidArgumentError", "orig_input_shape", **GOOD),
        bad("grad", (i32(1, 4, 4, 2), X), "InvalidArgumentError", "grad", **GOOD),
    ),
)
add(
    "MaxPool3D",
    ref=max_pool,
    widen=False,
    **EXACT,
    **NO_DOUBLE,
    cases=inputs(*VOLUMES),
    edge=inputs(*EMPTY_VOLUMES),
)
add(
    "MaxPool3DGrad",
    ref=max_pool_grad,
    scale=of_gradient,
    **SUMS,
    **NO_DOUBLE,
    cases=grads(*VOLUMES),
    edge=grads(*EMPTY_VOLUMES),
)
add(
    "MaxPool3DGradGrad",
    ref=max_pool_grad_grad,
    **EXACT,
    **NO_DOUBLE,
    cases=grad_grads(*VOLUMES),
    edge=grad_grads(*EMPTY_VOLUMES),
)
add(
    "AvgPool3D",
    ref=avg_pool,
    scale=of_magnitudes(avg_pool),
    **SUMS,
    **NO_DOUBLE,
    cases=means(*VOLUMES),
    edge=means(*EMPTY_VOLUMES),
)
add(
    "AvgPool3DGrad",
    ref=avg_pool_grad,
    scale=of_magnitudes(avg_pool_grad),
    **SUMS,
    **NO_DOUBLE,
    cases=mean_grads(*VOLUMES),
    edge=mean_grads(*EMPTY_VOLUMES),
)
