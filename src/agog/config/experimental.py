"""Memory statistics and limits."""

from __future__ import annotations

from agog import _core
from agog._core import public


def _check_device(device: str) -> None:
    if not device.upper().endswith(("CPU:0", "CPU")):
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
    _core.set_allocator_limit(num_bytes)


@public
def release_cached_memory() -> None:
    """Gives blocks that wait for reuse back to the system."""
    _core.release_cached_memory()
