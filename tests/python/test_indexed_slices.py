"""IndexedSlices: what it holds, and where it becomes a tensor. Behaviour is TensorFlow 2.21's."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import agog as tf


def slices(shape: list[int] | None = None) -> tf.IndexedSlices:
    values = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return tf.IndexedSlices(values, tf.constant([0, 0]), tf.constant(shape) if shape else None)


def test_its_parts():
    s = slices([3, 2])
    assert s.dtype is tf.float32 and s.shape == [3, 2] and s.indices.numpy().tolist() == [0, 0]
    assert s.values.shape == [2, 2] and s.dense_shape.numpy().tolist() == [3, 2]
    assert slices().shape.rank is None and slices().dense_shape is None
    assert s.consumers() == [] and "CPU" in s.device and tf.is_tensor(s)
    assert str(s).startswith("IndexedSlices(indices=tf.Tensor([0 0], shape=(2,), dtype=int32), val")
    assert not isinstance(s, tf.Tensor)
    for name in ("name", "op", "graph"):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined"):
            getattr(s, name)


def test_conversion_adds_repeated_rows():
    want = [[4.0, 6.0], [0.0, 0.0], [0.0, 0.0]]
    s = slices([3, 2])
    assert tf.convert_to_tensor(s).numpy().tolist() == want
    assert (tf.ones([3, 2]) * s).numpy().tolist() == want
    assert tf.reduce_sum(s).numpy() == 10.0
    assert tf.convert_to_tensor(-s).numpy().tolist() == (-np.array(want)).tolist()
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(slices())
    with pytest.raises(ValueError, match="float64"):
        tf.convert_to_tensor(s, tf.float64)


def test_gradients_flow_through_the_conversion():
    values = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(values)
        dense = tf.convert_to_tensor(tf.IndexedSlices(values, tf.constant([1, 0]), [2, 2]))
        y = tf.reduce_sum(dense * [[1.0, 2.0], [3.0, 4.0]])
    assert tape.gradient(y, values).numpy().tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_copies():
    for again in (copy.copy(slices([3, 2])), pickle.loads(pickle.dumps(slices([3, 2])))):
        assert tf.convert_to_tensor(again).numpy()[0].tolist() == [4.0, 6.0]


def test_gradients_of_gathered_rows() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape(persistent=True) as tape:
        twice = tf.nn.embedding_lookup(w, [[2, 0], [2, 2]])
        once = tf.reduce_sum(twice * twice)
        both = once + tf.reduce_sum(tf.gather(w, [1]))
        mixed = once + tf.reduce_sum(w)
    rows = tape.gradient(once, w)
    assert isinstance(rows, tf.IndexedSlices)
    assert rows.indices.numpy().tolist() == [2, 0, 2, 2]
    assert rows.values.numpy().tolist() == [[10.0, 12.0], [2.0, 4.0], [10.0, 12.0], [10.0, 12.0]]
    assert rows.dense_shape.numpy().tolist() == [3, 2]
    want = np.array([[2.0, 4.0], [0.0, 0.0], [30.0, 36.0]])
    np.testing.assert_array_equal(tf.convert_to_tensor(rows), want)
    joined = tape.gradient(both, w)
    assert joined.indices.numpy().tolist() == [1, 2, 0, 2, 2]
    np.testing.assert_array_equal(tf.convert_to_tensor(joined), want + [[0], [1], [0]])
    # What reads the whole variable, too, gives a whole gradient.
    np.testing.assert_array_equal(tape.gradient(mixed, w).numpy(), want + 1)
    np.testing.assert_array_equal(tape.gradient(mixed, [w])[0].numpy(), want + 1)


def test_gradients_of_rows_have_gradients() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(w, [1, 1]) ** 3)
        rows = tape.gradient(y, w)
        total = tf.reduce_sum(rows.values)
    second = outer.gradient(total, w)
    assert tf.convert_to_tensor(second).numpy().tolist() == [[0.0, 0.0], [36.0, 48.0]]
    with tf.GradientTape() as tape:
        y = tf.gather(w, [1])
    assert tape.jacobian(y, w).shape.as_list() == [1, 2, 2, 2]


def test_clipping_keeps_rows() -> None:
    w = tf.Variable([[3.0], [4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(w, [0, 1]) ** 2) / 2
    rows = tape.gradient(y, w)
    [clipped], norm = tf.clip_by_global_norm([rows], 1.0)
    assert float(norm) == 5.0
    np.testing.assert_allclose(clipped.values, [[0.6], [0.8]], 1e-6)
    np.testing.assert_allclose(tf.clip_by_norm(rows, 1.0).values, [[0.6], [0.8]], 1e-6)
    assert clipped.indices.numpy().tolist() == [0, 1]
