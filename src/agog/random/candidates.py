"""Samplers of classes, for losses that look at a few classes only."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from agog import dtypes
from agog._core import Tensor, convert, public
from agog.errors import InvalidArgumentError, UnimplementedError
from agog.random.stateful import uniform


class CandidateSampler(NamedTuple):
    """Sampled classes, and how often the true and the sampled ones are expected among them."""

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _true_classes(true_classes: Any, num_true: int) -> Any:
    true = convert(true_classes, None, dtypes.int64).numpy()
    if true.ndim != 2 or true.shape[1] != num_true:
        raise _invalid(
            f"true_classes must be a matrix with num_true = {num_true} columns, got shape "
            f"{true.shape}"
        )
    return true


def _draw(
    num_sampled: int, unique: bool, seed: int | None, of_uniform: Callable[[Any], Any]
) -> tuple[list[int], int]:
    """The classes, all different if `unique`, and how many were drawn for them."""
    drawn: dict[int, int] = {}
    tries = 0
    while True:
        numbers = uniform([max(16, num_sampled)], dtype=dtypes.float64, seed=seed).numpy()
        for c in of_uniform(numbers).tolist():
            if len(drawn) == num_sampled:
                return list(drawn.values()), tries
            drawn.setdefault(c if unique else tries, c)
            tries += 1


def _sampled(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None,
    of_uniform: Callable[[Any], Any],
    probability: Callable[[Any], Any],
) -> CandidateSampler:
    import numpy as np

    true = _true_classes(true_classes, num_true)
    if num_sampled < 1 or range_max < 1:
        raise _invalid(
            f"num_sampled and range_max must be positive, got {num_sampled} and {range_max}"
        )
    if unique and num_sampled > range_max:
        raise _invalid(
            f"Sampler's range is too small: {num_sampled} different classes out of {range_max}"
        )
    found, tries = _draw(num_sampled, unique, seed, of_uniform)
    classes = np.array(found, np.int64)

    def expected(of: Any) -> Tensor:
        p = probability(of)
        # With different classes: the chance to be met in as many tries as were needed.
        with np.errstate(divide="ignore"):
            count = -np.expm1(tries * np.log1p(-p)) if unique else p * num_sampled
        return convert(count.astype(np.float32))

    return CandidateSampler(convert(classes), expected(true), expected(classes))


@public
def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> CandidateSampler:
    """Samples `num_sampled` of the classes [0, range_max), all equally likely.

    With `unique` they are all different. The expected counts are those of the true and of the
    sampled classes. The numbers are not those of TensorFlow.

    >>> picked = agog.random.uniform_candidate_sampler([[0, 1]], 2, 3, True, 5)
    >>> len(set(picked.sampled_candidates.numpy().tolist()))
    3
    """
    import numpy as np

    return _sampled(
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        seed,
        lambda u: np.minimum((u * range_max).astype(np.int64), range_max - 1),
        lambda c: np.full(np.shape(c), 1 / range_max),
    )


@public
def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> CandidateSampler:
    """Samples classes of [0, range_max), small numbers more often, as ranks of words are (Zipf).

    Class c has probability log((c + 2) / (c + 1)) / log(range_max + 1).

    >>> picked = agog.random.log_uniform_candidate_sampler([[0, 1]], 2, 3, True, 5)
    >>> picked.true_expected_count.shape
    TensorShape([1, 2])
    """
    import numpy as np

    scale = math.log(range_max + 1)
    return _sampled(
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        seed,
        lambda u: np.minimum(np.expm1(u * scale).astype(np.int64), range_max - 1),
        lambda c: np.log((c + 2.0) / (c + 1.0)) / scale,
    )


@public
def all_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> CandidateSampler:
    """All classes of [0, num_sampled), each expected once.

    >>> agog.random.all_candidate_sampler([[0]], 1, 3, True).sampled_candidates.numpy().tolist()
    [0, 1, 2]
    """
    import numpy as np

    true = _true_classes(true_classes, num_true)
    return CandidateSampler(
        convert(np.arange(num_sampled)),
        convert(np.ones(true.shape, np.float32)),
        convert(np.ones(num_sampled, np.float32)),
    )


@public
def fixed_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: int | None = None,
    name: str | None = None,
) -> CandidateSampler:
    """Raises UnimplementedError: there is no sampler by given frequencies yet."""
    raise UnimplementedError(
        None,
        None,
        "agog.random.fixed_unigram_candidate_sampler is not implemented; "
        "log_uniform_candidate_sampler and agog.random.categorical are",
    )


@public
def learned_unigram_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> CandidateSampler:
    """Raises UnimplementedError: there is no sampler that learns frequencies yet."""
    raise UnimplementedError(
        None,
        None,
        "agog.random.learned_unigram_candidate_sampler is not implemented; "
        "log_uniform_candidate_sampler is",
    )
