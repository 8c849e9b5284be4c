"""Calls whose answer is only TensorFlow's convention: ties, borders, overflow, NaN, errors.

The answers are in tests/golden/records.json, made from real TensorFlow by tools/golden.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.spec.table import numpy_dtype

NAN, INF = np.nan, np.inf


@dataclass(frozen=True)
class Fact:
    """A call to record; `grad` also records gradients for the cotangent 1, 2, 3, ..."""

    id: str
    op: str
    args: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    grad: bool = False
    tol: float = 0.0  # relative; 0 is equality
    ours: str = ""  # why agog answers differently; the record then only documents TensorFlow


FACTS: dict[str, Fact] = {}


def fact(
    id: str, op: str, *args: Any, grad: bool = False, tol: float = 0.0, ours: str = "", **attrs: Any
) -> None:
    if id in FACTS:
        raise ValueError(f"two facts named {id}")
    FACTS[id] = Fact(id, op, args, attrs, grad, tol, ours)


def a(dtype: str, *values: Any) -> np.ndarray:
    return np.array(values).astype(numpy_dtype(dtype))


def f(*values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def d(*values: Any) -> np.ndarray:
    return np.array(values, np.float64)


def i(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def s(value: Any, dtype: str = "float32") -> np.ndarray:
    return np.array(value).astype(numpy_dtype(dtype))


# Ties and borders of gradients.
for op in ("Maximum", "Minimum"):
    fact(f"{op}-ties", op, d(1, 2, 3, -1), d(1, 5, 2, -1), grad=True)
    fact(f"{op}-ties-broadcast", op, d(1, 2, 3), s(2, "float64"), grad=True)
    fact(f"{op}-nan", op, f(NAN, 1, NAN), f(1, NAN, NAN), grad=True)
    fact(f"{op}-zeros", op, f(0.0, -0.0), f(-0.0, 0.0))
for op in ("Max", "Min"):
    fact(f"{op}-ties", op, d(1, 3, 3, 1), i(0), grad=True)
    fact(f"{op}-ties-rows", op, np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]]), i(1), grad=True)
    fact(f"{op}-ties-all", op, np.array([[4.0, 1.0], [1.0, 4.0]]), i(0, 1), grad=True)
    fact(f"{op}-nan", op, f(1, NAN, 3), i(0))
    fact(f"{op}-nan-first", op, f(NAN, 1, 3), i(0))
for op in ("Abs", "Sign", "Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Softsign", "Softplus"):
    fact(f"{op}-border", op, d(0.0, -0.0, 6.0, -1.0, 7.0), grad=True, tol=1e-12)
    # -80: further out TensorFlow flushes subnormal results of Softplus to zero.
    fact(f"{op}-limits", op, f(NAN, INF, -INF, 100.0, -80.0), tol=1e-6)
for op in ("ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"):
    fact(f"{op}-border", op, f(2, 3, 5, 7, 9), f(0.0, -0.0, 6.0, NAN, -1.0), tol=1e-6)
fact(
    "ClipByValue-borders",
    "ClipByValue",
    d(-2, -1, 0, 1, 2),
    s(-1, "float64"),
    s(1, "float64"),
    grad=True,
)
fact("ClipByValue-elementwise", "ClipByValue", d(0, 1, 5), d(0, 0, 1), d(2, 1, 3), grad=True)
fact("ClipByValue-nan", "ClipByValue", f(NAN, 1), s(-1), s(0.5))
fact("ClipByValue-crossed", "ClipByValue", f(-5, 0, 5), s(2), s(-2))
for op in (
    "Sqrt",
    "Rsqrt",
    "Log",
    "Log1p",
    "Reciprocal",
    "Xlogy",
    "Acos",
    "Asin",
    "Acosh",
    "Atanh",
):
    if op != "Xlogy":
        fact(
            f"{op}-edges",
            op,
            f(0.0, -0.0, 1.0, -1.0, 2.0, -2.0, INF, -INF, NAN),
            grad=True,
            tol=1e-6,
        )
# The slope of x^0 at 0, NaN in TensorFlow and 0 here, has a test of its own.
fact("Pow-zeros", "Pow", d(0, 0, 0, 0), d(2, 1, 0.5, -1), grad=True, tol=1e-12)
fact("Pow-negative-base", "Pow", d(-2, -2, -2, -1), d(3, 2.5, -2, 0), grad=True, tol=1e-12)
fact("Pow-limits", "Pow", f(0, INF, -INF, NAN, 1, NAN, -1), f(0, 0, 3, 0, NAN, 1, INF), tol=1e-6)
fact("Pow-int", "Pow", i(0, 2, -2, 3, 7), i(0, 31, 31, 40, 2))
fact("Pow-int-negative", "Pow", i(2), i(-1))
fact("Pow-complex-zero", "Pow", a("complex64", 0, 0), a("complex64", 0, 2), tol=1e-6)
fact("Prod-one-zero", "Prod", d(2, 0, 3, 4), i(0), grad=True, tol=1e-12)
fact("Prod-two-zeros", "Prod", d(2, 0, 0, 4), i(0), grad=True, tol=1e-12)
fact("Prod-rows-zero", "Prod", np.array([[1.0, 0.0], [3.0, 4.0]]), i(1), grad=True, tol=1e-12)
fact(
    "Cumprod-zero",
    "Cumprod",
    d(2, 0, 3, 4),
    s(0, "int32"),
    grad=True,
    ours="TensorFlow gives zero for the slope at the zero; the product rule gives 118",
)
fact("DivNoNan-zeros", "DivNoNan", d(1, 0, -2, INF, NAN), d(0, 0, 4, 0, 0), grad=True, tol=1e-12)
fact("MulNoNan-zeros", "MulNoNan", d(INF, NAN, 3, 0), d(0, 0, 2, INF), grad=True, tol=1e-12)
fact("Xlogy-zeros", "Xlogy", d(0, 0, 2, 0), d(0, 2, 3, -1), grad=True, tol=1e-12)
fact("Xlog1py-zeros", "Xlog1py", d(0, 0, 2, 0), d(-1, 2, 3, -3), grad=True, tol=1e-12)
fact("Xdivy-zeros", "Xdivy", d(0, 0, 2), d(0, 2, 3), grad=True, tol=1e-12)
for op in ("Xlogy", "Xlog1py", "Xdivy"):
    fact(f"{op}-nan", op, f(0, NAN, 1), f(NAN, 0, NAN))
fact("Div-zeros", "RealDiv", f(1, 0, -1), f(0, 0, 0), grad=True)
fact("Atan2-zeros", "Atan2", d(0.0, -0.0, 0.0, -0.0), d(0.0, 0.0, -0.0, -0.0), grad=True, tol=1e-12)
fact("ComplexAbs-zero", "ComplexAbs", a("complex128", 0, 3 + 4j), Tout="float64", grad=True)
fact("Angle-axes", "Angle", a("complex128", 1, -1, 1j, 0), Tout="float64", grad=True, tol=1e-12)
fact("EuclideanNorm-zero", "EuclideanNorm", d(0, 0), i(0), grad=True)
fact("FloorMod-gradient", "FloorMod", d(7, -7, 7), d(3, 3, -3), grad=True)
fact("TopKV2-ties", "TopKV2", d(2, 3, 3, 1, 3), s(2, "int32"), grad=True)
fact("TopKV2-nan", "TopKV2", f(1, NAN, 3), s(2, "int32"))
fact(
    "UnsortedSegmentMax-ties",
    "UnsortedSegmentMax",
    d(2, 2, 1),
    i(0, 0, 1),
    s(2, "int32"),
    grad=True,
)
fact(
    "UnsortedSegmentMin-ties",
    "UnsortedSegmentMin",
    d(2, 2, 1),
    i(0, 0, 1),
    s(2, "int32"),
    grad=True,
)
for op in ("TensorScatterMin", "TensorScatterMax"):
    fact(f"{op}-ties", op, d(1, 5, 3), i(0, 1, 2).reshape(3, 1), d(1, 4, 9), grad=True)
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
TIES = d(*[[1, 3, 3], [2, 3, 1], [3, 3, 3]]).reshape(1, 3, 3, 1)
fact("MaxPool-ties", "MaxPool", TIES, grad=True, **POOL)
fact("MaxPool-nan", "MaxPool", f(NAN, 1, 2, 3, NAN, 0).reshape(1, 2, 3, 1), **POOL)
fact("MaxPool-all-nan", "MaxPool", f(*[NAN] * 4).reshape(1, 2, 2, 1), **POOL)
fact("MaxPool-infinite", "MaxPool", f(*[-INF] * 4).reshape(1, 2, 2, 1), **POOL)
fact("AvgPool-nan", "AvgPool", f(NAN, 1, 2, 3, INF, 0).reshape(1, 2, 3, 1), **POOL)
fact("Select-nan", "SelectV2", np.array([True, False]), d(1, NAN), d(NAN, 2), grad=True)
fact("Cumsum-nan", "Cumsum", f(1, NAN, 2), s(0, "int32"))
fact("CumulativeLogsumexp-inf", "CumulativeLogsumexp", d(-INF, 0, 1), s(0, "int32"), tol=1e-12)
fact("Softmax-limits", "Softmax", f(*[[INF, 0], [-INF, 0], [NAN, 0], [-INF, -INF]]), tol=1e-6)
fact("LogSoftmax-limits", "LogSoftmax", f(*[[-INF, 0], [1000, 0], [NAN, 0]]), tol=1e-6)
fact(
    "CrossEntropy-unnormalised",
    "SoftmaxCrossEntropyWithLogits",
    d([1, 2, 0]),
    d([2, 0, 1]),
    grad=True,
    tol=1e-12,
)
fact("SparseCrossEntropy-outside", "SparseSoftmaxCrossEntropyWithLogits", f([1, 2, 0]), i(3))

# Integer division.
INTERNAL = "TensorFlow raises InternalError; a wrong argument is InvalidArgumentError"
for dtype in ("int8", "int32", "int64", "uint8", "uint64"):
    for op in ("Div", "FloorDiv", "FloorMod"):
        fact(f"{op}-by-zero-{dtype}", op, a(dtype, 1, 0), a(dtype, 0, 0))
    fact(f"TruncateDiv-by-zero-{dtype}", "TruncateDiv", a(dtype, 1), a(dtype, 0), ours=INTERNAL)
for dtype in ("int32", "int64"):
    low = np.iinfo(dtype).min
    fact(f"TruncateMod-by-zero-{dtype}", "TruncateMod", a(dtype, 1), a(dtype, 0), ours=INTERNAL)
    for op in ("FloorDiv", "TruncateDiv", "Div"):
        fact(f"{op}-lowest-{dtype}", op, np.array([low], dtype), a(dtype, -1))
    for op in ("FloorMod", "TruncateMod", "FloorDiv", "TruncateDiv"):
        fact(
            f"{op}-signs-{dtype}", op, a(dtype, 7, -7, 7, -7, 6, -6), a(dtype, 3, 3, -3, -3, -3, 3)
        )
fact("FloorMod-float-signs", "FloorMod", f(7, -7, 7, -7, 0.0, -0.0, 6), f(3, 3, -3, -3, 3, 3, -3))
fact("FloorMod-float-limits", "FloorMod", f(1, -1, INF, 1, NAN, 5), f(INF, INF, 2, 0, 1, -INF))
fact("FloorDiv-float", "FloorDiv", f(7, -7, 1, -1, 1, 0), f(2, 2, 0, 0, INF, 0))
fact("Mean-int", "Mean", i(1, 2, -7), i(0))
fact("Mean-int-negative", "Mean", i(-1, -2), i(0))
fact("Mean-int8-overflow", "Mean", a("int8", 100, 100, 100), i(0))
fact("Mean-empty", "Mean", f(), i(0))
fact("Sum-int8-overflow", "Sum", a("int8", 100, 100), i(0))
fact("Abs-lowest", "Abs", a("int8", -128, -127))
fact("Neg-lowest", "Neg", a("int8", -128, 1))

# Rounding and casting.
fact("Round-halves", "Round", f(0.5, 1.5, 2.5, -0.5, -1.5, 2.4999998, 0.49999997, 8388609.0))
fact("Rint-halves", "Rint", f(0.5, 1.5, 2.5, -0.5, -1.5))
fact(
    "Round-int",
    "Round",
    i(1, -3),
    ours="TensorFlow's raw op gives zeros; an integer is round already",
)
for to in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"):
    fact(f"Cast-float32-{to}", "Cast", f(1.9, -1.9, 0.0, -0.0, 0.5), DstT=to)
    fact(f"Cast-float32-{to}-beyond", "Cast", f(NAN, INF, -INF, 3e9, -3e9, 300, -1, 1e20), DstT=to)
    fact(f"Cast-float64-{to}-beyond", "Cast", d(NAN, INF, -INF, 3e9, -3e9, 300, -1, 1e20), DstT=to)
    fact(f"Cast-bfloat16-{to}", "Cast", a("bfloat16", 1.9, -1.9, 200), DstT=to)
fact("Cast-int-narrow", "Cast", i(300, -1, 128, -129), DstT="int8")
fact("Cast-int-unsigned", "Cast", i(-1, 2), DstT="uint32")
fact("Cast-int64-float32", "Cast", a("int64", 2**24 + 1, 2**53 + 1, -(2**62) - 1), DstT="float32")
fact("Cast-float32-float16", "Cast", f(65504, 65519, 65520, 1e-8, 6e-8, NAN, INF), DstT="float16")
fact(
    "Cast-float32-bfloat16", "Cast", f(1.00390625, 1.01171875, 3.4e38, NAN, 1e-40), DstT="bfloat16"
)
fact("Cast-float64-float32", "Cast", d(1 + 2.0**-24, 1e39, -1e39, 1e-46), DstT="float32")
fact("Cast-complex-real", "Cast", a("complex64", 1 + 2j, 3j), DstT="float32")
fact("Cast-complex-bool", "Cast", a("complex64", 0, 3j), DstT="bool")
fact("Cast-nan-bool", "Cast", f(NAN, 0, -0.0), DstT="bool")

# NaN, ties and order.
fact("Sign-nan", "Sign", f(NAN, -0.0, INF))
fact("Sign-complex", "Sign", a("complex64", 0, 3 + 4j), tol=1e-6)
for op in ("ArgMax", "ArgMin"):
    fact(f"{op}-ties", op, f(1, 3, 3, 1), s(0, "int32"))
    fact(f"{op}-nan", op, f(1, NAN, 3), s(0, "int32"))
    fact(f"{op}-nan-first", op, f(NAN, 1, 3), s(0, "int32"))
    fact(f"{op}-bool", op, np.array([False, True, True]), s(0, "int32"))
fact("Unique-nan", "Unique", f(NAN, 1, NAN, 1))
fact("Unique-zeros", "Unique", f(0.0, -0.0))
fact("InTopKV2-nan", "InTopKV2", f([1, NAN], [INF, 1]), i(0, 0), s(1, "int32"))
fact("Where-nan", "Where", f(NAN, 0.0, -0.0, 1))
fact("Equal-nan", "Equal", f(NAN, 1), f(NAN, 1))
fact("Equal-shapes", "Equal", f(1, 2), f(1, 2, 3), incompatible_shape_error=False)
fact("NotEqual-shapes", "NotEqual", f(1, 2), f(1, 2, 3), incompatible_shape_error=False)
fact("ApproximateEqual-border", "ApproximateEqual", f(1, 1, NAN), f(1.5, 1.49, NAN), tolerance=0.5)
fact("MatMul-nan", "MatMul", f([0.0]), f([NAN]))
fact("LeftShift-wide", "LeftShift", i(1, 1, 1), i(31, 32, -1))
fact("RightShift-wide", "RightShift", i(-8, 8, 8), i(1, 33, -1))
fact("NextAfter-limits", "NextAfter", f(0, 0, 1, INF, NAN), f(1, 0, NAN, 0, 1))

# Building and indexing.
fact("Range-tenths", "Range", s(0), s(1), s(0.1))
fact("Range-tenths-double", "Range", s(0, "float64"), s(1, "float64"), s(0.1, "float64"))
fact("Range-thirds", "Range", s(1), s(2), s(0.3))
fact("Range-down", "Range", s(1), s(0), s(-0.25))
fact("Range-bfloat16", "Range", s(0, "bfloat16"), s(1, "bfloat16"), s(0.1, "bfloat16"))
fact("Range-float16", "Range", s(0, "float16"), s(1, "float16"), s(0.1, "float16"))
fact("LinSpace-tenths", "LinSpace", s(0), s(1), s(11, "int32"))
fact("LinSpace-down", "LinSpace", s(1), s(-1), s(4, "int32"))
fact("LinSpace-double", "LinSpace", s(0, "float64"), s(1, "float64"), s(8, "int32"))
fact("ScatterNd-twice", "ScatterNd", i(1, 1).reshape(2, 1), f(10, 5), i(3))
fact("ScatterNd-negative", "ScatterNd", i(-1).reshape(1, 1), f(10), i(3))
fact("TensorScatterUpdate-twice", "TensorScatterUpdate", f(0, 0), i(1, 1).reshape(2, 1), f(10, 5))
fact("OneHot-negative", "OneHot", i(-1, 0, 3), s(3, "int32"), s(1), s(0))
fact("GatherV2-beyond", "GatherV2", f(1, 2), i(2), s(0, "int32"))
fact("GatherV2-negative", "GatherV2", f(1, 2), i(-1), s(0, "int32"))
fact("GatherNd-beyond", "GatherNd", f(1, 2), i(2).reshape(1, 1))
fact(
    "UnsortedSegmentSum-negative",
    "UnsortedSegmentSum",
    d(1, 2, 4),
    i(0, -1, 0),
    s(2, "int32"),
    grad=True,
)
fact("UnsortedSegmentSum-beyond", "UnsortedSegmentSum", f(1, 2), i(0, 2), s(2, "int32"))
for dtype in ("float16", "bfloat16", "float32", "float64", "int8", "int32", "uint8"):
    for op in ("UnsortedSegmentMax", "UnsortedSegmentMin"):
        fact(f"{op}-empty-{dtype}", op, a(dtype, 1), i(0), s(2, "int32"))
fact("StridedSlice-beyond", "StridedSlice", f(1, 2), i(2), i(3), i(1), shrink_axis_mask=1)
fact("StridedSlice-far", "StridedSlice", f(1, 2, 3), i(-9), i(9), i(1))
fact("StridedSlice-far-back", "StridedSlice", f(1, 2, 3), i(9), i(-9), i(-2))
fact("BroadcastGradientArgs-ones", "BroadcastGradientArgs", i(1, 2), i(1, 2))
fact("BroadcastGradientArgs-one", "BroadcastGradientArgs", i(1, 2), i(2))

# Special functions at their borders.
fact("Erfinv-borders", "Erfinv", d(-1, 1, 0, 2, NAN))
fact("Ndtri-borders", "Ndtri", d(0, 1, 0.5, 2, -1, NAN))
fact("Lgamma-poles", "Lgamma", d(0, -1, -2, 1, 2, INF, -INF, NAN))
fact("Digamma-poles", "Digamma", d(0.0, -0.0, -1, -2, INF, -INF, NAN))
fact(
    "Igamma-borders",
    "Igamma",
    d(1, 0, -1, 1, NAN, 1, INF, 0),
    d(0, 1, 1, INF, 1, -1, 1, 0),
    tol=1e-12,
)
fact(
    "Igammac-borders",
    "Igammac",
    d(1, 0, -1, 1, NAN, 1, INF, 0),
    d(0, 1, 1, INF, 1, -1, 1, 0),
    tol=1e-12,
)
fact("Zeta-borders", "Zeta", d(1, 0.5, 2, 2, 2, NAN, 3), d(1, 1, 0, -1, -0.5, 1, -0.5), tol=1e-12)
fact(
    "Polygamma-borders",
    "Polygamma",
    d(0, 1, 1, 0.5, -1, 1, 2),
    d(0, 0, -1, 1, 1, -0.5, -0.5),
    tol=1e-12,
)
fact(
    "Betainc-borders",
    "Betainc",
    d(1, 0, 2, 2, 2),
    d(1, 1, 3, 3, 0),
    d(0, 0.5, 1, 2, 0.5),
    tol=1e-12,
)
fact("Log-complex-zero", "Log", a("complex64", 0, -1), tol=1e-6)
fact("Sqrt-complex", "Sqrt", a("complex64", -1, 0, -4j), tol=1e-6)
fact("Reciprocal-complex-zero", "Reciprocal", a("complex64", 0))
fact("Div-complex-zero", "RealDiv", a("complex64", 1, 0), a("complex64", 0, 0))
fact(
    "DivNoNan-complex-zero", "DivNoNan", a("complex64", 1, 1 + 1j), a("complex64", 0, 1j), tol=1e-6
)
