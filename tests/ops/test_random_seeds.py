"""Random ops that take a seed: they are the ones that take a key, under a scrambled seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats as st

from tests.ops.target import call_op, has_op
from tests.spec.random_seed_ops import key_counter

ALG = np.int32(1)
SHAPE = np.array([50, 7], np.int32)
SMALLEST_P = 1e-4  # the seeds are fixed: this is no flaky test
SEEDS = ([0, 0], [3, 5], [-1, 2**31 - 1])
FLOATS = ("float16", "bfloat16", "float32", "float64")
PAIRS = {
    "StatelessRandomUniform": FLOATS,
    "StatelessRandomNormal": FLOATS,
    "StatelessTruncatedNormal": FLOATS,
    "StatelessRandomUniformFullInt": ("int32", "int64", "uint32", "uint64"),
}


def absent(name: str) -> list[Any]:
    return [] if has_op(name) else [pytest.mark.skip(reason="op not in the registry")]


def names(*chosen: str) -> Any:
    return pytest.mark.parametrize("name", [pytest.param(n, marks=absent(n)) for n in chosen])


@pytest.mark.parametrize(
    "name, dtype",
    [pytest.param(n, d, marks=absent(n)) for n, dtypes in PAIRS.items() for d in dtypes],
)
@pytest.mark.parametrize("seed", SEEDS, ids=str)
@pytest.mark.parametrize("seed_dtype", ["int32", "int64"])
def test_same_as_key(name: str, dtype: str, seed: list[int], seed_dtype: str) -> None:
    """A negative seed of int32 is the same number as one of int64."""
    got = call_op(name, [SHAPE, np.array(seed, seed_dtype)], {"dtype": dtype})[0].numpy()
    key, counter = key_counter(seed)
    want = call_op(f"{name}V2", [SHAPE, key, counter, ALG], {"dtype": dtype})[0].numpy()
    np.testing.assert_array_equal(got, want)


@names("StatelessRandomUniformInt")
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_same_integers_as_key(name: str, dtype: str, seed: list[int]) -> None:
    bounds = [np.array(-5, dtype), np.array(9, dtype)]
    got = call_op(name, [SHAPE, np.array(seed), *bounds], {})[0].numpy()
    inputs = [SHAPE, *key_counter(seed), ALG, *bounds]
    want = call_op("StatelessRandomUniformIntV2", inputs, {})[0].numpy()
    np.testing.assert_array_equal(got, want)
    assert got.min() >= -5 and got.max() < 9


def sample(name: str, logits: Any, count: int, seed: int, output_dtype: str) -> np.ndarray:
    inputs = [np.array(logits, np.float32), np.int32(count)]
    attrs = {"output_dtype": output_dtype}
    if name == "Multinomial":
        attrs |= {"seed": seed, "seed2": 9}
    else:
        inputs.append(np.array([seed, 9]))
    return call_op(name, inputs, attrs)[0].numpy()


@names("Multinomial", "StatelessMultinomial")
@pytest.mark.parametrize("output_dtype", ["int32", "int64"])
def test_multinomial(name: str, output_dtype: str) -> None:
    """Classes by the softmax of their logits, rows apart; a logit of minus infinity never."""
    logits = [[0.0, 1.0, -1.0, 0.5], [3.0, -np.inf, 2.0, 2.5]]
    got = sample(name, logits, 5000, 1, output_dtype)
    assert got.dtype == output_dtype and got.shape == (2, 5000)
    for row, values in zip(logits, got, strict=True):
        share = np.exp(row) / np.sum(np.exp(row))
        counts = np.bincount(values, minlength=4)
        assert len(counts) == 4 and not counts[share == 0].any()
        kept = share > 0
        assert st.chisquare(counts[kept], 5000 * share[kept]).pvalue > SMALLEST_P
    assert not np.array_equal(got, sample(name, logits, 5000, 2, output_dtype))
    if name.startswith("Stateless"):
        np.testing.assert_array_equal(got, sample(name, logits, 5000, 1, output_dtype))


@names("Multinomial", "StatelessMultinomial")
def test_multinomial_of_nothing(name: str) -> None:
    assert sample(name, np.zeros((0, 3)), 4, 1, "int64").shape == (0, 4)
    assert sample(name, np.zeros((2, 3)), 0, 1, "int64").shape == (2, 0)


@names("StatelessShuffle")
def test_stateless_shuffle(name: str) -> None:
    """A permutation of the rows that follows from key and counter alone."""
    rows = np.arange(300, dtype=np.int32).reshape(100, 3)

    def shuffled(value: np.ndarray, seed: int) -> np.ndarray:
        return call_op(name, [value, *key_counter([seed, 1]), ALG], {})[0].numpy()

    got = shuffled(rows, 1)
    assert not np.array_equal(got, rows)
    np.testing.assert_array_equal(got[np.argsort(got[:, 0])], rows)
    np.testing.assert_array_equal(got, shuffled(rows, 1))
    assert not np.array_equal(got, shuffled(rows, 2))
    firsts = [int(shuffled(np.arange(4), seed)[0]) for seed in range(400)]
    assert st.chisquare(np.bincount(firsts, minlength=4)).pvalue > SMALLEST_P
