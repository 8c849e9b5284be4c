"""Tapes that are reset, restarted or stopped by code that runs in the middle of their own work."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

import pytest

import agog
from agog import _core

X = agog.constant(3.0)


def cubed_with(interfere: Callable[[], object]) -> Callable[[agog.Tensor], agog.Tensor]:
    """x ** 3, whose gradient rule does something else first."""

    @agog.custom_gradient
    def cubed(x):
        def grad(dy):
            interfere()
            gc.collect()
            return dy * 3.0 * x * x

        return x * x * x, grad

    return cubed


def gradient_with(tape: agog.GradientTape, interfere: Callable[[], object]) -> float:
    f = cubed_with(interfere)
    with tape:
        tape.watch(X)
        y = f(X * 2.0)
        y = f(y) * y
    return float(tape.gradient(y, X))


EXPECTED = 12.0 * 2.0**12 * 3.0**11  # of (2 x) ** 12


def test_a_gradient_rule_may_reset_the_tape_that_calls_it():
    tape = agog.GradientTape()
    assert gradient_with(tape, tape.reset) == EXPECTED


def test_a_gradient_rule_may_start_the_tape_that_calls_it_anew():
    tape = agog.GradientTape()

    def again() -> None:
        with tape:
            tape.watch(X)
            _ = X * X

    assert gradient_with(tape, again) == EXPECTED


def test_a_gradient_rule_may_ask_the_persistent_tape_that_calls_it():
    tape, found = agog.GradientTape(persistent=True), []
    with tape:
        tape.watch(X)
        z = X * X
    f = cubed_with(lambda: found.append(float(tape.gradient(z, X))))
    with tape:
        y = f(z)
    assert float(tape.gradient(y, X)) == 6.0 * 3.0**5
    assert found == [6.0]


def test_what_a_record_holds_may_start_and_stop_tapes_when_it_goes():
    class Tapes:
        def __del__(self) -> None:
            tapes = [agog.GradientTape() for _ in range(50)]
            for tape in tapes:
                tape.__enter__()
            for tape in tapes:
                tape.__exit__(None, None, None)

    def one() -> None:
        held = Tapes()

        @agog.custom_gradient
        def f(x):
            return x * 2.0, lambda dy: (held, dy * 2.0)[1]

        f(X)

    with agog.GradientTape() as outer, agog.GradientTape() as inner:
        outer.watch(X)
        inner.watch(X)
        for _ in range(10):
            one()
        y = X * X
    assert _core.tape_depth() == 0
    assert float(inner.gradient(y, X)) == float(outer.gradient(y, X)) == 6.0


def in_a_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


def test_a_tape_that_another_thread_stops_records_no_more():
    tape = agog.GradientTape(persistent=True)
    tape.__enter__()
    tape.watch(X)
    y = X * X
    in_a_thread(lambda: tape.__exit__(None, None, None))
    z = X * X
    assert _core.tape_depth() == 0
    assert float(tape.gradient(y, X)) == 6.0
    assert tape.gradient(z, X) is None


def test_a_tape_may_be_forgotten_by_another_thread():
    tapes = [agog.GradientTape()]
    tapes[0].__enter__()
    tapes[0].watch(X)
    in_a_thread(tapes.clear)
    gc.collect()
    y = X * X
    with agog.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    assert float(tape.gradient(y, X)) == 6.0


def test_a_tape_outlives_the_thread_that_started_it():
    tape = agog.GradientTape()
    in_a_thread(tape.__enter__)
    tape.__exit__(None, None, None)
    with tape:
        tape.watch(X)
        y = X * X
    assert float(tape.gradient(y, X)) == 6.0


@pytest.mark.parametrize("first", [0, 1])
def test_tapes_may_stop_in_any_order(first: int):
    tapes = [agog.GradientTape(), agog.GradientTape()]
    for tape in tapes:
        tape.__enter__()
        tape.watch(X)
    y = X * X
    tapes[first].__exit__(None, None, None)
    z = y * X
    tapes[1 - first].__exit__(None, None, None)
    assert float(tapes[first].gradient(y, X)) == 6.0
    assert float(tapes[1 - first].gradient(z, X)) == 27.0


def test_pauses_end_in_order_whatever_tapes_stop_meanwhile():
    outer, inner = agog.GradientTape(), agog.GradientTape()
    outer.__enter__()
    with _core.stop_recording():
        inner.__enter__()
        inner.watch(X)
        with _core.stop_recording():
            outer.__exit__(None, None, None)
        y = X * X
    inner.__exit__(None, None, None)
    assert float(inner.gradient(y, X)) == 6.0


def test_a_pause_counts_its_entries():
    pause = _core.stop_recording()
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(X)
        with pause, pause:
            unseen = X * X
        pause.__exit__(None, None, None)
        y = X * X
    assert tape.gradient(unseen, X) is None
    assert float(tape.gradient(y, X)) == 6.0


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_an_error_under_inner_tapes_leaves_the_outer_one_recording(where: str):
    def fail() -> None:
        with agog.GradientTape(), agog.GradientTape():
            raise KeyError("on purpose")

    @agog.custom_gradient
    def f(x):
        if where == "forward":
            fail()
        return x * 2.0, lambda dy: fail()

    with agog.GradientTape(persistent=True) as tape:
        tape.watch(X)
        with pytest.raises(KeyError):
            tape.gradient(f(X), X)
        assert _core.tape_depth() == 1
        y = X * X
    assert float(tape.gradient(y, X)) == 6.0


# ---- forward mode


def test_an_accumulator_that_another_thread_stops_follows_no_more():
    accumulator = agog.autodiff.ForwardAccumulator(X, agog.constant(1.0))
    accumulator.__enter__()
    y = X * X
    in_a_thread(lambda: accumulator.__exit__(None, None, None))
    z = X * X
    assert float(accumulator.jvp(y)) == 6.0
    assert accumulator.jvp(z) is None


def test_an_accumulator_may_be_forgotten_while_it_follows():
    accumulators = [agog.autodiff.ForwardAccumulator(X, agog.constant(1.0))]
    accumulators[0].__enter__()
    in_a_thread(accumulators.clear)
    gc.collect()
    with agog.autodiff.ForwardAccumulator(X, agog.constant(2.0)) as accumulator:
        y = X * X
    assert float(accumulator.jvp(y)) == 12.0


@pytest.mark.parametrize("inner", [False, True])
def test_a_gradient_rule_may_stop_and_start_accumulators(inner: bool):
    def interfere() -> None:
        if inner:
            with agog.autodiff.ForwardAccumulator(X, agog.constant(1.0)):
                _ = X * X
        else:
            accumulator.__exit__(None, None, None)

    @agog.custom_gradient
    def cubed(x):
        def grad(dy):
            interfere()
            return dy * 3.0 * X * X

        # Cut, so that the rule is asked and not the operations.
        return agog.stop_gradient(x) ** 3.0, grad

    accumulator = agog.autodiff.ForwardAccumulator(X, agog.constant(1.0))
    with accumulator:
        y = cubed(X)
        z = X * X
    assert float(accumulator.jvp(y)) == 27.0
    assert accumulator.jvp(z) is None if not inner else float(accumulator.jvp(z)) == 6.0


def test_accumulators_and_tapes_keep_their_order_when_others_stop():
    early, late = agog.GradientTape(), agog.GradientTape()
    early.__enter__()
    early.watch(X)
    first = agog.GradientTape()
    first.__enter__()
    with agog.autodiff.ForwardAccumulator(X, agog.constant(1.0)) as accumulator:
        late.__enter__()
        late.watch(X)
        first.__exit__(None, None, None)  # fewer tapes than when the accumulator started
        y = X * X * X
        slope = accumulator.jvp(y)
        late.__exit__(None, None, None)
    early.__exit__(None, None, None)
    assert float(slope) == 27.0
    assert float(early.gradient(slope, X)) == 18.0
    assert late.gradient(slope, X) is None
    assert _core.tape_depth() == 0
