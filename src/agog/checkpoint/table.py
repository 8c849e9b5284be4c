"""Sorted tables: the LevelDB format in which the index of a checkpoint is written.

A table is a row of blocks, an index of them, and a footer of 48 bytes. A block holds pairs of key
and value in order of keys; a key says how much of the one before it shares, except at the restart
points. Behind each block stand its compression and a masked CRC-32C. The format is described in
LevelDB's doc/table_format.md.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from agog.errors import DataLossError, InvalidArgumentError, UnimplementedError
from agog.io.crc32c import crc32c, mask, unmask
from agog.io.wire import broken, read_varint, varint

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_TRAILER = 5  # compression, checksum
_RESTART_INTERVAL = 16
_BLOCK_BYTES = 1 << 18
_PLAIN, _SNAPPY = 0, 1

# Shared prefixes let a small file stand for keys without end: real tables stay far below this.
_LARGEST_GROWTH = 256


@dataclass
class _Handle:
    """Where a block is, without its trailer."""

    offset: int
    size: int

    def encode(self) -> bytes:
        return varint(self.offset) + varint(self.size)


def write_table(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The table of pairs that come in ascending order of keys."""
    out = bytearray()
    index = _Block()
    block = _Block()
    for key, value in pairs:
        block.add(key, value)
        if block.size() >= _BLOCK_BYTES:
            index.add(block.last_key, _append(out, block).encode())
            block = _Block()
    if block.last_key is not None:
        index.add(block.last_key, _append(out, block).encode())
    index.restart_interval = 1
    meta = _append(out, _Block())
    where = meta.encode() + _append(out, index).encode()
    return bytes(out + where.ljust(_FOOTER - 8, b"\0") + struct.pack("<Q", _MAGIC))


class _Block:
    """A block that is being written."""

    def __init__(self) -> None:
        self.last_key: Any = None
        self.restart_interval = _RESTART_INTERVAL
        self._pairs: list[tuple[bytes, bytes]] = []
        self._bytes = 0

    def add(self, key: bytes, value: bytes) -> None:
        self._pairs.append((key, value))
        self._bytes += len(key) + len(value)
        self.last_key = key

    def size(self) -> int:
        return self._bytes

    def contents(self) -> bytes:
        out = bytearray()
        restarts = [0] if not self._pairs else []
        before = b""
        for i, (key, value) in enumerate(self._pairs):
            shared = 0
            if i % self.restart_interval == 0:
                restarts.append(len(out))
            else:
                shared = _shared(before, key)
            sizes = (shared, len(key) - shared, len(value))
            out += b"".join(map(varint, sizes)) + key[shared:] + value
            before = key
        return bytes(out) + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts))


def _shared(a: bytes, b: bytes) -> int:
    most = min(len(a), len(b))
    return next((i for i in range(most) if a[i] != b[i]), most)


def _append(out: bytearray, block: _Block) -> _Handle:
    contents = block.contents()
    handle = _Handle(len(out), len(contents))
    kind = bytes((_PLAIN,))
    out += contents + kind + struct.pack("<I", mask(crc32c(kind, crc32c(contents))))
    return handle


class TableReader:
    """The pairs of a table; `name` is what errors call the file."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._budget = _LARGEST_GROWTH * len(data)

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """All pairs in order; DataLossError where the table is damaged."""
        before: bytes | None = None
        for _, value in self._block(self._index_handle()):
            for key, content in self._block(self._handle(value, 0)[0]):
                if before is not None and key <= before:
                    self._fail(0, f"key {key!r} comes after {before!r}")
                before = key
                yield key, content

    def _index_handle(self) -> _Handle:
        start = len(self._data) - _FOOTER
        if start < 0:
            self._fail(0, f"a table has at least {_FOOTER} bytes, this one has {len(self._data)}")
        footer = self._data[start:]
        if struct.unpack("<Q", footer[-8:])[0] != _MAGIC:
            self._fail(start + _FOOTER - 8, "not an sstable (bad magic number)")
        _, after = self._handle(footer, 0)
        return self._handle(footer, after)[0]

    def _handle(self, data: bytes, at: int) -> tuple[_Handle, int]:
        try:
            offset, at = read_varint(data, at)
            size, at = read_varint(data, at)
        except InvalidArgumentError as error:
            self._fail(len(self._data) - _FOOTER, f"no place of a block: {error}")
        if offset + size + _TRAILER > len(self._data) - _FOOTER:
            self._fail(offset, f"a block of {size} bytes goes past the end")
        return _Handle(offset, size), at

    def _block(self, handle: _Handle) -> Iterator[tuple[bytes, bytes]]:
        start, end = handle.offset, handle.offset + handle.size
        contents, kind = self._data[start:end], self._data[end]
        stored = unmask(struct.unpack("<I", self._data[end + 1 : end + _TRAILER])[0])
        if crc32c(self._data[start : end + 1]) != stored:
            self._fail(start, f"the checksum of the block of {handle.size} bytes does not match")
        if kind not in (_PLAIN, _SNAPPY):
            self._fail(end, f"there is no compression {kind}")
        try:
            yield from self._entries(contents if kind == _PLAIN else self._unpacked(contents))
        except (InvalidArgumentError, struct.error) as error:
            self._fail(start, f"damaged block: {error}")

    def _entries(self, contents: bytes) -> Iterator[tuple[bytes, bytes]]:
        (restarts,) = struct.unpack("<I", contents[-4:])
        end = len(contents) - 4 * (restarts + 1)
        if end < 0:
            raise broken(f"{restarts} restart points do not fit in")
        at, key = 0, b""
        while at < end:
            shared, at = read_varint(contents, at)
            rest, at = read_varint(contents, at)
            length, at = read_varint(contents, at)
            if shared > len(key) or rest + length > end - at:
                raise broken(f"the entry at {at} goes past the block's end")
            self._budget -= shared + rest
            if self._budget < 0:
                raise broken("the keys are longer than any table's")
            key = key[:shared] + contents[at : at + rest]
            at += rest + length
            yield key, contents[at - length : at]

    def _unpacked(self, packed: bytes) -> bytes:
        size, _ = read_varint(packed, 0)
        if size > _LARGEST_GROWTH * len(packed):
            raise broken(f"{len(packed)} compressed bytes cannot stand for {size}")
        try:
            import cramjam  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise UnimplementedError(
                None,
                None,
                f"{self._name} is compressed with Snappy; install cramjam to read it",
            ) from None
        try:
            return bytes(cramjam.snappy.decompress_raw(packed))
        except cramjam.DecompressionError as error:
            raise broken(f"damaged compression: {error}") from None

    def _fail(self, at: int, why: str) -> NoReturn:
        raise DataLossError(None, None, f"{self._name}: byte {at}: {why}")
