"""Sums of many tensors, polynomials, and rankings."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public, public_op
from agog.dtypes import DType
from agog.math.casting import cast
from agog.math.reductions import reduce_mean
from agog.types import ShapeLike, TensorLike

_add_n = handle("AddN")
_equal = handle("Equal")
_in_top_k = handle("InTopKV2")
_invert_permutation = handle("InvertPermutation")
_top_k = handle("TopKV2")
_zeros_like = handle("ZerosLike")

TopK = namedtuple("TopK", ["values", "indices"])


@public
def add_n(inputs: Sequence[Any] | Tensor, name: str | None = None) -> Tensor:
    """Sum of tensors that all have one shape and one dtype.

    >>> agog.add_n([[1, 2], [3, 4], [5, 6]]).numpy().tolist()
    [9, 12]
    """
    inputs = list(inputs)
    if not inputs:
        raise ValueError("inputs must have at least one tensor, got none")
    return _add_n(inputs, name)


@public
def accumulate_n(
    inputs: Sequence[Any],
    shape: ShapeLike | None = None,
    tensor_dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Sum of tensors that all have one shape and one dtype: `add_n`.

    >>> agog.math.accumulate_n([[1, 2], [3, 4]]).numpy().tolist()
    [4, 6]
    """
    return add_n(inputs, name)


@public
def polyval(coeffs: Sequence[TensorLike], x: TensorLike, name: str | None = None) -> Tensor:
    """Value at `x` of a polynomial whose coefficients are listed from the highest power down.

    >>> agog.math.polyval([1, 0, -2], [3, 4]).numpy().tolist()
    [7, 14]
    """
    if not isinstance(coeffs, (list, tuple)):
        raise ValueError(f"coeffs must be a list, got {type(coeffs).__name__}")
    x = convert(x)
    if not coeffs:
        return _zeros_like(x, name)
    value = convert(coeffs[0], None, x.dtype)
    for coefficient in coeffs[1:]:
        value = value * x + coefficient
    return value


@public
def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DType = dtypes.int32,
    name: str | None = None,
) -> Any:
    """The `k` largest values along the last axis, and their positions, as `(values, indices)`.

    Of equal values the one at the lower position comes first.

    >>> top = agog.math.top_k([3, 1, 4, 1, 5], k=2)
    >>> top.values.numpy().tolist(), top.indices.numpy().tolist()
    ([5, 4], [4, 2])
    """
    return TopK(*_top_k(input, k, sorted, index_type, name))


@public
def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None
) -> Tensor:
    """Whether each target class is among the `k` largest of its row of predictions.

    >>> agog.math.in_top_k([0, 0], [[0.1, 0.9], [0.8, 0.2]], 1).numpy().tolist()
    [False, True]
    """
    return _in_top_k(predictions, targets, k, name)


@public_op(_invert_permutation)
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`.

    >>> agog.math.invert_permutation([2, 0, 1]).numpy().tolist()
    [1, 2, 0]
    """
    return _invert_permutation(x, name)


@public
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Share of elements that are 0, as float32; NaN for an empty tensor.

    >>> agog.math.zero_fraction([0, 1, 0, 3]).numpy().item()
    0.5
    """
    return reduce_mean(cast(_equal(value, 0), dtypes.float32), name=name)
