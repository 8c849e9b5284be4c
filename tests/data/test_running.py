"""How pipelines run: threads, order, errors and their lines, debugging, memory, times."""

from __future__ import annotations

import gc
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agog as tf
from agog import _core
from agog.data import options
from tests.sanitized import unless_sanitized

Dataset = tf.data.Dataset
AUTOTUNE = tf.data.AUTOTUNE


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


# ---- threads


def test_parallel_map_uses_its_threads_and_keeps_order() -> None:
    together, most, lock = [0], [0], threading.Lock()

    def work(x: Any) -> Any:
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])
        time.sleep(0.01 if int(x) % 2 else 0.001)
        with lock:
            together[0] -= 1
        return x

    assert numbers(Dataset.range(30).map(work, num_parallel_calls=4)) == list(range(30))
    assert most[0] == 4


@pytest.mark.parametrize("by_options", [False, True])
def test_unordered_map_gives_what_is_ready(by_options: bool) -> None:
    def work(x: Any) -> Any:
        time.sleep(0.2 if int(x) == 0 else 0.001)
        return x

    dataset = Dataset.range(8)
    if by_options:
        loose = tf.data.Options()
        loose.deterministic = False
        dataset = dataset.map(work, num_parallel_calls=3).with_options(loose)
    else:
        dataset = dataset.map(work, num_parallel_calls=3, deterministic=False)
    got = numbers(dataset)
    assert sorted(got) == list(range(8))
    assert got[0] != 0


def test_kernels_of_threads_run_side_by_side() -> None:
    """Two threads whose kernels release the lock are both inside them at some time."""
    x = tf.constant(np.random.default_rng(0).random((400, 400)), tf.float32)
    names = set()

    def work(i: Any) -> Any:
        names.add(threading.current_thread().name)
        return tf.reduce_sum(tf.matmul(x, x))

    sums = [float(v) for v in Dataset.range(20).map(work, num_parallel_calls=2)]
    assert len(set(sums)) == 1
    assert len(names) == 2


def test_threadpool_size() -> None:
    names = set()

    def work(x: Any) -> Any:
        names.add(threading.current_thread().name)
        time.sleep(0.001)
        return x

    limited = tf.data.Options()
    limited.threading.private_threadpool_size = 2
    numbers(Dataset.range(20).map(work, num_parallel_calls=8).with_options(limited))
    assert len(names) == 2


def test_prefetch_overlaps() -> None:
    def slow(x: Any) -> Any:
        time.sleep(0.02)
        return x

    start = time.perf_counter()
    for _ in Dataset.range(12).map(slow).prefetch(2):
        time.sleep(0.02)
    assert time.perf_counter() - start < 12 * 0.04 * 0.8


def test_prefetch_of_cheap_elements_starts_no_thread() -> None:
    def started() -> int:
        before = threading.active_count()
        iterator = iter(Dataset.range(1000).batch(10).prefetch(AUTOTUNE))
        for _ in range(50):
            next(iterator)
        return threading.active_count() - before

    # Cheap is what takes little time: a busy machine can make one attempt look expensive.
    assert min(started() for _ in range(5)) <= 0


def test_parallel_interleave_overlaps_and_keeps_order() -> None:
    def slow_part(x: Any) -> Any:
        def wait(y: Any) -> Any:
            time.sleep(0.01)
            return y

        return Dataset.from_tensors(x).repeat(6).map(wait)

    plain = Dataset.range(4).interleave(slow_part, 4, 2)
    parallel = Dataset.range(4).interleave(slow_part, 4, 2, num_parallel_calls=4)
    start = time.perf_counter()
    want = numbers(plain)
    middle = time.perf_counter()
    assert numbers(parallel) == want
    assert time.perf_counter() - middle < 0.7 * (middle - start)
    loose = Dataset.range(4).interleave(slow_part, 4, 2, num_parallel_calls=4, deterministic=False)
    assert sorted(numbers(loose)) == sorted(want)


def test_threads_end_with_the_iterator() -> None:
    gc.collect()
    before = threading.active_count()
    for _ in range(5):
        iterator = iter(Dataset.range(1000).map(lambda x: x, num_parallel_calls=4))
        next(iterator)
        del iterator
    gc.collect()
    end = time.perf_counter() + 5
    while threading.active_count() > before and time.perf_counter() < end:
        time.sleep(0.01)
    assert threading.active_count() <= before  # those of tests before may end here, too


def test_an_iterator_left_behind_does_not_hold_the_process(tmp_path: Path) -> None:
    import subprocess

    script = tmp_path / "s.py"
    script.write_text(
        "import agog as tf, time\n"
        "d = tf.data.Dataset.range(10**9).map(lambda x: (time.sleep(0.01), x)[1], 2).prefetch(4)\n"
        "i = iter(d)\n"
        "print(int(next(i)))\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_many_threads_with_iterators_of_their_own() -> None:
    dataset = Dataset.range(200).map(lambda x: x * 2).shuffle(50, seed=1).batch(7)
    totals: list[int] = []

    def run() -> None:
        totals.append(sum(int(tf.reduce_sum(batch)) for batch in dataset))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == [2 * sum(range(200))] * 6


def test_threads_may_share_an_iterator() -> None:
    iterator = iter(Dataset.range(3000).map(lambda x: x + 0).shuffle(100).batch(3))
    found: list[int] = []

    def run() -> None:
        for batch in iterator:
            found.extend(batch.numpy().tolist())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(3000))


