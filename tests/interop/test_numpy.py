"""NumPy on tensors, the buffer protocol and read-only views."""

from __future__ import annotations

import gc
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agog as tf

DTYPES = [d for d in tf.dtypes.ALL if d.is_numpy_compatible and d != tf.string]
BUFFERS = [d for d in DTYPES if d != tf.bfloat16]
SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 3), (1,) * 16]


def array_of(dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    values = np.arange(np.prod(shape)).reshape(shape) % 3
    return values.astype(dtype.as_numpy_dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_there_and_back(dtype: Any, shape: tuple[int, ...]) -> None:
    array = array_of(dtype, shape)
    x = tf.constant(array)
    assert x.dtype is dtype and x.shape == shape
    for other in (x.numpy(), np.asarray(x), np.array(x)):
        assert other.dtype == array.dtype and other.shape == shape
        np.testing.assert_array_equal(other, array)


def test_asarray_is_a_read_only_view():
    x = tf.constant(np.arange(1000.0))
    view = np.asarray(x)
    assert not view.flags.writeable and not view.flags.owndata
    assert np.shares_memory(view, np.asarray(x)) and not np.shares_memory(x.numpy(), view)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    with pytest.raises(ValueError):
        view.flags.writeable = True
    del x
    gc.collect()
    tf.zeros([1000], tf.float64) + 5.0
    assert view.tolist() == list(range(1000))


def test_small_tensors_keep_their_views_alive():
    views = [np.asarray(tf.constant([float(i)] * 3)) for i in range(500)]
    gc.collect()
    assert [v.tolist() for v in views] == [[float(i)] * 3 for i in range(500)]


def test_copies_that_are_asked_for():
    x = tf.constant([1.0, 2.0])
    for copied in (np.array(x), x.__array__(copy=True), x.numpy()):
        copied[0] = 9
    assert x.numpy().tolist() == [1, 2]
    assert np.asarray(x, np.float64).dtype == np.float64
    assert np.array(x, copy=False).flags.writeable is False
    with pytest.raises(ValueError):
        np.array(x, dtype=np.float64, copy=False)


def test_functions_of_numpy():
    x, m = tf.constant([1.0, 4.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert np.sqrt(x).tolist() == [1, 2] and np.sum(x) == 5 and np.mean(m) == 2.5
    assert np.add(x, x).tolist() == [2, 8] and np.maximum(x, 2).tolist() == [2, 4]
    assert np.matmul(m, m).tolist() == [[7, 10], [15, 22]] and np.argmax(x) == 1
    assert np.concatenate([x, x]).tolist() == [1, 4, 1, 4] and np.stack([x, x]).shape == (2, 2)
    assert np.shape(m) == (2, 2) and np.ndim(m) == 2 and np.size(m) == 4
    assert np.where(tf.constant([True, False]), x, 0).tolist() == [1, 0]
    assert np.array([x, x]).shape == (2, 2) and np.array([x[0], 1.0]).tolist() == [1, 1]
    assert np.float32(x[0]) == 1 and np.full((2,), x[1]).tolist() == [4, 4]
    three = tf.constant(3)
    assert np.zeros(three).shape == (3,) and np.arange(three).tolist() == [0, 1, 2]
    assert np.arange(5)[three] == 3 and np.arange(5)[tf.constant([0, 1])].tolist() == [0, 1]
    np.testing.assert_allclose(x, [1, 4])
    assert np.asarray(tf.constant(["a", "b"])).tolist() == [b"a", b"b"]


OPERATORS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b,
    lambda a, b: a / b,
    lambda a, b: a**b,
    lambda a, b: a < b,
    lambda a, b: a == b,
    lambda a, b: a @ b,
]


@pytest.mark.parametrize("number", range(len(OPERATORS)))
def test_operators_with_arrays_give_tensors(number: int) -> None:
    op = OPERATORS[number]
    array = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    for x in (tf.constant(array), tf.Variable(array)):
        for left, right in ((array, x), (x, array)):
            result = op(left, right)
            assert isinstance(result, tf.Tensor)
            np.testing.assert_allclose(result.numpy(), op(array, array), rtol=1e-6)


# ---- buffers


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", BUFFERS, ids=lambda d: d.name)
def test_buffer(dtype: Any, shape: tuple[int, ...]) -> None:
    array = array_of(dtype, shape)
    view = memoryview(tf.constant(array))
    assert view.readonly and view.shape == shape and view.itemsize == array.itemsize
    assert view.nbytes == array.nbytes and view.c_contiguous and view.tobytes() == array.tobytes()
    if not dtype.is_complex:  # memoryview reads no complex numbers
        assert view.format == array.dtype.char or np.dtype(view.format) == array.dtype
        if dtype != tf.float16:
            assert view.tolist() == array.tolist()
    np.testing.assert_array_equal(
        np.frombuffer(view, array.dtype) if array.size else [], array.ravel()
    )


def test_buffers_are_read_only_and_keep_memory_alive():
    x = tf.constant(np.arange(1000, dtype=np.int32))
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"\0" * 4000).readinto(x)
    view = memoryview(x)
    del x
    gc.collect()
    tf.zeros([1000], tf.int32) + 5
    assert view[999] == 999
    view.release()
    assert bytes(tf.constant([1, 2], tf.uint8)) == b"\1\2"
    for none in (tf.constant("a"), tf.constant(1.0, tf.bfloat16)):
        with pytest.raises((BufferError, TypeError)):
            memoryview(none)


def test_a_column_major_buffer_is_refused():
    from ctypes import POINTER, byref, c_char, c_int, py_object, pythonapi

    view = (c_char * 256)()  # a Py_buffer, and room to spare
    get = pythonapi.PyObject_GetBuffer
    get.argtypes = [py_object, POINTER(c_char * 256), c_int]
    column_major, row_major = 0x58, 0x38  # PyBUF_F_CONTIGUOUS, PyBUF_C_CONTIGUOUS
    x = tf.ones([2, 3])
    with pytest.raises(BufferError, match="row-major"):
        get(x, byref(view), column_major)
    assert get(x, byref(view), row_major) == 0
    pythonapi.PyBuffer_Release(byref(view))
