"""The wire format of protocol buffers, for messages that are described by a table of fields.

A message is a dataclass; `FIELDS` says for each field number its attribute and kind. Unknown fields
are passed over, as the format asks. Encoding: protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WORD = 0xFFFFFFFFFFFFFFFF


class WireError(ValueError):
    """Bytes that are no message of the kind that was looked for."""


@dataclass(frozen=True)
class Field:
    """One row of a table: the attribute, and how its value is written.

    `kind` is "int" (int32, int64, enum and bool: negative ones as 64 bits), "string", "bytes",
    "fixed32", or the class of an inner message.
    """

    name: str
    kind: Any
    repeated: bool = False


class Message:
    """Base of the dataclasses that stand for messages."""

    FIELDS: ClassVar[dict[int, Field]] = {}


_M = TypeVar("_M", bound=Message)


def write_varint(value: int) -> bytes:
    """A number of up to 64 bits, seven of them in each byte.

    >>> from agog.checkpoint.wire import write_varint
    >>> write_varint(300)
    b'\\xac\\x02'
    """
    if 0 <= value < 128:
        return bytes((value,))
    value &= _WORD
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: Any, at: int, end: int) -> tuple[int, int]:
    """The number that begins at `at`, and where it ends."""
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & _WORD, at
        shift += 7
    raise WireError(f"no number ends before byte {at}")


def encode(message: Message) -> bytes:
    """The bytes of a message; fields with their default are left out."""
    out: list[bytes] = []
    for number, field in message.FIELDS.items():
        value = getattr(message, field.name)
        for item in value if field.repeated else (value,):
            if item is None or (not field.repeated and not isinstance(item, Message) and not item):
                continue
            out.append(_encode_one(number, field.kind, item))
    return b"".join(out)


def _encode_one(number: int, kind: Any, value: Any) -> bytes:
    if kind == "int":
        return write_varint(number << 3 | _VARINT) + write_varint(value)
    if kind == "fixed32":
        return write_varint(number << 3 | _FIXED32) + struct.pack("<I", value)
    if kind == "string":
        value = value.encode()
    payload = encode(value) if isinstance(value, Message) else value
    return write_varint(number << 3 | _BYTES) + write_varint(len(payload)) + payload


def decode(kind: type[_M], data: bytes) -> _M:
    """A message from its bytes; WireError where they are none."""
    message = kind()
    at, end = 0, len(data)
    while at < end:
        tag, at = read_varint(data, at, end)
        value, at = _read_value(data, at, end, tag & 7)
        field = kind.FIELDS.get(tag >> 3)
        if field is None:
            continue
        item = _convert(field, value, tag & 7)
        if field.repeated:
            getattr(message, field.name).extend(item if isinstance(item, list) else (item,))
        else:
            setattr(message, field.name, item)
    return message


def _read_value(data: bytes, at: int, end: int, wire: int) -> tuple[Any, int]:
    if wire == _VARINT:
        return read_varint(data, at, end)
    if wire == _BYTES:
        size, at = read_varint(data, at, end)
    elif wire in (_FIXED32, _FIXED64):
        size = 4 if wire == _FIXED32 else 8
    else:
        raise WireError(f"byte {at}: there is no wire type {wire}")
    if size > end - at:
        raise WireError(f"byte {at}: a field of {size} bytes goes past the end at {end}")
    return data[at : at + size], at + size


def _convert(field: Field, value: Any, wire: int) -> Any:
    kind = field.kind
    if kind == "int":
        if wire == _BYTES and field.repeated:  # packed: several in one field
            return _unpack(value)
        if wire != _VARINT:
            raise WireError(f"field {field.name} is not a number")
        return _signed(value)
    if kind == "fixed32":
        if wire != _FIXED32:
            raise WireError(f"field {field.name} is not of four bytes")
        return struct.unpack("<I", value)[0]
    if wire != _BYTES:
        raise WireError(f"field {field.name} has no length")
    if kind == "string":
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise WireError(f"field {field.name} is no UTF-8: {error}") from None
    return value if kind == "bytes" else decode(kind, value)


def _unpack(data: bytes) -> list[int]:
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at, len(data))
        values.append(_signed(value))
    return values


def _signed(value: int) -> int:
    return value - 2**64 if value >> 63 else value
