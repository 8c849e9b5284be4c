"""Variables, as tf.Variable in eager mode: the value is replaced and never changed."""

from __future__ import annotations

import copy
import gc
import pickle
import re
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import agog as tf
from agog import _core

# ---- making one


def test_initial_values():
    assert tf.Variable(1.0).dtype == tf.float32 and tf.Variable(1).dtype == tf.int32
    assert tf.Variable([1, 2], dtype=tf.float64).numpy().tolist() == [1, 2]
    assert tf.Variable(lambda: tf.zeros([2])).shape == [2]
    assert tf.Variable(lambda: 1, dtype=tf.float16).dtype == tf.float16
    assert tf.Variable("s").numpy() == b"s" and tf.Variable([True]).dtype == tf.bool
    v = tf.Variable([1.0])
    w = tf.Variable(v)
    w.assign([2.0])
    assert v.numpy().tolist() == [1]


@pytest.mark.parametrize(
    "arguments, kind",
    [
        ({}, ValueError),
        ({"initial_value": None}, ValueError),
        ({"initial_value": 1.0, "constraint": 1}, ValueError),
        ({"initial_value": [1.0, 2.0], "shape": [3]}, ValueError),
        ({"initial_value": 1.5, "dtype": tf.int32}, TypeError),
        ({"initial_value": tf.zeros([2]), "dtype": tf.float64}, ValueError),
        ({"initial_value": 1.0, "name": 3}, ValueError),
        ({"initial_value": {}}, ValueError),
        ({"initial_value": 1.0, "no_such": 1}, TypeError),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], kind: type[Exception]) -> None:
    gc.collect()
    before = _core.live_variable_count()
    with pytest.raises(kind):
        tf.Variable(**arguments)
    gc.collect()
    assert _core.live_variable_count() == before


def test_an_initial_value_that_raises():
    def broken() -> Any:
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        tf.Variable(broken)


def test_names_and_scopes():
    assert tf.Variable(1.0).name == "Variable:0"
    assert [tf.Variable(1.0, name="q").name for _ in range(2)] == ["q:0", "q:0"]
    assert tf.Variable(1.0, name="x/y").name == "x/y:0" and tf.Variable(1.0, name="").name == ":0"
    with tf.name_scope("outer"), tf.name_scope("inner"):
        assert tf.Variable(1.0, name="w").name == "outer/inner/w:0"
    assert tf.Variable(1.0, name="w").name == "w:0"


def test_attributes():
    v = tf.Variable([1.0, 2.0], trainable=False, constraint=abs)
    assert v.trainable is False and v.constraint is abs and tf.Variable(1.0).trainable is True
    assert v.shape == [2] and v.get_shape() == [2] and v.ndim == 1 and "CPU:0" in v.device
    assert v.is_initialized() and isinstance(v, tf.Variable) and not isinstance(v, tf.Tensor)
    assert v.handle.dtype == tf.resource
    v.note = "mine"
    assert v.note == "mine"
    for name in ("name", "dtype", "shape", "trainable"):
        with pytest.raises(AttributeError):
            setattr(v, name, 1)
    with pytest.raises(AttributeError, match="foo"):
        v.foo
    with pytest.raises(ValueError):
        v.set_shape([3])


# ---- assignment


def test_assign_gives_the_variable_back():
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3, 4]) is v and v.numpy().tolist() == [3, 4]
    assert v.assign_add([1, 1]).assign_sub(tf.constant([0.5, 0.5])) is v
    assert v.numpy().tolist() == [3.5, 4.5]
    assert v.assign([0.0, 0.0], read_value=False) is None
    v.assign(np.array([1, 2]))
    v.assign(v * 2.0)
    assert v.numpy().tolist() == [2, 4]
    assert tf.Variable("a").assign("b").numpy() == b"b"


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize(
    "value, kind, text",
    [
        ([1.0, 2.0], ValueError, "[(\\[]2"),
        (1.0, ValueError, "[(\\[][)\\]]"),
        ([[1.0, 2.0, 3.0]], ValueError, "1, ?3"),
        ("a", TypeError, "string"),
        (tf.constant([1, 2, 3]), TypeError, "int32"),
        (tf.constant([1.0, 2.0, 3.0], tf.float64), ValueError, "float64"),
        (None, ValueError, "None"),
        ([1.0, None, 2.0], ValueError, "None"),
        ({}, ValueError, "dict"),
    ],
)
def test_a_failed_assignment_leaves_the_value(
    method: str, value: Any, kind: Any, text: str
) -> None:
    v = tf.Variable([1.0, 2.0, 3.0], name="weights")
    with pytest.raises(kind) as caught:
        getattr(v, method)(value)
    assert re.search(text, str(caught.value))
    assert v.numpy().tolist() == [1, 2, 3] and v.assign_add([1, 1, 1]).numpy().tolist() == [2, 3, 4]


