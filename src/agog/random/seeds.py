"""The global seed, and the pairs of seeds that random ops are called with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agog import _core

if TYPE_CHECKING:
    from random import Random

# TensorFlow's constants: equal seeds are to give equal numbers there and here.
_DEFAULT_GLOBAL_SEED = 87654321
_LARGEST_INT32 = 2**31 - 1


class _State:
    """The global seed, and the generator of seeds for ops that are given none."""

    seed: int | None = None
    op_seeds: Random | None = None


@_core.public
def set_seed(seed: int) -> None:
    """Sets the global seed, from which the random numbers of ops follow; generators have their own.

    >>> agog.random.set_seed(1)
    >>> first = agog.random.uniform([2])
    >>> agog.random.set_seed(1)
    >>> again = agog.random.uniform([2])
    >>> first.numpy().tolist() == again.numpy().tolist()
    True
    """
    from random import Random  # slow to import: it is needed here only

    if seed is not None:
        _truncated(seed)
    _State.seed = seed
    _State.op_seeds = Random(seed)
    _core.reset_random()


def require_seed(what: str) -> None:
    """Raises RuntimeError where numbers must not come from chance."""
    if _core.op_determinism():
        raise RuntimeError(
            f"{what} when determinism is enabled: give one, or call agog.random.set_seed first"
        )


def global_state() -> dict[str, Any]:
    """Where random numbers stand: the global seed, the seeds of ops, and the streams of ops."""
    import numpy as np

    generator = _State.op_seeds
    streams = _core.random_streams()
    ops = sorted({op for op, *_ in streams})
    rows = [[ops.index(op), *(word % 2**64 for word in words)] for op, *words in streams]
    return {
        "seed": _State.seed,
        "op_seeds": None if generator is None else generator.getstate(),
        "ops": ops,
        "streams": np.array(rows, np.uint64).reshape(len(rows), 7),
    }


def set_global_state(state: dict[str, Any]) -> None:
    """Goes on from what `global_state` returned."""
    from random import Random

    generator = None
    if state["op_seeds"] is not None:
        generator = Random()
        generator.setstate(state["op_seeds"])
    streams = []
    for number, dtypes, seed, seed2, key, low, high in state["streams"].numpy().tolist():
        signed = _as_signed(seed), _as_signed(seed2)
        streams.append((state["ops"][number], dtypes, *signed, key, low, high))
    _core.set_random_streams(streams)
    _State.seed, _State.op_seeds = state["seed"], generator


def _as_signed(word: int) -> int:
    return word - 2**64 if word >> 63 else word


def get_seed(op_seed: int | None) -> tuple[int, int]:
    """The two seeds for an op that was given `op_seed`; (0, 0) means unpredictable numbers."""
    if _State.seed is None or _State.op_seeds is None:
        if op_seed is None:
            require_seed("random ops need a seed")
            return 0, 0
        seeds = _DEFAULT_GLOBAL_SEED, op_seed
    elif op_seed is None:
        seeds = _State.seed, _State.op_seeds.randint(0, _LARGEST_INT32)
    else:
        seeds = _State.seed, op_seed
    first, second = (_truncated(seed) for seed in seeds)
    return (0, _LARGEST_INT32) if first == second == 0 else (first, second)


def _truncated(seed: Any) -> int:
    if not hasattr(seed, "__int__"):
        raise TypeError(f"a seed must be a number, got {seed!r} of type {type(seed).__name__}")
    return int(seed) % _LARGEST_INT32
