"""Functions with the arguments of TensorFlow 1, where these differ from those of TensorFlow 2."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import agog
from agog._core import public
from agog.types import TensorLike


def _one_of(function: str, new: str, value: Any, old: str, old_value: Any) -> Any:
    """The value of an argument that has two names, of which at most one may be given."""
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"{function} got both {new} and {old}, two names of one argument")
    return old_value


def _reduction(name: str) -> Callable[..., agog.Tensor]:
    of = getattr(agog, name)

    def reduce(
        input_tensor: TensorLike,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> agog.Tensor:
        axis = _one_of(of.__name__, "axis", axis, "reduction_indices", reduction_indices)
        keep = _one_of(of.__name__, "keepdims", keepdims, "keep_dims", keep_dims)
        return of(input_tensor, axis, bool(keep), name)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"`agog.{name}`, whose arguments may have their old names, too."
    return public(reduce)


reduce_all = _reduction("reduce_all")
reduce_any = _reduction("reduce_any")
reduce_logsumexp = _reduction("reduce_logsumexp")
reduce_max = _reduction("reduce_max")
reduce_mean = _reduction("reduce_mean")
reduce_min = _reduction("reduce_min")
reduce_prod = _reduction("reduce_prod")
reduce_sum = _reduction("reduce_sum")


def _position(name: str) -> Callable[..., agog.Tensor]:
    of = getattr(agog, name)

    def position(
        input: TensorLike,
        axis: Any = None,
        name: str | None = None,
        dimension: Any = None,
        output_type: Any = agog.int64,
    ) -> agog.Tensor:
        axis = _one_of(of.__name__, "axis", axis, "dimension", dimension)
        return of(input, axis, output_type, name)

    position.__name__ = position.__qualname__ = name
    position.__doc__ = f"`agog.{name}`, whose axis may be called `dimension`."
    return public(position)


argmax = _position("argmax")
argmin = _position("argmin")


@public
def expand_dims(
    input: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None
) -> agog.Tensor:
    """`agog.expand_dims`, whose axis may be called `dim`; ValueError for none.

    >>> agog.compat.v1.expand_dims([1, 2], dim=0).shape
    TensorShape([1, 2])
    """
    axis = _one_of("expand_dims", "axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("expand_dims needs an axis")
    return agog.expand_dims(input, axis, name)


@public
def squeeze(
    input: TensorLike, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> agog.Tensor:
    """`agog.squeeze`, whose axis may be called `squeeze_dims`."""
    return agog.squeeze(input, _one_of("squeeze", "axis", axis, "squeeze_dims", squeeze_dims), name)


@public
def div(x: TensorLike, y: TensorLike, name: str | None = None) -> agog.Tensor:
    """x / y; integers are rounded down, as in Python 2.

    >>> print(agog.compat.v1.div([-7, 7], 2).numpy())
    [-4  3]
    """
    x = agog.convert_to_tensor(x)
    y = agog.convert_to_tensor(y, dtype_hint=x.dtype.base_dtype)
    return agog.math.floordiv(x, y, name) if x.dtype.is_integer else agog.realdiv(x, y, name)


@public
def where(
    condition: TensorLike, x: Any = None, y: Any = None, name: str | None = None
) -> agog.Tensor:
    """`x` where the condition holds, else `y`; a vector chooses whole rows.

    >>> print(agog.compat.v1.where([True, False], [[1], [2]], [[3], [4]]).numpy())
    [[1]
     [4]]
    """
    if x is None and y is None:
        return agog.where(condition, name=name)
    if x is None or y is None:
        raise ValueError("where needs both x and y, or neither")
    return agog.raw_ops.Select(condition=condition, x=x, y=y)


def _to(name: str, dtype: agog.DType) -> Callable[..., agog.Tensor]:
    def cast(x: TensorLike, name: str | None = None) -> agog.Tensor:
        return agog.cast(x, dtype, name)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"`agog.cast` to {dtype.name}."
    return public(cast)


to_bfloat16 = _to("to_bfloat16", agog.bfloat16)
to_complex128 = _to("to_complex128", agog.complex128)
to_complex64 = _to("to_complex64", agog.complex64)
to_double = _to("to_double", agog.float64)
to_float = _to("to_float", agog.float32)
to_int32 = _to("to_int32", agog.int32)
to_int64 = _to("to_int64", agog.int64)


@public
def assign(
    ref: Any,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Gives a variable a new value, and returns it; the other arguments change nothing."""
    return ref.assign(value)


@public
def assign_add(
    ref: Any, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Adds to a variable, and returns it."""
    return ref.assign_add(value)


@public
def assign_sub(
    ref: Any, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtracts from a variable, and returns it."""
    return ref.assign_sub(value)


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Does nothing: operations always run at once."""


def _nothing(name: str) -> Callable[[], None]:
    def nothing() -> None:
        return None

    nothing.__name__ = nothing.__qualname__ = name
    nothing.__doc__ = "Does nothing: agog behaves like TensorFlow 2."
    return nothing


enable_control_flow_v2 = _nothing("enable_control_flow_v2")
enable_resource_variables = _nothing("enable_resource_variables")
enable_tensor_equality = _nothing("enable_tensor_equality")
enable_v2_behavior = _nothing("enable_v2_behavior")
enable_v2_tensorshape = _nothing("enable_v2_tensorshape")


def executing_eagerly_outside_functions() -> bool:
    """Always true."""
    return True


def dimension_value(dimension: Any) -> int | None:
    """The number that a dimension of a TensorShape stands for, None for an unknown one."""
    return None if dimension is None else int(dimension)


gfile = SimpleNamespace(
    Copy=agog.io.gfile.copy,
    DeleteRecursively=agog.io.gfile.rmtree,
    Exists=agog.io.gfile.exists,
    FastGFile=agog.io.gfile.GFile,
    GFile=agog.io.gfile.GFile,
    Glob=agog.io.gfile.glob,
    IsDirectory=agog.io.gfile.isdir,
    ListDirectory=agog.io.gfile.listdir,
    MakeDirs=agog.io.gfile.makedirs,
    MkDir=agog.io.gfile.mkdir,
    Open=agog.io.gfile.GFile,
    Remove=agog.io.gfile.remove,
    Rename=agog.io.gfile.rename,
    Stat=agog.io.gfile.stat,
    Walk=agog.io.gfile.walk,
)
python_io = SimpleNamespace(
    TFRecordOptions=agog.io.TFRecordOptions, TFRecordWriter=agog.io.TFRecordWriter
)

__all__ = [
    "argmax",
    "argmin",
    "assign",
    "assign_add",
    "assign_sub",
    "dimension_value",
    "div",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_tensor_equality",
    "enable_v2_behavior",
    "enable_v2_tensorshape",
    "executing_eagerly_outside_functions",
    "expand_dims",
    "gfile",
    "python_io",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "squeeze",
    "to_bfloat16",
    "to_complex128",
    "to_complex64",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "where",
]
