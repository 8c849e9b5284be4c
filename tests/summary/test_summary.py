"""Summaries, read back with TensorBoard's own reader."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agog as tf

pytest.importorskip("tensorboard", reason="the extra [summary] is not installed")

from tensorboard.backend.event_processing import event_accumulator  # noqa: E402
from tensorboard.util import tensor_util  # noqa: E402


def read(folder: Path) -> event_accumulator.EventAccumulator:
    guidance = {"tensors": 0, "images": 0}  # 0: keep all
    return event_accumulator.EventAccumulator(str(folder), guidance).Reload()


def events(folder: Path, tag: str) -> list[tuple[int, Any]]:
    return [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in read(folder).Tensors(tag)]


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    assert tf.summary.experimental.get_step() is None
    assert not tf.summary.should_record_summaries()


def test_scalars(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        for step in range(20):
            assert tf.summary.scalar("loss", 1 / (step + 1), step=step)
        with tf.name_scope("sub"):
            tf.summary.scalar("a/b", tf.Variable(3), step=tf.constant(2), description="what it is")
        tf.summary.scalar("", 1.0, step=1)
    found = events(tmp_path, "loss")
    assert [step for step, _ in found] == list(range(20))
    assert [float(value) for _, value in found] == [
        float(np.float32(1 / (s + 1))) for s in range(20)
    ]
    assert found[0][1].dtype == np.float32 and found[0][1].shape == ()
    reader = read(tmp_path)
    assert sorted(reader.Tags()["tensors"]) == ["loss", "scalar_summary", "sub/a/b"]
    metadata = reader.SummaryMetadata("sub/a/b")
    assert metadata.plugin_data.plugin_name == "scalars"
    assert metadata.summary_description == "what it is"
    assert reader.file_version == 2.0


# What TensorFlow 2.21 with TensorBoard 2.21 writes for buckets=4.
HISTOGRAMS = {
    (1.0, 2.0, 3.0, 4.0): [[1, 1.75, 1], [1.75, 2.5, 1], [2.5, 3.25, 1], [3.25, 4, 1]],
    (5.0, 5.0, 5.0): [[5, 5, 0], [5, 5, 0], [5, 5, 0], [5, 5, 3]],
    (): [[0, 0, 0]] * 4,
    (1, 2, 2, 10): [[1, 3.25, 3], [3.25, 5.5, 0], [5.5, 7.75, 0], [7.75, 10, 1]],
    (-1e10, 1e10, 0.0): [[-1e10, -5e9, 1], [-5e9, 0, 0], [0, 5e9, 1], [5e9, 1e10, 1]],
}


@pytest.mark.parametrize("numbers", HISTOGRAMS)
def test_histograms(tmp_path: Path, numbers: tuple[float, ...]) -> None:
    with tf.summary.create_file_writer(tmp_path).as_default(step=3):
        assert tf.summary.histogram("h", np.array(numbers), buckets=4)
    ((step, found),) = events(tmp_path, "h")
    assert step == 3 and found.dtype == np.float64
    assert found.tolist() == HISTOGRAMS[numbers]
    assert read(tmp_path).SummaryMetadata("h").plugin_data.plugin_name == "histograms"


def test_histograms_at_the_borders(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        tf.summary.histogram("nan", [1.0, float("nan")], buckets=2)
        tf.summary.histogram("default", tf.zeros([2, 3]))
        tf.summary.histogram("none", [1.0], buckets=0)
        with pytest.raises(ValueError, match="buckets must not be negative"):
            tf.summary.histogram("h", [1.0], buckets=-1)
    assert events(tmp_path, "nan")[0][1][:, 2].tolist() == [0, 0]
    assert events(tmp_path, "default")[0][1].shape == (30, 3)
    assert events(tmp_path, "none")[0][1].shape == (0, 3)


def picture(data: bytes) -> np.ndarray:
    from PIL import Image

    return np.array(Image.open(io.BytesIO(data)))


def test_images(tmp_path: Path) -> None:
    """The numbers of the floats are TensorFlow 2.21's."""
    floats = np.linspace(-0.1, 1.1, 36).reshape(2, 3, 2, 3).astype("float32")
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        tf.summary.image("f", floats)
        tf.summary.image("u16", (np.arange(4) * 16000).reshape(1, 2, 2, 1).astype("uint16"))
        tf.summary.image("many", np.zeros((5, 1, 1, 4), "uint8"))
        tf.summary.image("none", np.zeros((0, 4, 5, 1), "uint8"))
        with pytest.raises(ValueError, match="rank 4"):
            tf.summary.image("bad", np.zeros((3, 3)))
        with pytest.raises(tf.errors.InvalidArgumentError, match="channels, got 7"):
            tf.summary.image("bad", np.zeros((1, 3, 3, 7)))
    ((_, found),) = events(tmp_path, "f")
    assert found[:2].tolist() == [b"2", b"3"]
    want = [0, 0, 0, 0, 9, 18, 27, 35, 44, 53, 62, 70, 79, 88, 97, 105, 114, 123]
    assert picture(found[2]).reshape(-1).tolist() == want
    want = [132, 140, 149, 158, 167, 175, 184, 193, 202, 210, 219, 228, 237, 246, 254] + 3 * [255]
    assert picture(found[3]).reshape(-1).tolist() == want
    assert picture(events(tmp_path, "u16")[0][1][2]).reshape(-1).tolist() == [0, 62, 125, 187]
    assert len(events(tmp_path, "many")[0][1]) == 2 + 3
    assert events(tmp_path, "none")[0][1].tolist() == [b"5", b"4"]


