"""Nothing grows: tensors, tapes, variables, functions of Python."""

from __future__ import annotations

import gc
import threading

import pytest

import agog
from agog import _core
from tests.sanitized import unless_sanitized


def resident_kb() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4


def grows(step, times: int) -> int:
    """By how many kB the process grows over `times` steps, after a warm-up."""
    for _ in range(times // 10):
        step()
    gc.collect()
    before = resident_kb()
    for _ in range(times):
        step()
    gc.collect()
    return resident_kb() - before


X = agog.constant([[1.0, 2.0], [3.0, 4.0]])
BIG = agog.ones([64, 64])


def op() -> None:
    _ = X + X * 2.0


def tape() -> None:
    with agog.GradientTape() as t:
        t.watch(X)
        y = agog.reduce_sum(X * X)
    t.gradient(y, X)


def tape_without_gradient() -> None:
    with agog.GradientTape() as t:
        t.watch(X)
        _ = agog.reduce_sum(X * X)


def variable() -> None:
    v = agog.Variable(BIG, name="v")
    v.assign_add(BIG)


def error() -> None:
    with pytest.raises(ValueError):
        agog.reshape(X, [3])


def custom() -> None:
    @agog.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: dy * 3.0

    with agog.GradientTape() as t:
        t.watch(X)
        y = f(X)
    t.gradient(y, X)


def numpy_round_trip() -> None:
    agog.constant(BIG.numpy())


@unless_sanitized("freed memory waits, so that the process grows")
@pytest.mark.parametrize(
    ("step", "times"),
    [
        (op, 1_000_000),
        (tape, 100_000),
        (tape_without_gradient, 100_000),
        (variable, 100_000),
        (error, 20_000),
        (custom, 20_000),
        (numpy_round_trip, 50_000),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_memory_is_flat(step, times):
    assert grows(step, times) < 2_000


def test_live_counts_return():
    tensors, variables = _core.live_tensor_count(), _core.live_variable_count()
    for _ in range(100):
        op()
        tape()
        variable()
    gc.collect()
    assert _core.live_tensor_count() == tensors
    assert _core.live_variable_count() == variables


@unless_sanitized("freed memory waits, so that the process grows")
def test_strings_that_meet_again_keep_their_bytes_once():
    many = agog.constant(["a", "b"])
    before = resident_kb()
    for _ in range(40):  # would be 2**40 references
        many = agog.where([True, False], many, many)
    assert many.numpy().tolist() == [b"a", b"b"]
    assert resident_kb() - before < 2_000


def test_strings_keep_the_bytes_of_all_inputs():
    parts = [agog.constant([str(i) * 100]) for i in range(20)]
    joined = agog.concat([*parts, *parts], 0)
    del parts
    gc.collect()
    assert joined.numpy().tolist() == [str(i).encode() * 100 for i in range(20)] * 2


def test_tensors_of_all_threads_are_counted():
    before = _core.live_tensor_count()
    made, seen = [], []

    def make() -> None:
        made.extend(agog.constant(float(i)) for i in range(100))
        seen.append(_core.live_tensor_count() - before)

    def drop() -> None:
        made.clear()
        seen.append(_core.live_tensor_count() - before)

    for work in (make, drop):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        seen.append(_core.live_tensor_count() - before)
    assert seen == [100, 100, 0, 0]


def test_no_copy_where_memory_can_be_shared():
    x = agog.ones([1000, 1000])
    before = agog.config.experimental.get_memory_info("CPU:0")["current"]
    views = [agog.reshape(x, [-1]), agog.identity(x), agog.expand_dims(x, 0), x[10:20]]
    assert agog.config.experimental.get_memory_info("CPU:0")["current"] == before
    assert len(views) == 4


def test_variable_updates_in_place_unless_a_reader_holds_the_value():
    v = agog.Variable(agog.ones([1000, 1000]))
    delta = agog.ones([1000, 1000])
    agog.config.experimental.reset_memory_stats("CPU:0")
    before = agog.config.experimental.get_memory_info("CPU:0")["peak"]
    v.assign_add(delta)
    assert agog.config.experimental.get_memory_info("CPU:0")["peak"] == before
    old = v.value()
    v.assign_add(delta)
    assert float(old[0, 0]) == 2.0 and float(v[0, 0]) == 3.0


@pytest.mark.parametrize("wrong", [-1, 2**63, "1", 1.5, None], ids=repr)
def test_limits_that_cannot_be(wrong):
    with pytest.raises((TypeError, ValueError)):
        agog.config.experimental.set_memory_limit(wrong)


def test_limit_raises_and_recovers():
    try:
        agog.config.experimental.set_memory_limit(
            agog.config.experimental.get_memory_usage("CPU:0") + 2**20
        )
        with pytest.raises(agog.errors.ResourceExhaustedError, match="limit"):
            agog.zeros([2**20])
    finally:
        agog.config.experimental.set_memory_limit(0)
    assert agog.zeros([2**20]).shape == (2**20,)
