"""Signals that arrive while kernels run."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

# Generated code of oneDNN may keep its stack pointer in a buffer on the heap: a handler that ran
# there would break whatever lies before it, and the process would end with SIGABRT or SIGSEGV.
PROGRAM = """
    import signal, time
    import numpy as np
    import agog

    seen = 0
    def count(*_):
        global seen
        seen += 1

    random = np.random.default_rng(0)
    def floats(*shape):
        return agog.constant(random.random(shape).astype("float32"))

    a, b = floats(64, 784), floats(784, 128)
    image, filters = floats(4, 14, 14, 32), floats(3, 3, 32, 32)
    blocks = [None] * 512
    signal.signal(signal.SIGALRM, count)
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    end = time.monotonic() + 2
    while time.monotonic() < end:
        for i in range(0, 512, 7):  # blocks of the heap all around, often new ones
            blocks[random.integers(512)] = bytes(600 + 37 * i)
            {work}
    signal.setitimer(signal.ITIMER_REAL, 0)
    del blocks
    assert seen > 100, seen
"""


@pytest.mark.parametrize(
    "work",
    ["agog.matmul(a, b)", "agog.nn.conv2d(image, filters, 1, 'SAME')"],
    ids=["matmul", "conv"],
)
def test_handlers_leave_the_heap_whole(work: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM).format(work=work)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-2000:]}"
