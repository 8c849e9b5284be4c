"""Whether summaries are recorded, and the function through which all of them go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from agog._core import Tensor, convert, public
from agog.summary.current import as_number, current
from agog.summary.writer import SummaryWriter


@public
def should_record_summaries() -> Tensor:
    """Whether summaries are written now: there is a writer, and `record_if` allows it.

    >>> bool(agog.summary.should_record_summaries())
    False
    """
    return convert(recording_writer() is not None)


def recording_writer() -> SummaryWriter | None:
    """The writer that summaries go to now, if they go anywhere."""
    writer: SummaryWriter | None = current.writer
    if writer is None or not writer.writes:
        return None
    condition = current.condition
    return writer if bool(condition() if callable(condition) else condition) else None


@contextlib.contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A with-block in which summaries are written if `condition`, or what it returns, is true.

    >>> with agog.summary.record_if(False):
    ...     print(bool(agog.summary.should_record_summaries()))
    False
    """
    before = current.condition
    current.condition = condition
    try:
        yield
    finally:
        current.condition = before


def step_of(step: Any) -> int:
    """The step of a summary: the one given, or else the one set; ValueError without any."""
    step = current.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    return as_number(step)


@public
def write(
    tag: str, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Writes a tensor under a tag; `metadata`, a message, says how to show it.

    `tensor` may be a function that makes it, called only when it is written. Returns whether it
    was. ValueError without a step.

    >>> bool(agog.summary.write("tag", [1, 2], step=1))  # there is no writer
    False
    """
    writer = recording_writer()
    if writer is None:
        return convert(False)
    from agog.summary.messages import event_of_tensor, metadata_of

    value = convert(tensor() if callable(tensor) else tensor)
    writer.write(event_of_tensor(tag, value, step_of(step), metadata_of(metadata)))
    return convert(True)


@public
def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Hands what a writer, or else the default one, has to the operating system.

    >>> agog.summary.flush()
    """
    writer = writer or current.writer
    if writer is not None:
        writer.flush()
