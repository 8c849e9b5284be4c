"""Memory statistics and limits, determinism, and the library of matrix products."""

from __future__ import annotations

import operator

from agog import _core
from agog._core import public


def _check_device(device: str) -> None:
    if not isinstance(device, str) or not device.upper().endswith(("CPU:0", "CPU")):
        raise ValueError(f"there is no device {device!r}; the device is 'CPU:0'")


@public
def get_memory_info(device: str) -> dict[str, int]:
    """Bytes that tensors hold: `current` and, since the last reset, `peak`.

    >>> sorted(agog.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']
    """
    _check_device(device)
    stats = _core.allocator_stats()
    return {"current": stats["bytes_in_use"], "peak": stats["peak_bytes_in_use"]}


@public
def get_memory_usage(device: str) -> int:
    """Bytes that tensors hold now."""
    return get_memory_info(device)["current"]


@public
def reset_memory_stats(device: str) -> None:
    """Lets the peak start again from what is held now."""
    _check_device(device)
    _core.reset_peak_stats()


@public
def allocator_stats() -> dict[str, int]:
    """What the caching allocator holds, keeps for reuse, and has done so far.

    >>> agog.config.experimental.allocator_stats()["bytes_in_use"] >= 0
    True
    """
    return _core.allocator_stats()


@public
def set_memory_limit(num_bytes: int) -> None:
    """The most bytes that tensors may hold; beyond it operations raise ResourceExhaustedError.

    0 lifts the limit.
    """
    limit = operator.index(num_bytes)
    if not 0 <= limit < 2**63:
        raise ValueError(f"num_bytes must be between 0 and 2**63 - 1, got {limit}")
    _core.set_allocator_limit(limit)


@public
def release_cached_memory() -> None:
    """Gives blocks that wait for reuse back to the system."""
    _core.release_cached_memory()


@public
def enable_op_determinism() -> None:
    """From now on random ops need seeds: no result is another one in the next run.

    Results are the same bits for any number of threads with it and without it. Random ops without
    a seed, and generators from chance, raise RuntimeError until `agog.random.set_seed` is called.

    >>> agog.config.experimental.enable_op_determinism()
    >>> agog.config.experimental.is_op_determinism_enabled()
    True
    >>> agog.config.experimental.disable_op_determinism()
    """
    _core.set_op_determinism(True)


@public
def disable_op_determinism() -> None:
    """Ends what `enable_op_determinism` began."""
    _core.set_op_determinism(False)


@public
def is_op_determinism_enabled() -> bool:
    """Whether random ops need seeds."""
    return _core.op_determinism()


@public
def get_matmul_backend() -> str:
    """The library that multiplies larger matrices of float32: "onednn", or "eigen (reason)".

    Asking opens the library, if no product has yet. Where oneDNN was expected and cannot be opened,
    a RuntimeWarning says so, once, and products run through Eigen, slower.

    >>> agog.config.experimental.get_matmul_backend().split()[0] in ("onednn", "eigen")
    True
    """
    return _core.matmul_backend()


@public
def set_onednn_folder(folder: str) -> None:
    """Looks for oneDNN's library in this folder first; to be called before the first product.

    The environment variable AGOG_ONEDNN_LIBRARY, a path or "none", goes before it.
    """
    import os

    if not os.path.isdir(folder):
        raise ValueError(f"folder must be a folder that exists, got {folder!r}")
    _core.set_onednn_folder(folder)
