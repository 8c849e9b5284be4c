"""CRC-32C, the checksum of TFRecord files, event files and checkpoints.

The files hold it *masked*: turned and moved by a constant, so that the checksum of data that
contain checksums is still a good one.
"""

from __future__ import annotations

from agog._core import crc32c

__all__ = ["crc32c", "mask", "unmask"]

_MASK_DELTA = 0xA282EAD8
_WORD = 0xFFFFFFFF


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
