"""Laws of random numbers whose distribution has parameters, and of candidate samplers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special as sp
import scipy.stats as st

from tests.ops.target import IS_AGOG, call_op, failures, tf

pytestmark = pytest.mark.skipif(not IS_AGOG, reason="the numbers of agog")
COUNT = 20_000
SMALLEST_P = 1e-4  # the seeds are fixed: this is no flaky test
SEED = [3, 5]


def follows(sample: np.ndarray, law: Any) -> None:
    """Kolmogorov-Smirnov for continuous laws, chi-squared for counts."""
    if hasattr(law.dist, "pmf"):
        low, high = int(law.ppf(1e-3)), int(law.ppf(1 - 1e-3))
        inner = np.arange(low, high)
        seen = [np.sum(sample < low), *[np.sum(sample == k) for k in inner], np.sum(sample >= high)]
        p = np.array([law.cdf(low - 1), *law.pmf(inner), law.sf(high - 1)])
        keep = p * len(sample) > 5
        rest = [np.sum(np.array(seen)[~keep]), p[~keep].sum()]
        observed = np.append(np.array(seen)[keep], rest[0] if rest[1] > 0 else [])
        expected = np.append(p[keep], rest[1] if rest[1] > 0 else []) * len(sample)
        keep = expected > 0
        assert np.all(observed[~keep] == 0)
        assert st.chisquare(observed[keep], expected[keep], sum_check=False).pvalue > SMALLEST_P
    else:
        assert st.kstest(sample, law.cdf).pvalue > SMALLEST_P
    error = np.sqrt(law.var() / len(sample))
    assert abs(sample.mean() - law.mean()) < 5 * error


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 2.5, 60.0, 1e4])
@pytest.mark.parametrize("stateless", [True, False], ids=["stateless", "stateful"])
def test_gamma(alpha: float, stateless: bool) -> None:
    if stateless:
        drawn = tf.random.stateless_gamma([COUNT], SEED, alpha, 2.0, tf.float64)
    else:
        drawn = tf.random.gamma([COUNT], alpha, 2.0, tf.float64, seed=7)
    follows(drawn.numpy(), st.gamma(alpha, scale=0.5))
    assert drawn.numpy().min() > 0


@pytest.mark.parametrize("lam", [0.3, 4.0, 9.99, 10.0, 35.0, 1000.0])
@pytest.mark.parametrize("stateless", [True, False], ids=["stateless", "stateful"])
def test_poisson(lam: float, stateless: bool) -> None:
    if stateless:
        drawn = tf.random.stateless_poisson([COUNT], SEED, lam)
    else:
        drawn = tf.random.poisson([COUNT], lam, tf.int64, seed=7)
    follows(drawn.numpy(), st.poisson(lam))


@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.77, 0.999])
@pytest.mark.parametrize("count", [1, 12, 40, 3000])
def test_binomial(count: int, p: float) -> None:
    drawn = tf.random.stateless_binomial([COUNT], SEED, float(count), tf.constant(p, tf.float64))
    follows(drawn.numpy(), st.binom(count, p))


def test_binomial_of_a_generator() -> None:
    generator = tf.random.Generator.from_seed(1)
    follows(generator.binomial([COUNT], 30.0, 0.4).numpy(), st.binom(30, 0.4))
    first = generator.binomial([20], 30.0, 0.4).numpy()
    assert first.tolist() != generator.binomial([20], 30.0, 0.4).numpy().tolist()


BOUNDS = [(-2, 2), (0.5, 0.6), (1, 9), (-np.inf, -3), (6, 7), (12, np.inf), (-9, 1)]


@pytest.mark.parametrize("low, high", BOUNDS)
def test_truncated_normal(low: float, high: float) -> None:
    drawn = tf.random.stateless_parameterized_truncated_normal(
        [COUNT], SEED, tf.constant(3.0, tf.float64), 2.0, 3 + 2 * low, 3 + 2 * high
    ).numpy()
    follows(drawn, st.truncnorm(low, high, 3, 2))


def test_truncated_normal_far_out() -> None:
    """The tail beyond x is about exponential with rate x."""
    for sign in (1, -1):
        low, high = sorted((sign * 40.0, sign * 50.0))
        drawn = tf.random.stateless_parameterized_truncated_normal(
            [COUNT], SEED, tf.constant(0.0, tf.float64), 1.0, low, high
        ).numpy()
        beyond = sign * drawn - 40
        assert beyond.min() >= 0 and st.kstest(beyond * 40, st.expon.cdf).statistic < 0.02
    shifted = tf.random.stateless_parameterized_truncated_normal([3], SEED, [0.0, 50.0, -50.0])
    assert np.all(np.abs(shifted.numpy()) <= 2)


def test_shapes_and_broadcasting() -> None:
    alpha, beta = tf.constant([[0.5], [2.0]]), tf.constant([1.0, 10.0, 100.0])
    assert tf.random.gamma([7], alpha, beta, seed=1).shape == [7, 2, 3]
    assert tf.random.gamma(4, 1.0, seed=1).shape == [4]
    drawn = tf.random.stateless_gamma([500, 2, 3], SEED, alpha, beta).numpy()
    np.testing.assert_allclose(drawn.mean(0), (alpha / beta).numpy(), 0.3)
    assert tf.random.poisson([5], [[1.0, 2.0]], seed=1).shape == [5, 1, 2]
    assert tf.random.stateless_binomial([4, 2, 3], SEED, [[5.0], [6.0]], [0.1, 0.2, 0.3]).shape == (
        4,
        2,
        3,
    )
    for empty in ([0], [0, 2]):
        assert tf.random.stateless_poisson(empty, SEED, 3.0).shape == empty
    assert tf.random.stateless_gamma([3, 0], SEED, tf.zeros([0])).shape == [3, 0]


def test_parameters_without_a_distribution() -> None:
    drawn = tf.random.stateless_gamma([3], SEED, [-1.0, np.nan, 2.0]).numpy()
    assert np.isnan(drawn[:2]).all() and drawn[2] > 0
    assert tf.random.stateless_poisson([2], SEED, [0.0, 0.0]).numpy().tolist() == [0, 0]
    wrong = tf.random.stateless_binomial([2], SEED, [3.0, -1.0], [1.5, 0.5], tf.float32).numpy()
    assert np.isnan(wrong).all()
    with pytest.raises(failures("InvalidArgumentError"), match="Invalid parameters"):
        tf.random.stateless_parameterized_truncated_normal([2], SEED, minvals=2.0, maxvals=1.0)
    with pytest.raises(failures("InvalidArgumentError"), match="shape must end with"):
        tf.random.stateless_gamma([4, 2], SEED, [0.5, 2.0, 5.0])
    with pytest.raises(failures("InvalidArgumentError"), match="seed"):
        tf.random.stateless_gamma([2], [1, 2, 3], [0.5, 2.0])


def test_seeds_reproduce() -> None:
    for draw in (
        lambda: tf.random.gamma([5], [0.5, 3.0], seed=1),
        lambda: tf.random.poisson([5], [0.5, 30.0], seed=1),
        lambda: tf.random.uniform_candidate_sampler([[0]], 1, 5, True, 9, seed=1)[0],
    ):
        tf.random.set_seed(4)
        first, second = draw().numpy().tolist(), draw().numpy().tolist()
        tf.random.set_seed(4)
        assert draw().numpy().tolist() == first != second
    key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=SEED)
    by_key = tf.raw_ops.StatelessRandomGammaV3(
        shape=[3], key=key, counter=counter, alg=1, alpha=[0.5, 2.0, 9.0]
    )
    by_seed = tf.raw_ops.StatelessRandomGammaV2(shape=[3], seed=SEED, alpha=[0.5, 2.0, 9.0])
    assert by_key.numpy().tolist() == by_seed.numpy().tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradient_of_gamma(dtype: str) -> None:
    """The sample's place in the distribution stays while alpha and beta move."""
    alpha = tf.constant([[0.2, 1.0], [2.5, 40.0]], dtype)
    beta = tf.constant([2.0, 0.5], dtype)
    for draw in (
        lambda: tf.random.stateless_gamma([30, 2, 2], SEED, alpha, beta, dtype),
        lambda: tf.random.gamma([30], alpha, beta, dtype, seed=3),
    ):
        with tf.GradientTape() as tape:
            tape.watch([alpha, beta])
            y = draw()
        weights = np.random.default_rng(0).normal(size=y.shape).astype(dtype)
        of_alpha, of_beta = tape.gradient(y, [alpha, beta], tf.constant(weights))
        a, b = alpha.numpy().astype(float), beta.numpy().astype(float)
        x = y.numpy().astype(float) * b
        h = 1e-5 * a
        place = sp.gammainc(a, x)
        slope = (sp.gammaincinv(a + h, place) - sp.gammaincinv(a - h, place)) / (2 * h) / b
        want = np.sum(weights * slope, 0)
        np.testing.assert_allclose(of_alpha.numpy(), want, 2e-3, 1e-4)
        np.testing.assert_allclose(of_beta.numpy(), np.sum(-weights * x / b**2, (0, 1)), 1e-4)


