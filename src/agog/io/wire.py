"""The wire format of protocol buffers: fields of varints, fixed numbers and bytes.

A field is a varint with its number and wire type (number * 8 + type), then its value: a varint
(type 0), 8 bytes (1), a varint length and that many bytes (2) or 4 bytes (5).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agog.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_VECTORISED = 16  # from this many bytes on, packed varints go through NumPy


def varint(value: int) -> bytes:
    """A number from 0 to 2^64 - 1 in groups of 7 bits, the lowest first; negative ones wrap."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, data: bytes) -> bytes:
    """A field of bytes."""
    return varint(number << 3 | BYTES) + varint(len(data)) + data


def number_field(number: int, value: int) -> bytes:
    """A field of a varint."""
    return varint(number << 3 | VARINT) + varint(value)


def packed_varints(values: Any) -> bytes:
    """Varints one after another."""
    return b"".join(map(varint, values))


def broken(what: str) -> InvalidArgumentError:
    """The error for bytes that are no message."""
    return InvalidArgumentError(None, None, f"not a valid protocol buffer: {what}")


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at a position, and the position after it."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise broken(f"the number at byte {at} does not end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """The fields of a message: number, wire type, and an int or bytes."""
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        at += 1
        if key > 127:
            key, at = read_varint(data, at - 1)
        number, kind = key >> 3, key & 7
        value: Any
        if kind == BYTES:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        elif kind == VARINT:
            value, at = read_varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
            value, at = data[at : at + size], at + size
        else:
            raise broken(f"byte {at - 1} begins a field of wire type {kind}")
        if at > end or number == 0:
            raise broken(f"field {number} goes beyond the end")
        yield number, kind, value


def signed(value: int) -> int:
    """A number read as a varint, as an int64."""
    return value - (1 << 64) if value >> 63 else value


def read_varints(data: bytes) -> list[int]:
    """Packed varints as int64."""
    if len(data) >= _VECTORISED:
        return read_varint_array(data).tolist()
    found, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        found.append(signed(value))
    return found


def read_varint_array(data: bytes) -> np.ndarray:
    """Packed varints as an int64 array."""
    import numpy as np

    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 128)
    if not len(raw):
        return np.empty(0, np.int64)
    if raw[-1] > 127:
        raise broken("a packed number does not end")
    starts = np.r_[0, ends[:-1] + 1]
    if len(ends) == len(raw):
        return raw.astype(np.int64)
    place = np.arange(len(raw)) - np.repeat(starts, ends - starts + 1)
    if place.max() > 9:
        raise broken("a packed number has more than 10 bytes")
    parts = (raw & 127).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)