# ---- errors


def lines_of(error: BaseException) -> list[str]:
    return [frame.line or "" for frame in traceback.extract_tb(error.__traceback__)]


def fail_at_3(x: Any) -> Any:
    if int(x) == 3:
        raise KeyError("three")  # the user's line
    return x


@pytest.mark.parametrize("how", ["plain", "parallel", "prefetched", "batched", "filter", "scan"])
def test_an_error_keeps_its_class_and_line(how: str) -> None:
    datasets = {
        "plain": lambda: Dataset.range(5).map(fail_at_3),
        "parallel": lambda: Dataset.range(5).map(fail_at_3, num_parallel_calls=2),
        "prefetched": lambda: Dataset.range(5).map(fail_at_3).map(slow_same).prefetch(2),
        "batched": lambda: Dataset.range(5).map(fail_at_3).batch(2),
        "filter": lambda: Dataset.range(5).filter(lambda x: fail_at_3(x) < 9),
        "scan": lambda: Dataset.range(5).scan(0, lambda s, x: (s, fail_at_3(x))),
    }
    with pytest.raises(KeyError, match="three") as caught:
        list(datasets[how]())
    assert 'raise KeyError("three")  # the user\'s line' in lines_of(caught.value)[-1]
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert not [f for f in frames if "/agog/" in f.filename]


def slow_same(x: Any) -> Any:
    time.sleep(0.002)
    return x


def test_an_error_concerns_one_element() -> None:
    for calls in (None, 3):
        iterator = iter(Dataset.range(6).map(fail_at_3, num_parallel_calls=calls))
        got = []
        while True:
            try:
                got.append(int(next(iterator)))
            except KeyError:
                got.append(-1)
            except StopIteration:
                break
        assert got == [0, 1, 2, -1, 4, 5]
    assert numbers(Dataset.range(6).map(fail_at_3).ignore_errors()) == [0, 1, 2, 4, 5]


@pytest.mark.parametrize("calls", [None, 2])
def test_errors_of_interleaved_datasets_come_in_their_turn(calls: int | None) -> None:
    def part(x: Any) -> Any:
        if int(x) == 1:
            raise KeyError("one")
        return Dataset.from_tensors(x).repeat(2)

    iterator = iter(Dataset.range(4).interleave(part, 3, 1, num_parallel_calls=calls))
    got = []
    while True:
        try:
            got.append(int(next(iterator)))
        except KeyError:
            got.append(-1)
        except StopIteration:
            break
    assert got[:2] == [0, -1]
    assert sorted(got) == [-1, 0, 0, 2, 2, 3, 3]


def test_a_generator_at_work_may_be_left(capfd: pytest.CaptureFixture[str]) -> None:
    def slow_numbers() -> Iterator[int]:
        for i in range(100):
            time.sleep(0.02)
            yield i

    iterator = iter(Dataset.from_generator(slow_numbers, tf.int32).prefetch(3))
    assert int(next(iterator)) == 0
    assert int(next(iterator)) == 1
    del iterator
    gc.collect()
    time.sleep(0.1)
    assert capfd.readouterr().err == ""


def test_ignored_errors_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    numbers(Dataset.range(6).map(fail_at_3).ignore_errors(log_warning=True))
    assert "three" in caplog.text


def test_errors_of_generators_keep_their_class() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise LookupError("gone")  # the line

    iterator = iter(Dataset.from_generator(broken, tf.int32))
    assert int(next(iterator)) == 1
    with pytest.raises(LookupError, match="gone") as caught:
        next(iterator)
    assert "# the line" in lines_of(caught.value)[-1]


def test_a_function_that_raises_stop_iteration_does_not_end_the_pass() -> None:
    def wrong(x: Any) -> Any:
        raise StopIteration

    with pytest.raises(RuntimeError, match="wrong raised StopIteration"):
        list(Dataset.range(3).map(wrong))


def test_a_missing_return_is_said() -> None:
    with pytest.raises(TypeError, match="returned None.*return"):
        list(Dataset.range(3).map(lambda x: None))


