"""CheckpointManager, the folder's state, and what reads checkpoints without objects."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import agog as tf
from agog.checkpoint.state_file import CheckpointState


def make(folder: Path, **kwargs) -> tuple[tf.Variable, tf.train.CheckpointManager]:
    v = tf.Variable(0.0)
    kwargs.setdefault("max_to_keep", 2)
    return v, tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, **kwargs)


def names(paths) -> list[str]:
    return [Path(path).name for path in paths]


def on_disk(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.index"))


def test_keeps_the_latest(tmp_path: Path) -> None:
    v, manager = make(tmp_path / "new")
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    for i in range(4):
        v.assign(i)
        assert manager.save() == str(tmp_path / "new" / f"ckpt-{i + 1}")
    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"] == on_disk(tmp_path / "new")
    assert len(list((tmp_path / "new").iterdir())) == 5
    v.assign(9.0)
    manager.checkpoint.restore(manager.checkpoints[0])
    assert float(v) == 2.0


def test_goes_on_where_another_stopped(tmp_path: Path) -> None:
    _, first = make(tmp_path)
    first.save()
    first.save()
    v, second = make(tmp_path)
    assert names(second.checkpoints) == ["ckpt-1", "ckpt-2"]
    assert second.restore_or_initialize() == first.latest_checkpoint
    assert names([second.save()]) == ["ckpt-3"]
    assert on_disk(tmp_path) == ["ckpt-2", "ckpt-3"]


def test_a_number_of_ones_own(tmp_path: Path) -> None:
    _, manager = make(tmp_path, checkpoint_name="model")
    assert names([manager.save(checkpoint_number=77)]) == ["model-77"]
    assert names([manager.save(checkpoint_number=tf.constant(77))]) == ["model-77"]
    assert on_disk(tmp_path) == ["model-77"]


def test_interval(tmp_path: Path) -> None:
    step = tf.Variable(0)
    _, manager = make(tmp_path, max_to_keep=None, step_counter=step, checkpoint_interval=3)
    saved = []
    for i in range(7):
        step.assign(i)
        saved.append(manager.save() is not None)
    assert saved == [True, False, False, True, False, False, True]  # as TensorFlow's
    assert manager.save(check_interval=False) is not None


def test_initialize(tmp_path: Path) -> None:
    called = []
    _, manager = make(tmp_path, init_fn=lambda: called.append(1))
    assert manager.restore_or_initialize() is None and called == [1]
    manager.save()
    assert manager.restore_or_initialize() == manager.latest_checkpoint and called == [1]


def test_one_of_every_so_many_hours_stays(tmp_path: Path, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    _, manager = make(tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=1)
    for _ in range(5):
        now[0] += 1800
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-5"]
    assert on_disk(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-5"]


def test_asynchronous(tmp_path: Path) -> None:
    _, manager = make(tmp_path)
    for _ in range(4):
        manager.save(options=tf.train.CheckpointOptions(enable_async=True))
    manager.sync()
    assert on_disk(tmp_path) == ["ckpt-3", "ckpt-4"]
    assert names([tf.train.latest_checkpoint(tmp_path)]) == ["ckpt-4"]


def test_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="positive integer or `None` for `max_to_keep`, got 0"):
        make(tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        make(tmp_path, checkpoint_interval=3)


def test_a_failed_save_uses_up_no_number(tmp_path: Path) -> None:
    v, manager = make(tmp_path)
    manager.save()
    (tmp_path / "ckpt-2.index").mkdir()
    with pytest.raises(tf.errors.OpError):
        manager.save()
    assert int(manager.checkpoint.save_counter) == 1
    assert names([tf.train.latest_checkpoint(tmp_path)]) == ["ckpt-1"]


# ---- the folder's state


def test_state_as_tensorflow_writes_it() -> None:
    state = CheckpointState('dir/a "b" é\n', ["x", "y"], [1.5, 2.0], 1.25)
    text = state.to_text()
    assert text.splitlines()[0] == 'model_checkpoint_path: "dir/a \\"b\\" \\303\\251\\012"'
    assert CheckpointState.from_text(text) == state


@pytest.mark.parametrize(
    "text", ["garbage{", 'unknown: "x"', "model_checkpoint_path: 3", 'model_checkpoint_path: "x']
)
def test_damaged_state_is_ignored(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "checkpoint").write_text(text)
    with caplog.at_level(logging.WARNING, "agog"):
        assert tf.train.latest_checkpoint(tmp_path) is None
    assert "checkpoint ignored: line 1" in caplog.text
    _, manager = make(tmp_path)
    assert manager.save() == tf.train.latest_checkpoint(tmp_path)


def test_moved_folders(tmp_path: Path) -> None:
    _, manager = make(tmp_path / "a")
    manager.save()
    (tmp_path / "a").rename(tmp_path / "b")
    assert tf.train.latest_checkpoint(tmp_path / "b") == str(tmp_path / "b" / "ckpt-1")


def test_iterator_yields_each_checkpoint(tmp_path: Path) -> None:
    _, manager = make(tmp_path)
    found: list[str] = []

    def watch() -> None:
        found.extend(tf.train.checkpoints_iterator(tmp_path, timeout=1.5))

    thread = threading.Thread(target=watch)
    thread.start()
    for _ in range(3):
        manager.save()
        time.sleep(0.4)
    thread.join()
    assert names(found) == ["ckpt-1", "ckpt-2", "ckpt-3"]


def test_iterator_asks_at_a_timeout(tmp_path: Path) -> None:
    answers = iter([False, False, True])
    found = tf.train.checkpoints_iterator(tmp_path, timeout=0, timeout_fn=lambda: next(answers))
    assert list(found) == [] and next(answers, None) is None


# ---- readers


def test_readers(tmp_path: Path) -> None:
    v = tf.Variable([[1.0, 2.0]])
    path = tf.train.Checkpoint(v=v, n=tf.Variable(3)).save(tmp_path / "c")
    for where in (path, tmp_path, str(tmp_path)):
        reader = tf.train.load_checkpoint(where)
        assert reader.has_tensor("v/.ATTRIBUTES/VARIABLE_VALUE") and not reader.has_tensor("v")
        value = reader.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
        assert isinstance(value, np.ndarray) and value.tolist() == [[1.0, 2.0]]
    assert reader.get_variable_to_shape_map()["v/.ATTRIBUTES/VARIABLE_VALUE"] == [1, 2]
    assert reader.get_variable_to_dtype_map()["n/.ATTRIBUTES/VARIABLE_VALUE"] == tf.int32
    assert b"n/.ATTRIBUTES/VARIABLE_VALUE (DT_INT32) []" in reader.debug_string()
    assert tf.train.load_variable(path, "n/.ATTRIBUTES/VARIABLE_VALUE") == 3
    with pytest.raises(tf.errors.NotFoundError, match="Key q not found"):
        tf.train.load_variable(path, "q")
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        tf.train.load_checkpoint(tmp_path.parent)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.load_checkpoint(tmp_path / "nothing")
