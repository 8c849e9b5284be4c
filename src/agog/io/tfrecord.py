"""TFRecord files: records with their lengths and checksums.

A record is its length (8 bytes, little-endian), the masked CRC-32C of these 8 bytes, the data, and
the masked CRC-32C of the data. Masked means rotated right by 15 bits, plus 0xa282ead8.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from agog._core import public
from agog.io.compressed import kind_of, open_to_read, open_to_write
from agog.io.crc32c import crc32c, mask
from agog.io.paths import data_loss, os_errors, path_of

_HEADER = struct.Struct("<QI")
_CRC = struct.Struct("<I")
_MOST_BYTES = 1 << 40  # of a record: more is a damaged length, checksum or not


def masked_crc(data: Any) -> int:
    """The checksum as it stands in the file."""
    return mask(crc32c(data))


def framed(data: bytes) -> bytes:
    """A record as it stands in a file."""
    head = struct.pack("<Q", len(data))
    return b"".join((head, _CRC.pack(masked_crc(head)), data, _CRC.pack(masked_crc(data))))


class RecordReader:
    """Reads records from an open file, one after another."""

    def __init__(self, file: BinaryIO, path: str, position: int = 0) -> None:
        self._file, self._path, self.position = file, path, position

    def next(self) -> bytes:
        """The next record; StopIteration at the end, DataLossError where the file is damaged."""
        head = self._file.read(12)
        if len(head) < 12:
            if not head:
                raise StopIteration
            raise data_loss(
                self._path,
                self.position,
                f"truncated record: its header has {len(head)} of 12 bytes",
            )
        length, crc = _HEADER.unpack(head)
        if masked_crc(head[:8]) != crc:
            raise data_loss(self._path, self.position, "corrupted record: wrong length checksum")
        if length > _MOST_BYTES:
            raise data_loss(self._path, self.position, f"corrupted record of {length} bytes")
        data = self._file.read(length + 4)
        if len(data) < length + 4:
            raise data_loss(
                self._path,
                self.position,
                f"truncated record: {len(data)} of {length + 4} bytes are there",
            )
        record = data[:-4]
        if masked_crc(record) != _CRC.unpack_from(data, length)[0]:
            raise data_loss(self._path, self.position, "corrupted record: wrong data checksum")
        self.position += length + 16
        return record


@public
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a TFRecord file, as bytes. `data.TFRecordDataset` gives tensors instead.

    Raises NotFoundError where there is no file, DataLossError where it is damaged.
    """
    name = path_of(path)
    return _records(name, TFRecordOptions.get_compression_type_string(options))


def _records(path: str, compression: str) -> Iterator[bytes]:
    with open_to_read(path, compression) as file:
        reader = RecordReader(file, path)
        while True:
            try:
                record = reader.next()
            except StopIteration:
                return
            yield record


class TFRecordOptions:
    """How a TFRecord file is written: `compression_type` may be "", "GZIP" or "ZLIB".

    Of the rest, `compression_level` counts; the others are accepted and change nothing.
    """

    @public
    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: Any = None,
        input_buffer_size: Any = None,
        output_buffer_size: Any = None,
        window_bits: Any = None,
        compression_level: Any = None,
        compression_method: Any = None,
        mem_level: Any = None,
        compression_strategy: Any = None,
    ) -> None:
        self.compression_type = self.get_compression_type_string(compression_type)
        self.flush_mode = flush_mode
        self.input_buffer_size, self.output_buffer_size = input_buffer_size, output_buffer_size
        self.window_bits, self.mem_level = window_bits, mem_level
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression type of options, or of a type given in their place."""
        if isinstance(options, TFRecordOptions):
            return options.compression_type
        return kind_of(options)


class TFRecordWriter:
    """Writes records to a new TFRecord file; to be closed, or used as a with-block.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> with agog.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(agog.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one']
    """

    @public
    def __init__(self, path: Any, options: Any = None) -> None:
        self._path = path_of(path)
        level = options.compression_level if isinstance(options, TFRecordOptions) else None
        kind = TFRecordOptions.get_compression_type_string(options)
        self._file = open_to_write(self._path, kind, -1 if level is None else int(level))

    @public
    def write(self, record: Any) -> None:
        """Adds a record: bytes, text, or a scalar string tensor."""
        data = record.numpy() if hasattr(record, "numpy") else record
        data = data.encode() if isinstance(data, str) else data
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a record must be bytes, got {type(record).__name__}")
        with os_errors(self._path):
            self._file.write(framed(bytes(data)))

    @public
    def flush(self) -> None:
        """Hands to the operating system what was written so far."""
        with os_errors(self._path):
            self._file.flush()

    @public
    def close(self) -> None:
        """Ends the file."""
        with os_errors(self._path):
            if self._file is not None:
                self._file.close()
                self._file = None

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


__all__ = ["TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]
