"""Saver: checkpoints by name, and their exchange with those of objects."""

from __future__ import annotations

from pathlib import Path

import pytest

import agog as tf


def variables() -> list[tf.Variable]:
    return [tf.Variable([1.0, 2.0], name="a"), tf.Variable(3, name="scope/b")]


def test_names_and_state(tmp_path: Path) -> None:
    """As TensorFlow 2.21: the state has whole paths unless they are asked to be relative."""
    a, b = variables()
    saver = tf.train.Saver([a, b])
    path = saver.save(None, tmp_path / "m", global_step=tf.Variable(3))
    assert path == str(tmp_path / "m-3")
    assert tf.train.list_variables(path) == [("a", [2]), ("scope/b", [])]
    assert f'model_checkpoint_path: "{path}"' in (tmp_path / "checkpoint").read_text()
    a.assign([0.0, 0.0])
    b.assign(0)
    saver.restore(None, tf.train.latest_checkpoint(tmp_path))
    assert a.numpy().tolist() == [1.0, 2.0] and int(b) == 3
    relative = tf.train.Saver([a], save_relative_paths=True, pad_step_number=True)
    relative.save(None, tmp_path / "r", global_step=3)
    assert 'model_checkpoint_path: "r-00000003"' in (tmp_path / "checkpoint").read_text()


def test_names_of_a_dict(tmp_path: Path) -> None:
    a, b = variables()
    path = tf.train.Saver({"x": a, "y": b}).save(None, tmp_path / "m", write_state=False)
    assert [name for name, _ in tf.train.list_variables(path)] == ["x", "y"]
    assert not (tmp_path / "checkpoint").exists()


def test_keeps_the_latest(tmp_path: Path) -> None:
    saver = tf.train.Saver(variables(), max_to_keep=2)
    for step in range(4):
        saver.save(None, tmp_path / "m", global_step=step)
    assert [Path(path).name for path in saver.last_checkpoints] == ["m-2", "m-3"]
    assert sorted(path.stem for path in tmp_path.glob("*.index")) == ["m-2", "m-3"]
    again = tf.train.Saver(variables(), max_to_keep=2)
    again.recover_last_checkpoints(saver.last_checkpoints)
    again.save(None, tmp_path / "m", global_step=9)
    assert sorted(path.stem for path in tmp_path.glob("*.index")) == ["m-3", "m-9"]


def test_errors_change_nothing(tmp_path: Path) -> None:
    a, b = variables()
    path = tf.train.Saver([a]).save(None, tmp_path / "m")
    b.assign(7)
    with pytest.raises(tf.errors.NotFoundError, match="Key scope/b not found in checkpoint"):
        tf.train.Saver([a, b]).restore(None, path)
    wide = tf.Variable([0.0, 0.0, 0.0], name="a")
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible tensor with shape"):
        tf.train.Saver([wide]).restore(None, path)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        tf.train.Saver([a]).restore(None, tmp_path / "none")
    with pytest.raises(ValueError, match="when it is None"):
        tf.train.Saver([a]).restore(None, None)
    assert int(b) == 7 and wide.numpy().tolist() == [0.0] * 3


def test_reshape(tmp_path: Path) -> None:
    path = tf.train.Saver([variables()[0]]).save(None, tmp_path / "m")
    column = tf.Variable([[0.0], [0.0]], name="a")
    tf.train.Saver([column], reshape=True).restore(None, path)
    assert column.numpy().tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError, match="incompatible tensor"):
        tf.train.Saver([tf.Variable([0.0] * 3, name="a")], reshape=True).restore(None, path)


def test_arguments() -> None:
    with pytest.raises(RuntimeError, match="`var_list` must specify"):
        tf.train.Saver()
    with pytest.raises(ValueError, match="No variables to save"):
        tf.train.Saver([])
    with pytest.raises(ValueError, match="Two different variables with the same name 'a'"):
        tf.train.Saver([variables()[0], variables()[0]])
    with pytest.raises(TypeError, match="Saver saves variables"):
        tf.train.Saver({"x": 3})
    with pytest.raises(tf.errors.UnimplementedError):
        tf.train.Saver(variables(), write_version=1)


def test_checkpoint_of_objects_by_name(tmp_path: Path) -> None:
    a, b = variables()
    path = tf.train.Checkpoint(first=a, second=[b]).save(tmp_path / "c")
    a.assign([0.0, 0.0])
    b.assign(0)
    tf.train.Saver([a, b]).restore(None, path)
    assert a.numpy().tolist() == [1.0, 2.0] and int(b) == 3


def test_checkpoint_by_name_into_objects(tmp_path: Path) -> None:
    a, b = variables()
    path = tf.train.Saver([a, b]).save(None, tmp_path / "m")
    a.assign([0.0, 0.0])
    other = tf.Variable(1.0, name="other")
    status = tf.train.Checkpoint(a=a, other=other).restore(path)
    assert a.numpy().tolist() == [1.0, 2.0]
    assert status.restored == ["a"]
    assert [value.name for value in status.unused] == ["scope/b"]
    assert [value.name for value in status.missing] == ["other"]
    status.assert_nontrivial_match()
    with pytest.raises(AssertionError, match="unused 1"):
        status.assert_consumed()
    tf.train.Checkpoint(a=a, rest=[b]).restore(path, strict=True).assert_consumed()
    with pytest.raises(tf.errors.FailedPreconditionError, match="nothing was restored"):
        tf.train.Checkpoint(a=a).restore(path, strict=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        tf.train.Checkpoint(a=tf.Variable([1, 2], name="a")).restore(path)
