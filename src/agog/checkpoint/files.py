"""Files that are whole or not there at all, whatever happens while they are written.

A file is written under another name in the same folder, flushed to the disk and only then renamed.
What a killed process leaves behind is a file with a name of `_temporary_name`: nobody reads it, and
the next writer in that folder on the same machine removes it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agog.io.paths import os_errors

_TEMPORARY = re.compile(r"^\..*\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.tmp$")
_WRITE_BYTES = 1 << 28  # one call of write() takes less than 2 GB
_SEND_BYTES = 1 << 24


class StagedFile:
    """A file that is written out of sight; `commit` makes it appear, leaving without drops it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._temporary = path.with_name(_temporary_name(path.name))
        self._file = -1
        self._sent = 0  # bytes that are on their way to the disk
        self.size = 0

    def __enter__(self) -> StagedFile:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._file = os.open(self._temporary, flags, 0o666)
        return self

    def write(self, data: Any) -> None:
        """Appends anything with the buffer protocol."""
        rest = memoryview(data).cast("B")
        with os_errors(self.path):
            while rest:
                written = os.write(self._file, rest[:_WRITE_BYTES])
                self.size += written
                rest = rest[written:]
                if self.size - self._sent >= _SEND_BYTES:
                    _send(self._file, self._sent, self.size - self._sent)
                    self._sent = self.size

    def flush(self) -> None:
        """Everything written is on the disk when this returns."""
        os.fsync(self._file)

    def commit(self) -> None:
        """The file appears under its name, in place of what had that name."""
        self._close()
        os.replace(self._temporary, self.path)

    def __exit__(self, *exc: object) -> None:
        self._close()
        with contextlib.suppress(FileNotFoundError):  # committed: it has its own name now
            os.unlink(self._temporary)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@functools.cache
def _sync_file_range() -> Any:
    import ctypes

    function = getattr(ctypes.CDLL(None), "sync_file_range", None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    return function


def _send(file: int, start: int, size: int) -> None:
    """Has the system begin to write a part of a file, where it can be asked to.

    The disk then works while the rest is still being made. Only `fsync` says whether that went
    well, so what this returns does not matter.
    """
    begin_writing = 2  # SYNC_FILE_RANGE_WRITE
    if function := _sync_file_range():
        function(file, start, size, begin_writing)


def write_file(path: Path, data: bytes) -> None:
    """Replaces a file by one with these contents, in one step."""
    with StagedFile(path) as staged:
        staged.write(data)
        staged.flush()
        staged.commit()
    flush_folder(path.parent)


@contextlib.contextmanager
def written_by_others(path: Path) -> Iterator[Path]:
    """A with-block in which somebody writes the file that is yielded; then it becomes `path`."""
    temporary = path.with_name(_temporary_name(path.name))
    try:
        yield temporary
        flush_folder(temporary)  # files are flushed in the same way
        os.replace(temporary, path)
        flush_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """The names of the files in a folder are on the disk when this returns."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Removes what killed processes of this machine left unfinished in a folder."""
    for entry in list(os.scandir(folder)):
        found = _TEMPORARY.match(entry.name)
        if found and found[1] == _machine() and not _is_alive(int(found[2])):
            with contextlib.suppress(FileNotFoundError):  # somebody else was faster
                os.unlink(entry.path)


def _temporary_name(name: str) -> str:
    return f".{name}.{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.tmp"


def _machine() -> str:
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
