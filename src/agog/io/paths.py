"""Names of files, and the errors of the file system as TensorFlow's classes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from agog import dtypes, errors
from agog._core import Tensor


def path_of(name: Any) -> str:
    """A file name, given as text, bytes, a path or a scalar string tensor, as text."""
    if type(name) is Tensor:
        if name.dtype is not dtypes.string or name.shape.rank:
            raise TypeError(
                f"a file name must be a scalar string, got {name.dtype.name} {name.shape}"
            )
        name = name.numpy()
    try:
        found = os.fsdecode(name)
    except TypeError:
        raise TypeError(
            f"a file name must be a string, bytes, a path or a string tensor, got {name!r}"
        ) from None
    return found.removeprefix("file://")


def from_os_error(error: OSError, path: str) -> errors.OpError:
    """The exception for an error of the operating system."""
    text = f"{path}; {error.strerror or error}"
    kind: type[Any] = errors.UnknownError
    if isinstance(error, FileNotFoundError):
        kind = errors.NotFoundError
    elif isinstance(error, FileExistsError):
        kind = errors.AlreadyExistsError
    elif isinstance(error, PermissionError):
        kind = errors.PermissionDeniedError
    elif isinstance(error, (IsADirectoryError, NotADirectoryError)):
        kind = errors.FailedPreconditionError
    return kind(None, None, text)


@contextlib.contextmanager
def os_errors(path: str) -> Iterator[None]:
    """A with-block whose errors of the operating system become TensorFlow's classes."""
    try:
        yield
    except OSError as error:
        if isinstance(error, errors.OpError):
            raise
        raise from_os_error(error, path) from None


def data_loss(path: str, offset: int, what: str) -> errors.DataLossError:
    """The exception for a damaged file."""
    return errors.DataLossError(None, None, f"{path}: {what} at offset {offset}")