def test_no_sum_of_strings_or_truth_values():
    for v in (tf.Variable("a"), tf.Variable([True])):
        before = v.numpy()
        with pytest.raises((NotImplementedError, ValueError)):
            v.assign_add(before)
        assert v.numpy() == before


def test_partly_unknown_shapes():
    v = tf.Variable([1.0, 2.0], shape=[None])
    assert v.shape.as_list() == [None] and v.value().shape == [2]
    assert v.assign([1.0, 2.0, 3.0]).value().shape == [3]
    with pytest.raises(ValueError):
        v.assign([[1.0]])
    assert len(v.numpy()) == 3
    w = tf.Variable(1.0, shape=tf.TensorShape(None))
    assert w.shape.rank is None and w.assign([[1.0, 2.0]]).value().shape == [1, 2]


# ---- values read earlier


def test_values_read_earlier_never_change():
    v = tf.Variable([1.0, 2.0])
    seen = [
        v.value(),
        v.read_value(),
        tf.identity(v),
        v[0:],
        tf.convert_to_tensor(v),
        v.numpy(),
        np.asarray(v),
    ]
    v.assign_add([1.0, 1.0])
    v.assign_sub([5.0, 5.0])
    v[0].assign(9.0)
    v.assign([0.0, 0.0])
    for value in seen:
        assert np.asarray(value).tolist() == [1, 2]


def test_updates_in_place_reuse_memory():
    v = tf.Variable(tf.zeros([1000, 1000]))
    one = tf.ones([1000, 1000])
    v.assign_add(one)
    _core.reset_peak_stats()
    before = _core.allocator_stats()["bytes_in_use"]
    for _ in range(5):
        v.assign_add(one)
    assert _core.allocator_stats()["peak_bytes_in_use"] - before < 4_000_000
    assert float(v[0, 0]) == 6


def test_the_assigned_tensor_is_not_changed_by_updates():
    source = tf.constant(np.zeros(1000, np.float32))
    v = tf.Variable(source)
    w = tf.Variable(np.ones(1000, np.float32))
    w.assign(source)
    v.assign_add(tf.ones([1000]))
    w.assign_add(tf.ones([1000]))
    assert not source.numpy().any()


# ---- as a tensor


