"""Batches gathered from tables are those that would be put together element by element."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

import agog as tf
from agog.data.shuffling import Shuffle
from tests.data.pipelines import batching_step, choosing_step, identity, listed, source

Dataset = tf.data.Dataset


@pytest.mark.parametrize("seed", range(150))
def test_both_paths_agree(seed: int) -> None:
    rng = random.Random(seed)
    make = source(rng)
    steps = [choosing_step(rng) for _ in range(rng.randint(0, 4))] + [batching_step(rng)]
    if rng.random() < 0.3:
        steps.append(lambda d: d.unbatch())
    fast, slow = make(), identity(make())
    for step in steps:
        fast, slow = step(fast), step(slow)
    for _ in range(2):  # the second pass has a filled cache and another order
        assert listed(fast) == listed(slow)


@pytest.mark.parametrize("size", [1, 2, 5, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("buffer", [1, 2, 7, 1024, 5000])
def test_shuffles_agree_across_blocks(size: int, buffer: int) -> None:
    fast = Dataset.range(size).shuffle(buffer, seed=3)
    slow = identity(Dataset.range(size)).shuffle(buffer, seed=3)
    for _ in range(2):
        got = [int(x) for x in fast]
        assert got == [int(x) for x in slow]
        assert sorted(got) == list(range(size))


def test_a_mix_of_single_elements_and_batches_agrees() -> None:
    fast = iter(Dataset.range(50).shuffle(10, seed=1))
    slow = iter(identity(Dataset.range(50)).shuffle(10, seed=1))
    for count in (1, 7, 1, 30, 20):
        one, n = fast._stage.next_batch(count)
        two, m = slow._stage.next_batch(count)
        assert n == m
        np.testing.assert_array_equal(one.numpy(), two.numpy())


def test_draws_are_uniform() -> None:
    # Where element 0 ends up, in a buffer that holds all.
    counts = np.zeros(4)
    dataset = Dataset.range(4).shuffle(4, seed=5)
    for _ in range(4000):
        counts[[int(x) for x in dataset].index(0)] += 1
    assert abs(counts / 4000 - 0.25).max() < 0.03


def test_an_element_moves_forward_by_less_than_the_buffer() -> None:
    order = [int(x) for x in Dataset.range(500).shuffle(10, seed=2)]
    assert all(order.index(x) > x - 10 for x in range(500))
    assert order != sorted(order)


def test_orders_of_passes() -> None:
    def orders(dataset: tf.data.Dataset, times: int = 3) -> list[list[int]]:
        return [[int(x) for x in dataset] for _ in range(times)]

    seeded = orders(Dataset.range(20).shuffle(20, seed=1))
    assert seeded == orders(Dataset.range(20).shuffle(20, seed=1))
    assert len(set(map(tuple, seeded))) == 3
    still = Dataset.range(20).shuffle(20, reshuffle_each_iteration=False)
    assert len(set(map(tuple, orders(still)))) == 1
    assert len(set(map(tuple, orders(Dataset.range(20).shuffle(20))))) == 3
    repeated = [int(x) for x in Dataset.range(20).shuffle(20, seed=1).repeat(2)]
    assert [repeated[:20], repeated[20:]] == seeded[:2]


def test_global_seed() -> None:
    def order() -> list[int]:
        tf.random.set_seed(7)
        return [int(x) for x in Dataset.range(20).shuffle(20)]

    assert order() == order()


def test_a_batch_of_neighbours_shares_memory() -> None:
    x = tf.constant(np.arange(1000, dtype=np.float32).reshape(10, 100))
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    batches = list(Dataset.from_tensor_slices(x).batch(5))
    after = tf.config.experimental.get_memory_info("CPU:0")["current"]
    assert len(batches) == 2
    assert after - before < 100


def test_no_python_per_element(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of 1,000 costs about what a batch of 10 does, and touches no element."""
    from agog.data.table import Table

    monkeypatch.setattr(Table, "row", None)
    data = np.zeros((20000, 4), np.float32), np.arange(20000)

    def seconds(size: int) -> float:
        iterator = iter(
            Dataset.from_tensor_slices(data).shuffle(20000, seed=1).repeat().batch(size)
        )
        next(iterator)
        best = []
        for _ in range(20):
            start = time.perf_counter()
            next(iterator)
            best.append(time.perf_counter() - start)
        return min(best)

    assert seconds(1000) < 20 * seconds(10)


def test_large_buffers_cost_what_is_there() -> None:
    assert len(list(Dataset.range(5).shuffle(10**12))) == 5
    assert Shuffle(Dataset.range(5)._node, -2, None, True).buffer_size > 10**12
