"""Laws of random ops: moments, distribution, range, and seeds that reproduce."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats as st

from tests.ops.target import call_op, has_op, tf
from tests.spec.facts import facts
from tests.spec.table import numpy_dtype

COUNT = 20_000
SHAPE = np.array([COUNT], np.int32)
ALG = np.int32(1)
SMALLEST_P = 1e-4  # the seeds are fixed: this is no flaky test
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTS = ("int32", "int64")

UNIFORM = st.uniform(0, 1)
NORMAL = st.norm(0, 1)
TRUNCATED = st.truncnorm(-2, 2)
LAWS = {
    "StatelessRandomUniformV2": UNIFORM,
    "StatelessRandomNormalV2": NORMAL,
    "StatelessTruncatedNormalV2": TRUNCATED,
    "RandomUniform": UNIFORM,
    "RandomStandardNormal": NORMAL,
    "TruncatedNormal": TRUNCATED,
}


def draw(name: str, dtype: str, seed: int = 1, shape: np.ndarray = SHAPE) -> np.ndarray:
    if name.startswith("Stateless"):
        key, counter = np.array([seed], np.uint64), np.array([3, 5], np.uint64)
        return call_op(name, [shape, key, counter, ALG], {"dtype": dtype})[0].numpy()
    return call_op(name, [shape], {"dtype": dtype, "seed": seed, "seed2": 9})[0].numpy()


def params(table: Any, dtypes: tuple[str, ...]) -> list[Any]:
    return [
        pytest.param(name, dtype, id=f"{name}-{dtype}", marks=absent(name))
        for name in table
        for dtype in dtypes
    ]


def absent(name: str) -> list[Any]:
    return [] if has_op(name) else [pytest.mark.skip(reason="op not in the registry")]


def assert_distributed(sample: np.ndarray, law: Any, rounding: float) -> None:
    """Kolmogorov-Smirnov, on values blurred by their own rounding."""
    rng = np.random.default_rng(0)
    blur = rng.uniform(-0.5, 0.5, sample.shape) * rounding * np.maximum(np.abs(sample), rounding)
    assert st.kstest(sample + blur, law.cdf).pvalue > SMALLEST_P
    error = np.sqrt(law.var() / len(sample))
    assert abs(sample.mean() - law.mean()) < 5 * error + rounding / 4
    assert abs(sample.var() - law.var()) < 0.05 * law.var()


@pytest.mark.parametrize("name, dtype", params(LAWS, ("float32", "float64")))
def test_distribution(name: str, dtype: str) -> None:
    eps = float(np.finfo(dtype).eps)
    assert_distributed(draw(name, dtype).astype(np.float64), LAWS[name], eps)


@pytest.mark.parametrize("name, dtype", params(LAWS, ("float16", "bfloat16")))
def test_half_moments(name: str, dtype: str) -> None:
    """Half types are too coarse for a distribution test; moments still hold."""
    sample, law = draw(name, dtype).astype(np.float64), LAWS[name]
    assert abs(sample.mean() - law.mean()) < 0.02
    assert abs(sample.std() - law.std()) < 0.02
    assert len(np.unique(sample)) > 100


@pytest.mark.parametrize("name, dtype", params(LAWS, FLOATS))
def test_range(name: str, dtype: str) -> None:
    sample = draw(name, dtype)
    assert sample.dtype == numpy_dtype(dtype)
    sample = sample.astype(np.float64)
    assert np.isfinite(sample).all()
    if LAWS[name] is UNIFORM:
        assert sample.min() >= 0 and sample.max() < 1
    if LAWS[name] is TRUNCATED:
        assert np.abs(sample).max() <= 2


@pytest.mark.parametrize("name, dtype", params(LAWS, ("float32",)))
def test_seeds(name: str, dtype: str) -> None:
    """One seed, one answer for stateless ops; another seed, another answer."""
    first = draw(name, dtype, 1)
    assert not np.array_equal(first, draw(name, dtype, 2))
    if name.startswith("Stateless"):
        np.testing.assert_array_equal(first, draw(name, dtype, 1))
        head = draw(name, dtype, 1, np.array([17], np.int32))
        if LAWS[name] is not TRUNCATED:
            np.testing.assert_array_equal(head, first[:17])


@pytest.mark.parametrize("name, dtype", params(LAWS, ("float32",)))
@pytest.mark.parametrize("shape", [[], [0], [2, 0], [2, 3]], ids=str)
def test_shapes(name: str, dtype: str, shape: list[int]) -> None:
    got = draw(name, dtype, 1, np.array(shape, np.int32))
    assert np.shape(got) == tuple(shape)


def whole(name: str, dtype: str, low: int, high: int, seed: int = 1) -> np.ndarray:
    bounds = [np.array(low, dtype), np.array(high, dtype)]
    if name.startswith("Stateless"):
        key, counter = np.array([seed], np.uint64), np.array([3, 5], np.uint64)
        return call_op(name, [SHAPE, key, counter, ALG, *bounds], {})[0].numpy()
    return call_op(name, [SHAPE, *bounds], {"seed": seed, "seed2": 9})[0].numpy()


@pytest.mark.parametrize(
    "name, dtype", params(("StatelessRandomUniformIntV2", "RandomUniformInt"), INTS)
)
def test_integers(name: str, dtype: str) -> None:
    sample = whole(name, dtype, -3, 4)
    counts = np.array([np.sum(sample == value) for value in range(-3, 4)])
    assert counts.sum() == COUNT, "a value outside the range"
    assert st.chisquare(counts).pvalue > SMALLEST_P
    assert not np.array_equal(sample, whole(name, dtype, -3, 4, seed=2))


@pytest.mark.parametrize(
    "name, dtype", params(("StatelessRandomUniformIntV2", "RandomUniformInt"), INTS)
)
def test_integer_bounds(name: str, dtype: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        whole(name, dtype, 4, 4)


@pytest.mark.parametrize(
    "name, dtype",
    params(("StatelessRandomUniformFullIntV2",), ("int32", "int64", "uint32", "uint64")),
)
def test_full_integers(name: str, dtype: str) -> None:
    """Every bit is one half of the time."""
    sample = draw(name, dtype)
    words = sample.view(f"u{sample.dtype.itemsize}")
    for bit in range(sample.dtype.itemsize * 8):
        share = np.mean((words >> words.dtype.type(bit)) & words.dtype.type(1))
        assert abs(share - 0.5) < 5 * 0.5 / np.sqrt(COUNT), f"bit {bit}"


SHUFFLE = [pytest.mark.skipif(not has_op("RandomShuffle"), reason="op not in the registry")]


@pytest.mark.parametrize("name", [pytest.param("RandomShuffle", marks=SHUFFLE)])
def test_shuffle(name: str) -> None:
    """A permutation of the rows, any of them equally likely."""
    rows = np.arange(300, dtype=np.int32).reshape(100, 3)
    got = call_op(name, [rows], {"seed": 1, "seed2": 2})[0].numpy()
    assert not np.array_equal(got, rows)
    np.testing.assert_array_equal(got[np.argsort(got[:, 0])], rows)
    firsts = [
        int(call_op(name, [np.arange(4)], {"seed": i, "seed2": 1})[0].numpy()[0])
        for i in range(1, 801)
    ]
    assert st.chisquare(np.bincount(firsts, minlength=4)).pvalue > SMALLEST_P


def test_every_law_has_a_test() -> None:
    from tests.spec.all import rows

    tested = {
        *LAWS,
        "StatelessRandomUniformIntV2",
        "RandomUniformInt",
        "RandomShuffle",
        "StatelessRandomUniformFullIntV2",
    }
    assert {row.name for row in rows() if row.family == "random_ops"} == tested
    assert all(facts(name).outputs for name in tested)
