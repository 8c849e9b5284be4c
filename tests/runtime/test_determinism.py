"""Same bits for any number of threads, seeds that are required, and the library of products."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import agog as tf

CONFIG = tf.config.experimental


@pytest.fixture
def deterministic() -> Iterator[None]:
    CONFIG.enable_op_determinism()
    yield
    CONFIG.disable_op_determinism()


@pytest.fixture
def any_threads() -> Iterator[None]:
    threads = tf.config.threading.get_intra_op_parallelism_threads()
    yield
    tf.config.threading.set_intra_op_parallelism_threads(threads)


def array(*shape: int, dtype: str = "float32") -> tf.Tensor:
    rng = np.random.default_rng(sum(shape))
    return tf.cast(tf.constant(rng.normal(size=shape)), dtype)


def product(m: int, k: int, n: int, dtype: str = "float32", **transpose: bool) -> Callable:
    a = array(*((k, m) if transpose.get("transpose_a") else (m, k)), dtype=dtype)
    b = array(*((n, k) if transpose.get("transpose_b") else (k, n)), dtype=dtype)
    return lambda: tf.matmul(a, b, **transpose)


def trained() -> tf.Tensor:
    """Weights after some steps of a small network."""
    tf.random.set_seed(5)
    x, y = array(256, 300), array(256, 10)
    w1, w2 = tf.Variable(array(300, 128) * 0.1), tf.Variable(array(128, 10) * 0.1)
    for _ in range(5):
        with tf.GradientTape() as tape:
            kept = tf.nn.dropout(tf.nn.relu(x @ w1), 0.3)
            loss = tf.reduce_mean(tf.square(tf.nn.softmax(kept @ w2) - y))
        for v, g in zip((w1, w2), tape.gradient(loss, [w1, w2]), strict=True):
            v.assign_sub(0.5 * g)
    return tf.concat([w1, tf.transpose(w2)[:, :128] @ array(128, 128)], 0)


def random_numbers() -> tf.Tensor:
    tf.random.set_seed(7)
    drawn = [tf.random.normal([300, 400]), tf.random.uniform([300, 400], seed=3)]
    return tf.stack([*drawn, tf.random.truncated_normal([300, 400])])


BIG = array(700, 900)
WORK: dict[str, Callable] = {
    "matmul long sums": product(48, 20000, 40),
    "matmul square": product(400, 400, 400),
    "matmul ragged": product(333, 1001, 517),
    "matmul wide": product(8, 700, 5000),
    "matmul tall": product(5000, 700, 8),
    "matmul transposed a": product(300, 2000, 70, transpose_a=True),
    "matmul transposed b": product(70, 2000, 300, transpose_b=True),
    "matmul transposed both": product(130, 4000, 90, transpose_a=True, transpose_b=True),
    "matmul double": product(200, 900, 200, "float64"),
    "matmul half": product(200, 3000, 64, "bfloat16"),
    "matmul batch": lambda: tf.matmul(array(20, 60, 500), array(20, 500, 40)),
    "matmul few": lambda: tf.matmul(array(3, 200, 900), array(3, 900, 150)),
    "matvec": lambda: tf.linalg.matvec(array(900, 3000), array(3000)),
    "sum": lambda: tf.reduce_sum(BIG),
    "sum rows": lambda: tf.reduce_sum(BIG, 1),
    "sum columns": lambda: tf.reduce_sum(BIG, 0),
    "mean": lambda: tf.reduce_mean(BIG, 0),
    "logsumexp": lambda: tf.reduce_logsumexp(BIG, 1),
    "product": lambda: tf.reduce_prod(1.0 + BIG * 1e-3, 0),
    "cumsum": lambda: tf.cumsum(BIG, 1),
    "softmax": lambda: tf.nn.softmax(BIG),
    "log softmax": lambda: tf.nn.log_softmax(array(3, 200000)),
    "random": random_numbers,
    "training": trained,
}


@pytest.mark.parametrize("name", WORK)
def test_bits_for_any_number_of_threads(name: str, any_threads: None) -> None:
    results = {}
    for threads in (1, 2, 3, 4):
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        assert tf.config.threading.get_intra_op_parallelism_threads() == threads
        results[threads] = tf.bitcast(WORK[name](), tf.uint8).numpy().tobytes()
    assert len(set(results.values())) == 1


# Ragged tiles, tiles of one row, and rows whose step is a multiple of 2 KB, which are copied.
@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize(
    "m, k, n", [(333, 1001, 517), (512, 300, 512), (40, 2000, 1024), (1024, 33, 5), (2, 512, 4096)]
)
def test_products_in_tiles(m: int, k: int, n: int, transpose_a: bool, transpose_b: bool) -> None:
    a = array(*((k, m) if transpose_a else (m, k)))
    b = array(*((n, k) if transpose_b else (k, n)))
    got = tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    wide_a, wide_b = a.numpy().astype("d"), b.numpy().astype("d")
    want = (wide_a.T if transpose_a else wide_a) @ (wide_b.T if transpose_b else wide_b)
    np.testing.assert_allclose(got.numpy(), want, 1e-5, 1e-5 * k**0.5)


SEEDLESS = {
    "uniform": lambda: tf.random.uniform([2]),
    "normal": lambda: tf.random.normal([2]),
    "truncated_normal": lambda: tf.random.truncated_normal([2]),
    "shuffle": lambda: tf.random.shuffle([1, 2]),
    "categorical": lambda: tf.random.categorical([[1.0, 2.0]], 2),
    "dropout": lambda: tf.nn.dropout(tf.ones([3]), 0.5),
    "generator": tf.random.Generator.from_non_deterministic_state,
}


@pytest.fixture
def unseeded() -> Iterator[None]:
    """As if nobody had called set_seed."""
    from agog.random.seeds import _State

    before = _State.seed, _State.op_seeds
    _State.seed = _State.op_seeds = None
    yield
    _State.seed, _State.op_seeds = before


@pytest.mark.parametrize("name", SEEDLESS)
def test_numbers_from_chance_raise(name: str, deterministic: None, unseeded: None) -> None:
    with pytest.raises(RuntimeError, match="determinism"):
        SEEDLESS[name]()
    CONFIG.disable_op_determinism()
    SEEDLESS[name]()


def test_seeds_of_any_kind_satisfy(deterministic: None, unseeded: None) -> None:
    assert float(tf.random.uniform([], seed=1)) == pytest.approx(0.2390374)
    tf.random.stateless_uniform([2], [1, 2])
    tf.random.Generator.from_seed(1).normal([1])
    tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32, seed=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="determinism is enabled"):
        tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32)
    tf.random.set_seed(1)
    for draw in SEEDLESS.values():
        if draw is not SEEDLESS["generator"]:
            draw()


def test_the_global_generator_must_be_set(deterministic: None) -> None:
    from agog.random.generator import _Global

    before, _Global.generator = _Global.generator, None
    try:
        with pytest.raises(RuntimeError, match="set_global_generator"):
            tf.random.get_global_generator()
        tf.random.set_global_generator(tf.random.Generator.from_seed(1))
        tf.random.get_global_generator().uniform([2])
    finally:
        _Global.generator = before


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    folder = os.path.dirname(os.path.dirname(tf.__file__))
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r})\n{code}"],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
    )


MULTIPLY = """
import warnings, agog as tf
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x = tf.ones([300, 300])
    for _ in range(3):
        assert float((x @ x)[0, 0]) == 300.0
    for _ in range(1000): pass
print(tf.config.experimental.get_matmul_backend())
print(len(caught), *(f"{w.category.__name__}: {w.message}" for w in caught))
"""


def built_with_onednn() -> bool:
    return "built without" not in CONFIG.get_matmul_backend()


@pytest.mark.skipif(not built_with_onednn(), reason="built without oneDNN")
def test_a_missing_library_warns_once() -> None:
    done = run(MULTIPLY, AGOG_ONEDNN_LIBRARY="/no/such/libdnnl.so.3")
    assert done.returncode == 0, done.stderr
    backend, caught = done.stdout.strip().splitlines()
    assert backend.startswith("eigen (/no/such/libdnnl.so.3")
    assert caught.startswith("1 RuntimeWarning: agog: matrix products run without oneDNN, slower")
    done = run(MULTIPLY, AGOG_ONEDNN_LIBRARY="none")
    assert done.stdout.strip().splitlines() == ["eigen (AGOG_ONEDNN_LIBRARY is none)", "0"]


def test_the_folder_must_exist() -> None:
    with pytest.raises(ValueError, match="no_such_folder"):
        CONFIG.set_onednn_folder("/no_such_folder")
