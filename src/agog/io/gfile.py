"""`agog.io.gfile`: files and folders of this machine, with TensorFlow's errors."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agog import errors
from agog._core import public
from agog.io.paths import os_errors, path_of

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class FileStatistics(NamedTuple):
    """What `stat` tells of a file."""

    length: int
    mtime_nsec: int
    is_directory: bool


class GFile:
    """An open file; text, or bytes with "b" in the mode. It is opened when it is first used.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> with agog.io.gfile.GFile(path, "w") as file:
    ...     file.write("one" + chr(10) + "two")
    >>> [line.rstrip() for line in agog.io.gfile.GFile(path)]
    ['one', 'two']
    """

    @public
    def __init__(self, name: Any, mode: str = "r") -> None:
        if mode.replace("b", "") not in _MODES:
            raise errors.InvalidArgumentError(
                None, None, f"mode of GFile must be one of {_MODES}, with b for bytes, got {mode!r}"
            )
        self._name, self._mode = name, mode
        self._path = path_of(name)
        self._open_file: Any = None

    @property
    def name(self) -> Any:
        """The name of the file, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode of the file, as it was given."""
        return self._mode

    @property
    def _file(self) -> Any:
        if self._open_file is None:
            binary = self._mode.replace("b", "") + "b"
            with os_errors(self._path):
                self._open_file = open(self._path, binary)  # noqa: SIM115 - close() closes it
        return self._open_file

    def _given(self, data: bytes) -> Any:
        return data if "b" in self._mode else data.decode()

    def _check(self, needed: str, doing: str) -> None:
        if not any(letter in self._mode for letter in needed):
            raise errors.PermissionDeniedError(
                None,
                None,
                f"{self._path}: a file opened with mode {self._mode!r} allows no {doing}",
            )

    @public
    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that follow."""
        self._check("r+", "reading")
        with os_errors(self._path):
            return self._given(self._file.read(None if n == -1 else n))

    @public
    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        self._check("r+", "reading")
        with os_errors(self._path):
            return self._given(self._file.readline())

    @public
    def readlines(self) -> list[Any]:
        """The lines that follow."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    @public
    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    @public
    def next(self) -> Any:
        """The next line; StopIteration at the end of the file."""
        return self.__next__()

    @public
    def write(self, file_content: Any) -> None:
        """Adds text or bytes."""
        self._check("wa+", "writing")
        data = file_content.encode() if isinstance(file_content, str) else file_content
        with os_errors(self._path):
            self._file.write(data)

    @public
    def size(self) -> int:
        """The length of the file in bytes."""
        if self._open_file is not None and self._mode != "r":
            self.flush()
        return stat(self._path).length

    @public
    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a position: from the start, from here (`whence=1`) or from the end (2)."""
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        with os_errors(self._path):
            self._file.seek(offset, whence)

    def seekable(self) -> bool:
        """True."""
        return True

    @public
    def tell(self) -> int:
        """The position."""
        return self._file.tell()

    @public
    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._open_file is not None:
            with os_errors(self._path):
                self._open_file.flush()

    @public
    def close(self) -> None:
        """Closes the file; a file opened for writing is there even if nothing was written."""
        if self._mode[0] in "wa":
            _ = self._file
        if self._open_file is not None:
            with os_errors(self._path):
                self._open_file.close()
            self._open_file = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()


@public
def exists(path: Any) -> bool:
    """Whether there is a file or folder of this name."""
    return os.path.exists(path_of(path))


@public
def isdir(path: Any) -> bool:
    """Whether there is a folder of this name."""
    return os.path.isdir(path_of(path))


@public
def join(path: Any, *paths: Any) -> str:
    """The parts of a path joined."""
    return os.path.join(path_of(path), *map(path_of, paths))


@public
def glob(pattern: Any) -> list[str]:
    """The names that match a pattern, or any of a list of patterns, sorted."""
    from glob import glob as find

    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    found = {name for p in patterns for name in find(path_of(p), include_hidden=True)}
    return sorted(found)


@public
def listdir(path: Any) -> list[str]:
    """The names in a folder; NotFoundError where there is no such folder."""
    name = path_of(path)
    if not os.path.isdir(name):
        raise errors.NotFoundError(None, None, f"Could not find directory {name}")
    with os_errors(name):
        return os.listdir(name)


@public
def mkdir(path: Any) -> None:
    """Makes a folder, or leaves one that exists; NotFoundError where the one around it does not."""
    name = path_of(path)
    with os_errors(name):
        if not os.path.isdir(name):
            os.mkdir(name)


@public
def makedirs(path: Any) -> None:
    """Makes a folder and those around it; one that exists stays."""
    name = path_of(path)
    with os_errors(name):
        os.makedirs(name, exist_ok=True)


@public
def remove(path: Any) -> None:
    """Removes a file."""
    name = path_of(path)
    with os_errors(name):
        os.remove(name)


@public
def rmtree(path: Any) -> None:
    """Removes a folder with all that is in it, or a file."""
    name = path_of(path)
    with os_errors(name):
        if os.path.isdir(name) and not os.path.islink(name):
            shutil.rmtree(name)
        else:
            os.remove(name)


def _refuse_existing(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(
            None, None, f"file already exists: {path}; overwrite=True replaces it"
        )


@public
def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file; AlreadyExistsError where the target exists and is not to be overwritten."""
    source, target = path_of(src), path_of(dst)
    _refuse_existing(target, overwrite)
    with os_errors(source):
        shutil.copyfile(source, target)


@public
def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or folder; AlreadyExistsError as for `copy`."""
    source, target = path_of(src), path_of(dst)
    _refuse_existing(target, overwrite)
    with os_errors(source):
        os.replace(source, target)


@public
def stat(path: Any) -> FileStatistics:
    """Length, time of change and kind of a file; NotFoundError where there is none."""
    name = path_of(path)
    with os_errors(name):
        found = os.stat(name)
    is_directory = os.path.isdir(name)
    return FileStatistics(found.st_size, found.st_mtime_ns, is_directory)


@public
def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Any], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Folders below `top`, each as (folder, names of folders in it, names of files in it)."""
    return os.walk(path_of(top), topdown, onerror)


@public
def get_registered_schemes() -> list[str]:
    """The kinds of file systems: that of this machine."""
    return ["", "file"]


__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]
