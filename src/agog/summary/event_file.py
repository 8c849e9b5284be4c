"""Event files: records of encoded events, appended as they come.

They are TFRecord files. What a killed process did not finish is at the end, where readers stop.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from pathlib import Path
from typing import Any

from agog.io.paths import os_errors
from agog.io.tfrecord import framed


class EventFile:
    """An event file that is written; events are kept for a while and go out together."""

    _numbers = 0

    def __init__(self, folder: str, suffix: str, max_queue: int, flush_seconds: float) -> None:
        self._max_queue = max_queue
        self._flush_seconds = flush_seconds
        self._queue: list[bytes] = []
        self._lock = threading.RLock()
        self._size = 0
        self._last_flush = time.monotonic()
        number = EventFile._numbers
        EventFile._numbers += 1
        name = f"events.out.tfevents.{time.time():.0f}.{socket.gethostname()}.{os.getpid()}"
        self.path = Path(folder, f"{name}.{number}{suffix}")
        with os_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._file = os.open(self.path, flags, 0o666)

    def write(self, event: bytes) -> None:
        """Takes an encoded event."""
        with self._lock:
            self._queue.append(framed(event))
            waited = time.monotonic() - self._last_flush
            if len(self._queue) > self._max_queue or waited > self._flush_seconds:
                self.flush()

    def flush(self) -> None:
        """Hands all events to the operating system; where it refuses, it keeps none of them."""
        with self._lock:
            self._last_flush = time.monotonic()
            data = memoryview(b"".join(self._queue))
            self._queue.clear()
            if self._file < 0 or not data:
                return
            with os_errors(self.path):
                self._append(data)

    def _append(self, data: Any) -> None:
        rest = data
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            with contextlib.suppress(OSError):  # the first error is the one to tell
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)

    def close(self) -> None:
        """Flushes, and writes no more."""
        with self._lock:
            try:
                self.flush()
            finally:
                if self._file >= 0:
                    os.close(self._file)
                self._file = -1