def test_messages_of_batches_name_the_shapes() -> None:
    ragged = Dataset.range(1, 4).map(lambda n: tf.ones([n]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(1,\).*\(2,\).*padded_batch"):
        list(ragged.batch(2))


def test_the_class_cannot_be_called() -> None:
    with pytest.raises(TypeError, match="from_tensor_slices"):
        Dataset(None)


# ---- debugging


def test_functions_see_values_and_breakpoints_stop() -> None:
    stops = []

    def look(x: Any) -> Any:
        breakpoint()
        return x + 1

    old = sys.breakpointhook
    sys.breakpointhook = lambda *a, **k: stops.append(sys._getframe(1).f_locals["x"].numpy())
    try:
        assert numbers(Dataset.range(3).map(look)) == [1, 2, 3]
        assert numbers(Dataset.range(3).map(look, num_parallel_calls=2)) == [1, 2, 3]
    finally:
        sys.breakpointhook = old
    assert sorted(stops) == [0, 0, 1, 1, 2, 2]


def test_debug_mode_stays_in_one_thread() -> None:
    names = set()

    def work(x: Any) -> Any:
        names.add(threading.current_thread().name)
        time.sleep(0.001)
        return x

    options.enable_debug_mode()
    try:
        parts = Dataset.range(4).interleave(
            lambda x: Dataset.from_tensors(x).map(work), 2, num_parallel_calls=2
        )
        numbers(parts.map(work, num_parallel_calls=2).prefetch(2))
    finally:
        options.toggle_debug_mode(False)
    assert names == {threading.current_thread().name}


def test_tapes_of_the_caller_record_nothing() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        (x,) = Dataset.range(1).map(lambda i: v * tf.cast(i + 2, tf.float32))
        y = x * v
    assert float(tape.gradient(y, v)) == 6.0


def test_specs_run_functions_only_when_asked() -> None:
    calls = []

    def work(x: Any) -> Any:
        calls.append(1)
        return x

    dataset = Dataset.range(3).map(work).batch(2).repeat().prefetch(1)
    assert "told by running" in repr(dataset)
    assert not calls
    assert dataset.element_spec == tf.TensorSpec([None], tf.int64)
    assert calls
    assert "TensorSpec" in repr(dataset)


# ---- memory


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@unless_sanitized("freed memory waits, so that the process grows")
@pytest.mark.parametrize("how", ["map", "parallel", "generator", "batch"])
def test_memory_is_flat(how: str) -> None:
    def endless() -> Iterator[Any]:
        while True:
            yield np.zeros(50, np.float32)

    kinds = {
        "map": Dataset.range(10**9).map(lambda x: tf.fill([100], x)),
        "parallel": Dataset.range(10**9).map(lambda x: tf.fill([100], x), num_parallel_calls=2),
        "generator": Dataset.from_generator(
            endless, output_signature=tf.TensorSpec([50], tf.float32)
        ),
        "batch": Dataset.range(10**9).map(lambda x: (x, x)).shuffle(100).batch(4).prefetch(2),
    }
    iterator = iter(kinds[how])
    steps = {"map": 100_000, "generator": 100_000, "parallel": 10_000, "batch": 5_000}[how]
    check_memory(iterator, steps)


@pytest.mark.slow
@unless_sanitized("freed memory waits, so that the process grows")
def test_memory_is_flat_over_100k_elements_on_threads() -> None:
    dataset = Dataset.range(10**9).map(lambda x: tf.fill([100], x), num_parallel_calls=2)
    check_memory(iter(dataset.batch(4).map(same).prefetch(2)), 25_000)


def same(x: Any) -> Any:
    return x


def check_memory(iterator: Any, steps: int) -> None:
    def go(count: int) -> tuple[int, int]:
        for _ in range(count):
            next(iterator)
        gc.collect()
        return resident(), _core.live_tensor_count()

    before = go(2_000)
    after = go(steps)
    assert after[1] - before[1] < 20
    assert after[0] - before[0] < 4 << 20


def test_datasets_and_iterators_are_freed() -> None:
    def once() -> None:
        data = tf.constant(np.zeros(1000, np.float32))
        dataset = Dataset.from_tensor_slices(data).map(lambda x: x).cache().shuffle(10).batch(3)
        for _ in dataset:
            pass

    once()
    gc.collect()
    before = _core.live_tensor_count()
    for _ in range(3):
        once()
    gc.collect()
    assert _core.live_tensor_count() <= before


# ---- times


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    def work(x: Any) -> Any:
        time.sleep(0.005)
        return x

    seen = []
    dataset = Dataset.range(100).map(work).batch(2)
    found = dataset.explain(count=5, consumer=lambda batch: seen.append(batch))
    batch, mapped, _ = found.rows
    assert len(seen) == 5
    assert [row.stage.strip() for row in found.rows] == ["Batch", "Map work", "Range"]
    assert [row.elements for row in found.rows] == [5, 10, 10]
    assert mapped.work > 0.04
    assert batch.wait > 0.04
    assert batch.work < 0.03
    assert "Map work" in capsys.readouterr().out


def test_explain_sees_threads() -> None:
    def work(x: Any) -> Any:
        time.sleep(0.01)
        return x

    found = Dataset.range(12).map(work, num_parallel_calls=4).explain()
    row = found.rows[0]
    assert row.work > 0.1  # of all threads
    assert row.wait < 0.1
    found = Dataset.range(12).map(work).prefetch(2).explain()
    assert found.rows[0].wait > 0.05
    assert found.rows[1].work > 0.1
