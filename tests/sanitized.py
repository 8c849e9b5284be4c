"""Tests that cannot be held under the address sanitizer say so, and why."""

from __future__ import annotations

import os

import pytest

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def unless_sanitized(reason: str) -> pytest.MarkDecorator:
    """Skips a test under the address sanitizer."""
    return pytest.mark.skipif(SANITIZED, reason=f"under the address sanitizer {reason}")
