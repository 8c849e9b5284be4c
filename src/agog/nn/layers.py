"""Bias, normalisation by moments, and embeddings."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, VariableBase, convert, handle, public
from agog.math.casting import cast
from agog.math.clipping import clip_by_norm
from agog.types import TensorLike

_bias_add = handle("BiasAdd")
_concat = handle("ConcatV2")
_fused_batch_norm = handle("FusedBatchNormV3")
_gather = handle("GatherV2")
_mean = handle("Mean")
_resource_gather = handle("ResourceGather")
_rsqrt = handle("Rsqrt")
_squared_difference = handle("SquaredDifference")
_stop_gradient = handle("StopGradient")

_HALF_TYPES = (dtypes.float16, dtypes.bfloat16)


@public
def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """`value` plus a vector along the channels: the last axis, or axis 1 for "NC…" formats.

    >>> agog.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]).numpy().tolist()
    [[11.0, 22.0]]
    """
    if data_format is None:
        return _bias_add(value, bias, "NHWC", name)
    if data_format.startswith("NC"):
        return _bias_add(value, bias, "NCHW", name)
    if data_format.startswith("N") and data_format.endswith("C"):
        return _bias_add(value, bias, "NHWC", name)
    raise ValueError(f"data_format must be of the form 'N...C' or 'NC...', got {data_format!r}")


@public
def moments(
    x: TensorLike,
    axes: Any,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance over `axes`; float16 and bfloat16 are summed in float32.

    `shift` changes nothing.

    >>> mean, variance = agog.nn.moments([1.0, 3.0], axes=[0])
    >>> mean.numpy().item(), variance.numpy().item()
    (2.0, 1.0)
    """
    x = convert(x)
    dtype = x.dtype
    wide = cast(x, dtypes.float32) if dtype in _HALF_TYPES else x
    axes = [axes] if isinstance(axes, int) else axes
    mean = _mean(wide, axes, True)
    variance = _mean(_squared_difference(wide, _stop_gradient(mean)), axes, keepdims)
    if not keepdims:
        mean = _mean(mean, axes, False)
    return cast(mean, dtype), cast(variance, dtype)


@public
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance from a count, a sum and a sum of squares of values less `shift`.

    >>> mean, variance = agog.nn.normalize_moments(2.0, 4.0, 10.0, None)
    >>> mean.numpy().item(), variance.numpy().item()
    (2.0, 1.0)
    """
    share = 1 / convert(counts)
    shifted = share * mean_ss
    variance = share * variance_ss - shifted * shifted
    return shifted if shift is None else shifted + shift, variance


@public
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: float,
    name: str | None = None,
) -> Tensor:
    """scale * (x - mean) / sqrt(variance + variance_epsilon) + offset; either may be None.

    >>> agog.nn.batch_normalization([1.0, 3.0], 2.0, 1.0, None, None, 0.0).numpy().tolist()
    [-1.0, 1.0]
    """
    x, mean = convert(x), convert(mean)
    factor = _rsqrt(convert(variance, None, mean.dtype) + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    shift = -mean * factor if offset is None else offset - mean * factor
    return x * cast(factor, x.dtype) + cast(shift, x.dtype)


@public
def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Normalises each channel of images in one op; gives the result, a mean and a variance.

    In training by the channel's own moments, and what comes with them is the given `mean` and
    `variance` moved towards those by `exponential_avg_factor` (the variance of a sample). Otherwise
    by `mean` and `variance`, float32 vectors. `epsilon` is at least 1.001e-5.

    >>> x = agog.reshape([1.0, 3.0], [2, 1, 1, 1])
    >>> y, mean, variance = agog.nn.fused_batch_norm(x, [1.0], [0.0])
    >>> y.numpy().round(2).ravel().tolist(), mean.numpy().item(), variance.numpy().item()
    ([-1.0, 1.0], 2.0, 2.0)
    """
    if (mean is None or variance is None) and (not is_training or exponential_avg_factor != 1.0):
        raise ValueError(
            "mean and variance are needed unless is_training with exponential_avg_factor 1"
        )
    none = convert([], None, dtypes.float32)
    y, batch_mean, batch_variance, *_ = _fused_batch_norm(
        x,
        scale,
        offset,
        none if mean is None else mean,
        none if variance is None else variance,
        max(epsilon, 1.001e-5),
        exponential_avg_factor,
        data_format,
        is_training,
        name,
    )
    return y, batch_mean, batch_variance


@public
def embedding_lookup(
    params: Any, ids: TensorLike, max_norm: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The rows of `params` at `ids`, scaled down to `max_norm` where given and longer.

    `params` may be a list of tensors that hold the rows one after another. The gradient of a
    variable is an IndexedSlices, so that a step costs by the rows that are read.

    >>> agog.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1]).numpy().tolist()
    [[3.0, 4.0]]
    """
    if isinstance(params, (list, tuple)) and params and isinstance(params[0], Tensor):
        params = _concat(list(params), 0) if len(params) > 1 else params[0]
    if isinstance(params, VariableBase):
        rows = _resource_gather(params, ids, dtype=params.dtype, name=name)
    else:
        rows = _gather(params, ids, 0, 0, name)
    if max_norm is None:
        return rows
    first = convert(ids).ndim
    return clip_by_norm(rows, max_norm, list(range(first, rows.ndim)))
