"""Progress bars, in a terminal and without one."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

import agog as tf
from agog import progress_bar


def test_items_are_passed_on() -> None:
    assert list(tf.progress([3, 1, 2], disable=True)) == [3, 1, 2]
    bar = tf.progress(range(3))
    assert list(bar) == list(bar) == [0, 1, 2]


def test_lines_without_a_terminal(capsys: pytest.CaptureFixture, monkeypatch) -> None:
    monkeypatch.setattr(progress_bar, "_LINE_SECONDS", 0.0)
    bar = tf.progress(range(2), "training", unit="batches")
    for _ in bar:
        bar.show(loss=tf.constant(0.25), epoch=1)
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert re.fullmatch(r"training: 2 of 2 batches, [\d,]+ batches/s loss 0.250 epoch 1", last)


def test_nothing_when_disabled(capsys: pytest.CaptureFixture) -> None:
    list(tf.progress(range(2), disable=True))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("size", [3, -1, -2])
def test_cardinality_tells_the_total(size: int, capsys: pytest.CaptureFixture) -> None:
    class Dataset:
        def __iter__(self):
            return iter("abc")

        def cardinality(self):
            return tf.constant(size, tf.int64)

    assert list(tf.progress(Dataset())) == list("abc")
    assert ("3 of 3 steps" in capsys.readouterr().err) == (size == 3)


def test_an_exception_passes_through() -> None:
    with pytest.raises(KeyError):
        for _ in tf.progress(range(3)):
            raise KeyError


SCRIPT = """
import agog, time
bar = agog.progress(range(40), "reading", total={total})
for i in bar:
    bar.show(loss=agog.constant(i / 2))
    time.sleep(0.01)
"""


@pytest.mark.parametrize("total", [40, None])
def test_bar_in_a_terminal(total: int | None) -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    script = SCRIPT.format(total=total)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=follower, env=environment)
    os.close(follower)
    seen = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # the other end is gone
            break
        if not data:
            break
        seen += data
    assert child.wait() == 0
    text = seen.decode()
    assert "reading" in text and "100%" in text and "loss 19.500" in text and "steps/s" in text
