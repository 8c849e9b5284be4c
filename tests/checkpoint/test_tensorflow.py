"""Exchange with real TensorFlow, which runs in an environment of its own.

`AGOG_TEST_TF` names its Python interpreter (or `AGOG_BENCH_TF`, that of the benchmarks).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agog as tf
from agog.checkpoint.bundle_reader import BundleReader
from agog.checkpoint.bundle_writer import write_bundle
from tests.checkpoint.test_bundle import same, tensors

PEER = os.environ.get("AGOG_TEST_TF") or os.environ.get("AGOG_BENCH_TF", "")
ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(not PEER, reason="AGOG_TEST_TF names no interpreter with TensorFlow"),
]


def run(framework: str, *arguments: Any) -> Any:
    """A script or module in one of the two environments; the JSON that it prints last."""
    python = sys.executable if framework == "agog" else PEER
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    if framework == "tensorflow":
        environment["PYTHONPATH"] = ""  # its NumPy and ours are not the same
    done = subprocess.run(
        [python, *map(str, arguments)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def act(framework: str, action: str, path: Path) -> Any:
    return run(framework, "-m", "tests.checkpoint.models", framework, action, path)


@pytest.mark.parametrize("writer", ["agog", "tensorflow"])
def test_exchange(tmp_path: Path, writer: str) -> None:
    """Both read what either writes, at once and deferred, and go on with the same step."""
    saved = act(writer, "save", tmp_path / "c")
    for reader in ("agog", "tensorflow"):
        for action in ("restore", "defer"):
            found = act(reader, action, tmp_path / "c-1")
            assert found["save_counter"] == 1
            assert found["values"] == saved["values"], (reader, action)
            assert found["next"] == saved["next"], (reader, action)


ALL_DTYPES = """
import json, sys
import numpy as np, tensorflow as tf
read, write = sys.argv[1:]
reader = tf.train.load_checkpoint(read)
names = sorted(reader.get_variable_to_shape_map())
values = [tf.constant(reader.get_tensor(name)) for name in names]
tf.raw_ops.SaveV2(prefix=write, tensor_names=names, shape_and_slices=[""] * len(names),
                  tensors=values)
dtypes = reader.get_variable_to_dtype_map()
print(json.dumps({name: dtypes[name].name for name in names}))
"""


def test_every_dtype_there_and_back(tmp_path: Path) -> None:
    written = tensors()
    written |= {f"many/{i}/with/a/long/name": tf.constant(i) for i in range(10_000)}
    write_bundle(str(tmp_path / "ours"), written)
    dtypes = run("tensorflow", "-c", ALL_DTYPES, tmp_path / "ours", tmp_path / "theirs")
    assert dtypes == {name: tensor.dtype.name for name, tensor in written.items()}
    reader = BundleReader(str(tmp_path / "theirs"))
    assert sorted(reader.names()) == sorted(written)
    for name, tensor in written.items():
        assert same(reader.tensor(name), tensor), name


def test_an_overwritten_checkpoint(tmp_path: Path) -> None:
    for _ in range(2):
        write_bundle(str(tmp_path / "ours"), {"x": tf.constant([1.5])})
    assert (tmp_path / "ours.data-00001-of-00002").exists()
    assert run("tensorflow", "-c", ALL_DTYPES, tmp_path / "ours", tmp_path / "t") == {
        "x": "float32"
    }


SLICES = """
import sys, numpy as np, tensorflow as tf
a = np.arange(70000 * 2).reshape(70000, 2).astype("float32")
tf.raw_ops.SaveV2(prefix=sys.argv[1] + "/rows", tensor_names=["p/v", "p/v"],
    shape_and_slices=["70000 2 0,9000:-", "70000 2 9000,61000:-"], tensors=[a[:9000], a[9000:]])
tf.raw_ops.SaveV2(prefix=sys.argv[1] + "/columns", tensor_names=["p/v", "p/v"],
    shape_and_slices=["70000 2 -:0,1", "70000 2 0,70000:1,1"], tensors=[a[:, :1], a[:, 1:]])
for i in range(3):
    tf.raw_ops.SaveV2(prefix=f"{sys.argv[1]}/part{i}", tensor_names=[f"x{i}"],
        shape_and_slices=[""], tensors=[a[i]])
tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[f"{sys.argv[1]}/part{i}" for i in range(3)],
    destination_prefix=sys.argv[1] + "/shards", delete_old_dirs=False)
