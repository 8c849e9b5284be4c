"""Every op under random arguments: a Python exception of the right class, or a result."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

from tests.ops.target import IS_AGOG

PARTS = 6
ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not IS_AGOG, reason="calls agog's own registry")


def fuzz(tmp_path: pathlib.Path, *arguments: str) -> list[dict[str, Any]]:
    """The calls that ended badly in a process of their own; a crash of it is one of them."""
    note = tmp_path / "call"
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.ops.fuzz", "--note", str(note)]
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=3000
    )
    bad = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        call = (
            note.read_text(errors="replace").split("\0")[0]
            if note.exists()
            else "before the first call"
        )
        bad.append({"call": call, "error": f"exit {done.returncode}: {done.stderr[-600:]}"})
    return bad


def report(bad: list[dict[str, Any]]) -> str:
    lines = [f"{item['call'][:600]}\n    {item['error'][:300]}" for item in bad[:20]]
    return f"{len(bad)} calls ended badly:\n" + "\n".join(lines)


@pytest.mark.parametrize("part", range(PARTS))
def test_random_calls(part: int, tmp_path: pathlib.Path) -> None:
    bad = fuzz(tmp_path, "--part", f"{part}/{PARTS}", "--cases", "60")
    assert not bad, report(bad)


def test_a_process_that_fails_is_reported(tmp_path: pathlib.Path) -> None:
    [bad] = fuzz(tmp_path, "--op", "NoSuchOp")
    assert "NoSuchOp" in bad["error"] and "exit" in bad["error"]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_many_random_calls(part: int, tmp_path: pathlib.Path) -> None:
    bad = fuzz(tmp_path, "--part", f"{part}/{PARTS}", "--cases", "3000", "--seed", "1")
    assert not bad, report(bad)
