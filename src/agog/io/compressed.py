"""Files that are read and written through gzip or zlib."""

from __future__ import annotations

import io
import zlib
from typing import Any, BinaryIO, cast

from agog.io.paths import data_loss, os_errors

KINDS = ("", "GZIP", "ZLIB")


def kind_of(compression: Any) -> str:
    """A compression type as "", "GZIP" or "ZLIB"; ValueError for others."""
    kind = "" if compression is None else compression
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    if kind not in KINDS:
        raise ValueError(f"compression_type must be one of {KINDS}, got {compression!r}")
    return kind


class Inflating(io.RawIOBase):
    """Reads a compressed file; seeks forwards only, by reading."""

    def __init__(self, file: BinaryIO, path: str, kind: str) -> None:
        self._file, self._path = file, path
        self._window = 31 if kind == "GZIP" else 15
        self._inflate = zlib.decompressobj(self._window)
        self._rest = b""
        self._position = 0

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills a buffer as far as one block of the file goes."""
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _next(self, count: int) -> bytes:
        while True:
            block = self._rest or self._file.read(1 << 16)
            if not block:
                if not self._inflate.eof and self._file.tell():
                    raise data_loss(self._path, self._file.tell(), "the compressed data break off")
                return b""
            if self._inflate.eof:  # gzip files may be joined
                self._inflate = zlib.decompressobj(self._window)
            try:
                data = self._inflate.decompress(block, count)
            except zlib.error as error:
                where = self._file.tell() - len(block)
                raise data_loss(self._path, where, f"cannot decompress ({error})") from None
            self._rest = self._inflate.unconsumed_tail or self._inflate.unused_data
            if data:
                return data

    def tell(self) -> int:
        """The position in the decompressed data."""
        return self._position

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
        super().close()


def open_to_read(path: str, compression: str = "", buffer_size: int = 1 << 18) -> BinaryIO:
    """A file to read from, through its compression."""
    with os_errors(path):
        if not compression:
            return open(path, "rb", buffering=buffer_size or 1 << 18)
        file = open(path, "rb")  # noqa: SIM115 - closed by its reader
        raw = Inflating(file, path, compression)
        return cast(BinaryIO, io.BufferedReader(raw, buffer_size or 1 << 18))


class Deflating:
    """Writes a compressed file."""

    def __init__(self, file: BinaryIO, kind: str, level: int) -> None:
        self._file = file
        self._deflate = zlib.compressobj(level, zlib.DEFLATED, 31 if kind == "GZIP" else 15)

    def write(self, data: bytes) -> int:
        """Compresses bytes."""
        self._file.write(self._deflate.compress(data))
        return len(data)

    def flush(self) -> None:
        """Writes what was given so far."""
        self._file.write(self._deflate.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Ends the stream and closes the file."""
        self._file.write(self._deflate.flush())
        self._file.close()


def open_to_write(path: str, compression: str = "", level: int = -1) -> Any:
    """A new file to write to, through its compression."""
    with os_errors(path):
        file = open(path, "wb", buffering=1 << 18)  # noqa: SIM115 - closed by its writer
        return Deflating(file, compression, level) if compression else file