def test_text(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        tf.summary.text("t", "hello")
        tf.summary.text("table", [["a", "b"], ["c", "d"]])
        with pytest.raises(TypeError, match="must be of type tf.string"):
            tf.summary.text("bad", 3)
    assert events(tmp_path, "t")[0][1].item() == b"hello"
    assert events(tmp_path, "table")[0][1].tolist() == [[b"a", b"b"], [b"c", b"d"]]


def test_write_and_raw_messages(tmp_path: Path) -> None:
    from tensorboard.compat.proto import summary_pb2

    with tf.summary.create_file_writer(tmp_path).as_default(step=4):
        tf.summary.write("w", [1, 2])
        tf.summary.write("lazy", lambda: tf.constant([1.5]))
        value = summary_pb2.Summary.Value(tag="old", simple_value=2.5)
        raw = summary_pb2.Summary(value=[value]).SerializeToString()
        assert tf.summary.experimental.write_raw_pb(raw)
    assert events(tmp_path, "w")[0][1].tolist() == [1, 2]
    assert events(tmp_path, "lazy")[0][1].tolist() == [1.5]
    assert read(tmp_path).Scalars("old")[0].value == 2.5


def test_steps(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)
    with writer.as_default():
        with pytest.raises(ValueError, match="No step set"):
            tf.summary.scalar("a", 1.0)
        step = tf.Variable(7, dtype=tf.int64)
        tf.summary.experimental.set_step(step)
        tf.summary.scalar("a", 1.0)
        step.assign_add(1)
        tf.summary.scalar("a", 1.0)
        with writer.as_default(step=20):
            tf.summary.scalar("a", 1.0)
        assert tf.summary.experimental.get_step() is step
        tf.summary.scalar("a", 1.0, step=30)
        tf.summary.experimental.set_step(None)
    assert [step for step, _ in events(tmp_path, "a")] == [7, 8, 20, 30]


def test_conditions(tmp_path: Path) -> None:
    def never():
        raise AssertionError("not to be made")

    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("a", 1.0)
            assert not tf.summary.write("a", never)
            with tf.summary.record_if(lambda: tf.constant(True)):
                assert tf.summary.scalar("b", 1.0)
        with tf.summary.create_noop_writer().as_default():
            assert not tf.summary.write("a", never)
        with pytest.raises(KeyError), tf.summary.record_if(False):
            raise KeyError
        assert tf.summary.should_record_summaries()
    assert read(tmp_path).Tags()["tensors"] == ["b"]
    assert not tf.summary.scalar("a", 1.0, step=1)


def test_values_are_checked_at_once(tmp_path: Path) -> None:
    with (
        tf.summary.create_file_writer(tmp_path).as_default(step=1),
        pytest.raises(ValueError, match="Expected scalar shape, saw shape"),
    ):
        tf.summary.scalar("a", [1.0, 2.0])


def test_closed(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path, filename_suffix=".end")
    with writer.as_default(step=1):
        tf.summary.scalar("a", 1.0)
    writer.close()
    writer.close()
    writer.flush()
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        raise AssertionError
    with pytest.raises(RuntimeError, match="already closed"):
        writer.set_as_default()
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.") and path.name.endswith(".end")


def test_queue(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path, max_queue=3)
    with writer.as_default(step=1):
        for _ in range(3):
            tf.summary.scalar("a", 1.0)
        assert "a" not in read(tmp_path).Tags()["tensors"]
        tf.summary.scalar("a", 1.0)
        assert len(events(tmp_path, "a")) == 4
        tf.summary.scalar("a", 1.0)
        tf.summary.flush()
        assert len(events(tmp_path, "a")) == 5


def test_default_of_a_thread(tmp_path: Path) -> None:
    seen = []
    with tf.summary.create_file_writer(tmp_path).as_default(step=1):
        thread = threading.Thread(
            target=lambda: seen.append(bool(tf.summary.should_record_summaries()))
        )
        thread.start()
        thread.join()
        assert tf.summary.should_record_summaries()
    assert seen == [False]


def test_threads_write_whole_records(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path)

    def work(name: str) -> None:
        with writer.as_default():
            for step in range(200):
                tf.summary.scalar(name, step, step=step)

    threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        assert [step for step, _ in events(tmp_path, f"t{i}")] == list(range(200))


SCRIPT = """
import sys, agog as tf
tf.summary.create_file_writer(sys.argv[1]).set_as_default(step=5)
tf.summary.scalar("a", 2.0)
"""


def test_the_end_of_the_program_flushes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT, tmp_path], check=True)
    assert events(tmp_path, "a")[0][0] == 5


def test_a_full_disk_leaves_whole_records(tmp_path: Path, monkeypatch: Any) -> None:
    writer = tf.summary.create_file_writer(tmp_path, max_queue=100)
    plain = os.write
    with writer.as_default(step=1):
        tf.summary.scalar("a", 1.0)
        writer.flush()
        for _ in range(5):
            tf.summary.scalar("a", 2.0)

        def half(file: int, data: Any) -> int:
            if len(data) < 50:
                raise OSError(28, "No space left on device")
            return plain(file, data[: len(data) // 2])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="events.out"):
            writer.flush()
        monkeypatch.setattr(os, "write", plain)
        tf.summary.scalar("a", 3.0)
    assert [float(value) for _, value in events(tmp_path, "a")] == [1.0, 3.0]


def test_folders_that_take_no_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError, match="events.out"):
        tf.summary.create_file_writer(tmp_path / "file" / "logs")
    with pytest.raises(ValueError, match="logdir"):
        tf.summary.create_file_writer(None)
