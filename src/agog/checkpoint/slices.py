"""Parts of partitioned variables: where they belong, and the keys under which they stand.

A key is in the encoding of ordered codes: a number, the tensor's name, the rank, and for each
dimension start and length (-1 where the part has all of it), such that keys sort as what they say.
"""

from __future__ import annotations

from agog.checkpoint.messages import Slice


def slice_bounds(part: Slice, shape: list[int]) -> tuple[slice, ...] | None:
    """The part of an array of this shape; None where the shape has no such part."""
    if len(part.extent) != len(shape):
        return None
    bounds = []
    for extent, size in zip(part.extent, shape, strict=True):
        length = size if extent.length is None else extent.length
        if extent.start < 0 or length < 0 or extent.start + length > size:
            return None
        bounds.append(slice(extent.start, extent.start + length))
    return tuple(bounds)


def slice_key(name: str, part: Slice, shape: list[int]) -> bytes:
    """The key under which a part of the tensor `name` stands."""
    out = _unsigned(0) + _string(name.encode()) + _unsigned(len(shape))
    for extent in part.extent:
        out += _signed(extent.start) + _signed(-1 if extent.length is None else extent.length)
    return out


def _unsigned(value: int) -> bytes:
    """The number of bytes, then the bytes."""
    size = (value.bit_length() + 7) // 8
    return bytes((size,)) + value.to_bytes(size, "big")


def _string(text: bytes) -> bytes:
    """The bytes, two of them escaped, and an end."""
    escaped = {0x00: b"\x00\xff", 0xFF: b"\xff\x00"}
    return b"".join(escaped.get(byte, bytes((byte,))) for byte in text) + b"\x00\x01"


def _signed(value: int) -> bytes:
    """n bytes hold 7n - 1 bits and the sign; n is said by leading ones (zeros, if negative)."""
    magnitude = ~value if value < 0 else value
    size = magnitude.bit_length() // 7 + 1
    bits = 8 * size
    ones = ((1 << size) - 1) << (bits - size)  # the header of a number that is not negative
    code = ones ^ magnitude
    if value < 0:
        code ^= (1 << bits) - 1
    return code.to_bytes(size, "big")
