"""Writers of summaries, and how one becomes the one that summaries go to."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agog._core import public
from agog.summary.current import current

if TYPE_CHECKING:
    from agog.summary.event_file import EventFile

_MAX_QUEUE = 10
_FLUSH_MILLIS = 120_000


class SummaryWriter:
    """Takes the summaries while it is the default; this base writes them nowhere."""

    _file: EventFile | None = None
    _closed = False

    @contextlib.contextmanager
    def as_default(self, step: Any = None) -> Iterator[SummaryWriter]:
        """A with-block whose summaries go to this writer, with this step if one is given.

        When it ends the events are flushed.
        """
        self._check_open()
        before = current.writer, current.step
        current.writer = self
        if step is not None:
            current.step = step
        try:
            yield self
            self.flush()
        finally:
            current.writer = before[0]
            if step is not None:
                current.step = before[1]

    @public
    def set_as_default(self, step: Any = None) -> None:
        """From now on the summaries of this thread go to this writer."""
        self._check_open()
        current.writer = self
        if step is not None:
            current.step = step

    @public
    def init(self) -> None:
        """Nothing: the file is there already."""

    @public
    def flush(self) -> None:
        """Hands everything written so far to the operating system."""
        if self._file is not None:
            self._file.flush()

    @public
    def close(self) -> None:
        """Flushes, and writes no more."""
        self._closed = True
        if self._file is not None:
            self._file.close()

    def write(self, event: bytes) -> None:
        """Takes an encoded event."""
        self._check_open()
        if self._file is not None:
            self._file.write(event)

    @property
    def writes(self) -> bool:
        """Whether what it is given gets anywhere."""
        return self._file is not None

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")


class _FileWriter(SummaryWriter):
    """Writes into an event file."""

    def __init__(self, file: EventFile) -> None:
        self._file = file
        weakref.finalize(self, file.close)  # also when the interpreter ends


@public
def create_file_writer(
    logdir: Any,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of a new event file in a folder, which TensorBoard reads.

    Events are written when more than `max_queue` (10) wait or the last time was more than
    `flush_millis` (two minutes) ago. ImportError without TensorBoard's messages.

    >>> import tempfile
    >>> writer = agog.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default(step=1):
    ...     bool(agog.summary.scalar("loss", 0.5))
    True
    """
    from agog.summary.event_file import EventFile
    from agog.summary.messages import first_event

    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    file = EventFile(
        os.fspath(logdir),
        filename_suffix or "",
        _MAX_QUEUE if max_queue is None else int(max_queue),
        (_FLUSH_MILLIS if flush_millis is None else int(flush_millis)) / 1000,
    )
    file.write(first_event())
    file.flush()
    return _FileWriter(file)


@public
def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing: summaries under it are not even made.

    >>> with agog.summary.create_noop_writer().as_default():
    ...     bool(agog.summary.scalar("loss", 0.5, step=1))
    False
    """
    return SummaryWriter()
