"""Texts as bytes, and bytes as texts."""

from __future__ import annotations

import codecs
import os
from typing import Any


def _checked(encoding: str) -> str:
    return codecs.lookup(encoding).name


def as_bytes(bytes_or_text: bytes | bytearray | str, encoding: str = "utf-8") -> bytes:
    """The bytes of a text in this encoding; bytes as they are.

    Raises TypeError for anything else.

    >>> agog.compat.as_bytes("é")
    b'\\xc3\\xa9'
    """
    encoding = _checked(encoding)
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"as_bytes needs bytes or a str, got {bytes_or_text!r}")


def as_text(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """The text that bytes stand for in this encoding; a text as it is.

    Raises TypeError for anything else.

    >>> agog.compat.as_text(b"abc")
    'abc'
    """
    encoding = _checked(encoding)
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"as_text needs bytes or a str, got {bytes_or_text!r}")


def as_str(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """The same as `as_text`."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """`as_text` of bytes, `str` of anything else."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as a text; anything else as it is."""
    return as_str_any(path.__fspath__()) if isinstance(path, os.PathLike) else path
