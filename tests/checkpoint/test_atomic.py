"""Whatever happens while a checkpoint is written, the one before it is whole."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import agog as tf
from agog.checkpoint.files import StagedFile, remove_leftovers

SIZE = 1 << 16


class Saving:
    """Variables that all hold the same number, saved in the two ways there are."""

    def __init__(self, folder: Path) -> None:
        self.exact = folder / "exact"
        self.v = [tf.Variable(tf.zeros([SIZE])) for _ in range(4)]
        self.checkpoint = tf.train.Checkpoint(v=self.v)
        self.manager = tf.train.CheckpointManager(self.checkpoint, folder / "kept", max_to_keep=2)

    def save(self, number: int) -> None:
        for v in self.v:
            v.assign(tf.fill([SIZE], float(number)))
        self.manager.save()
        self.checkpoint.write(self.exact)

    def number(self, path: object) -> int:
        """The number that a checkpoint holds, which is the same everywhere in it."""
        self.checkpoint.read(path).assert_existing_objects_matched()
        (found,) = {int(x) for v in self.v for x in np.unique(v.numpy())}
        return found


def check(folder: Path, at_least: int) -> tuple[int, int]:
    """Both checkpoints are whole and no older than what was known to be saved."""
    saving = Saving(folder)
    latest = tf.train.latest_checkpoint(folder / "kept")
    numbers = saving.number(latest), saving.number(saving.exact)
    assert min(numbers) >= at_least and max(numbers) <= at_least + 1
    for path in saving.manager.checkpoints:
        saving.number(path)
    return numbers


# ---- killed


CALLS = ("open", "write", "fsync", "replace", "unlink", "close")


def die_at(call_number: int) -> None:
    """Kills this process before the so-manieth call of the functions that change files."""
    left = [call_number]

    def counted(function: Callable) -> Callable:
        def call(*args, **kwargs):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


def in_child(action: Callable[[], None]) -> int:
    """Runs it in a child process; 0, or 1 if it raised, or minus the signal that ended it."""
    pid = os.fork()
    if pid == 0:
        leave, code = os._exit, 1
        try:
            action()
            code = 0
        except BaseException:
            traceback.print_exc()
        leave(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_killed_before_each_system_call(tmp_path: Path) -> None:
    saving = Saving(tmp_path)
    saving.save(1)
    saving.save(2)
    seen = set()
    for call_number in range(1, 200):

        def action(call_number: int = call_number) -> None:
            die_at(call_number)
            saving.save(3)

        code = in_child(action)
        if code == 0:
            break
        assert code == -signal.SIGKILL
        seen.add(check(tmp_path, 2))
        for folder in (tmp_path, tmp_path / "kept"):
            remove_leftovers(folder)  # or the next one would spend its calls on that
    assert 30 < call_number < 200
    assert seen == {(2, 2), (3, 2), (3, 3)}


CHILD = """
import sys
from pathlib import Path
from tests.checkpoint.test_atomic import Saving
saving = Saving(Path(sys.argv[1]))
number = int(sys.argv[2])
while True:
    number += 1
    saving.save(number)
    print(number, flush=True)
"""


def run_and_kill(folder: Path, number: int, seconds: float) -> int:
    """Starts from a number, kills after so many seconds of work; the last number said to be saved.

    The clock begins with the first save, which is known to be whole then.
    """
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, folder, str(number)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdout
    said = child.stdout.readline()
    time.sleep(seconds)
    child.kill()
    said += child.stdout.read()
    child.wait()
    return int(said.split("\n")[-2])


@pytest.mark.parametrize(
    "kills", [5, pytest.param(50, marks=pytest.mark.slow, id="50")], ids=["5", "50"]
)
def test_killed_at_random_moments(tmp_path: Path, kills: int) -> None:
    source, number = random.Random(kills), 0
    for _ in range(kills):
        number = run_and_kill(tmp_path, number, source.random() * 0.2)
        check(tmp_path, number)
    Saving(tmp_path).save(number + 1)
    assert not [path.name for path in tmp_path.rglob("*.tmp")]  # what was left over is gone


# ---- no room


def test_full_disk(tmp_path: Path) -> None:
    """The limit on the size of files stands for the end of the disk."""
    saving = Saving(tmp_path)
    saving.save(1)

    def action() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE * 4 * 2, SIZE * 4 * 2))
        for attempt in (saving.manager.save, lambda: saving.checkpoint.write(saving.exact)):
            try:
                attempt()
            except tf.errors.ResourceExhaustedError as error:
                assert "File too large" in str(error) and "data-0000" in str(error)
                continue
            raise AssertionError("there was room")
        assert int(saving.checkpoint.save_counter) == 1

    assert in_child(action) == 0
    assert check(tmp_path, 1) == (1, 1)
    assert not list(tmp_path.rglob("*.tmp"))


def test_full_disk_at_each_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saving = Saving(tmp_path)
    saving.save(1)
    plain = os.write
    for call_number in range(1, 100):
        left = [call_number]

        def write(*args) -> int:
            left[0] -= 1
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            return plain(*args)

        monkeypatch.setattr(os, "write", write)
        try:
            saving.save(2)
            break
        except tf.errors.ResourceExhaustedError as error:
            assert isinstance(error, MemoryError) and "No space left" in str(error)
        finally:
            monkeypatch.setattr(os, "write", plain)
        check(tmp_path, 1)
        if tf.train.latest_checkpoint(tmp_path / "kept").endswith("ckpt-1"):
            assert all(index_of(path).exists() for path in tmp_path.rglob("*.data-*"))
        saving = Saving(tmp_path)
    assert call_number > 10


def index_of(shard: Path) -> Path:
    return shard.with_name(shard.name.partition(".data-")[0] + ".index")


def test_folders_that_take_no_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(tf.errors.OpError, match="file"):
        checkpoint.save(tmp_path / "file" / "c")
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.train.Checkpoint(v=tf.Variable(1.0)).read(tmp_path / "file" / "c")


# ---- leftovers


def test_leftovers_of_the_living_stay(tmp_path: Path) -> None:
    with StagedFile(tmp_path / "x") as staged:
        remove_leftovers(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
        staged.write(b"1")
        staged.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    other_machine = tmp_path / ".x.00000000-1-00000000.tmp"
    other_machine.write_text("")
    remove_leftovers(tmp_path)
    assert other_machine.exists()
