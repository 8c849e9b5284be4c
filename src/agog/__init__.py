"""agog: TensorFlow's eager execution, small and fast.

`import agog as tf` runs TensorFlow 2 code: operations run when they are called, a GradientTape
gives gradients of any order, and models are Python classes.
"""

# ruff: noqa: I001 - the core is set up before the modules that resolve ops from it

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from agog import _setup as _setup

from agog.array import (
    argsort as argsort,
    boolean_mask as boolean_mask,
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    broadcast_to as broadcast_to,
    concat as concat,
    constant as constant,
    convert_to_tensor as convert_to_tensor,
    ensure_shape as ensure_shape,
    expand_dims as expand_dims,
    eye as eye,
    fill as fill,
    gather as gather,
    gather_nd as gather_nd,
    get_static_value as get_static_value,
    identity as identity,
    identity_n as identity_n,
    is_tensor as is_tensor,
    meshgrid as meshgrid,
    one_hot as one_hot,
    ones as ones,
    ones_like as ones_like,
    pad as pad,
    rank as rank,
    repeat as repeat,
    reshape as reshape,
    reverse as reverse,
    roll as roll,
    scatter_nd as scatter_nd,
    searchsorted as searchsorted,
    sequence_mask as sequence_mask,
    shape as shape,
    shape_n as shape_n,
    size as size,
    slice as slice,
    sort as sort,
    split as split,
    squeeze as squeeze,
    stack as stack,
    stop_gradient as stop_gradient,
    strided_slice as strided_slice,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
    tile as tile,
    transpose as transpose,
    unique as unique,
    unique_with_counts as unique_with_counts,
    unstack as unstack,
    where as where,
    zeros as zeros,
    zeros_like as zeros_like,
)
from agog.math import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    add as add,
    add_n as add_n,
    argmax as argmax,
    argmin as argmin,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atan2 as atan2,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    cumsum as cumsum,
    divide as divide,
    equal as equal,
    exp as exp,
    floor as floor,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    not_equal as not_equal,
    pow as pow,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
    round as round,
    scalar_mul as scalar_mul,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    sqrt as sqrt,
    square as square,
    subtract as subtract,
    tan as tan,
    tanh as tanh,
    truediv as truediv,
)
from agog.linalg import (
    einsum as einsum,
    matmul as matmul,
    norm as norm,
    tensordot as tensordot,
)
from agog.math.casting import (
    bitcast as bitcast,
    cast as cast,
    saturate_cast as saturate_cast,
)
from agog.math.clipping import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
)
from agog.math.complex_numbers import (
    complex as complex,
)
from agog.math.sequences import (
    linspace as linspace,
    range as range,
)
from agog.math.binary import (
    realdiv as realdiv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from agog.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool as bool,
    complex128 as complex128,
    complex64 as complex64,
    double as double,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    half as half,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    int8 as int8,
    resource as resource,
    string as string,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    uint8 as uint8,
    variant as variant,
)
from agog.tensor_shape import (
    TensorShape as TensorShape,
)
from agog import (
    bitwise as bitwise,
)
from agog import autodiff as autodiff
from agog import config as config
from agog import debugging as debugging
from agog import dtypes as dtypes
from agog import errors as errors
from agog import experimental as experimental
from agog import nest as nest
from agog import linalg as linalg
from agog import math as math
from agog import nn as nn
from agog import random as random
from agog import raw_ops as raw_ops
from agog._core import Tensor as Tensor
from agog.custom_gradient import custom_gradient as custom_gradient
from agog.custom_gradient import recompute_grad as recompute_grad
from agog.framework import control_dependencies as control_dependencies
from agog.framework import device as device
from agog.framework import executing_eagerly as executing_eagerly
from agog.framework import group as group
from agog.framework import init_scope as init_scope
from agog.framework import is_symbolic_tensor as is_symbolic_tensor
from agog.framework import name_scope as name_scope
from agog.framework import no_op as no_op
from agog.gradient_tape import GradientTape as GradientTape
from agog.gradient_tape import UnconnectedGradients as UnconnectedGradients
from agog.indexed_slices import IndexedSlices as IndexedSlices
from agog.module import Module as Module
from agog.py_functions import numpy_function as numpy_function
from agog.py_functions import py_function as py_function
from agog.sparse_tensor import SparseTensor as SparseTensor
from agog.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from agog.tensor_spec import TensorSpec as TensorSpec
from agog.tensor_spec import TypeSpec as TypeSpec
from agog.tensor_spec import type_spec_from_value as type_spec_from_value
from agog.variable import Variable as Variable
from agog.variable import VariableAggregation as VariableAggregation
from agog.variable import VariableSynchronization as VariableSynchronization
from agog.progress_bar import progress as progress

if _TYPE_CHECKING:
    from agog import compat as compat
    from agog import contrib as contrib
    from agog import data as data
    from agog import datasets as datasets
    from agog import image as image
    from agog import initializers as initializers
    from agog import io as io
    from agog import layers as layers
    from agog import losses as losses
    from agog import metrics as metrics
    from agog import mixed_precision as mixed_precision
    from agog import optimizers as optimizers
    from agog import summary as summary
    from agog import train as train
    from agog.programs.as_tensorflow import install_as_tensorflow as install_as_tensorflow

    constant_initializer = initializers.Constant
    ones_initializer = initializers.Ones
    random_normal_initializer = initializers.RandomNormal
    random_uniform_initializer = initializers.RandomUniform
    zeros_initializer = initializers.Zeros

newaxis = None
__version__ = "0.1.0"

# Imported on first use, so that importing agog is fast.
_ON_FIRST_USE = frozenset(
    """
    compat contrib data datasets image initializers io layers losses metrics mixed_precision
    optimizers summary train
    """.split()
)
_ELSEWHERE = {
    "constant_initializer": "agog.initializers:Constant",
    "install_as_tensorflow": "agog.programs.as_tensorflow:install_as_tensorflow",
    "ones_initializer": "agog.initializers:Ones",
    "random_normal_initializer": "agog.initializers:RandomNormal",
    "random_uniform_initializer": "agog.initializers:RandomUniform",
    "zeros_initializer": "agog.initializers:Zeros",
}


def __getattr__(name: str) -> object:
    import importlib

    if name in _ON_FIRST_USE:
        return importlib.import_module(f"agog.{name}")
    if name in _ELSEWHERE:
        module, _, own_name = _ELSEWHERE[name].partition(":")
        return getattr(importlib.import_module(module), own_name)
    if not name.startswith("_"):
        v1 = importlib.import_module("agog.compat.v1")
        if v1.has_own(name):  # programs of 2017 say tf.log
            return getattr(v1, name)
    raise importlib.import_module("agog.near_names").no_attribute("agog", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE, *_ELSEWHERE})


__all__ = sorted(name for name in __dir__() if name[0] != "_" and name != "annotations")
