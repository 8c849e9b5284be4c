"""Markers, and a count of the table rows whose op does not exist yet."""

from __future__ import annotations

from typing import Any


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds")
    config.addinivalue_line("markers", "peers: compares with another installed framework")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    from tests.ops.rows import missing, present

    absent = missing()
    if absent:
        terminalreporter.write_line(
            f"spec rows: {len(present())} tested, {len(absent)} skipped because the registry "
            f"has no such op: {' '.join(absent)}"
        )
