"""What holds for the summaries of this thread: the writer, the step, and whether to record."""

from __future__ import annotations

import threading
from typing import Any


class _Current(threading.local):
    writer: Any = None
    step: Any = None
    condition: Any = True


current = _Current()


def as_number(step: Any) -> int:
    """A step, which may be a tensor or a variable, as a number."""
    return int(step)
