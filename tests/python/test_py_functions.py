"""py_function and numpy_function; results checked with TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agog as tf

X = tf.constant([1.0, 2.0])


def test_results_are_tensors_of_the_dtypes() -> None:
    assert tf.py_function(lambda a: a + 1, [X], tf.float32).numpy().tolist() == [2.0, 3.0]
    assert tf.py_function(lambda a: 3, [X], tf.float32).dtype is tf.float32
    assert tf.py_function(lambda a: a, [X], tf.TensorSpec([2])).shape == (2,)
    two = tf.py_function(lambda a: (a, a), [X], [tf.float32, tf.float32])
    assert [t.shape for t in two] == [(2,), (2,)]
    assert len(tf.py_function(lambda a: a, [X], [tf.float32])) == 1
    assert tf.py_function(lambda a: None, [X], []) == []
    assert tf.numpy_function(lambda a: a + b"x", [tf.constant("s")], tf.string).numpy() == b"sx"
    seen: list[Any] = []
    tf.numpy_function(lambda a: seen.append(type(a)) or a, [tf.constant(3)], tf.int32)
    assert seen == [np.ndarray]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.py_function(lambda a: a, [X], tf.int32), "int32"),
        (lambda: tf.py_function(lambda a: (a, a), [X], [tf.float32]), "returned 2 values"),
        (lambda: tf.numpy_function(lambda a: a.astype(float), [X], tf.float32), "returned float64"),
    ],
)
def test_what_does_not_fit(call: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        call()


def test_errors_stay_and_gradients_flow() -> None:
    with pytest.raises(KeyError):
        tf.numpy_function(lambda a: {}["k"], [X], tf.float32)
    with pytest.raises(ValueError, match="must be callable"):
        tf.py_function(3, [X], tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.py_function(lambda a: a * a, [X], tf.float32)
    assert tape.gradient(y, X).numpy().tolist() == [2.0, 4.0]


def test_in_a_pipeline() -> None:
    dataset = tf.data.Dataset.range(3).map(
        lambda x: tf.py_function(lambda v: v.numpy() * 2, [x], tf.int64), num_parallel_calls=2
    )
    assert [int(x) for x in dataset] == [0, 2, 4]
