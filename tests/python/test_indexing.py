"""Indexing in every form of Python, against NumPy; gradients; assignment to slices."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import agog as tf

A = np.arange(24.0).reshape(2, 3, 4)


class Key:
    """Gives what stands in brackets: `KEY[1:, None]`."""

    def __getitem__(self, key: Any) -> Any:
        return key


class Indexable:
    def __index__(self) -> int:
        return 1


KEY = Key()
BASIC = [
    *(KEY[0], KEY[-1], KEY[1, 2], KEY[1, 2, 3], KEY[-2, -3, -4], KEY[()], KEY[...], KEY[:]),
    *(KEY[::-1], KEY[:, ::-1], KEY[..., ::-2], KEY[1:], KEY[:-1], KEY[-1:], KEY[:, 1:3, ::2]),
    *(
        KEY[5:],
        KEY[-100:100],
        KEY[1:0],
        KEY[0:2:-1],
        KEY[2:0:-1],
        KEY[:, 10:0:-1],
        KEY[:, -1:-9:-1],
    ),
    *(KEY[None], KEY[:, None], KEY[..., None], KEY[None, ..., None], KEY[None, None, 0]),
    *(KEY[0, ...], KEY[..., 0], KEY[1, ..., 2], KEY[0, ..., 1, 2], KEY[0, 1, 2, ...]),
    *(
        KEY[..., None, 0],
        KEY[0, None, 1],
        KEY[None, :, 1:, None, 0],
        KEY[:, :, :],
        KEY[:, :, :, None],
    ),
    *(KEY[np.int64(1)], KEY[np.uint8(1) :], KEY[np.array(1)], KEY[Indexable()], KEY[: Indexable()]),
    *(KEY[: 10**30], KEY[-(10**30) :], KEY[:: 10**30], KEY[: sys.maxsize], KEY[:: -(10**30)]),
    *(KEY[2**62 :: 2**62], KEY[-(2**63) : 2**63 - 1]),
]


@pytest.mark.parametrize("key", BASIC, ids=repr)
def test_basic_indexing_is_numpys(key: Any) -> None:
    for value in (tf.constant(A), tf.Variable(A)):
        result = value[key]
        assert result.shape == A[key].shape
        np.testing.assert_array_equal(result.numpy(), A[key])


I = np.array([1, 0, -1])  # noqa: E741
J = np.array([[0, 2], [-3, 1]])
ROWS = np.array([True, False])
ADVANCED = [
    *(
        KEY[I % 2],
        KEY[:, I],
        KEY[..., I],
        KEY[J % 2],
        KEY[:, J],
        KEY[0, I],
        KEY[:, 0, I],
        KEY[I % 2, 0],
    ),
    *(KEY[I % 2, I], KEY[I % 2, I, I], KEY[:, I, I], KEY[I % 2, :, I], KEY[I % 2, ..., I]),
    *(
        KEY[0, :, I],
        KEY[0, ..., I],
        KEY[0, I, 1],
        KEY[I % 2, None, I],
        KEY[None, I % 2],
        KEY[:, None, I],
    ),
    *(
        KEY[I % 2, 1:],
        KEY[1:, I],
        KEY[::-1, ::-1, I],
        KEY[:, I, ::2],
        KEY[:, I, None],
        KEY[:1, I, 0],
    ),
    *(KEY[I[:, None] % 2, I], KEY[J % 2, J], KEY[:, J, J], KEY[:, J, 1], KEY[np.array([], int)]),
    *(
        KEY[ROWS],
        KEY[~ROWS, 1],
        KEY[ROWS, :, 0],
        KEY[ROWS, I],
        KEY[ROWS, ..., I],
        KEY[A[0, :, 0] > 3],
    ),
    *(KEY[A > 7], KEY[A[:, :, 0] > 3], KEY[..., A[0] > 5], KEY[:, A[0] > 5], KEY[A > 99]),
    *(KEY[A[:, :, 0] > 3, 1], KEY[None, ROWS], KEY[0, A[0] > 5], KEY[I.astype(np.uint8) % 2]),
]
ADVANCED = [
    key
    for key in ADVANCED
    if not (isinstance(key, np.ndarray) and key.shape == (3,) and key.dtype == bool)
]


@pytest.mark.parametrize("number", range(len(ADVANCED)))
def test_advanced_indexing_is_numpys(number: int) -> None:
    key = ADVANCED[number]
    result = tf.constant(A)[key]
    assert result.shape == A[key].shape
    np.testing.assert_array_equal(result.numpy(), A[key])
    np.testing.assert_array_equal(tf.Variable(A)[as_tensors(key)].numpy(), A[key])


def as_tensors(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(as_tensors(entry) for entry in key)
    return tf.constant(key) if isinstance(key, np.ndarray) else key


def test_scalar_tensors_are_indices():
    x = tf.constant(A)
    one = tf.constant(1)
    for index in (one, tf.constant(1, tf.int64), tf.constant(1, tf.uint8), tf.Variable(1)):
        np.testing.assert_array_equal(x[index].numpy(), A[1])
    np.testing.assert_array_equal(x[:one, -one, one :: one + one].numpy(), A[:1, -1, 1::2])
    np.testing.assert_array_equal(x[tf.constant([0, 1]), one].numpy(), A[[0, 1], 1])


def test_a_list_is_read_as_a_tuple():
    """As in TensorFlow, and unlike NumPy."""
    assert tf.constant(A)[[1, 2]].numpy().tolist() == A[1, 2].tolist()


@pytest.mark.parametrize("dtype", list(tf.dtypes.ALL[:16]), ids=lambda d: d.name)
def test_every_dtype_is_indexed(dtype: Any) -> None:
    x = tf.constant(np.array([[0, 1, 1], [1, 0, 1]]), dtype) if dtype != tf.string else None
    x = tf.constant([["a", "bc", "d"], ["e", "", "f"]]) if x is None else x
    whole = x.numpy()
    for key in (KEY[0], KEY[1, 2], KEY[:, ::-1], KEY[..., 1:], KEY[None], KEY[:, np.array([2, 0])]):
        assert x[key].dtype == dtype
        np.testing.assert_array_equal(x[key].numpy(), whole[key])


def test_scalars_and_empty_tensors():
    scalar, empty = tf.constant(5.0), tf.zeros([0, 3])
    assert scalar[()].numpy() == scalar[...].numpy() == 5
    assert scalar[None].shape == [1] and empty[:, 1:].shape == [0, 2]
    assert empty[::-1].shape == empty[5:].shape == [0, 3]
    with pytest.raises(IndexError):
        empty[0]
    with pytest.raises((IndexError, ValueError)):
        scalar[0]


WRONG: list[tuple[Any, Any, str]] = [
    # key, class, part of the text
    (KEY[2], IndexError, "2"),
    (KEY[-3], IndexError, "-3"),
    (KEY[0, 3], IndexError, "3"),
    (KEY[0, 0, -5], IndexError, "-5"),
    (KEY[2**62], IndexError, "4611686018427387904"),
    (KEY[2**63], IndexError, "9223372036854775808"),
    (KEY[2**63 - 1], IndexError, "9223372036854775807"),
    (KEY[-(2**63)], IndexError, "-9223372036854775808"),
    (KEY[-(10**30)], IndexError, "-1000000000000000000000000000000"),
    (KEY[:, np.array([0, 3])], IndexError, "3 is out of bounds for dimension 1 of size 3"),
    (KEY[np.array([0, -3])], IndexError, "-3 is out of bounds for dimension 0 of size 2"),
    (KEY[0, np.array([7])], IndexError, "7 is out of bounds for dimension 1 of size 3"),
    (KEY[5, np.array([0])], IndexError, "5 is out of bounds for dimension 0 of size 2"),
    (KEY[np.array([True, False, True])], IndexError, "mask of shape (3,)"),
    (KEY[:, A[0, 0] > 0], IndexError, "mask of shape (4,)"),
    (KEY[np.array([0, 1]), np.array([0, 1, 2])], IndexError, "(2,), (3,)"),
    (KEY[0, 0, 0, 0], IndexError, "4"),
    (KEY[0, 0, 0, np.array([0])], IndexError, "too many indices: 4"),
    (KEY[..., ...], (IndexError, ValueError), "ellips"),
    (KEY[np.array([0]), ..., ...], IndexError, "ellipsis"),
    (KEY[::0], ValueError, "0"),
    (KEY[1.0], TypeError, "1.0"),
    (KEY["a"], TypeError, "'a'"),
    (KEY["a":], TypeError, "'a'"),
    (KEY[1.5:], TypeError, "1.5"),
    (KEY[object()], TypeError, "object"),
    (KEY[{}], TypeError, "{}"),
    (KEY[np.array([0.5])], TypeError, "float64"),
    (KEY[tf.constant(1.0)], TypeError, "float32"),
    (KEY[: tf.constant([1])], TypeError, "shape"),
    (KEY[True], ValueError, "mask"),
    (KEY[tf.constant(True)], ValueError, "mask"),
    (KEY[(None,) * 20], NotImplementedError, "rank"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_indices(number: int) -> None:
    key, kind, text = WRONG[number]
    for value in (tf.constant(A), tf.Variable(A)):
        with pytest.raises(kind) as caught:
            value[key]
        assert text in str(caught.value)
        if kind is IndexError:
            assert isinstance(caught.value, tf.errors.InvalidArgumentError)


def test_an_index_out_of_range_names_index_and_bound():
    with pytest.raises(IndexError, match=r"7\b.*\b3\b"):
        tf.constant([1, 2, 3])[7]


def test_the_old_iteration_protocol_ends():
    """Iteration through __getitem__ stops at the first IndexError."""

    class Proxy:
        def __getitem__(self, i: int) -> Any:
            return tf.constant([1, 2, 3])[i]

    assert [int(x) for x in Proxy()] == [1, 2, 3]


def test_views_keep_their_memory():
    part = tf.constant(np.arange(10_000.0))[5:8]
    for _ in range(10):
        tf.zeros([10_000]) + 1.0
    assert part.numpy().tolist() == [5, 6, 7]


# ---- gradients

GRADIENT_KEYS = [
    *(KEY[0], KEY[1, -1], KEY[::-1], KEY[:, 1:, ::2], KEY[..., None, 0], KEY[5:], KEY[2:0:-1]),
    *(
        KEY[np.array([1, 1, 0])],
        KEY[:, np.array([-1, 0, 0])],
        KEY[np.array([0, 1, 1]), :, np.array([3, 0, 0])],
    ),
    *(KEY[0, :, np.array([0, 0])], KEY[A > 7], KEY[ROWS], KEY[:, A[0] > 5]),
]


@pytest.mark.parametrize("number", range(len(GRADIENT_KEYS)))
def test_gradient_through_an_index(number: int) -> None:
    key = GRADIENT_KEYS[number]
    weights = np.random.default_rng(number).normal(size=A[key].shape)
    want = np.zeros_like(A)
    np.add.at(want, key, weights)
    for x in (tf.constant(A), tf.Variable(A)):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x[key]
                loss = tf.reduce_sum(y * y * weights) * 0.5
            grad = tape.gradient(loss, x)
        np.testing.assert_allclose(grad.numpy(), want * A)
        np.testing.assert_allclose(outer.gradient(grad, x).numpy(), want)


def test_gradient_of_a_chain_of_indices():
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[1][2][3] + x[0, 0, 0]
    grad = tape.gradient(y, x).numpy()
    assert grad[1, 2, 3] == grad[0, 0, 0] == 1 and grad.sum() == 2


# ---- assignment to slices of variables

ASSIGNED = [
    *(
        (KEY[0], 9.0),
        (KEY[-1], np.ones((3, 4))),
        (KEY[1:, 0], np.full((1, 4), 5.0)),
        (KEY[:, 0], 7),
    ),
    *((KEY[0, 1, 2], 3.0), (KEY[..., 1], np.arange(6.0).reshape(2, 3)), (KEY[::-1], A + 100)),
    *(
        (KEY[:, ::2, ::-1], 1.0),
        (KEY[5:], 1.0),
        (KEY[None], 2.0),
        (KEY[:, :, 3:0:-2], np.array([1.0, 2.0])),
    ),
    *((KEY[...], A * 2), (KEY[()], 0.0), (KEY[A > 7], 0.0), (KEY[:, np.array([2, 0])], A[:, :2])),
    *((KEY[1, :, np.array([0, -1])], 5.0), (KEY[ROWS], np.ones((3, 4)))),
]


@pytest.mark.parametrize("number", range(len(ASSIGNED)))
def test_slice_assignment_is_numpys(number: int) -> None:
    key, value = ASSIGNED[number]
    for method, change in (
        ("assign", lambda o, n: n),
        ("assign_add", np.add),
        ("assign_sub", np.subtract),
    ):
        want = A.copy()
        want[key] = change(want[key], value)
        v = tf.Variable(A)
        before = v.value()
        assert getattr(v[key], method)(value) is v
        np.testing.assert_array_equal(v.numpy(), want)
        np.testing.assert_array_equal(before.numpy(), A)


def test_slice_assignment_with_tensor_indices():
    v = tf.Variable(A)
    v[tf.constant(1), : tf.constant(2)].assign(0.0)
    want = A.copy()
    want[1, :2] = 0
    np.testing.assert_array_equal(v.numpy(), want)


@pytest.mark.parametrize(
    "key, value, kind",
    [
        (KEY[0], np.ones(3), (ValueError, tf.errors.InvalidArgumentError)),
        (KEY[0], np.ones((2, 3, 4)), (ValueError, tf.errors.InvalidArgumentError)),
        (KEY[0], "a", TypeError),
        (KEY[0], tf.constant(1), TypeError),
        (KEY[0], None, ValueError),
        (KEY[np.array([0, 1])], np.ones(3), (ValueError, tf.errors.InvalidArgumentError)),
    ],
)
def test_a_wrong_slice_assignment_changes_nothing(key: Any, value: Any, kind: Any) -> None:
    v = tf.Variable(A)
    with pytest.raises(kind):
        v[key].assign(value)
    np.testing.assert_array_equal(v.numpy(), A)


def test_only_slices_of_variables_are_assigned():
    v = tf.Variable(A)
    for part in (tf.constant(A)[0], v[0][0], v.value()):
        with pytest.raises((TypeError, AttributeError)):
            part.assign(1.0)
    for target in (tf.constant(A), v):
        with pytest.raises(TypeError, match="assign"):
            target[0] = 1.0
