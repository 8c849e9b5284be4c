"""Generators: random numbers from a state that is a variable."""

from __future__ import annotations

import math
import os
from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, op_determinism, public
from agog.dtypes import as_dtype
from agog.math.casting import cast
from agog.random.stateful import uniform_dtype
from agog.random.stateless import algorithm_number, draw_uniform
from agog.types import DTypeLike, ShapeLike, TensorLike

_bitcast = handle("Bitcast")
_bitwise_xor = handle("BitwiseXor")
_less = handle("Less")
_normal = handle("StatelessRandomNormalV2")
_pack = handle("Pack")
_prod = handle("Prod")
_truncated_normal = handle("StatelessTruncatedNormalV2")
_uniform_full_int = handle("StatelessRandomUniformFullIntV2")
_zeros_like = handle("ZerosLike")

_LOWEST = -(2**63)
# The counter moves on by as many blocks for each number drawn, as TensorFlow's does.
_BLOCKS_PER_NUMBER = 256


@public
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state that a whole number of any size, or a list of up to three, stands for.

    >>> agog.random.create_rng_state(1, "philox").numpy().tolist()
    [1, 0, 0]
    """
    algorithm_number(alg)
    if isinstance(seed, int):
        return convert([_signed(seed >> (64 * i)) for i in range(3)], dtypes.int64)
    numbers = convert(seed, None, dtypes.int64)
    if not numbers.dtype.is_integer and not numbers.dtype.is_floating:
        raise TypeError(f"a seed must be of whole numbers, got dtype {numbers.dtype.name}")
    words = [_signed(int(word)) for word in numbers.numpy().reshape(-1)]
    return convert(([0] * (3 - len(words)) + words)[:3], dtypes.int64)


def _signed(word: int) -> int:
    """The lowest 64 bits as a signed number."""
    return (word - _LOWEST) % 2**64 + _LOWEST


class Generator:
    """A source of random numbers with a state of its own, which every call moves on.

    The state is a variable of three int64: a counter of two words and a key. Equal states give
    equal numbers, those of TensorFlow.

    >>> g = agog.random.Generator.from_seed(1)
    >>> g.uniform([2]).numpy().tolist() == g.uniform([2]).numpy().tolist()
    False
    """

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        from agog.variable import Variable

        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("copy_from excludes state and alg")
            state, alg = copy_from.state.value(), copy_from.algorithm
        elif state is None or alg is None:
            raise ValueError("state and alg must both be given, or copy_from")
        self._alg = algorithm_number(alg)
        self._state_var = Variable(_checked_state(state), dtype=dtypes.int64, trainable=False)

    @classmethod
    def from_state(cls, state: TensorLike, alg: Any) -> Generator:
        """A generator that goes on from a state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose numbers follow from a whole number."""
        return cls(state=create_rng_state(seed, alg), alg=alg or "philox")

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator whose numbers nobody can foretell."""
        if op_determinism():
            raise RuntimeError(
                "from_non_deterministic_state cannot be called when determinism is enabled: use "
                "from_seed"
            )
        seed = int.from_bytes(os.urandom(24), "little")
        return cls(state=create_rng_state(seed, alg), alg=alg or "philox")

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: Any) -> Generator:
        """A generator with a key, and a counter of two words."""
        return cls(state=_key_counter_state(key, counter), alg=alg)

    @property
    def state(self) -> Any:
        """The variable that holds the state."""
        return self._state_var

    def checkpoint_children(self) -> dict[str, Any]:
        """What a checkpoint saves of it."""
        return {"_state_var": self._state_var}

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The last word of the state."""
        return self._state_var.value()[2]

    def reset(self, state: TensorLike) -> None:
        """Goes on from another state."""
        self._state_var.assign(_checked_state(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Goes on as a generator from this seed starts."""
        self.reset(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Goes on from a key, and a counter of two words."""
        self.reset(_key_counter_state(key, counter))

    def skip(self, delta: TensorLike) -> Tensor:
        """Moves on as if so many numbers had been drawn; returns the state before."""
        return self._advance(cast(delta, dtypes.int64) * _BLOCKS_PER_NUMBER)

    def _advance(self, blocks: Tensor) -> Tensor:
        """Adds to the 128 bits of the counter; returns the state before."""
        state = self._state_var.value()
        low = state[0]
        # Unsigned comparison: flipping the sign bit makes it a signed one.
        before, after = _bitwise_xor(low, _LOWEST), _bitwise_xor(low + blocks, _LOWEST)
        carry = cast(_less(after, before), dtypes.int64)
        self._state_var.assign(state + _pack([blocks, carry, _zeros_like(carry)], 0))
        return state

    def _take(self, shape: Any) -> tuple[Tensor, Tensor]:
        """Key and counter for as many numbers as `shape` has, which then count as drawn."""
        state = _bitcast(self.skip(_number_of(shape)), dtypes.uint64)
        return state[2:], state[:2]

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers drawn evenly from [minval, maxval); of floats `maxval` is 1 unless given."""
        dtype = uniform_dtype(dtype, maxval, (dtypes.uint32, dtypes.uint64))
        key, counter = self._take(shape)
        return draw_uniform(shape, key, counter, self._alg, minval, maxval, dtype, name)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers drawn evenly from all that the dtype has."""
        return _uniform_full_int(shape, *self._take(shape), self._alg, as_dtype(dtype), name)

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers drawn from a normal distribution."""
        drawn = _normal(shape, *self._take(shape), self._alg, as_dtype(dtype), name)
        return drawn * convert(stddev, drawn.dtype) + convert(mean, drawn.dtype)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Like `normal`, but nothing is further than two `stddev` from `mean`."""
        drawn = _truncated_normal(shape, *self._take(shape), self._alg, as_dtype(dtype), name)
        return drawn * convert(stddev, drawn.dtype) + convert(mean, drawn.dtype)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """How many of `counts` trials succeed, each with probability `probs`."""
        from agog.random.distributions import stateless_binomial

        seed = self.make_seeds(1)[:, 0]
        return stateless_binomial(shape, seed, counts, probs, dtype, name)

    def make_seeds(self, count: int = 1) -> Tensor:
        """`count` seeds for stateless functions, as the columns of a tensor."""
        drawn = self.uniform_full_int([count], dtypes.int64)
        return _pack([drawn, _zeros_like(drawn)], 0)

    def split(self, count: int = 1) -> list[Generator]:
        """`count` new generators, independent of this one and of each other."""
        seeds = self.make_seeds(count)
        return [
            Generator.from_key_counter(seeds[0, i], [0, seeds[1, i]], self._alg)
            for i in range(count)
        ]


def _checked_state(state: Any) -> Tensor:
    state = convert(state, None, dtypes.int64)
    state.shape.assert_is_compatible_with([3])
    return cast(state, dtypes.int64)


def _key_counter_state(key: Any, counter: Any) -> Tensor:
    counter = cast(counter, dtypes.int64)
    counter.shape.assert_is_compatible_with([2])
    return _pack([counter[0], counter[1], cast(key, dtypes.int64)], 0)


def _number_of(shape: Any) -> Any:
    """How many elements a shape has."""
    if isinstance(shape, (list, tuple)) and all(type(size) is int for size in shape):
        return math.prod(shape)
    return _prod(cast(convert(shape, None, dtypes.int32), dtypes.int64), [0], False)


class _Global:
    generator: Generator | None = None


def get_global_generator() -> Generator:
    """The generator shared by all; if none was set, one whose numbers nobody can foretell.

    >>> agog.random.get_global_generator().uniform([2]).shape
    TensorShape([2])
    """
    if _Global.generator is None:
        if op_determinism():
            raise RuntimeError(
                "get_global_generator cannot be called when determinism is enabled, unless "
                "set_global_generator was called before"
            )
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


def set_global_generator(generator: Generator) -> None:
    """Makes `generator` the one that `get_global_generator` returns."""
    _Global.generator = generator


__all__ = [
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "set_global_generator",
]
