"""Iterators: their methods, and positions that are saved and restored."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agog as tf
from tests.data.pipelines import batching_step, choosing_step, identity, listed, plain, source

Dataset = tf.data.Dataset
PLAIN = (type(None), bool, int, float, str, bytes, tf.Tensor)


def check_is_plain(state: Any) -> None:
    """Dicts with string keys, lists, plain values and tensors: what a checkpoint can hold."""
    if type(state) is dict:
        assert all(type(key) is str for key in state)
        for part in state.values():
            check_is_plain(part)
    elif type(state) is list:
        for part in state:
            check_is_plain(part)
    else:
        assert type(state) in PLAIN, type(state)


def check_restores(make: Any, at: int, most: int = 60) -> None:
    """What follows a save follows a restore, in an equal dataset and on the same iterator."""
    iterator = iter(make())
    for _ in range(at):
        next(iterator, None)
    state = iterator.save_state()
    check_is_plain(state)
    rest = listed(iterator, most)
    other = iter(make())
    for _ in range(2):
        other.restore_state(state)
        assert listed(other, most) == rest
    iterator.restore_state(state)
    assert listed(iterator, most) == rest


@pytest.mark.parametrize("seed", range(80))
def test_choosing_and_batching(seed: int) -> None:
    rng = random.Random(seed)
    base = source(rng)
    steps = [choosing_step(rng) for _ in range(rng.randint(0, 4))]
    steps += [batching_step(rng)] if rng.random() < 0.6 else []
    by_element = rng.random() < 0.5

    def make() -> Any:
        dataset = identity(base()) if by_element else base()
        for step in steps:
            dataset = step(dataset)
        return dataset

    check_restores(make, rng.randint(0, 12))


def key(x: Any) -> Any:
    return x % 3


def threes(x: Any) -> Any:
    return Dataset.from_tensors(x).repeat(3)


def ragged() -> Any:
    return Dataset.range(1, 9).map(lambda n: tf.fill([n], n))


STAGES = {
    "map": lambda: Dataset.range(9).map(lambda x: {"a": x, "b": (x, None)}),
    "parallel map": lambda: Dataset.range(20).map(lambda x: x * 2, num_parallel_calls=3),
    "filter": lambda: Dataset.range(20).filter(lambda x: x % 3 == 0),
    "take_while": lambda: Dataset.range(20).take_while(lambda x: x < 7),
    "scan": lambda: Dataset.range(9).scan(np.int64(0), lambda s, x: (s + x, s)),
    "scan with a dict": lambda: Dataset.range(9).scan(
        {"s": np.int64(0)}, lambda s, x: ({"s": s["s"] + x}, s["s"])
    ),
    "unique": lambda: Dataset.range(9).map(lambda x: x % 4).unique(),
    "ignore_errors": lambda: Dataset.range(9).map(lambda x: 12 // (int(x) - 3)).ignore_errors(),
    "flat_map": lambda: Dataset.range(5).flat_map(Dataset.range),
    "interleave": lambda: Dataset.range(7).interleave(threes, 3, 2),
    "parallel interleave": lambda: Dataset.range(7).interleave(threes, 3, 2, num_parallel_calls=2),
    "window": lambda: Dataset.range(9).window(3, 2).flat_map(lambda w: w.batch(3)),
    "group_by_window": lambda: Dataset.range(20).group_by_window(key, lambda k, w: w.batch(2), 3),
    "padded_batch": lambda: ragged().padded_batch(3),
    "unbatch": lambda: ragged().map(lambda x: (x, None)).unbatch(),
    "rebatch": lambda: Dataset.range(20).batch(6).rebatch([2, 3]),
    "choose": lambda: Dataset.choose_from_datasets(
        [Dataset.range(9), Dataset.range(50, 59)], Dataset.range(2).repeat()
    ),
    "sample": lambda: Dataset.sample_from_datasets(
        [Dataset.range(9), Dataset.range(50, 59)], [0.3, 0.7], seed=1
    ),
    "random": lambda: Dataset.random(seed=4).take(9),
    "prefetch of slow elements": lambda: Dataset.range(9).map(slow).prefetch(3),
    "generator": lambda: Dataset.from_generator(lambda: iter(range(9)), tf.int64),
    "rejection_resample": lambda: Dataset.range(30).rejection_resample(
        key, [0.5, 0.3, 0.2], seed=3
    ),
    "cache": lambda: ragged().cache().repeat(3),
    "shuffled ragged": lambda: ragged().shuffle(4, seed=1).repeat(2),
    "assert_cardinality": lambda: Dataset.range(9).apply(
        tf.data.experimental.assert_cardinality(9)
    ),
}


def slow(x: Any) -> Any:
    import time

    time.sleep(0.002)
    return x


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("at", [0, 1, 4, 7, 100])
def test_stages(name: str, at: int) -> None:
    check_restores(STAGES[name], at)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
@pytest.mark.parametrize("at", [0, 2, 5, 30])
def test_files_go_on_in_the_middle(kind: str, at: int, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in "ab"]
    for name in names:
        with tf.io.TFRecordWriter(name, kind) as file:
            for i in range(5):
                file.write(name.encode() + b"%d" % i)
    check_restores(lambda: tf.data.TFRecordDataset(names, kind).batch(2), at)
    check_restores(lambda: tf.data.TFRecordDataset(names, kind, num_parallel_reads=2), at)


def test_lines_and_rows_go_on_in_the_middle(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("h,i\n1,2\n3,4\n5,6\n")
    name = str(tmp_path / "a")
    for at in (0, 1, 2, 9):
        check_restores(lambda: tf.data.TextLineDataset([name, name]), at)
        check_restores(
            lambda: tf.data.experimental.CsvDataset([name, name], [0, 0], header=True), at
        )
        check_restores(lambda: tf.data.FixedLengthRecordDataset(name, 4), at)


def test_an_epoch_goes_on_after_a_restore() -> None:
    """The pass after the one that was restored is the one that would have followed."""

    def make() -> Any:
        return Dataset.range(30).shuffle(30, seed=1).batch(7)

    dataset = make()
    iterator = iter(dataset)
    next(iterator)
    state = iterator.save_state()
    want = [listed(iterator), listed(dataset)]
    again = make()
    fresh = iter(again)
    fresh.restore_state(state)
    assert [listed(fresh), listed(again)] == want


def test_saving_does_not_disturb() -> None:
    for make in STAGES.values():
        iterator = iter(make())
        got = []
        for element in iterator:
            got.append(plain(element))
            iterator.save_state()
        assert got == listed(make())


def test_windows_in_a_buffer_are_saved() -> None:
    def make() -> Any:
        return Dataset.range(20).window(3).shuffle(3, seed=1).flat_map(lambda w: w.batch(3))

    check_restores(make, 2)


def test_other_datasets_in_a_buffer_cannot_be_saved() -> None:
    iterator = iter(Dataset.range(20).map(lambda n: Dataset.range(n)).shuffle(3))
    next(iterator)
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be saved"):
        iterator.save_state()


def test_states_of_other_datasets_are_refused() -> None:
    state = iter(Dataset.range(9).shuffle(3)).save_state()
    iterator = iter(Dataset.range(5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not one of an iterator"):
        iterator.restore_state(state)
    assert listed(iterator) == listed(Dataset.range(5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="version 1"):
        iterator.restore_state({"version": 9})


def test_the_end() -> None:
    iterator = iter(Dataset.range(1))
    assert isinstance(iterator, tf.data.Iterator)
    assert int(iterator.get_next()) == 0
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            iterator.get_next()
        with pytest.raises(StopIteration):
            next(iterator)
    assert iter(iterator) is iterator


def test_optionals() -> None:
    iterator = iter(Dataset.range(1))
    full, empty = iterator.get_next_as_optional(), iterator.get_next_as_optional()
    assert bool(full.has_value())
    assert full.has_value().dtype is tf.bool
    assert int(full.get_value()) == 0
    assert full.element_spec == tf.TensorSpec([], tf.int64)
    assert not empty.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        empty.get_value()


def test_numpy_iterator() -> None:
    (row,) = Dataset.from_tensor_slices((["a"], [True], [[1, 2]])).as_numpy_iterator()
    assert row[0] == b"a"
    assert row[1].dtype == bool
    assert row[2].tolist() == [1, 2]
    with pytest.raises(TypeError, match="is not supported"):
        list(Dataset.range(3).window(2).as_numpy_iterator())


def test_two_iterators_are_independent() -> None:
    dataset = Dataset.range(6).shuffle(3, seed=1).batch(2)
    one, two = iter(dataset), iter(dataset)
    assert int(tf.reduce_sum(next(one))) >= 0
    total = sum(int(tf.reduce_sum(batch)) for batch in two)
    assert total == 15