def test_operators():
    v = tf.Variable([1.0, 2.0])
    for result, want in (
        *((v + 1, [2, 3]), (1 + v, [2, 3]), (v * v, [1, 4]), (-v, [-1, -2]), (v / 2, [0.5, 1])),
        *((2 - v, [1, 0]), (v**2, [1, 4]), (v % 2, [1, 0]), (v // 2, [0, 1]), (abs(v), [1, 2])),
        *((np.ones(2) + v, [2, 3]), (v < 2, [True, False]), (v == 1.0, [True, False])),
        *((v[::-1], [2, 1]), (v + tf.constant([1.0, 1.0]), [2, 3]), ([1, 1] + v, [2, 3])),
    ):
        assert isinstance(result, tf.Tensor) and result.numpy().tolist() == want
    assert (v @ tf.ones([2, 1]) if v.ndim == 2 else tf.tensordot(v, [1.0, 1.0], 1)).numpy() == 3
    with pytest.raises(TypeError):
        v + tf.constant([1, 2])


def test_python_protocols():
    v = tf.Variable([1.0, 2.0])
    assert [float(x) for x in v] == [1, 2] and [float(x) for x in reversed(v)] == [2, 1]
    assert int(tf.Variable(3)) == 3 and float(tf.Variable(3.5)) == 3.5 and bool(tf.Variable(1.0))
    assert [10, 20][tf.Variable(1)] == 20 and len(v) == 2
    assert np.asarray(v).tolist() == [1, 2] and np.asarray(v, np.float64).dtype == np.float64
    assert f"{tf.Variable(2.0):.1f}" == "2.0"
    with pytest.raises(TypeError, match="ref"):
        hash(v)
    assert v.ref() == v.ref() and v.ref().deref() is v and v in [v]
    assert {v.ref(): 1}[v.ref()] == 1
    with pytest.raises(ValueError):
        bool(v)


def test_an_operator_with_assignment_does_not_lose_the_variable():
    v = tf.Variable([1.0])
    with pytest.raises(RuntimeError, match="assign_add"):
        v += 1.0
    with pytest.raises(RuntimeError, match="assign"):
        v *= 2.0
    assert isinstance(v, tf.Variable)


def test_reads_by_index():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert v.sparse_read([1, 0]).numpy().tolist() == [[3, 4], [1, 2]]
    assert v.gather_nd([[0, 1]]).numpy().tolist() == [2]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v.sparse_read([1, 1]))
    assert tf.convert_to_tensor(tape.gradient(y, v)).numpy().tolist() == [[0, 0], [2, 2]]


# ---- gradients


def test_gradients_flow_from_every_kind_of_read():
    v = tf.Variable([1.0, 2.0])
    reads = [
        *(lambda: v, v.value, v.read_value, lambda: tf.identity(v), lambda: v + 0.0, lambda: v[:]),
        *(
            lambda: tf.convert_to_tensor(v),
            lambda: tf.stack([v[0], v[1]]),
            lambda: tf.convert_to_tensor([v[0], v[1]]),
        ),
        *(lambda: np.ones(2, np.float32) * v, lambda: tf.stack(list(v))),
    ]
    for read in reads:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(read() * tf.constant([3.0, 4.0]))
        assert tape.gradient(y, v).numpy().tolist() == [3, 4]
        assert tape.watched_variables() == (v,) or tape.watched_variables()[0] is v


def test_a_gradient_belongs_to_the_value_that_was_read():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = v * 2.0
    assert [g.numpy() for g in tape.gradient([y], [v])] == [6.0] and float(z) == 20


def test_untrainable_variables_are_watched_only_when_asked():
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v) is None
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    assert tape.gradient(y, v).numpy() == 6


# ---- copies, life


@pytest.mark.parametrize("value", [[1.0, 2.0], 3, "text", [True], np.zeros((2, 0)), 1j])
def test_copies_are_independent(value: Any) -> None:
    v = tf.Variable(value, name="n", trainable=False)
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert (other.name, other.trainable, other.dtype, other.shape) == (
            "n:0",
            False,
            v.dtype,
            v.shape,
        )
        np.testing.assert_array_equal(other.numpy(), v.numpy())
        other.assign(tf.zeros_like(v))
        np.testing.assert_array_equal(v.numpy(), tf.Variable(value).numpy())


def test_copies_keep_shape_constraint_and_sharing():
    v = tf.Variable([1.0], shape=[None], constraint=abs)
    both = copy.deepcopy([v, v])
    assert both[0] is both[1] is not v and both[0].constraint is abs
    assert both[0].shape.as_list() == [None] and both[0].assign([1.0, 2.0]).numpy().tolist() == [
        1,
        2,
    ]
    again = pickle.loads(pickle.dumps(v))
    assert again.shape.as_list() == [None]


def test_a_dead_variable_frees_its_value():
    gc.collect()
    before = _core.live_variable_count()
    v = tf.Variable(tf.zeros([1000]))
    reference = weakref.ref(v)
    kept = v.value()
    assert _core.live_variable_count() == before + 1
    del v
    gc.collect()
    assert reference() is None and _core.live_variable_count() == before
    assert not kept.numpy().any()


def test_a_cycle_through_a_variable_is_collected():
    gc.collect()
    before = _core.live_variable_count()
    v = tf.Variable(1.0)
    v.itself = v
    del v
    gc.collect()
    assert _core.live_variable_count() == before


def test_readers_in_threads_see_whole_values():
    v = tf.Variable(tf.zeros([20_000]))
    wrong: list[Any] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            value = v.value().numpy()
            if value.min() != value.max():
                wrong.append(value)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(200):
        v.assign(tf.fill([20_000], float(i)))
        v.assign_add(tf.ones([20_000]))
    stop.set()
    for reader in readers:
        reader.join(30)
    assert not wrong and float(v[0]) == 200
