"""The most that the tape may keep of each op: names of inputs and outputs.

Index, axis and shape inputs are small and may always be kept. An op that is not listed may keep
whatever it takes; every op whose gradient needs less than all its tensors belongs here.
"""

from __future__ import annotations

NOTHING: tuple[str, ...] = ()

SAVES: dict[str, tuple[str, ...]] = {
    # The gradient needs only shapes.
    **dict.fromkeys(
        ("Neg", "Add", "AddV2", "Sub", "AddN", "Identity", "IdentityN", "Conj", "Real", "Imag"),
        NOTHING,
    ),
    **dict.fromkeys(("Imag", "Complex", "Reshape", "ExpandDims", "Squeeze", "Transpose"), NOTHING),
    **dict.fromkeys(("ConcatV2", "Pack", "Unpack", "Split", "SplitV", "Pad", "PadV2"), NOTHING),
    **dict.fromkeys(("Tile", "BroadcastTo", "Fill", "Cast", "Slice", "ReverseV2"), NOTHING),
    **dict.fromkeys(("Sum", "Mean", "Cumsum", "BiasAdd", "BiasAddGrad", "GatherV2"), NOTHING),
    **dict.fromkeys(("GatherNd", "ScatterNd", "UnsortedSegmentSum", "StridedSlice"), NOTHING),
    **dict.fromkeys(
        ("MatrixDiag", "MatrixDiagPart", "MatrixBandPart", "Diag", "DiagPart"), NOTHING
    ),
    # The output is enough.
    **dict.fromkeys(("Exp", "Sqrt", "Rsqrt", "Reciprocal", "Asinh"), ("y",)),
    **dict.fromkeys(("Relu", "Elu", "Selu"), ("activations",)),
    "Softmax": ("softmax",),
    "LogSoftmax": ("logsoftmax",),
    # The input is enough.
    **dict.fromkeys(("Square", "Sin", "Cos", "Log", "Log1p", "Abs", "Sign"), ("x",)),
    **dict.fromkeys(("Asin", "Acos", "Atan", "Atanh", "Erf", "Erfc"), ("x",)),
    # From y the slope would be 0 wherever y rounds to 1.
    **dict.fromkeys(("Tanh", "Sigmoid"), ("x",)),
    **dict.fromkeys(("Lgamma", "Digamma", "Sinh", "Cosh", "Tan"), ("x",)),
    **dict.fromkeys(("Softplus", "Softsign", "LeakyRelu"), ("features",)),
    **dict.fromkeys(("Mul", "Maximum", "Minimum", "Atan2", "Xlogy"), ("x", "y")),
    "MatMul": ("a", "b"),
    **dict.fromkeys(("BatchMatMul", "BatchMatMulV2"), ("x", "y")),
    **dict.fromkeys(("Select", "SelectV2"), ("condition",)),
    "L2Loss": ("t",),
    "SoftmaxCrossEntropyWithLogits": ("features", "backprop"),
    "SparseSoftmaxCrossEntropyWithLogits": ("features", "backprop"),
    # Convolutions keep both factors; pools of means keep shapes.
    "Conv2D": ("input", "filter"),
    "Conv2DBackpropInput": ("filter", "out_backprop"),
    "Conv2DBackpropFilter": ("input", "out_backprop"),
    "MaxPool": ("input", "output"),
    "MaxPoolGrad": ("orig_input", "orig_output"),
    "AvgPool": NOTHING,
    "AvgPoolGrad": NOTHING,
}
