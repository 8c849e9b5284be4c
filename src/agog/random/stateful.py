"""Random numbers that go on from call to call; `set_seed` or `seed` makes them repeatable."""

from __future__ import annotations

from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public
from agog.dtypes import DType, as_dtype
from agog.math.casting import cast
from agog.random.seeds import get_seed
from agog.types import DTypeLike, ShapeLike, TensorLike

_argmax = handle("ArgMax")
_concat = handle("ConcatV2")
_expand_dims = handle("ExpandDims")
_log = handle("Log")
_normal = handle("RandomStandardNormal")
_reshape = handle("Reshape")
_shape = handle("Shape")
_shuffle = handle("RandomShuffle")
_truncated_normal = handle("TruncatedNormal")
_uniform = handle("RandomUniform")
_uniform_int = handle("RandomUniformInt")

_UNIFORM_DTYPES = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
)


def uniform_dtype(dtype: DTypeLike, maxval: Any, also: tuple[DType, ...] = ()) -> DType:
    """`dtype`, which must be one of those that `uniform` draws."""
    dtype = as_dtype(dtype)
    accepted = _UNIFORM_DTYPES + also
    if dtype not in accepted:
        names = ", ".join(d.name for d in accepted)
        raise ValueError(f"dtype must be one of {names}, got {dtype.name}")
    if maxval is None and dtype.is_integer:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
    return dtype


def scaled(random: Tensor, low: Any, high: Any) -> Tensor:
    """Random numbers of [0, 1) moved to [low, high)."""
    if type(low) is int and low == 0 and (high is None or (type(high) is int and high == 1)):
        return random
    low = convert(low, random.dtype)
    return random * (convert(1 if high is None else high, random.dtype) - low) + low


@public
def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn evenly from [minval, maxval); of floats `maxval` is 1 unless given.

    >>> agog.random.uniform([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype = uniform_dtype(dtype, maxval)
    seed1, seed2 = get_seed(seed)
    if dtype.is_integer:
        low, high = convert(minval, dtype), convert(maxval, dtype)
        return _uniform_int(shape, low, high, seed=seed1, seed2=seed2, name=name)
    return scaled(_uniform(shape, seed=seed1, seed2=seed2, dtype=dtype, name=name), minval, maxval)


@public
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers drawn from a normal distribution; `mean` and `stddev` broadcast against `shape`.

    >>> agog.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    seed1, seed2 = get_seed(seed)
    drawn = _normal(shape, seed=seed1, seed2=seed2, dtype=as_dtype(dtype), name=name)
    return drawn * convert(stddev, drawn.dtype) + convert(mean, drawn.dtype)


@public
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Like `normal`, but numbers further than two `stddev` from `mean` are drawn again.

    >>> bool(agog.reduce_max(agog.abs(agog.random.truncated_normal([100]))) <= 2)
    True
    """
    seed1, seed2 = get_seed(seed)
    drawn = _truncated_normal(shape, seed=seed1, seed2=seed2, dtype=as_dtype(dtype), name=name)
    return drawn * convert(stddev, drawn.dtype) + convert(mean, drawn.dtype)


@public
def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with its slices along axis 0 in random order.

    >>> sorted(agog.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    seed1, seed2 = get_seed(seed)
    return _shuffle(value, seed=seed1, seed2=seed2, name=name)


@public
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Class numbers drawn with the probabilities softmax(logits), `num_samples` for each row.

    The numbers follow from the seeds, but they are not those of TensorFlow.

    >>> agog.random.categorical([[0.0, 0.0], [0.0, 0.0]], 5).shape
    TensorShape([2, 5])
    """
    logits = convert(logits)
    noise = uniform(gumbel_shape(logits, num_samples), seed=seed)
    return most_likely(logits, noise, dtype)


def gumbel_shape(logits: Tensor, num_samples: Any) -> Tensor:
    """The shape (rows, samples, classes) of the noise that `most_likely` takes."""
    rows, classes = _shape(logits, dtypes.int32)[:1], _shape(logits, dtypes.int32)[1:]
    return _concat([rows, _reshape(cast(num_samples, dtypes.int32), [1]), classes], 0)


def most_likely(logits: Tensor, uniform: Tensor, dtype: DTypeLike | None) -> Tensor:
    """Samples of the classes: the largest of the logits with Gumbel noise added is one."""
    noise = -_log(-_log(uniform))
    noisy = _expand_dims(cast(logits, dtypes.float32), 1) + noise
    return cast(_argmax(noisy, -1, dtypes.int64), dtype or dtypes.int64)
