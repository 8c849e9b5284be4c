"""CRC-32C, the checksum of TFRecord files, event files and checkpoints.

The files hold it *masked*: turned and moved by a constant, so that the checksum of data that
contain checksums is still a good one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MASK_DELTA = 0xA282EAD8
_WORD = 0xFFFFFFFF


def crc32c(data: Any, crc: int = 0) -> int:
    """The checksum of anything with the buffer protocol; `crc` is that of the bytes before.

    >>> from agog.io.crc32c import crc32c
    >>> hex(crc32c(b"123456789")), crc32c(b"89", crc32c(b"1234567")) == crc32c(b"123456789")
    ('0xe3069283', True)
    """
    return _extend()(data, crc)


def mask(crc: int) -> int:
    """The form in which a file holds a checksum.

    >>> from agog.io.crc32c import mask, unmask
    >>> unmask(mask(12345))
    12345
    """
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _WORD


def unmask(masked: int) -> int:
    """The checksum from the form in which a file holds it."""
    turned = (masked - _MASK_DELTA) & _WORD
    return (turned >> 17 | turned << 15) & _WORD


_chosen: Callable[[Any, int], int] | None = None


def _extend() -> Callable[[Any, int], int]:
    global _chosen
    if _chosen is None:
        _chosen = _from_core() or _from_package()
    return _chosen


def _from_core() -> Callable[[Any, int], int] | None:
    from agog import _core

    return getattr(_core, "crc32c", None)


def _from_package() -> Callable[[Any, int], int]:
    import google_crc32c  # type: ignore[import-untyped, import-not-found, unused-ignore]
    import numpy as np

    def extend(data: Any, crc: int) -> int:
        # The package takes read-only buffers: an array is one in its eyes, a memoryview is not.
        whole = data if isinstance(data, bytes) else np.frombuffer(data, np.uint8)
        return int(google_crc32c.extend(crc, whole))

    return extend
