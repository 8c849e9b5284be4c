"""How a checkpoint holds a tensor of strings.

First the lengths as varints, then the masked CRC-32C of the lengths, then the bytes of all strings.
Checksums see a length as four bytes, as eight where it needs them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from agog.io.crc32c import crc32c, mask, unmask
from agog.io.wire import broken, read_varint, varint


def encode_strings(strings: Sequence[bytes]) -> tuple[bytes, int]:
    """The bytes that stand for the strings, and the checksum that their entry has."""
    crc = _crc_of_lengths([len(s) for s in strings])
    stored = struct.pack("<I", mask(crc))
    joined = b"".join(strings)
    lengths = b"".join(varint(len(s)) for s in strings)
    return lengths + stored + joined, crc32c(joined, crc32c(stored, crc))


def decode_strings(data: Any, count: int) -> tuple[list[bytes], int]:
    """The strings and the checksum of their entry; InvalidArgumentError for damage."""
    end = len(data)
    if count > end:
        raise broken(f"{end} bytes cannot hold {count} strings")
    at, lengths = 0, []
    for _ in range(count):
        length, at = read_varint(data, at)
        lengths.append(length)
    crc = _crc_of_lengths(lengths)
    stored = bytes(data[at : at + 4])
    if len(stored) < 4 or unmask(struct.unpack("<I", stored)[0]) != crc:
        raise broken("the checksum of the lengths does not match")
    at += 4
    if sum(lengths) != end - at:
        raise broken(f"{end - at} bytes follow lengths of {sum(lengths)}")
    crc = crc32c(bytes(data[at:end]), crc32c(stored, crc))
    strings = []
    for length in lengths:
        strings.append(bytes(data[at : at + length]))
        at += length
    return strings, crc


def _crc_of_lengths(lengths: Sequence[int]) -> int:
    crc = 0
    for length in lengths:
        crc = crc32c(struct.pack("<I" if length < 2**32 else "<Q", length), crc)
    return crc
