"""Names of TensorFlow's program structure, and what they mean where operations run at once."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from agog._core import public

_local = threading.local()


@public
def executing_eagerly() -> bool:
    """Whether operations run when they are called."""
    return True


@public
def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a tensor stands for a value that is still to come."""
    return bool(tensor.is_symbolic)


class name_scope:  # noqa: N801 - TensorFlow's name
    """A with-block that puts a prefix before the names made in it.

    >>> with agog.name_scope("outer") as scope:
    ...     print(scope)
    outer/
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(f"name of a name_scope must be a string, got {name!r}")
        self._name = name

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def __enter__(self) -> str:
        stack = _stack()
        if not self._name:
            full = ""
        elif self._name.endswith("/"):
            full = self._name
        else:
            full = f"{stack[-1] if stack else ''}{self._name}/"
        stack.append(full)
        return full

    def __exit__(self, *exc: Any) -> None:
        _stack().pop()


def _stack() -> list[str]:
    if not hasattr(_local, "scopes"):
        _local.scopes = []
    return _local.scopes


def current_scope() -> str:
    """The prefix of the innermost name_scope, `""` outside of all."""
    stack = _stack()
    return stack[-1] if stack else ""


@public
def device(device_name: Any) -> contextlib.AbstractContextManager[None]:
    """A with-block for operations on a device; the CPU is the only one there is."""
    name = str(device_name or "CPU").upper()
    if "CPU" not in name:
        raise ValueError(f"there is no device {device_name!r}; operations run on 'CPU:0'")
    return contextlib.nullcontext()


@public
def control_dependencies(control_inputs: Any) -> contextlib.AbstractContextManager[None]:
    """A with-block that comes after these operations: they have run already."""
    if callable(control_inputs):
        control_inputs()
    return contextlib.nullcontext()


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """A with-block outside of every function that is being traced, and of every tape."""
    from agog import _core

    with _core.stop_recording():
        yield


@public
def group(*inputs: Any, **kwargs: Any) -> None:
    """Several operations as one: they have run already."""


@public
def no_op(name: str | None = None) -> None:
    """Does nothing."""
