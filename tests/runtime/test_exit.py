"""The end of a process, of threads in the middle of work, and of forked children."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from tests.sanitized import unless_sanitized

UNWOUND = unless_sanitized("Python's unwinding of daemon threads looks like broken stacks")
WORK = {
    "matmul": "x @ x",
    "tape": "gradient()",
    "conversion": "agog.constant([np.float32(1)] * 1000)",
    "custom gradient": "custom()",
}


def run(code: str, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-2000:]}"


@UNWOUND
@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_daemon_threads_may_work_when_the_interpreter_ends(work: str) -> None:
    code = f"""
        import threading, time
        import numpy as np
        import agog

        x = agog.ones([200, 200])
        v = agog.Variable(x)

        def gradient():
            with agog.GradientTape() as tape:
                y = agog.reduce_sum(agog.exp(v @ x))
            return tape.gradient(y, v)

        def custom():
            f = agog.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 2.0))
            with agog.GradientTape() as tape:
                tape.watch(x)
                f(x)

        def loop():
            while True:
                {work}

        for _ in range(4):
            threading.Thread(target=loop, daemon=True).start()
        time.sleep(0.3)
    """
    for _ in range(3):
        run(code)


def test_tapes_variables_and_tensors_may_live_when_the_interpreter_ends() -> None:
    run(
        """
        import agog
        from agog import _core

        x = agog.constant(3.0)
        tapes = [agog.GradientTape() for _ in range(3)]
        for tape in tapes:
            tape.__enter__()
            tape.watch(x)
        f = agog.custom_gradient(lambda x: (x * 2.0, lambda dy: (tapes, dy * 2.0)[1]))
        y = f(x) * agog.Variable(2.0)
        s = agog.constant(["a", "b"])
        agog.kept = [y, s, _core.stop_recording()]
        _core.kept = agog.kept
        _core.stop_recording().__enter__()
        """
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_of_a_process_with_busy_threads_go_on() -> None:
    run(
        """
        import os, signal, threading, warnings
        import agog

        warnings.simplefilter("ignore")
        x = agog.ones([300, 300])
        v = agog.Variable(x)
        stopped = threading.Event()

        def gradient():
            with agog.GradientTape() as tape:
                y = agog.reduce_sum(v @ x + agog.ones([1000, 100])[0, 0])
            return tape.gradient(y, v)

        def loop():
            while not stopped.is_set():
                gradient()
                agog.sort(agog.random.normal([20000]))

        threads = [threading.Thread(target=loop) for _ in range(3)]
        for thread in threads:
            thread.start()
        failed = 0
        for _ in range(20):
            pid = os.fork()
            if pid == 0:
                signal.alarm(60)
                assert float(gradient()[0, 0]) == 300.0
                agog.sort(agog.random.normal([20000]))
                os._exit(0)
            failed += os.waitpid(pid, 0)[1] != 0
        stopped.set()
        for thread in threads:
            thread.join()
        assert not failed, f"{failed} children failed"
        """
    )


INTERRUPTED = """
import os, signal, threading, time
import agog
from agog import _core

v = agog.Variable(agog.ones([200, 200]))
end = time.monotonic() + 3
f = agog.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 2.0))

armed = False

def on_signal(*_):
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt

def interrupt():
    while time.monotonic() < end:
        time.sleep(0.003)
        os.kill(os.getpid(), signal.SIGINT)

def work():
    while time.monotonic() < end:
        with agog.GradientTape() as tape:
            y = agog.reduce_sum(f(v @ v) + agog.constant([1.0] * 200))
        tape.gradient(y, v)

signal.signal(signal.SIGINT, on_signal)
thread = threading.Thread(target=interrupt)
thread.start()
interrupts = 0
while True:
    try:
        armed = True
        work()
        thread.join()
        break
    except KeyboardInterrupt:
        interrupts += 1
        assert _core.tape_depth() == 0
assert interrupts > 5
"""


def test_interrupts_leave_no_tape_behind() -> None:
    run(INTERRUPTED)
