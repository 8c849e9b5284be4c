"""The step that summaries have unless they are given one; events that are ready made."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from agog._core import Tensor, convert, public
from agog.framework import current_scope
from agog.summary.current import current
from agog.summary.recording import recording_writer, step_of


@public
def set_step(step: Any) -> None:
    """Sets the step of this thread's summaries: a number, or a variable that is read each time.

    >>> agog.summary.experimental.set_step(3)
    >>> agog.summary.experimental.get_step()
    3
    >>> agog.summary.experimental.set_step(None)
    """
    current.step = step


@public
def get_step() -> Any:
    """The step that was set, as it was given; None without one.

    >>> agog.summary.experimental.get_step() is None
    True
    """
    return current.step


@contextlib.contextmanager
def summary_scope(
    name: str, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """A with-block that gives the tag of a summary, which name scopes go before, and its scope.

    >>> with agog.name_scope("layer"):
    ...     with agog.summary.experimental.summary_scope("loss") as (tag, scope):
    ...         print(tag, scope)
    layer/loss layer/loss/
    """
    tag = f"{current_scope()}{name or default_name}"
    yield tag, f"{tag}/"


@public
def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Writes a `Summary` message that is encoded already; whether it was written."""
    writer = recording_writer()
    if writer is None:
        return convert(False)
    from agog.summary.messages import event_of_summary

    encoded = convert(tensor, "string").numpy()
    writer.write(event_of_summary(encoded, step_of(step)))
    return convert(True)


__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
