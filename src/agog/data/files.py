"""Datasets of what is in files: lines, records, rows of CSV. Positions are offsets in files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO, ClassVar

from agog import _core, dtypes
from agog.data.node import UNKNOWN, Node
from agog.data.stage import Run, Stage, State
from agog.errors import InvalidArgumentError
from agog.io import csv
from agog.io.compressed import open_to_read
from agog.io.paths import os_errors, path_of
from agog.io.tfrecord import RecordReader
from agog.tensor_spec import TensorSpec


class Reader:
    """Goes through an open file; `position` is that of the next element."""

    def __init__(self, file: BinaryIO, path: str, node: Files, position: int) -> None:
        self.file, self.path, self.node, self.position = file, path, node, position
        if position:
            _seek(file, position)

    def next(self) -> Any:
        """The next element; StopIteration at the end of the file."""
        raise NotImplementedError


def _seek(file: BinaryIO, position: int) -> None:
    """Goes to a position; through a compressed file by reading."""
    if file.seekable():
        file.seek(position)
        return
    while position > 0:
        data = file.read(min(position, 1 << 20))
        if not data:
            return
        position -= len(data)


class Files(Node):
    """The elements of files, whose names the input gives."""

    runs_code_for_spec = False
    reader: ClassVar[type[Reader]]

    def __init__(self, names: Node, compression: str = "", buffer_size: int = 0) -> None:
        super().__init__(names)
        self.compression, self.buffer_size = compression, buffer_size

    @property
    def spec_is_free(self) -> bool:
        return True

    def make_spec(self) -> Any:
        return TensorSpec([], dtypes.string)

    def num_elements(self) -> int:
        return UNKNOWN

    def start(self, run: Run) -> Stage:
        return FilesStage(run.start(self.inputs[0]), self)

    def open(self, path: str, position: int = 0) -> Reader:
        """A reader of a file from a position on."""
        file = open_to_read(path, self.compression, self.buffer_size)
        return self.reader(file, path, self, position)


class FilesStage(Stage):
    """A pass over files. After an error it goes on with the next file."""

    def __init__(self, names: Stage, node: Files) -> None:
        super().__init__(names)
        self.node = node
        self.reader: Reader | None = None

    def next(self) -> Any:
        while True:
            if self.reader is None:
                self.reader = self.node.open(path_of(self.inputs[0].next()))
            try:
                with os_errors(self.reader.path):
                    return self.reader.next()
            except StopIteration:
                self._close_file()
            except InvalidArgumentError:  # of a row: the next one may be good
                raise
            except BaseException:
                self._close_file()
                raise

    def _close_file(self) -> None:
        if self.reader is not None:
            self.reader.file.close()
            self.reader = None

    def save(self) -> State:
        reader = self.reader
        file = None if reader is None else [reader.path, reader.position]
        return {"file": file, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        if state["file"] is not None:
            path, position = state["file"]
            self.reader = self.node.open(path, position)

    def close(self) -> None:
        self._close_file()
        super().close()


class LineReader(Reader):
    """Lines without their ends."""

    def next(self) -> Any:
        line = self.file.readline()
        if not line:
            raise StopIteration
        self.position += len(line)
        line = line.removesuffix(b"\n")
        return _core.convert(line.replace(b"\r", b"") if b"\r" in line else line)


class TextLines(Files):
    """The lines of text files."""

    kind = "TextLine"
    reader = LineReader


class RecordsReader(Reader):
    """Records of a TFRecord file."""

    def __init__(self, file: BinaryIO, path: str, node: Files, position: int) -> None:
        super().__init__(file, path, node, position)
        self.records = RecordReader(file, path, position)

    def next(self) -> Any:
        record = self.records.next()
        self.position = self.records.position
        return _core.convert(record)


class Records(Files):
    """The records of TFRecord files."""

    kind = "TFRecord"
    reader = RecordsReader


class FixedLengthReader(Reader):
    """Records of one length, between a header and a footer."""

    node: FixedLength

    def __init__(self, file: BinaryIO, path: str, node: Files, position: int) -> None:
        super().__init__(file, path, node, position)
        if node.compression:
            self.end = None  # known when it is reached
        else:
            self.end = os.path.getsize(path) - self.node.footer_bytes
            body = self.end - self.node.header_bytes
            if body < 0 or body % self.node.record_bytes:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Excluding the header ({self.node.header_bytes} bytes) and footer "
                    f'({self.node.footer_bytes} bytes), input file "{path}" has body length '
                    f"{body} bytes, which is not an exact multiple of the record length "
                    f"({self.node.record_bytes} bytes).",
                )
        if position == 0:
            _seek(file, self.node.header_bytes)
            self.position = self.node.header_bytes
        self.ahead = b""

    def next(self) -> Any:
        if self.end is None:
            return self._next_compressed()
        if self.position >= self.end:
            raise StopIteration
        record = self.file.read(self.node.record_bytes)
        self.position += len(record)
        return _core.convert(record)

    def _next_compressed(self) -> Any:
        size = self.node.record_bytes
        need = size + self.node.footer_bytes - len(self.ahead)
        self.ahead += self.file.read(need)
        if len(self.ahead) < size + self.node.footer_bytes:
            raise StopIteration
        record, self.ahead = self.ahead[:size], self.ahead[size:]
        self.position += size
        return _core.convert(record)


class FixedLength(Files):
    """Records of one length."""

    kind = "FixedLengthRecord"
    reader = FixedLengthReader

    def __init__(
        self,
        names: Node,
        record_bytes: int,
        header_bytes: int,
        footer_bytes: int,
        compression: str,
        buffer_size: int,
    ) -> None:
        super().__init__(names, compression, buffer_size)
        if record_bytes < 1:
            raise InvalidArgumentError(
                None, None, f"record_bytes must be greater than zero, got {record_bytes}"
            )
        self.record_bytes = record_bytes
        self.header_bytes, self.footer_bytes = header_bytes, footer_bytes


class CsvReader(Reader):
    """Rows of a CSV file, as tuples of scalars."""

    node: Csv

    def __init__(self, file: BinaryIO, path: str, node: Files, position: int) -> None:
        super().__init__(file, path, node, position)
        if position == 0 and self.node.header:
            self._record()

    def _record(self) -> bytes:
        record = self.file.readline()
        if not record:
            raise StopIteration
        while self.node.form.quoted and csv.ends_in_quotes(record):
            more = self.file.readline()
            if not more:
                break
            record += more
        self.position += len(record)
        return record.removesuffix(b"\n").removesuffix(b"\r")

    def next(self) -> Any:
        start = self.position
        record = self._record()
        values = self.node.form.values(record, f"the record at offset {start} of {self.path}")
        columns = self.node.form.columns
        return tuple(
            _core.convert(value, column.dtype)
            for value, column in zip(values, columns, strict=True)
        )


class Csv(Files):
    """The rows of CSV files."""

    kind = "CSV"
    reader = CsvReader

    def __init__(
        self, names: Node, form: csv.Format, header: bool, compression: str, buffer_size: int
    ) -> None:
        super().__init__(names, compression, buffer_size)
        self.form, self.header = form, header

    def make_spec(self) -> Any:
        return tuple(TensorSpec([], column.dtype) for column in self.form.columns)


MakeFiles = Callable[[Node], Files]
