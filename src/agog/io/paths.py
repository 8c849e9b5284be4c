"""Names of files, and the errors of the file system as TensorFlow's classes."""

from __future__ import annotations

import contextlib
import errno
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


_BY_ERRNO: dict[int, type[errors.OpError]] = {
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EFBIG: errors.ResourceExhaustedError,
    errno.ENOENT: errors.NotFoundError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
}


def from_os_error(error: OSError, path: Any) -> errors.OpError:
    """The exception for an error of the operating system."""
    kind: Any = _BY_ERRNO.get(error.errno or 0, errors.UnknownError)
    found: errors.OpError = kind(None, None, f"{path}; {error.strerror or error}")
    return found


@contextlib.contextmanager
def os_errors(path: Any) -> Iterator[None]:
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
