"""State that is no variable: Python values, random numbers, the whole of a training; threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import agog as tf


class Counter:
    def __init__(self, start: int = 0) -> None:
        self.state = {"at": start}

    def save_state(self):
        return self.state

    def restore_state(self, state) -> None:
        self.state = state


def test_save_state_and_restore_state(tmp_path: Path) -> None:
    counter = Counter()
    counter.state = {
        "at": 3,
        4: (None, True, 1.5, float("inf"), "text", b"\x00\xff"),
        "nested": [[], {}, {"tensor": tf.constant([1, 2]), "array": np.eye(2)}],
        "large": 2**100,
    }
    v = tf.Variable(1.0)
    path = tf.train.Checkpoint(v=v, counter=counter).save(tmp_path / "c")
    again = Counter()
    tf.train.Checkpoint(v=v, counter=again).restore(path).assert_consumed()
    tensors = again.state["nested"][2]
    assert tensors["tensor"].numpy().tolist() == [1, 2]
    assert tensors["array"].numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    counter.state["nested"][2] = again.state["nested"][2] = None
    assert again.state == counter.state


def test_a_state_that_is_refused_changes_nothing(tmp_path: Path) -> None:
    class Refusing(Counter):
        def restore_state(self, state) -> None:
            raise RuntimeError("not this one")

    path = tf.train.Checkpoint(a=tf.Variable(1.0), c=Counter(3)).save(tmp_path / "c")
    v = tf.Variable(0.0)
    with pytest.raises(RuntimeError, match="not this one"):
        tf.train.Checkpoint(a=v, c=Refusing()).restore(path)
    assert float(v) == 0.0


def test_a_state_of_other_values_is_refused(tmp_path: Path) -> None:
    counter = Counter()
    counter.state = object()
    with pytest.raises(TypeError, match=r"save_state\(\) of Counter must return"):
        tf.train.Checkpoint(c=counter).save(tmp_path / "c")
    assert not list(tmp_path.iterdir())


def test_python_state(tmp_path: Path) -> None:
    class State(tf.train.experimental.PythonState):
        value = "one"

        def serialize(self):
            return self.value

        def deserialize(self, string_value) -> None:
            self.value = string_value.decode()

    state = State()
    path = tf.train.Checkpoint(state=state).save(tmp_path / "c")
    assert "state/.ATTRIBUTES/py_state" in dict(tf.train.list_variables(path))
    state.value = "two"
    tf.train.Checkpoint(state=state).restore(path).assert_consumed()
    assert state.value == "one"


class Training:
    def __init__(self) -> None:
        self.w = tf.Variable(np.linspace(-1, 1, 12, dtype="float32").reshape(4, 3))
        self.adam = tf.train.AdamOptimizer(0.01)
        self.momentum = tf.train.MomentumOptimizer(0.01, 0.9)
        self.generator = tf.random.Generator.from_seed(3)
        self.data = Counter()
        random = tf.train.experimental.RandomState()
        self.checkpoint = tf.train.Checkpoint(
            w=self.w,
            adam=self.adam,
            momentum=self.momentum,
            generator=self.generator,
            data=self.data,
            random=random,
        )

    def step(self) -> None:
        self.data.state["at"] += 1
        x = self.generator.normal([8, 4]) + float(self.data.state["at"])
        noise = tf.random.normal([8, 3])

        def loss() -> tf.Tensor:
            return tf.reduce_mean(tf.square(tf.matmul(x, self.w) - noise))

        self.adam.minimize(loss, var_list=[self.w])
        self.momentum.minimize(loss, var_list=[self.w])

    def variables(self) -> list[tf.Variable]:
        slots = [self.adam.get_slot(self.w, name) for name in ("m", "v")]
        return [self.w, *slots, self.momentum.get_slot(self.w, "momentum")]


def test_a_step_after_restoring_is_the_uninterrupted_step(tmp_path: Path) -> None:
    """Optimizers, a generator, the global random state and the position in the data."""
    tf.random.set_seed(11)
    run = Training()
    for _ in range(3):
        run.step()
    path = run.checkpoint.save(tmp_path / "c")
    run.step()
    run.step()
    tf.random.set_seed(99)
    again = Training()
    again.step()
    again.checkpoint.restore(path).assert_consumed()
    again.step()
    again.step()
    for a, b in zip(run.variables(), again.variables(), strict=True):
        assert a.numpy().tobytes() == b.numpy().tobytes()


def pipeline() -> object:
    dataset = tf.data.Dataset.range(100).shuffle(20, seed=3).map(lambda x: x * 2).repeat(2)
    return iter(dataset.batch(3))


def test_iterators_of_datasets(tmp_path: Path) -> None:
    data = pipeline()
    for _ in range(20):
        next(data)
    v = tf.Variable(1.0)
    path = tf.train.Checkpoint(v=v, data=data).save(tmp_path / "c")
    want = [next(data).numpy().tolist() for _ in range(40)]
    again = pipeline()
    tf.train.Checkpoint(v=v, data=again).restore(path).assert_consumed()
    assert [next(again).numpy().tolist() for _ in range(40)] == want


def draw() -> list[np.ndarray]:
    """From ops with seeds and without, of several kinds and dtypes."""
    tensors = [
        tf.random.normal([3]),
        tf.random.uniform([3], seed=5),
        tf.random.uniform([3], 0, 100, tf.int32, seed=-6),
        tf.random.truncated_normal([3], dtype=tf.float64, seed=7),
        tf.random.shuffle(tf.range(20), seed=8),
        tf.nn.dropout(tf.ones([20]), 0.5),
    ]
    return [tensor.numpy() for tensor in tensors]


@pytest.mark.parametrize("seed", [None, 11, 2**40])
def test_random_state_of_ops(tmp_path: Path, seed: int | None) -> None:
    from agog.random.seeds import _State

    _State.seed = _State.op_seeds = None
    if seed is not None:
        tf.random.set_seed(seed)
    draw()
    checkpoint = tf.train.Checkpoint(random=tf.train.experimental.RandomState())
    path = checkpoint.save(tmp_path / "c")
    want = draw(), draw()
    assert not np.array_equal(want[0][0], want[1][0])
    tf.random.set_seed(3)
    checkpoint.restore(path).assert_consumed()
    for numbers in want:
        for a, b in zip(numbers, draw(), strict=True):
            assert np.array_equal(a, b)


def test_random_state_takes_only_what_it_gave() -> None:
    from agog import _core

    before = _core.random_streams()
    for bad in ([(1, 2)], [("op", 1, 2, 3, 4, 5, -6)], [("op", 0, 0, 0, 0, 0, "x")]):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            _core.set_random_streams(bad)
    assert sorted(_core.random_streams()) == sorted(before)


# ---- asynchronous saving


def test_a_thread_writes_the_state_of_the_moment(tmp_path: Path) -> None:
    v = tf.Variable(tf.ones([1 << 20]))
    checkpoint = tf.train.Checkpoint(v=v)
    options = tf.train.CheckpointOptions(enable_async=True)
    path = checkpoint.save(tmp_path / "c", options)
    v.assign_add(tf.ones([1 << 20]))
    checkpoint.sync()
    assert tf.train.latest_checkpoint(tmp_path) == path
    checkpoint.restore(path)
    assert float(tf.reduce_max(v)) == float(tf.reduce_min(v)) == 1.0


def test_errors_of_the_thread_are_raised_by_sync(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    options = tf.train.CheckpointOptions(enable_async=True)
    checkpoint.save(tmp_path / "file" / "c", options)
    with pytest.raises(tf.errors.OpError):
        checkpoint.sync()
    checkpoint.save(tmp_path / "c")


def test_callbacks(tmp_path: Path) -> None:
    seen = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[seen.append, lambda: seen.append("none")]
    )
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "c", options)
    assert seen == [path, "none"]
