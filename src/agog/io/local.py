"""Whole files: reading, writing, and names that match patterns."""

from __future__ import annotations

import os
from typing import Any

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.io.paths import os_errors, path_of


@public
def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The bytes of a file as a string scalar; NotFoundError where there is none.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> agog.io.write_file(path, "hello")
    >>> agog.io.read_file(path).numpy()
    b'hello'
    """
    path = path_of(filename)
    with os_errors(path), open(path, "rb") as file:
        return _core.convert(file.read())


@public
def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Writes a string scalar to a file, making folders as they are needed."""
    path = path_of(filename)
    data = _core.convert(contents, dtypes.string)
    if data.shape.rank:
        raise TypeError(f"contents must be a scalar string, got shape {data.shape}")
    with os_errors(path):
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.numpy())


@public
def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match a pattern, or any of several, sorted.

    `*` and `?` stand for characters of one name, `[a-z]` for a range.
    """
    return _core.convert(matching(_core.convert(pattern, dtypes.string)), dtypes.string)


def matching(patterns: Tensor) -> list[bytes]:
    """The names of the files that match the patterns in a string tensor, sorted."""
    import glob

    flat = patterns.numpy().reshape(-1).tolist() if patterns.shape.rank else [patterns.numpy()]
    found: set[bytes] = set()
    for pattern in flat:
        text = path_of(pattern)
        found.update(os.fsencode(name) for name in glob.glob(text, include_hidden=True))
    return sorted(found)


__all__ = ["matching_files", "read_file", "write_file"]
