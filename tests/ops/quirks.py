"""Where real TensorFlow is known to miss the table; used only to check the table against it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.target import IS_AGOG

# TensorFlow's CPU kernels flush subnormal numbers to zero.
FLUSHES = not IS_AGOG

# (test, op, dtype or "*"): reason.
TENSORFLOW: dict[tuple[str, str, str], str] = {}


def expect_quirks(request: Any, test: str, op: str, dtype: str = "*") -> None:
    """Mark the running test as a strict expected failure if TensorFlow is known to miss it."""
    if IS_AGOG:
        return
    reason = TENSORFLOW.get((test, op, dtype)) or TENSORFLOW.get((test, op, "*"))
    if reason:
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=True))
