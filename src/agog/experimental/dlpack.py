"""DLPack: arrays shared with NumPy, PyTorch, JAX and others without copies."""

from __future__ import annotations

from typing import Any

from agog import _core
from agog._core import Tensor, public
from agog.types import TensorLike

_CPU = (1, 0)


@public
def to_dlpack(tf_tensor: TensorLike) -> Any:
    """A DLPack capsule with a copy of the tensor: the old capsule cannot say that it is read-only.

    Consumers that take the tensor itself, as `numpy.from_dlpack(tensor)` does, share its memory.
    """
    return _core.to_dlpack(_core.convert(tf_tensor), False, True)


@public
def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor over the memory of a DLPack capsule, or of any object that has `__dlpack__`.

    The memory is shared where it is row-major: whoever changes the source changes the tensor.

    >>> import numpy as np
    >>> agog.experimental.dlpack.from_dlpack(np.arange(3.0)).numpy().tolist()
    [0.0, 1.0, 2.0]
    """
    if not hasattr(dlcapsule, "__dlpack__"):
        return _core.from_dlpack(dlcapsule)
    device = dlcapsule.__dlpack_device__()
    if int(device[0]) != 1:
        raise ValueError(f"the array is not in CPU memory (DLPack device {device})")
    try:
        capsule = dlcapsule.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = dlcapsule.__dlpack__()
    return _core.from_dlpack(capsule)


def _dlpack(
    self: Any,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    if dl_device is not None and tuple(int(d) for d in dl_device) != _CPU:
        raise BufferError(f"the tensor is in CPU memory, not on device {dl_device}")
    if stream is not None:
        raise BufferError("tensors in CPU memory take no stream")
    versioned = max_version is not None and max_version[0] >= 1
    if not versioned and copy is False:
        raise BufferError("before DLPack 1.0 a read-only tensor can only be handed over as a copy")
    return _core.to_dlpack(self, versioned, bool(copy))


def install() -> None:
    """Adds the protocol to the type."""
    members = {"__dlpack__": public(_dlpack), "__dlpack_device__": lambda self: _CPU}
    for name, member in members.items():
        setattr(Tensor, name, member)
