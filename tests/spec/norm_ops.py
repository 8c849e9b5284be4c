"""Batch normalisation in one op."""

from __future__ import annotations

import numpy as np

from tests.spec.table import bad, case, family
from tests.spec.windows import as_given, channels_last

add = family(__name__)


def f32(*shape):
    return np.ones(shape, np.float32)


def mean_of(x):
    """Over all but the channels, which are last."""
    count = np.prod(x.shape[:-1])
    return x.sum(tuple(range(x.ndim - 1))) / np.float64(count)


def settings(attrs):
    named = {"epsilon": 1e-4, "exponential_avg_factor": 1.0, "data_format": "NHWC"}
    named |= {"is_training": True, **attrs}
    for name in ("epsilon", "exponential_avg_factor"):
        named[name] = np.float64(np.float32(named[name]))
    return named


def batch_norm(x, scale, offset, mean, variance, **attrs):
    a = settings(attrs)
    x = channels_last(x, a["data_format"])
    used_mean, used_variance = mean, variance
    next_mean, next_variance = mean, variance
    if a["is_training"]:
        used_mean = mean_of(x)
        used_variance = mean_of((x - used_mean) ** 2)
        count = np.prod(x.shape[:-1])
        next_mean, next_variance = used_mean, used_variance * count / max(count - 1, 1)
        share = a["exponential_avg_factor"]
        if share != 1:
            next_mean = share * next_mean + (1 - share) * mean
            next_variance = share * next_variance + (1 - share) * variance
    y = (x - used_mean) / np.sqrt(used_variance + a["epsilon"]) * scale + offset
    return as_given(y, a["data_format"]), next_mean, next_variance, used_mean, used_variance


def batch_norm_v3(*args, **attrs):
    return *batch_norm(*args, **attrs), np.zeros(())


def batch_norm_grad(dy, x, scale, mean, variance, reserve_space_3, **attrs):
    a = settings(attrs)
    dy, x = channels_last(dy, a["data_format"]), channels_last(x, a["data_format"])
    deviation = np.sqrt(variance + a["epsilon"])
    normal = (x - mean) / deviation
    axes = tuple(range(x.ndim - 1))
    dx = dy
    if a["is_training"]:
        dx = dy - mean_of(dy) - normal * mean_of(dy * normal)
    dx = as_given(dx * scale / deviation, a["data_format"])
    return dx, (dy * normal).sum(axes), dy.sum(axes), np.zeros(0), np.zeros(0)


SHAPES = [
    ("images", (2, 3, 2, 2), {}),
    ("first", (2, 3, 2, 3), {"data_format": "NCHW"}),
    ("volumes", (2, 1, 3, 2, 2), {"data_format": "NDHWC"}),
    ("volumes-first", (2, 2, 3, 1, 2), {"data_format": "NCDHW", "epsilon": 0.1}),
    ("channels", (5, 9, 8, 37), {"epsilon": 1e-3}),
    ("rows", (4, 33, 17, 3), {}),
]
EMPTY = [("batch0", (0, 2, 2, 3), {}), ("channels0", (2, 2, 2, 0), {})]


def channels(shape, attrs):
    return shape[1] if attrs.get("data_format", "NHWC").startswith("NC") else shape[-1]


def forward_cases(shapes, modes):
    def cases(s):
        found = []
        for name, shape, attrs in shapes:
            n = channels(shape, attrs)
            for mode, more in modes:
                vectors = [s(n), s(n), s(n), s(n, lo=0.5, hi=2.0)]
                found.append(case(f"{name}-{mode}", s(*shape), *vectors, **attrs, **more))
        return found

    return cases


def grad_cases(shapes):
    def cases(s):
        found = []
        for name, shape, attrs in shapes:
            n = channels(shape, attrs)
            for training in (True, False):
                x = s(*shape)
                wide = channels_last(x.astype(np.float64), attrs.get("data_format", "NHWC"))
                mean = mean_of(wide)
                variance = mean_of((wide - mean) ** 2)
                args = (s(*shape), x, s(n), mean, variance, np.zeros(()))
                found.append(case(f"{name}-{training:d}", *args, **attrs, is_training=training))
        return found

    return cases


MODES = [
    ("training", {}),
    ("averages", {"exponential_avg_factor": 0.25}),
    ("inference", {"is_training": False}),
]
X, V, THREE = f32(2, 2, 1, 2), f32(2), f32(3)
INFERENCE = {"is_training": False}


def wrong(name, text, args, **attrs):
    return bad(name, args, "InvalidArgumentError", text, **attrs)


COMMON = {
    "positional": False,
    "zero_sign": False,
    "ulp": 8,
    "scale": lambda *args, **attrs: np.float64(8),
    "grad": "skip",
    "grad_why": "the op has no float64: in test_batch_norm, against the same of simple ops",
}

for op, ref in (
    ("FusedBatchNorm", batch_norm),
    ("FusedBatchNormV2", batch_norm),
    ("FusedBatchNormV3", batch_norm_v3),
):
    add(
        op,
        ref=ref,
        **COMMON,
        cases=forward_cases(SHAPES if op.endswith("V3") else SHAPES[:2], MODES),
        edge=forward_cases(EMPTY, MODES[:1]),
        errors=(
            wrong("scale", "scale must be a vector of 2", (X, THREE, V, V, V), **INFERENCE),
            wrong("scale-rank", "scale", (X, f32(1, 2), V, V, V), **INFERENCE),
            wrong("mean", "mean must be", (X, V, V, f32(0), V), **INFERENCE),
            wrong("averages", "mean must be", (X, V, V, f32(0), V), exponential_avg_factor=0.5),
            wrong("rank", "x must have 4 or 5", (X[0], V, V, V, V), **INFERENCE),
            wrong("data-format", "NWHC", (X, V, V, V, V), data_format="NWHC"),
        ),
    )
add(
    "FusedBatchNormGradV3",
    ref=batch_norm_grad,
    **COMMON | {"scale": lambda *args, **attrs: np.float64(64)},
    cases=grad_cases(SHAPES),
    edge=grad_cases(EMPTY[1:]),
    errors=(
        wrong("shape", "y_backprop", (X[:1], X, V, V, V, np.float32(0))),
        wrong("scale", "scale must be", (X, X, THREE, V, V, np.float32(0))),
    ),
)
