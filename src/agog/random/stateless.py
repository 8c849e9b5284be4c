"""Random numbers that follow from their arguments alone.

The `seed` is a pair of integers. Equal seeds and shapes give equal numbers, those of TensorFlow.
"""

from __future__ import annotations

import enum
from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public
from agog.array.sorting import argsort
from agog.dtypes import as_dtype
from agog.errors import UnimplementedError
from agog.random.stateful import gumbel_shape, most_likely, scaled, uniform_dtype
from agog.types import DTypeLike, ShapeLike, TensorLike

_concat = handle("ConcatV2")
_gather = handle("GatherV2")
_key_counter = handle("StatelessRandomGetKeyCounter")
_normal = handle("StatelessRandomNormalV2")
_reshape = handle("Reshape")
_shape = handle("Shape")
_truncated_normal = handle("StatelessTruncatedNormalV2")
_uniform = handle("StatelessRandomUniformV2")
_uniform_full_int = handle("StatelessRandomUniformFullIntV2")
_uniform_int = handle("StatelessRandomUniformIntV2")


class Algorithm(enum.Enum):
    """The ways to make random bits; PHILOX is the one that exists here."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_ALGORITHMS = {
    None: 1,
    "auto_select": 1,
    "philox": 1,
    "threefry": 2,
    Algorithm.PHILOX: 1,
    Algorithm.THREEFRY: 2,
    Algorithm.AUTO_SELECT: 1,
    1: 1,
    2: 2,
    3: 1,
}


def algorithm_number(alg: Any) -> int:
    """The number of an algorithm given as a name, a number or an `Algorithm`."""
    if isinstance(alg, Tensor):
        alg = int(alg)
    if alg not in _ALGORITHMS:
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox, threefry "
            "and auto_select."
        )
    if _ALGORITHMS[alg] != 1:
        raise UnimplementedError(
            None, None, "The ThreeFry algorithm does not exist here: use philox"
        )
    return 1


@public
def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers drawn evenly from [minval, maxval); of floats `maxval` is 1 unless given.

    Integers need both ends, or None for both: then every value of the dtype is drawn.

    >>> agog.random.stateless_uniform([2], [1, 2], 0, 10, agog.int32).numpy().tolist()
    [0, 9]
    """
    alg = algorithm_number(alg)
    full = minval is None and maxval is None
    dtype = as_dtype(dtype)
    if dtype.is_integer and (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer dtype {dtype.name}, minval and maxval must be both None or both given, "
            f"got minval={minval!r} and maxval={maxval!r}"
        )
    unsigned = (dtypes.uint32, dtypes.uint64) if full else ()
    dtype = uniform_dtype(dtype, 0 if full else maxval, unsigned)
    key, counter = _key_counter(seed)
    return draw_uniform(shape, key, counter, alg, minval, maxval, dtype, name)


def draw_uniform(
    shape: Any,
    key: Tensor,
    counter: Tensor,
    alg: int,
    minval: Any,
    maxval: Any,
    dtype: Any,
    name: Any,
) -> Tensor:
    """Uniform numbers of a checked dtype from a key and a counter."""
    if not dtype.is_integer:
        return scaled(
            _uniform(shape, key, counter, alg, dtype, name), 0 if minval is None else minval, maxval
        )
    if minval is None:
        return _uniform_full_int(shape, key, counter, alg, dtype, name)
    low, high = convert(minval, dtype), convert(maxval, dtype)
    return _uniform_int(shape, key, counter, alg, low, high, name)


@public
def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers drawn from a normal distribution; `mean` and `stddev` broadcast against `shape`.

    >>> print(agog.random.stateless_normal([2], [1, 2]).numpy().round(3))
    [0.544 0.207]
    """
    alg = algorithm_number(alg)
    drawn = _normal(shape, *_key_counter(seed), alg, as_dtype(dtype), name)
    return drawn * convert(stddev, drawn.dtype) + convert(mean, drawn.dtype)


@public
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Like `stateless_normal`, but nothing is further than two `stddev` from `mean`.

    >>> agog.random.stateless_truncated_normal([2], [1, 2]).shape
    TensorShape([2])
    """
    alg = algorithm_number(alg)
    drawn = _truncated_normal(shape, *_key_counter(seed), alg, as_dtype(dtype), name)
    return drawn * convert(stddev, drawn.dtype) + convert(mean, drawn.dtype)


@public
def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Class numbers drawn with the probabilities softmax(logits), `num_samples` for each row.

    The numbers follow from `seed`, but they are not those of TensorFlow.

    >>> agog.random.stateless_categorical([[0.0, -1000.0]], 3, [1, 2]).numpy().tolist()
    [[0, 0, 0]]
    """
    logits = convert(logits)
    noise = stateless_uniform(gumbel_shape(logits, num_samples), seed)
    return most_likely(logits, noise, dtype)


@public
def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """`value` with its slices along axis 0 in an order that follows from `seed`.

    The order is not that of TensorFlow.

    >>> sorted(agog.random.experimental.stateless_shuffle([1, 2, 3], [1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    value = convert(value)
    keys = stateless_uniform(_shape(value, dtypes.int32)[:1], seed, dtype=dtypes.float64, alg=alg)
    return _gather(value, argsort(keys), 0, 0, name)


@public
def split(seed: TensorLike, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds that follow from one, as the rows of a tensor.

    >>> agog.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@public
def fold_in(seed: TensorLike, data: TensorLike, alg: Any = "auto_select") -> Tensor:
    """A new seed that follows from `seed` and a whole number.

    >>> agog.random.fold_in([1, 2], 5).shape
    TensorShape([2])
    """
    data = convert(data)
    drawn = stateless_uniform([1], seed, None, None, data.dtype, alg=alg)
    return _concat([drawn, _reshape(data, [1])], 0)
