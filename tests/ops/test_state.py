"""Variables: values, gradients, and updates that later reads see and earlier reads do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.target import tf

pytestmark = pytest.mark.skipif(not hasattr(tf, "Variable"), reason="needs Variable")
DTYPES = ("float32", "float64", "int32", "int64", "complex64")
START = [[1, 2], [3, 4], [5, 6]]


def variable(dtype: str = "float32") -> Any:
    return tf.Variable(np.array(START, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_assign(dtype: str) -> None:
    v = variable(dtype)
    before = v.read_value()
    start = np.array(START, dtype)
    np.testing.assert_array_equal(v.numpy(), start)
    v.assign_add(start)
    np.testing.assert_array_equal(v.numpy(), 2 * start)
    v.assign_sub(3 * start)
    np.testing.assert_array_equal(v.numpy(), -start)
    v.assign(start * start)
    np.testing.assert_array_equal(v.numpy(), start * start)
    np.testing.assert_array_equal(before.numpy(), start)


def test_array_handed_in_is_copied() -> None:
    array = np.ones(3, np.float32)
    v = tf.Variable(array)
    array[:] = 7
    np.testing.assert_array_equal(v.numpy(), [1, 1, 1])


@pytest.mark.parametrize(
    "value", [np.ones(3, np.float32), np.ones((2, 2), np.float32)], ids=["vector", "matrix"]
)
def test_wrong_shape(value: np.ndarray) -> None:
    v = variable()
    with pytest.raises(ValueError):
        v.assign(value)
    np.testing.assert_array_equal(v.numpy(), np.array(START, np.float32))


def test_wrong_dtype() -> None:
    v = variable()
    with pytest.raises((ValueError, TypeError, tf.errors.InvalidArgumentError)):
        v.assign(tf.constant(np.array(START, np.float64)))


@pytest.mark.parametrize(
    "name, step",
    [
        ("scatter_nd_update", lambda a, b: b),
        ("scatter_nd_add", np.add),
        ("scatter_nd_sub", np.subtract),
    ],
)
def test_scatter_nd(name: str, step: Any) -> None:
    v = variable()
    getattr(v, name)([[0, 1], [2, 0]], np.array([10, 20], np.float32))
    want = np.array(START, np.float32)
    want[0, 1], want[2, 0] = step(want[0, 1], 10), step(want[2, 0], 20)
    np.testing.assert_array_equal(v.numpy(), want)


ROW_STEPS = {
    "scatter_update": lambda a, b: b,
    "scatter_add": lambda a, b: a + b,
    "scatter_sub": lambda a, b: a - b,
    "scatter_mul": lambda a, b: a * b,
    "scatter_div": lambda a, b: a / b,
    "scatter_min": np.minimum,
    "scatter_max": np.maximum,
}
NUMBERS = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "complex64")


def stepped(step: Any, start: np.ndarray, places: Any, updates: Any) -> np.ndarray:
    """Update after update, as the methods promise."""
    want = start.copy()
    for place, update in zip(places, updates, strict=True):
        changed = step(want[place], update)
        if start.dtype.kind in "iu":
            changed = np.trunc(changed)
        want[place] = changed.astype(start.dtype)
    return want


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", ROW_STEPS)
def test_scatter_rows(name: str, dtype: str) -> None:
    """Repeated rows are taken one after another; earlier reads keep what they saw."""
    if dtype == "complex64" and name in ("scatter_min", "scatter_max"):
        pytest.skip("complex numbers have no order")
    start, rows = np.array(START, dtype), np.array([[9, 2], [2, 1], [4, 3]], dtype)
    v = tf.Variable(start)
    before = v.read_value()
    delta = tf.IndexedSlices(tf.constant(rows), tf.constant([2, 0, 2]))
    assert getattr(v, name)(delta) is not None
    want = stepped(ROW_STEPS[name], start, [2, 0, 2], rows)
    np.testing.assert_allclose(v.numpy(), want, 1e-3 if dtype == "float16" else 1e-6)
    np.testing.assert_array_equal(before.numpy(), start)


def test_scatter_rows_of_other_shapes() -> None:
    v = tf.Variable(np.zeros((4, 2, 3), np.float32))
    values = np.arange(24, dtype=np.float32).reshape(2, 2, 2, 3)
    places = np.array([[3, 1], [0, 1]])
    v.scatter_add(tf.IndexedSlices(tf.constant(values), tf.constant(places)))
    want = np.zeros((4, 2, 3), np.float32)
    np.add.at(want, places.reshape(-1), values.reshape(4, 2, 3))
    np.testing.assert_array_equal(v.numpy(), want)
    tf.raw_ops.ResourceScatterMul(resource=v.handle, indices=[0, 3], updates=np.float32(2))
    want[[0, 3]] *= 2
    np.testing.assert_array_equal(v.numpy(), want)
    v.scatter_add(tf.IndexedSlices(tf.zeros([0, 2, 3]), tf.zeros([0], tf.int32)))
    np.testing.assert_array_equal(v.numpy(), want)


@pytest.mark.parametrize(
    "name, step", [("scatter_nd_max", np.maximum), ("scatter_nd_min", np.minimum)]
)
def test_scatter_nd_extremes(name: str, step: Any) -> None:
    v = variable()
    getattr(v, name)([[0, 1], [2, 0]], np.array([3, 4], np.float32))
    want = np.array(START, np.float32)
    want[0, 1], want[2, 0] = step(want[0, 1], 3), step(want[2, 0], 4)
    np.testing.assert_array_equal(v.numpy(), want)


def test_scatter_of_strings_and_truth_values() -> None:
    v = tf.Variable(["a", "b"])
    v.scatter_update(tf.IndexedSlices(tf.constant(["long enough for the heap"]), tf.constant([1])))
    assert v.numpy().tolist() == [b"a", b"long enough for the heap"]
    v.scatter_nd_update([[0]], ["c"])
    assert v.numpy().tolist()[0] == b"c"
    v = tf.Variable([True, False])
    v.scatter_update(tf.IndexedSlices(tf.constant([True]), tf.constant([1])))
    assert v.numpy().tolist() == [True, True]


def test_batch_scatter_update() -> None:
    v = tf.Variable(np.zeros((2, 2, 3), np.float32))
    indices = np.array([[[2], [0]], [[1], [1]]], np.int32)
    values = np.array([[[1], [2]], [[3], [4]]], np.float32)
    v.batch_scatter_update(tf.IndexedSlices(tf.constant(values), tf.constant(indices)))
    want = [[[0, 0, 1], [2, 0, 0]], [[0, 3, 0], [0, 4, 0]]]
    np.testing.assert_array_equal(v.numpy(), want)


def test_wrong_scatters_change_nothing() -> None:
    v = variable()

    def rows(values: Any, places: Any) -> Any:
        return tf.IndexedSlices(tf.constant(values), tf.constant(places))

    invalid = tf.errors.InvalidArgumentError
    good = np.ones((1, 2), np.float32)
    for call, error, text in [
        (lambda: v.scatter_add(rows(good, [3])), invalid, "is not in"),
        (lambda: v.scatter_add(rows(good, [-1])), invalid, "is not in"),
        (lambda: v.scatter_add(rows(good[:, :1], [0])), invalid, "shape"),
        (lambda: v.scatter_div(rows(0 * good, [0])), invalid, "0"),
        (lambda: v.scatter_nd_max([[3, 0]], [1.0]), invalid, "does not index into shape"),
        (lambda: v.scatter_add(tf.constant(good)), TypeError, "IndexedSlices"),
        (lambda: v.batch_scatter_update([1]), TypeError, "IndexedSlices"),
        (lambda: tf.Variable(1.0).scatter_add(rows([1.0], [0])), invalid, "rows|shape"),
        (lambda: v.scatter_add(rows(np.ones((1, 2)), [0])), invalid, "(?i)dtype"),
        (lambda: tf.Variable(["a"]).scatter_add(rows(["a"], [0])), invalid, "string"),
    ]:
        with pytest.raises(error, match=text):
            call()
    np.testing.assert_array_equal(v.numpy(), np.array(START, np.float32))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_count_up_to(dtype: str) -> None:
    v = tf.Variable(np.array(1, dtype))
    assert [int(v.count_up_to(3)), int(v.count_up_to(3))] == [1, 2]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 3"):
        v.count_up_to(3)
    assert int(v.numpy()) == 3 and v.count_up_to(4).dtype.name == dtype
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.Variable(1.0).count_up_to(3)


def test_assign_to_a_slice() -> None:
    v = variable()
    v[1:, 0].assign(np.array([7, 8], np.float32))
    np.testing.assert_array_equal(v.numpy(), [[1, 2], [7, 4], [8, 6]])


def test_read_gradient() -> None:
    """Reading is the identity on the tape; a variable is watched by itself."""
    v = variable()
    with tf.GradientTape() as tape:
        y = v.read_value() * v.read_value()
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), 2 * np.array(START, np.float32))


def test_gradient_is_at_the_value_read() -> None:
    """An assignment after the read does not change the gradient."""
    v = variable()
    with tf.GradientTape() as tape:
        y = v.read_value() * v.read_value()
        v.assign_add(np.ones((3, 2), np.float32))
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), 2 * np.array(START, np.float32))


def test_not_trainable_is_not_watched() -> None:
    v = tf.Variable(np.float32(3), trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v) is None


def test_second_order() -> None:
    v = tf.Variable(np.float64(2))
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = v * v * v
        dy = inner.gradient(y, v)
    assert dy.numpy() == 12.0
    assert outer.gradient(dy, v).numpy() == 12.0
