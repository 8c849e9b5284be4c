"""The exceptions that operations raise: TensorFlow's classes and codes.

Where Python has a class for the same mistake the exception is one of that class, too: an
InvalidArgumentError is a ValueError, an UnimplementedError a NotImplementedError.
"""

from __future__ import annotations

from typing import Any

from agog.near_names import missing

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An operation failed; `error_code` tells how, `message` tells why."""

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        super().__init__(message)
        self.node_def = node_def
        self.op = op
        self.message = message
        self.error_code = error_code
        self.experimental_payloads: dict[str, bytes] = args[0] if args and args[0] else {}

    def __str__(self) -> str:
        return str(self.message)

    def __reduce__(self) -> Any:
        if type(self) is OpError:
            return OpError, (None, None, self.message, self.error_code, self.experimental_payloads)
        return type(self), (None, None, self.message, self.experimental_payloads)


class _CodedError(OpError):
    """An OpError whose class fixes the code."""

    _code = UNKNOWN

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, self._code, *args)


class CancelledError(_CodedError):
    """The operation was stopped from outside before it ended."""

    _code = CANCELLED


class UnknownError(_CodedError):
    """The operation failed for a reason that no other class names."""

    _code = UNKNOWN


class InvalidArgumentError(_CodedError, ValueError):
    """An argument has a shape, a value or a dtype that the operation does not take."""

    _code = INVALID_ARGUMENT


class InvalidIndexError(InvalidArgumentError, IndexError):
    """An index lies outside the tensor."""


class InvalidTypeError(InvalidArgumentError, TypeError):
    """An argument has a dtype that the operation does not take."""


class DeadlineExceededError(_CodedError):
    """The operation took longer than it was allowed to."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """What was asked for, such as a file or a key, does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """What was to be made exists already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not do this."""

    _code = PERMISSION_DENIED


class ResourceExhaustedError(_CodedError, MemoryError):
    """There is not enough memory, or not enough of another resource."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_CodedError):
    """The state does not allow the operation, such as reading an uninitialised variable."""

    _code = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The operation was given up because of another one that ran at the same time."""

    _code = ABORTED


class OutOfRangeError(_CodedError):
    """The operation went past the end of its input."""

    _code = OUT_OF_RANGE


class UnimplementedError(_CodedError, NotImplementedError):
    """The operation, or this case of it, does not exist here."""

    _code = UNIMPLEMENTED


class InternalError(_CodedError):
    """agog broke one of its own rules: a defect to be reported."""

    _code = INTERNAL


class UnavailableError(_CodedError):
    """A service cannot be reached now; a later try may succeed."""

    _code = UNAVAILABLE


class DataLossError(_CodedError):
    """Stored data are damaged or missing."""

    _code = DATA_LOSS


class UnauthenticatedError(_CodedError):
    """The caller has not said who it is."""

    _code = UNAUTHENTICATED


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation needs the value of a tensor that has none yet."""


_CLASSES: dict[int, type[_CodedError]] = {cls._code: cls for cls in _CodedError.__subclasses__()}
# Codes of the core that are finer than TensorFlow's.
_CLASSES |= {101: InvalidTypeError, 102: InvalidIndexError}
_PLAIN: dict[int, type[Exception]] = {103: TypeError, 104: ValueError}


def from_code(code: int, message: str) -> Exception:
    """The exception for a code of the core, ready to be raised."""
    plain = _PLAIN.get(code)
    if plain is not None:
        return plain(message)
    return _CLASSES.get(code, UnknownError)(None, None, message)


__getattr__ = missing(__name__)
