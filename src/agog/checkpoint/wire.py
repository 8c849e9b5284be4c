"""Messages of protocol buffers that are described by tables of fields.

A message is a dataclass; `FIELDS` says for each field number its attribute and kind. Unknown fields
are passed over, as the format asks.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from agog.io import wire


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
        return wire.number_field(number, value)
    if kind == "fixed32":
        return wire.varint(number << 3 | wire.FIXED32) + struct.pack("<I", value)
    if kind == "string":
        value = value.encode()
    return wire.field(number, encode(value) if isinstance(value, Message) else value)


def decode(kind: type[_M], data: bytes) -> _M:
    """A message from its bytes; InvalidArgumentError where they are none."""
    message = kind()
    for number, how, value in wire.fields(data):
        field = kind.FIELDS.get(number)
        if field is None:
            continue
        item = _convert(field, value, how)
        if field.repeated:
            getattr(message, field.name).extend(item if isinstance(item, list) else (item,))
        else:
            setattr(message, field.name, item)
    return message


def _convert(field: Field, value: Any, how: int) -> Any:
    kind = field.kind
    if kind == "int" and how == wire.BYTES and field.repeated:  # packed: several in one field
        return wire.read_varints(value)
    if how != {"int": wire.VARINT, "fixed32": wire.FIXED32}.get(kind, wire.BYTES):
        raise wire.broken(f"field {field.name} has the wire type {how}")
    if kind == "int":
        return wire.signed(value & (1 << 64) - 1)
    if kind == "fixed32":
        return struct.unpack("<I", value)[0]
    if kind == "string":
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise wire.broken(f"field {field.name} is no UTF-8: {error}") from None
    return value if kind == "bytes" else decode(kind, value)