print(0)
"""


def test_slices_and_shards(tmp_path: Path) -> None:
    """Partitioned variables, and what several writers merged: more than one data file."""
    run("tensorflow", "-c", SLICES, tmp_path)
    whole = np.arange(70000 * 2, dtype="float32").reshape(70000, 2)
    for name in ("rows", "columns"):
        reader = BundleReader(str(tmp_path / name))
        assert reader.names() == ["p/v"]
        assert np.array_equal(reader.tensor("p/v").numpy(), whole)
    assert (tmp_path / "shards.data-00002-of-00003").exists()
    reader = BundleReader(str(tmp_path / "shards"))
    for i in range(3):
        assert np.array_equal(reader.tensor(f"x{i}").numpy(), whole[i])


SAVER = """
import json, sys, tensorflow as tf
a, b = tf.Variable([0.0, 0.0], name="a"), tf.Variable(0, name="scope/b")
saver = tf.compat.v1.train.Saver([a, b])
saver.restore(None, tf.train.latest_checkpoint(sys.argv[1]))
a.assign_add([1.0, 1.0])
print(json.dumps([saver.save(None, sys.argv[2] + "/m", global_step=7), int(b)]))
"""


def test_saver_and_state_file(tmp_path: Path) -> None:
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3, name="scope/b")
    saver = tf.train.Saver([a, b])
    saver.save(None, tmp_path / "ours é" / "m", global_step=1)
    path, number = run("tensorflow", "-c", SAVER, tmp_path / "ours é", tmp_path / "theirs")
    assert number == 3 and path == tf.train.latest_checkpoint(tmp_path / "theirs")
    saver.restore(None, path)
    assert a.numpy().tolist() == [2.0, 3.0]
    with_names = tf.train.Checkpoint(x=tf.Variable([0.0, 0.0], name="a"))
    with_names.restore(path)
    assert with_names.x.numpy().tolist() == [2.0, 3.0]


MANAGER = """
import json, sys, tensorflow as tf
v = tf.Variable(0.0)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), sys.argv[1], max_to_keep=2)
restored = manager.restore_or_initialize()
v.assign_add(1.0)
print(json.dumps([restored, manager.save(), manager.checkpoints]))
"""


def test_managers_take_turns(tmp_path: Path) -> None:
    v = tf.Variable(5.0)
    ours = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    ours.save()
    restored, saved, kept = run("tensorflow", "-c", MANAGER, tmp_path)
    assert restored == str(tmp_path / "ckpt-1") and saved == str(tmp_path / "ckpt-2")
    again = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=2)
    assert again.checkpoints == kept and again.restore_or_initialize() == saved
    assert float(v) == 6.0
    assert again.save() == str(tmp_path / "ckpt-3")


STATE = """
import json, sys, tensorflow as tf
class State(tf.train.experimental.PythonState):
    value = ""
    def serialize(self):
        return "from TensorFlow"
    def deserialize(self, string_value):
        self.value = string_value.decode()
v, state = tf.Variable(0.0), State()
data = iter(tf.data.Dataset.range(5))
tf.train.Checkpoint(v=v, state=state).restore(sys.argv[1]).expect_partial()
found = [float(v), state.value]
path = tf.train.Checkpoint(v=v, state=state, data=data).write(sys.argv[2])
print(json.dumps([*found, path]))
"""


def test_state_beside_variables(tmp_path: Path) -> None:
    """PythonState is exchanged; iterators are not, and disturb nothing."""

    class State(tf.train.experimental.PythonState):
        value = "from agog"

        def serialize(self):
            return self.value

        def deserialize(self, string_value) -> None:
            self.value = string_value.decode()

    class Data:
        def save_state(self):
            return {"position": tf.constant([3])}

        def restore_state(self, state) -> None:
            raise AssertionError("TensorFlow's iterators are not ours")

    v, state = tf.Variable(4.0), State()
    ours = tf.train.Checkpoint(v=v, state=state, data=Data())
    path = ours.save(tmp_path / "c")
    *found, theirs = run("tensorflow", "-c", STATE, path, tmp_path / "theirs")
    assert found == [4.0, "from agog"]
    status = ours.read(theirs).expect_partial()
    assert state.value == "from TensorFlow"
    assert [value.name for value in status.missing] == ["data"]
    assert status.unused == status.deferred == []
