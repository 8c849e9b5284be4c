"""Threads have tapes of their own, variables are safe to share, and a forked child goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import agog


def train(seed: int) -> list[float]:
    """A small model trained by tape; the same numbers for the same seed."""
    rng = np.random.default_rng(seed)
    x = agog.constant(rng.normal(size=(64, 32)).astype(np.float32))
    y = agog.constant(rng.normal(size=(64, 1)).astype(np.float32))
    w = agog.Variable(rng.normal(size=(32, 1)).astype(np.float32))
    losses = []
    for _ in range(50):
        with agog.GradientTape() as tape:
            loss = agog.reduce_mean(agog.square(agog.matmul(x, w) - y))
        w.assign_sub(0.05 * tape.gradient(loss, w))
        losses.append(float(loss))
    return losses


def in_threads(work, count: int = 8) -> list:
    results, errors = [None] * count, []

    def run(i: int) -> None:
        try:
            results[i] = work(i)
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive(), "a thread hangs"
    assert not errors, errors
    return results


def test_eight_threads_of_tapes_equal_one():
    assert in_threads(train) == [train(seed) for seed in range(8)]


def test_a_tape_records_only_its_own_thread():
    x = agog.constant(2.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
        [y] = in_threads(lambda i: x * x, 1)
    assert tape.gradient(y, x) is None


def test_updates_of_a_shared_variable_are_not_lost():
    v = agog.Variable(agog.zeros([300, 300]))
    one = agog.ones([300, 300])

    def work(i: int) -> None:
        for _ in range(50):
            v.assign_add(one)
            v.value()

    in_threads(work)
    assert float(agog.reduce_min(v)) == float(agog.reduce_max(v)) == 400.0


def test_results_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    x = agog.constant(rng.normal(size=(700, 900)).astype(np.float32))
    results = []
    before = agog.config.threading.get_intra_op_parallelism_threads()
    try:
        for threads in (1, 2, 8):
            agog.config.threading.set_intra_op_parallelism_threads(threads)
            y = agog.exp(x) + x
            parts = [agog.reduce_sum(y), agog.reduce_sum(y, 0), agog.reduce_sum(y, 1)]
            results.append([p.numpy().tobytes() for p in parts])
    finally:
        agog.config.threading.set_intra_op_parallelism_threads(before)
    assert results[0] == results[1] == results[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_goes_on():
    x = agog.ones([600, 600])
    total = float(agog.reduce_sum(agog.matmul(x, x)))  # starts the pool in the parent
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            result = float(agog.reduce_sum(agog.matmul(x, x) + agog.exp(x * 0.0) - 1.0))
            train(0)
            os.write(write, str(result).encode())
        finally:
            os._exit(0)
    os.close(write)
    done = threading.Event()
    threading.Timer(60, lambda: None if done.is_set() else os.kill(pid, 9)).start()
    os.waitpid(pid, 0)
    done.set()
    assert float(os.read(read, 100)) == total
    assert float(agog.reduce_sum(agog.matmul(x, x))) == total


@pytest.mark.parametrize("wrong", [-1, 1025, 2**31, 2**70, "2", 1.5, None], ids=repr)
def test_numbers_of_threads_that_cannot_be(wrong):
    before = agog.config.threading.get_intra_op_parallelism_threads()
    with pytest.raises((TypeError, ValueError)):
        agog.config.threading.set_intra_op_parallelism_threads(wrong)
    assert agog.config.threading.get_intra_op_parallelism_threads() == before


def test_an_environment_that_asks_for_far_too_many_threads():
    code = "import agog; print(float(agog.reduce_sum(agog.exp(agog.zeros([1000, 1000])))))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "OMP_NUM_THREADS": "100000"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout.strip() == "1000000.0", done.stderr
