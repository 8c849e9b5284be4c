"""Times agog beside its peers: see README.md in this folder."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import report
from case import SIDES

HERE = Path(__file__).parent
WORKLOADS = (
    "add",
    "add_scalar",
    "exp",
    "add_on_tape",
    "gradient",
    "second_derivative",
    "mlp",
    "lstm",
    "cnn",
    "resnet50",
    "transformer",
    "batch_norm",
    "layer_norm",
    "adam",
    "embedding",
    "embedding_small",
    "gelu",
    "matmul",
    "conv",
    "conv_input_grad",
    "conv_filter_grad",
    "batches",
    "mapped_batches",
    "checkpoint",
    "import_time",
    "memory",
)
SETTLE_SECONDS = 0.02  # lets the threads of the side before fall asleep


class Worker:
    """A side of a workload, alive in a process of its own."""

    def __init__(self, workload: str, side: str) -> None:
        self.process = subprocess.Popen(
            [interpreter(side), HERE / "worker.py", workload, side],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.ready = self._read() or {"missing": "the process ended"}

    def sample(self) -> float:
        """Seconds per call, once more."""
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self._read())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()

    def _read(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        return json.loads(line) if line else None


class ColdWorker:
    """A side whose every sample is a fresh process that prints one number."""

    def __init__(self, workload: str, side: str) -> None:
        script = getattr(importlib.import_module(workload), side)()
        self.command = [interpreter(side), "-c", script]
        try:
            self.sample()
            version = f"import {SIDES[side][2]} as m; print(m.__version__)"
            self.ready = {"numbers": [], "calls": 1, "version": self._run(version)}
        except subprocess.CalledProcessError as error:
            self.ready = {"missing": error.stderr.strip().splitlines()[-1]}

    def sample(self) -> float:
        """The number printed by one more process."""
        return float(self._run(self.command[-1]))

    def close(self) -> None:
        """Nothing stays alive."""

    def _run(self, script: str) -> str:
        environment = {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
            "JAX_PLATFORMS": "cpu",
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        done = subprocess.run(
            [*self.command[:2], script],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        return done.stdout.strip().splitlines()[-1]


def interpreter(side: str) -> str:
    """The Python interpreter that has a side's framework."""
    variable = SIDES[side][1]
    default = os.environ.get("AGOG_BENCH_TF", "") if variable == "AGOG_BENCH_JAX" else ""
    return os.environ.get(variable) or default or sys.executable


def measure(name: str, rounds: int, only_sides: list[str]) -> dict[str, Any]:
    """All sides of a workload, in rounds; returns their medians and what else is known."""
    workload = importlib.import_module(name)
    cold = getattr(workload, "COLD", False)
    workers: dict[str, Any] = {}
    versions: dict[str, str] = {}
    for side in (side for side in SIDES if hasattr(workload, side)):
        if only_sides and side not in only_sides:
            continue
        worker = ColdWorker(name, side) if cold else Worker(name, side)
        if "missing" in worker.ready:
            print(f"    {SIDES[side][0]}: skipped ({worker.ready['missing']})", flush=True)
            worker.close()
        else:
            workers[side] = worker
            versions[side] = worker.ready["version"]
    try:
        compare(name, {side: worker.ready["numbers"] for side, worker in workers.items()})
        samples = take_samples(workers, min(rounds, getattr(workload, "MAX_ROUNDS", rounds)))
    finally:
        for worker in workers.values():
            worker.close()
    return {
        "what": workload.WHAT,
        "unit": workload.UNIT,
        "limits": workload.LIMITS,
        "medians": {side: statistics.median(values) for side, values in samples.items()},
        "samples": samples,
        "versions": versions,
    }


def take_samples(workers: dict[str, Any], rounds: int) -> dict[str, list[float]]:
    """One sample of each side per round; every second round goes backwards."""
    samples: dict[str, list[float]] = {side: [] for side in workers}
    for i in range(rounds):
        for side in list(workers)[:: 1 if i % 2 == 0 else -1]:
            time.sleep(SETTLE_SECONDS)
            samples[side].append(workers[side].sample())
    return samples


def compare(name: str, numbers: dict[str, list[float]]) -> None:
    """Stop unless all sides computed the same."""
    if not numbers:
        return
    first_side, first = next(iter(numbers.items()))
    for side, got in numbers.items():
        close = len(got) == len(first) and all(
            abs(a - b) <= 1e-3 * max(abs(a), abs(b)) + 1e-5 for a, b in zip(got, first)
        )
        if not close:
            raise SystemExit(f"{name}: {side} computes {got}, {first_side} {first}")


def main() -> int:
    """Run, print, write; the exit status is 1 if a limit is not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=WORKLOADS, help="may be repeated")
    parser.add_argument("--side", action="append", choices=SIDES, default=[], help="as --only")
    parser.add_argument("--rounds", type=int, default=21, help="samples per side (default: 21)")
    parser.add_argument("--json", type=Path, default=HERE.parent / "build" / "benchmarks.json")
    options = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores", flush=True)
    results = {}
    for name in options.only or WORKLOADS:
        print(f"{name}", flush=True)
        results[name] = measure(name, options.rounds, options.side)
        print(report.details(results[name]), flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(results, indent=1))
    print(f"\n{report.table(results)}")
    return 0 if all(report.met(result) is not False for result in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
