"""`tf.compat.v1` for programs that run eagerly: the names and arguments of TensorFlow 1.

A name that TensorFlow 2 only moved is the same function; functions whose arguments have changed
take those of both versions. What belongs to graphs and sessions is not here.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from agog.near_names import no_attribute

# Where TensorFlow 2 has what TensorFlow 1 calls by another name.
MOVED = {
    "FixedLenFeature": "io.FixedLenFeature",
    "FixedLenSequenceFeature": "io.FixedLenSequenceFeature",
    "OpError": "errors.OpError",
    "SparseFeature": "io.SparseFeature",
    "VarLenFeature": "io.VarLenFeature",
    "accumulate_n": "math.accumulate_n",
    "angle": "math.angle",
    "assert_equal": "debugging.assert_equal",
    "assert_greater": "debugging.assert_greater",
    "assert_greater_equal": "debugging.assert_greater_equal",
    "assert_less": "debugging.assert_less",
    "assert_less_equal": "debugging.assert_less_equal",
    "assert_non_negative": "debugging.assert_non_negative",
    "assert_none_equal": "debugging.assert_none_equal",
    "assert_positive": "debugging.assert_positive",
    "assert_rank": "debugging.assert_rank",
    "betainc": "math.betainc",
    "ceil": "math.ceil",
    "check_numerics": "debugging.check_numerics",
    "conj": "math.conj",
    "cross": "linalg.cross",
    "cumprod": "math.cumprod",
    "digamma": "math.digamma",
    "div_no_nan": "math.divide_no_nan",
    "erf": "math.erf",
    "erfc": "math.erfc",
    "expm1": "math.expm1",
    "floor_div": "math.floordiv",
    "floordiv": "math.floordiv",
    "floormod": "math.floormod",
    "global_norm": "linalg.global_norm",
    "igamma": "math.igamma",
    "igammac": "math.igammac",
    "imag": "math.imag",
    "invert_permutation": "math.invert_permutation",
    "is_finite": "math.is_finite",
    "is_inf": "math.is_inf",
    "is_nan": "math.is_nan",
    "is_non_decreasing": "math.is_non_decreasing",
    "is_strictly_increasing": "math.is_strictly_increasing",
    "lbeta": "math.lbeta",
    "lgamma": "math.lgamma",
    "lin_space": "linspace",
    "log": "math.log",
    "log1p": "math.log1p",
    "log_sigmoid": "math.log_sigmoid",
    "logical_xor": "math.logical_xor",
    "matching_files": "io.matching_files",
    "matrix_band_part": "linalg.band_part",
    "matrix_diag": "linalg.diag",
    "matrix_diag_part": "linalg.diag_part",
    "matrix_set_diag": "linalg.set_diag",
    "matrix_transpose": "linalg.matrix_transpose",
    "mod": "math.mod",
    "parse_single_sequence_example": "io.parse_single_sequence_example",
    "parse_tensor": "io.parse_tensor",
    "polygamma": "math.polygamma",
    "py_func": "numpy_function",
    "random_gamma": "random.gamma",
    "random_normal": "random.normal",
    "random_poisson": "random.poisson",
    "random_shuffle": "random.shuffle",
    "random_uniform": "random.uniform",
    "read_file": "io.read_file",
    "real": "math.real",
    "reciprocal": "math.reciprocal",
    "reverse_v2": "reverse",
    "rint": "math.rint",
    "rsqrt": "math.rsqrt",
    "serialize_tensor": "io.serialize_tensor",
    "set_random_seed": "random.set_seed",
    "squared_difference": "math.squared_difference",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "trace": "linalg.trace",
    "truncated_normal": "random.truncated_normal",
    "unsorted_segment_max": "math.unsorted_segment_max",
    "unsorted_segment_mean": "math.unsorted_segment_mean",
    "unsorted_segment_min": "math.unsorted_segment_min",
    "unsorted_segment_prod": "math.unsorted_segment_prod",
    "unsorted_segment_sqrt_n": "math.unsorted_segment_sqrt_n",
    "unsorted_segment_sum": "math.unsorted_segment_sum",
    "where_v2": "where",
    "write_file": "io.write_file",
    "zeta": "math.zeta",
}


def moved(name: str) -> Any:
    """What has another name in TensorFlow 2."""
    found: Any = importlib.import_module("agog")
    for part in MOVED[name].split("."):
        found = getattr(found, part)
    return found


def _functions() -> ModuleType:
    return importlib.import_module("agog.compat.v1_functions")


def has_own(name: str) -> bool:
    """Whether this is a name that TensorFlow 2 does not have, or has with other arguments."""
    return name in MOVED or name in _functions().__all__


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise no_attribute(__name__, name)
    if name in _functions().__all__:
        return getattr(_functions(), name)
    if name in MOVED:
        return moved(name)
    agog = importlib.import_module("agog")
    if name not in dir(agog):
        raise no_attribute(__name__, name)
    return getattr(agog, name)


def __dir__() -> list[str]:
    agog = importlib.import_module("agog")
    public = (name for name in dir(agog) if not name.startswith("_"))
    return sorted({*public, *MOVED, *_functions().__all__})
