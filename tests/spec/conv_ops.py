"""Convolutions and their gradients: one product after another."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family
from tests.spec.windows import Windows, as_given, channels_last

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def i32(*values):
    return np.array(values, np.int32)


def pairs(c_in, filters):
    """(input channels, output channels) that meet, group by group."""
    per_in, c_out = filters[-2], filters[-1]
    groups = c_in // per_in
    per_out = c_out // groups
    for g in range(groups):
        yield slice(g * per_in, (g + 1) * per_in), slice(g * per_out, (g + 1) * per_out)


def windows_of(x, filters, attrs):
    names = ("strides", "padding", "data_format", "dilations", "explicit_paddings")
    attrs = {"data_format": "NHWC" if len(filters) == 4 else "NDHWC", **attrs}
    kept = {name: attrs[name] for name in names if name in attrs}
    return Windows(x.shape[1:-1], filters[:-2], **kept)


def layout(attrs):
    return attrs.get("data_format", "N.C")


def conv(input, filter, **attrs):
    x = channels_last(input, layout(attrs))
    windows = windows_of(x, filter.shape, attrs)
    y = np.zeros((x.shape[0], *windows.count, filter.shape[-1]), x.dtype)
    for out, met in windows.each():
        for place, k in met:
            for c, o in pairs(x.shape[-1], filter.shape):
                products = x[(slice(None), *place, c)][:, :, None] * filter[(*k, slice(None), o)]
                y[(slice(None), *out, o)] += products.sum(1, dtype=x.dtype)
    return as_given(y, layout(attrs))


def input_grad(input_sizes, filter, out_backprop, **attrs):
    dy = channels_last(out_backprop, layout(attrs))
    dx = channels_last(np.zeros([int(n) for n in input_sizes], dy.dtype), layout(attrs))
    for out, met in windows_of(dx, filter.shape, attrs).each():
        for place, k in met:
            for c, o in pairs(dx.shape[-1], filter.shape):
                products = dy[(slice(None), *out, o)][:, None] * filter[(*k, slice(None), o)]
                dx[(slice(None), *place, c)] += products.sum(2, dtype=dx.dtype)
    return as_given(dx, layout(attrs))


def filter_grad(input, filter_sizes, out_backprop, **attrs):
    x, dy = channels_last(input, layout(attrs)), channels_last(out_backprop, layout(attrs))
    dw = np.zeros([int(n) for n in filter_sizes], x.dtype)
    for out, met in windows_of(x, dw.shape, attrs).each():
        for place, k in met:
            for c, o in pairs(x.shape[-1], dw.shape):
                at_x, at_y = x[(slice(None), *place, c)], dy[(slice(None), *out, o)]
                dw[(*k, slice(None), o)] += (at_x[:, :, None] * at_y[:, None]).sum(0)
    return dw


def merged(filter):
    """A filter of depthwise convolutions as one of groups of one channel."""
    return np.reshape(filter, (*filter.shape[:-2], 1, filter.shape[-2] * filter.shape[-1]))


def depthwise(input, filter, **attrs):
    return conv(input, merged(filter), **attrs)


def depthwise_input_grad(input_sizes, filter, out_backprop, **attrs):
    return input_grad(input_sizes, merged(filter), out_backprop, **attrs)


def depthwise_filter_grad(input, filter_sizes, out_backprop, **attrs):
    sizes = [int(n) for n in filter_sizes]
    flat = [*sizes[:-2], 1, sizes[-2] * sizes[-1]]
    return np.reshape(filter_grad(input, flat, out_backprop, **attrs), sizes)


def of_magnitudes(ref):
    """The unit of error: what the sum would be if nothing cancelled."""

    def scale(*args, **attrs):
        return ref(*[np.abs(arg) for arg in args], **attrs)

    return scale


# Shapes of input and filter, and attrs; tiny ones, of which the gradients are checked, first.
TINY = [
    ("valid", (1, 3, 3, 1), (2, 2, 1, 2), {"padding": "VALID"}),
    ("same-even", (1, 3, 2, 2), (2, 3, 2, 1), {"padding": "SAME"}),
    ("strides", (2, 4, 3, 1), (2, 2, 1, 1), {"padding": "SAME", "strides": [1, 2, 2, 1]}),
    ("beyond", (1, 5, 4, 1), (1, 2, 1, 2), {"padding": "VALID", "strides": [1, 3, 3, 1]}),
    ("dilated", (1, 4, 5, 1), (2, 2, 1, 1), {"padding": "SAME", "dilations": [1, 2, 3, 1]}),
    ("point", (2, 2, 2, 2), (1, 1, 2, 3), {"padding": "VALID"}),
    ("groups", (1, 2, 2, 4), (2, 1, 2, 4), {"padding": "SAME"}),
    (
        "explicit",
        (1, 3, 2, 1),
        (2, 2, 1, 1),
        {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 2, 1, 0, 0]},
    ),
    ("first", (1, 2, 3, 2), (2, 2, 2, 1), {"padding": "SAME", "data_format": "NCHW"}),
]
# Sizes that vectors, blocks of channels, threads and parts of rows notice.
LARGER = [
    ("blocks", (3, 9, 8, 16), (3, 3, 16, 24), {"padding": "SAME"}),
    ("many-channels", (2, 5, 5, 64), (3, 3, 64, 72), {"padding": "SAME"}),
    ("rows", (1, 40, 24, 12), (3, 3, 12, 32), {"padding": "SAME"}),
    ("rows-strided", (1, 41, 24, 16), (3, 3, 16, 32), {"padding": "SAME", "strides": [1, 2, 2, 1]}),
    ("odd", (2, 7, 6, 3), (5, 4, 3, 7), {"padding": "SAME", "strides": [1, 2, 1, 1]}),
    ("more-groups", (2, 6, 5, 16), (3, 3, 8, 32), {"padding": "SAME"}),
    ("wide-pads", (1, 4, 4, 8), (2, 2, 8, 8),
     {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 3, 4, 2, 5, 0, 0]}),
    ("first-strided", (2, 8, 9, 7), (3, 3, 8, 8),
     {"padding": "SAME", "data_format": "NCHW", "strides": [1, 1, 2, 1]}),
]  # fmt: skip
VOLUMES = [
    ("valid", (1, 2, 3, 2, 1), (2, 2, 1, 1, 2), {"padding": "VALID"}),
    ("same", (1, 2, 2, 3, 1), (2, 1, 2, 1, 1), {"padding": "SAME", "strides": [1, 1, 2, 2, 1]}),
    ("dilated", (1, 4, 1, 3, 1), (2, 1, 2, 1, 1),
     {"padding": "SAME", "dilations": [1, 2, 1, 2, 1]}),
    ("first", (1, 2, 2, 2, 2), (2, 2, 1, 2, 1), {"padding": "SAME", "data_format": "NCDHW"}),
    ("blocks", (2, 4, 5, 4, 8), (3, 3, 2, 8, 16), {"padding": "SAME"}),
    ("deep", (1, 12, 12, 10, 12), (3, 3, 3, 12, 16), {"padding": "SAME"}),
]  # fmt: skip
DEPTHWISE = [
    ("valid", (1, 3, 3, 2), (2, 2, 2, 1), {"padding": "VALID"}),
    ("times", (1, 3, 2, 2), (2, 2, 2, 2), {"padding": "SAME"}),
    ("strides", (1, 4, 3, 2), (2, 3, 2, 1), {"padding": "SAME", "strides": [1, 2, 2, 1]}),
    ("dilated", (1, 4, 3, 2), (2, 2, 2, 1), {"padding": "SAME", "dilations": [1, 2, 2, 1]}),
    ("explicit", (1, 3, 2, 1), (2, 2, 1, 2),
     {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 2, 1, 0, 0]}),
    ("first", (1, 2, 3, 3), (2, 2, 2, 1), {"padding": "SAME", "data_format": "NCHW"}),
    ("blocks", (3, 9, 8, 24), (3, 3, 24, 1), {"padding": "SAME"}),
    ("blocks-times", (2, 7, 8, 5), (3, 2, 5, 3), {"padding": "SAME"}),
]  # fmt: skip
EMPTY = [
    ("batch0", (0, 3, 3, 2), (2, 2, 2, 3), {"padding": "SAME"}),
    ("space0", (1, 0, 3, 2), (2, 2, 2, 3), {"padding": "SAME"}),
    ("no-window", (1, 1, 3, 2), (2, 2, 2, 3), {"padding": "VALID"}),
    ("out0", (1, 2, 2, 2), (2, 2, 2, 0), {"padding": "SAME"}),
]


def strides(attrs, rank):
    return {"strides": [1] * rank, **attrs}


def forward_cases(*shapes):
    return lambda s: [
        case(name, s(*x), s(*w), **strides(attrs, len(x))) for name, x, w, attrs in shapes
    ]


def output_shape(ref, x, w, attrs):
    return ref(np.zeros(x, bool), np.zeros(w, bool), **attrs).shape


def input_cases(ref, *shapes):
    def cases(s):
        found = []
        for name, x, w, attrs in shapes:
            attrs = strides(attrs, len(x))
            dy = s(*output_shape(ref, x, w, attrs))
            found.append(case(name, i32(*x), s(*w), dy, **attrs))
        return found

    return cases


def filter_cases(ref, *shapes):
    def cases(s):
        found = []
        for name, x, w, attrs in shapes:
            attrs = strides(attrs, len(x))
            dy = s(*output_shape(ref, x, w, attrs))
            found.append(case(name, s(*x), i32(*w), dy, **attrs))
        return found

    return cases


ONES = {"strides": [1, 1, 1, 1], "padding": "SAME"}
X, W, DY = f32(1, 4, 4, 2), f32(3, 3, 2, 3), f32(1, 4, 4, 3)


def wrong(name, text, error="InvalidArgumentError", x=X, w=W, **attrs):
    return bad(name, (x, w), error, text, **{**ONES, **attrs})


EXACT_SUMS = {"ulp": 8, "positional": False, "zero_sign": False, "grad_ulp": 64}

add(
    "Conv2D",
    ref=conv,
    scale=of_magnitudes(conv),
    **EXACT_SUMS,
    cases=forward_cases(*TINY, *LARGER),
    edge=forward_cases(*EMPTY),
    errors=(
        wrong("strides-batch", "strides", "UnimplementedError", strides=[2, 1, 1, 1]),
        wrong("strides-count", "strides must have 4", strides=[1, 1, 1]),
        wrong("strides-zero", "strides[1] = 0", strides=[1, 0, 1, 1]),
        wrong("dilations-zero", "dilations[1] = 0", dilations=[1, 0, 1, 1]),
        wrong("dilations-count", "dilations must have 4", dilations=[1, 1]),
        wrong("dilations-batch", "dilations", "UnimplementedError", dilations=[2, 1, 1, 1]),
        wrong("padding", "FULL", padding="FULL"),
        wrong("explicit-missing", "must have 8 entries", padding="EXPLICIT"),
        wrong("explicit-unasked", "EXPLICIT", explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0]),
        wrong(
            "explicit-batch",
            "batch",
            padding="EXPLICIT",
            explicit_paddings=[1, 0, 1, 1, 1, 1, 0, 0],
        ),
        wrong(
            "explicit-negative",
            "explicit_paddings[2] = -1",
            padding="EXPLICIT",
            explicit_paddings=[0, 0, -1, 1, 1, 1, 0, 0],
        ),
        wrong("data-format", "NWHC", data_format="NWHC"),
        wrong("input-rank", "input must have 4 dimensions, got shape [4,4,2]", x=X[0]),
        wrong("filter-rank", "filter must have 4 dimensions", w=W[0]),
        wrong("channels", "2 channels", w=f32(3, 3, 3, 3)),
        wrong("groups", "2 groups", x=f32(1, 4, 4, 4)),
        wrong("does-not-fit", "window of 3", x=f32(1, 1, 1, 2), padding="VALID"),
        wrong("filter-channels", "at least one", x=f32(1, 4, 4, 0), w=f32(3, 3, 0, 3)),
        wrong("filter-space", "zero sizes", w=f32(0, 3, 2, 3)),
    ),
)
add(
    "Conv2DBackpropInput",
    ref=input_grad,
    scale=of_magnitudes(input_grad),
    **EXACT_SUMS,
    cases=input_cases(conv, *TINY, *LARGER),
    edge=input_cases(conv, *EMPTY),
    errors=(
        bad("height", (i32(1, 5, 4, 2), W, DY), "InvalidArgumentError", "out_backprop", **ONES),
        bad("batch", (i32(2, 4, 4, 2), W, DY), "InvalidArgumentError", "[2,4,4,3]", **ONES),
        bad("channels", (i32(1, 4, 4, 3), W, DY), "InvalidArgumentError", "channels", **ONES),
        bad("count", (i32(1, 4, 4), W, DY), "InvalidArgumentError", "input_sizes", **ONES),
        bad("negative", (i32(1, -4, 4, 2), W, DY), "InvalidArgumentError", "-4", **ONES),
    ),
)
add(
    "Conv2DBackpropFilter",
    ref=filter_grad,
    scale=of_magnitudes(filter_grad),
    **EXACT_SUMS,
    cases=filter_cases(conv, *TINY, *LARGER),
    edge=filter_cases(conv, *EMPTY),
    errors=(
        bad("out", (X, i32(3, 3, 2, 4), DY), "InvalidArgumentError", "out_backprop", **ONES),
        bad("in", (X, i32(3, 3, 3, 3), DY), "InvalidArgumentError", "channels", **ONES),
        bad("count", (X, i32(3, 3), DY), "InvalidArgumentError", "filter_sizes", **ONES),
    ),
)

VOLUME_EMPTY = [("batch0", (0, 2, 2, 2, 1), (1, 2, 1, 1, 2), {"padding": "SAME"})]
ONES_3D = {"strides": [1] * 5, "padding": "SAME"}
add(
    "Conv3D",
    ref=conv,
    scale=of_magnitudes(conv),
    **EXACT_SUMS,
    cases=forward_cases(*VOLUMES),
    edge=forward_cases(*VOLUME_EMPTY),
    errors=(
        bad("rank", (X, f32(1, 1, 1, 2, 2)), "InvalidArgumentError", "5 dimensions", **ONES_3D),
        bad(
            "padding",
            (f32(1, 1, 1, 1, 1), f32(1, 1, 1, 1, 1)),
            "InvalidArgumentError",
            "SAME or VALID",
            strides=[1] * 5,
            padding="EXPLICIT",
        ),
    ),
)
add(
    "Conv3DBackpropInputV2",
    ref=input_grad,
    scale=of_magnitudes(input_grad),
    **EXACT_SUMS,
    cases=input_cases(conv, *VOLUMES),
    edge=input_cases(conv, *VOLUME_EMPTY),
)
add(
    "Conv3DBackpropFilterV2",
    ref=filter_grad,
    scale=of_magnitudes(filter_grad),
    **EXACT_SUMS,
    cases=filter_cases(conv, *VOLUMES),
    edge=filter_cases(conv, *VOLUME_EMPTY),
)

DEPTHWISE_EMPTY = [
    ("batch0", (0, 3, 3, 2), (2, 2, 2, 1), {"padding": "SAME"}),
    ("times0", (1, 2, 2, 2), (2, 2, 2, 0), {"padding": "SAME"}),
]
add(
    "DepthwiseConv2dNative",
    ref=depthwise,
    scale=of_magnitudes(depthwise),
    **EXACT_SUMS,
    cases=forward_cases(*DEPTHWISE),
    edge=forward_cases(*DEPTHWISE_EMPTY),
    errors=(wrong("channels", "2 input channels", w=f32(3, 3, 3, 1)),),
)
add(
    "DepthwiseConv2dNativeBackpropInput",
    ref=depthwise_input_grad,
    scale=of_magnitudes(depthwise_input_grad),
    **EXACT_SUMS,
    cases=input_cases(depthwise, *DEPTHWISE),
    edge=input_cases(depthwise, *DEPTHWISE_EMPTY),
)
add(
    "DepthwiseConv2dNativeBackpropFilter",
    ref=depthwise_filter_grad,
    scale=of_magnitudes(depthwise_filter_grad),
    **EXACT_SUMS,
    cases=filter_cases(depthwise, *DEPTHWISE),
    edge=filter_cases(depthwise, *DEPTHWISE_EMPTY),
)