def test_stateful_raw_ops_go_on_as_generators_do() -> None:
    generator = tf.random.Generator.from_seed(9)
    state = tf.Variable(generator.state.value())
    common = {"resource": state.handle, "algorithm": 1, "shape": [2, 3]}
    for raw, method, attrs in (
        ("StatefulUniform", lambda: generator.uniform([2, 3]), {"dtype": tf.float32}),
        ("StatefulStandardNormalV2", lambda: generator.normal([2, 3]), {"dtype": tf.float32}),
        ("StatefulTruncatedNormal", lambda: generator.truncated_normal([2, 3]), {}),
        ("StatefulUniformFullInt", lambda: generator.uniform_full_int([2, 3]), {}),
        (
            "StatefulUniformInt",
            lambda: generator.uniform([2, 3], 1, 9, tf.int32),
            {"minval": 1, "maxval": 9},
        ),
    ):
        got = getattr(tf.raw_ops, raw)(**common, **attrs)
        assert got.numpy().tolist() == method().numpy().tolist()
        assert state.numpy().tolist() == generator.state.numpy().tolist()


@pytest.mark.parametrize("unique", [True, False])
@pytest.mark.parametrize("name", ["uniform_candidate_sampler", "log_uniform_candidate_sampler"])
def test_candidates(name: str, unique: bool) -> None:
    """How often classes are met is what the sampler expects, in the mean over many calls."""
    classes = np.arange(8)
    p = np.full(8, 1 / 8) if name[0] == "u" else np.log((classes + 2) / (classes + 1)) / np.log(9)
    met, expected, runs = np.zeros(8), np.zeros(8), 300
    for seed in range(runs):
        picked = getattr(tf.random, name)([classes.tolist()], 8, 3, unique, 8, seed=seed)
        sampled = picked.sampled_candidates.numpy()
        assert sampled.dtype == np.int64 and len(set(sampled.tolist())) == (
            3 if unique else len(set(sampled.tolist()))
        )
        met += np.bincount(sampled, minlength=8)
        expected += picked.true_expected_count.numpy()[0]
        np.testing.assert_allclose(
            picked.sampled_expected_count.numpy(), picked.true_expected_count.numpy()[0][sampled]
        )
    assert np.abs(met - expected).max() < 5 * np.sqrt(runs)
    if not unique:
        np.testing.assert_allclose(expected / runs, 3 * p, 1e-5)


