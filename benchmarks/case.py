"""What a side of a workload returns, and the names of the sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# Side -> (heading, environment variable with its interpreter, module to import first).
SIDES: dict[str, tuple[str, str, str]] = {
    "agog": ("agog", "AGOG_BENCH_AGOG", "agog"),
    "agog_add": ("agog a + b", "AGOG_BENCH_AGOG", "agog"),
    "agog_no_wait": ("agog, no fsync", "AGOG_BENCH_AGOG", "agog"),
    "dd": ("dd", "AGOG_BENCH_AGOG", "agog"),
    "torch": ("torch", "AGOG_BENCH_TORCH", "torch"),
    "torch_compile": ("torch.compile", "AGOG_BENCH_TORCH", "torch"),
    "tf": ("TF eager", "AGOG_BENCH_TF", "tensorflow"),
    "tf_function": ("tf.function", "AGOG_BENCH_TF", "tensorflow"),
    "xla": ("XLA", "AGOG_BENCH_TF", "tensorflow"),
    "jax": ("JAX", "AGOG_BENCH_JAX", "jax"),
}


@dataclass
class Case:
    """A statement to time, the names it uses, and the numbers that show what it computes."""

    statement: str
    names: dict[str, Any]
    result: Callable[[], Any]
    calls_per_sample: int = field(default=0)  # 0: as many as fill a sample


def call(step: Callable[[], Any], result: Callable[[], Any] | None = None) -> Case:
    """The case of a function without arguments."""
    return Case("step()", {"step": step}, step if result is None else result)
