"""DLPack both ways: NumPy here, PyTorch where it is installed."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import agog as tf
from agog.experimental import dlpack

DTYPES = [d for d in tf.dtypes.ALL if d.is_numpy_compatible and d not in (tf.string, tf.bfloat16)]
SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 3)]


def array_of(dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(np.arange(np.prod(shape)).reshape(shape) % 2, dtype.as_numpy_dtype)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_numpy_takes_and_gives(dtype: Any, shape: tuple[int, ...]) -> None:
    array = array_of(dtype, shape)
    x = tf.constant(array)
    taken = np.from_dlpack(x)
    assert (taken.dtype, taken.shape) == (array.dtype, shape) and not taken.flags.writeable
    np.testing.assert_array_equal(taken, array)
    given = dlpack.from_dlpack(array)
    assert given.dtype is dtype and given.shape == shape
    np.testing.assert_array_equal(given.numpy(), array)


def test_memory_is_shared_and_kept_alive():
    x = tf.constant(np.arange(1000.0))
    taken = np.from_dlpack(x)
    assert np.shares_memory(taken, np.asarray(x))
    del x
    gc.collect()
    tf.zeros([1000], tf.float64) + 3.0
    assert taken.tolist() == list(range(1000))
    given = dlpack.from_dlpack(np.arange(1000.0))
    gc.collect()
    np.ones(1000)
    assert given.numpy().tolist() == list(range(1000))


def test_memory_of_another_is_never_written():
    source = np.ones((300, 300), np.float32)
    x = dlpack.from_dlpack(source)
    v = tf.Variable(x)
    v.assign_add(tf.ones([300, 300]))
    y = (x + 1.0) * 2.0
    assert (source == 1).all() and (y.numpy() == 4).all()


def test_strided_arrays():
    array = np.arange(24.0).reshape(4, 6)
    for source in (
        array.T,
        array[::2, 1::2],
        array[:, ::-1],
        array[1:2],
        np.broadcast_to(array[0], (3, 6)),
    ):
        np.testing.assert_array_equal(dlpack.from_dlpack(source).numpy(), source)


def test_capsules():
    x = tf.constant([1.0, 2.0])
    capsule = dlpack.to_dlpack(x)
    again = dlpack.from_dlpack(capsule)
    assert again.numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="used already"):
        dlpack.from_dlpack(capsule)
    for wrong in (None, 1, "a", [1.0]):
        with pytest.raises((TypeError, ValueError)):
            dlpack.from_dlpack(wrong)
    del capsule, again
    x.__dlpack__()  # a capsule that nobody takes
    gc.collect()


def test_the_protocol():
    x = tf.constant([1.0, 2.0])
    assert x.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(x, copy=True).flags.writeable
    for wrong in ({"stream": 1}, {"dl_device": (2, 0)}, {"copy": False}):
        with pytest.raises(BufferError):
            x.__dlpack__(**wrong)
    with pytest.raises((BufferError, TypeError)):
        tf.constant("a").__dlpack__()
    assert dlpack.from_dlpack(tf.constant([3, 4])).numpy().tolist() == [3, 4]


@pytest.mark.peers
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*DTYPES, tf.bfloat16], ids=lambda d: d.name)
def test_torch(dtype: Any, shape: tuple[int, ...]) -> None:
    torch = pytest.importorskip("torch")
    x = tf.constant(array_of(dtype, shape))
    taken = torch.from_dlpack(x)
    assert tuple(taken.shape) == shape and str(taken.dtype).rsplit(".")[-1] == dtype.name
    assert taken.to(torch.complex128).tolist() == x.numpy().astype(complex).tolist()
    given = dlpack.from_dlpack(taken.clone())
    assert given.dtype is dtype
    np.testing.assert_array_equal(given.numpy(), x.numpy())


@pytest.mark.peers
def test_torch_arrays_convert():
    torch = pytest.importorskip("torch")
    assert tf.constant(torch.arange(3)).numpy().tolist() == [0, 1, 2]
    assert tf.constant(torch.ones(2, 3).T).shape == [3, 2]
    assert isinstance(tf.constant([1.0, 2.0]) + torch.ones(2), tf.Tensor)


@pytest.mark.parametrize("wrong", [None, 5, "capsule"], ids=repr)
def test_what_is_no_capsule_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="not a DLPack capsule"):
        dlpack.from_dlpack(wrong)
    with pytest.raises(TypeError, match="method of tensors"):
        tf.Tensor.__dlpack__(wrong)


@pytest.mark.parametrize("shape", [(0, 2**40, 2**40), (2**40, 2**40, 0), (2**62, 0, 4)], ids=str)
def test_sizes_beside_a_zero_may_be_too_large_to_multiply(shape: tuple[int, ...]) -> None:
    x = tf.zeros(shape)
    assert dlpack.from_dlpack(x).shape == shape
    assert dlpack.from_dlpack(dlpack.to_dlpack(x)).shape == shape
    assert memoryview(x).shape == shape
    assert str(list(shape)).strip("[]") in repr(x) and str(list(shape)).strip("[]") in str(x)