def test_wrong_candidates_and_those_that_are_missing() -> None:
    invalid = failures("InvalidArgumentError")
    with pytest.raises(invalid, match="range is too small"):
        tf.random.uniform_candidate_sampler([[1, 2]], 2, 11, True, 10)
    with pytest.raises(invalid, match="num_true = 3"):
        tf.random.uniform_candidate_sampler([[1, 2]], 3, 2, True, 10)
    every = tf.random.all_candidate_sampler([[1, 2]], 2, 3, True)
    assert [t.numpy().tolist() for t in every] == [[0, 1, 2], [[1, 1]], [1, 1, 1]]
    for call, name in (
        (lambda: tf.random.learned_unigram_candidate_sampler([[1]], 1, 1, True, 5), "learned"),
        (lambda: tf.random.fixed_unigram_candidate_sampler([[1]], 1, 1, True, 5), "fixed"),
        (lambda: tf.random.experimental.index_shuffle(1, [1, 2, 3], 9), "index_shuffle"),
    ):
        with pytest.raises(tf.errors.UnimplementedError, match=name):
            call()


def test_raw_einsum() -> None:
    assert "Einsum" in tf.raw_ops.__all__ and "Einsum" in dir(tf.raw_ops)
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = tf.raw_ops.Einsum(inputs=[a, b], equation="ij,jk->ik")
    assert y.numpy().tolist() == [[11.0]]
    assert tape.gradient(y, a).numpy().tolist() == [[3.0, 4.0]]
    with pytest.raises(failures("InvalidArgumentError"), match="1 or 2 inputs"):
        call_op("Einsum", [[a, a, a]], {"equation": "ij,ij,ij->"})
