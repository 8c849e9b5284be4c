"""`agog.config`: devices, threads and memory."""

from __future__ import annotations

from typing import NamedTuple

from agog._core import public
from agog.config import experimental as experimental
from agog.config import threading as threading
from agog.near_names import missing


class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device as programs name it."""

    name: str
    device_type: str


def _is_cpu(device_type: str | None) -> bool:
    return device_type is None or device_type.upper() == "CPU"


@public
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of the machine that agog can use: the CPU.

    >>> [d.device_type for d in agog.config.list_physical_devices()]
    ['CPU']
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if _is_cpu(device_type) else []


@public
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices as programs name them: the CPU."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if _is_cpu(device_type) else []


get_visible_devices = list_physical_devices


__getattr__ = missing(__name__)
