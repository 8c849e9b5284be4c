"""One side of one workload in a process of its own: sets up, then times a sample on each request.

Speaks JSON lines with run.py: one line when ready (or why not), one number for each line read.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import timeit
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

SAMPLE_SECONDS = 0.05


def main(workload: str, side: str) -> None:
    """Answer requests until standard input ends."""
    from case import SIDES

    # Frameworks print to standard output; only our lines may reach the pipe.
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(value: Any) -> None:
        print(json.dumps(value), file=pipe, flush=True)

    try:
        module = importlib.import_module(SIDES[side][2])
    except ImportError as error:
        answer({"missing": f"{error}"})
        return
    try:
        case = getattr(importlib.import_module(workload), side)()
        numbers = flat_numbers(case.result())
    except Exception as error:  # whatever a peer raises, its column stays empty
        answer({"missing": f"{type(error).__name__}: {error}".splitlines()[0][:200]})
        return
    timer = timeit.Timer(case.statement, globals=case.names)
    count = case.calls_per_sample or calls_for(timer)
    answer({"numbers": numbers, "version": module.__version__, "calls": count})
    for _ in sys.stdin:
        answer(timer.timeit(count) / count)


def calls_for(timer: timeit.Timer) -> int:
    """How many calls fill a sample; warms up on the way."""
    count = 1
    while True:
        seconds = min(timer.timeit(count) for _ in range(3))
        if seconds > SAMPLE_SECONDS / 4:
            return max(1, round(count * SAMPLE_SECONDS / seconds))
        count *= 4


def flat_numbers(value: Any) -> list[float]:
    """At most 16 numbers of a result, evenly spread."""
    import numpy as np

    flat = np.asarray(value, dtype="float64").reshape(-1)
    return flat[:: max(1, len(flat) // 16)][:16].tolist()


if __name__ == "__main__":
    main(*sys.argv[1:])
