"""Errors: class, text, the last line of the traceback, and no harm done."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agog as tf

E = tf.errors
A, B = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.ones([3, 3])
I = tf.constant([1, 2])  # noqa: E741

# ---- classes

CODES = {
    "CancelledError": 1,
    "UnknownError": 2,
    "InvalidArgumentError": 3,
    "DeadlineExceededError": 4,
    "NotFoundError": 5,
    "AlreadyExistsError": 6,
    "PermissionDeniedError": 7,
    "ResourceExhaustedError": 8,
    "FailedPreconditionError": 9,
    "AbortedError": 10,
    "OutOfRangeError": 11,
    "UnimplementedError": 12,
    "InternalError": 13,
    "UnavailableError": 14,
    "DataLossError": 15,
    "UnauthenticatedError": 16,
}


@pytest.mark.parametrize("name", CODES)
def test_classes_and_codes(name: str) -> None:
    error = getattr(E, name)(None, None, "why")
    assert isinstance(error, E.OpError) and error.error_code == CODES[name]
    assert str(error) == error.message == "why" and error.op is None and error.node_def is None
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.error_code) == (type(error), "why", CODES[name])


def test_pythons_own_classes():
    assert issubclass(E.InvalidArgumentError, ValueError)
    assert issubclass(E.UnimplementedError, NotImplementedError)
    assert issubclass(E.ResourceExhaustedError, MemoryError)


# ---- what wrong calls raise, and what they say

WRONG: list[tuple[Callable[[], Any], Any, list[str]]] = [
    # call, class, parts of the text
    (lambda: tf.matmul(A, B), E.InvalidArgumentError, ["a", "b", "[2,2]", "[3,3]", "[Op:MatMul]"]),
    (lambda: A + B, E.InvalidArgumentError, ["[2,2]", "[3,3]", "[Op:AddV2]"]),
    (lambda: A + I, TypeError, ["x", "y", "float32", "int32", "cast", "[Op:AddV2]"]),
    (lambda: A * I, E.InvalidArgumentError, ["float32", "int32", "[Op:Mul]"]),
    (lambda: tf.exp(I), TypeError, ["x must have dtype", "int32", "[Op:Exp]"]),
    (lambda: tf.reshape(A, [3]), ValueError, ["[2,2]", "[3]", "[Op:Reshape]"]),
    (lambda: tf.reduce_sum(A, 5), ValueError, ["axis", "5", "[-2, 2)", "[Op:Sum]"]),
    (lambda: tf.concat([A, B], 0), ValueError, ["[2,2]", "[3,3]", "[Op:ConcatV2]"]),
    (lambda: tf.gather(I, [5]), IndexError, ["indices[0]", "5", "[0, 2)", "[Op:GatherV2]"]),
    (lambda: I[7], IndexError, ["7", "2", "[Op:StridedSlice]"]),
    (lambda: tf.zeros([2**45]), MemoryError, ["bytes", "[Op:Fill]"]),
    (lambda: tf.fill([-1], 0), ValueError, ["dims[0]", "-1", "[Op:Fill]"]),
    (lambda: tf.cast("1", tf.int32), NotImplementedError, ["string", "int32", "[Op:Cast]"]),
    (lambda: tf.raw_ops.AddV2(x=A), TypeError, ["AddV2", "'y'"]),
    (lambda: tf.raw_ops.AddV2(x=A, y=A, z=A), TypeError, ["AddV2", "'z'"]),
    (lambda: tf.raw_ops.AddV2(x=A, y=None), ValueError, ["y", "None"]),
    (lambda: tf.raw_ops.Cast(x=A, DstT="nosuch"), TypeError, ["nosuch"]),
    (lambda: tf.raw_ops.Pack(values=A, axis=0), TypeError, ["values must be a list"]),
    (lambda: tf.raw_ops.MatMul(a=A, b=A, transpose_a=np.zeros(2)), ValueError, ["truth value"]),
    (lambda: tf.raw_ops.Pack(values=[A], axis=2**70), ValueError, ["out of range"]),
    (lambda: tf.raw_ops.Pack(values=[A], axis="a"), TypeError, ["str"]),
    (lambda: tf.raw_ops.NoSuchOp, AttributeError, ["NoSuchOp"]),
    (lambda: tf.raw_ops.Matmul, AttributeError, ["MatMul"]),
    (lambda: tf.tensordot(A, A, [[5], [0]]), E.InvalidArgumentError, ["axis 5", "rank 2"]),
    (lambda: tf.tensordot(A, A, [[0, -2], [0, 1]]), ValueError, ["axes", "a only once"]),
    (lambda: tf.tensordot(1.0, A, [[0], [0]]), E.InvalidArgumentError, ["axis 0", "rank 0"]),
    (lambda: tf.tensordot(A, A, tf.constant(1.5)), TypeError, ["axes", "float32"]),
    (lambda: tf.nn.softmax_cross_entropy_with_logits(1.0, 1.0), E.InvalidArgumentError, ["rank 0"]),
    (lambda: tf.nn.softmax_cross_entropy_with_logits(1.0, A), E.InvalidArgumentError, ["scalar"]),
    (
        lambda: tf.losses.sparse_softmax_cross_entropy(1, 1.0),
        ValueError,
        ["labels", "one axis less"],
    ),
    (lambda: tf.ensure_shape(A, tf.constant("s")), TypeError, ["shape", "b's'"]),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_class_and_text(number: int) -> None:
    call, kind, parts = WRONG[number]
    with pytest.raises(kind) as caught:
        call()
    for part in parts:
        assert part in str(caught.value), f"{part!r} is not in {caught.value}"
    assert str(caught.value).count("[Op:") <= 1


# ---- the traceback ends at the user's line


def optimizer_step(optimizer: Any) -> Callable[[], Any]:
    return lambda: optimizer.apply_gradients([(tf.ones([3]), tf.Variable([1.0, 2.0]))])


def wrong_gradient() -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.ones([3]))


ENDS: dict[str, Callable[[], Any]] = {
    "operator": lambda: A + B,
    "reflected operator": lambda: np.ones((3, 3), np.float32) + A,
    "comparison": lambda: A < I,
    "matmul operator": lambda: A @ B,
    "index": lambda: A[5],
    "index by array": lambda: A[np.array([5])],
    "number": lambda: int(A),
    "truth": lambda: bool(A),
    "hash": lambda: hash(A),
    "iteration": lambda: iter(tf.constant(1)),
    "function": lambda: tf.matmul(A, B),
    "function of functions": lambda: tf.concat([A, B], 0),
    "conversion": lambda: tf.constant([[1], [1, 2]]),
    "conversion of arrays": lambda: tf.constant([np.int8(1), None]),
    "linalg": lambda: tf.linalg.matmul(A, B),
    "nn": lambda: tf.nn.softmax(I),
    "raw op": lambda: tf.raw_ops.MatMul(a=A, b=B),
    "raw op argument": lambda: tf.raw_ops.MatMul(a=A),
    "variable": lambda: tf.Variable(None),
    "assign": lambda: tf.Variable([1.0]).assign([1.0, 2.0]),
    "assign_add": lambda: tf.Variable([1.0]).assign_add([1.0, 2.0]),
    "slice assign": lambda: tf.Variable([1.0])[0].assign([1.0, 2.0]),
    "variable operator": lambda: tf.Variable([1.0]) + I,
    "watch": lambda: tf.GradientTape().watch(1.0),
    "gradient": wrong_gradient,
    "sgd": optimizer_step(tf.train.GradientDescentOptimizer(0.1)),
    "momentum": optimizer_step(tf.train.MomentumOptimizer(0.1, 0.9)),
    "adam": optimizer_step(tf.train.AdamOptimizer(0.1)),
    "random": lambda: tf.random.uniform([-1]),
    "dtype": lambda: tf.as_dtype("nosuch"),
    "set_shape": lambda: A.set_shape([3]),
    "item assignment": lambda: A.__setitem__(0, 1.0),
    "attribute": lambda: A.astype,
    "module": lambda: tf.Module(name="not a name"),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_last_frame_is_the_users(name: str) -> None:
    with pytest.raises(Exception) as caught:
        ENDS[name]()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert frames[-1].filename == __file__, frames[-1]
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_all_frames_are_shown_when_asked():
    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(ValueError) as caught:
            tf.reduce_sum(A, 5)
    finally:
        tf.debugging.enable_traceback_filtering()
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename != __file__


def test_frames_of_the_user_inside_agog_stay():
    @tf.custom_gradient
    def broken(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise KeyError("mine")

        return x * 2.0, grad

    with tf.GradientTape() as tape:
        tape.watch(A)
        y = broken(A)
    with pytest.raises(KeyError) as caught:
        tape.gradient(y, A)
    names = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "grad"


# ---- the state after an error


def assert_no_tape_is_open() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_tape_goes_on_after_an_error(number: int) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with pytest.raises(Exception):  # noqa: B017 - the class is tested above
            WRONG[number][0]()
        z = y * 2.0
    assert tape.gradient(z, x).numpy() == 12.0


@pytest.mark.parametrize("name", ["operator", "function", "gradient", "sgd", "index", "conversion"])
def test_an_error_inside_a_block_closes_the_tape(name: str) -> None:
    x = tf.constant(3.0)
    with pytest.raises(Exception), tf.GradientTape() as tape:  # noqa: B017
        tape.watch(x)
        ENDS[name]()
    y = x * x
    assert tape.gradient(y, x) is None
    assert_no_tape_is_open()


def test_a_failing_gradient_function_leaves_no_tape_open():
    @tf.custom_gradient
    def broken(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            raise ZeroDivisionError

        return x * 2.0, grad

    with tf.GradientTape() as outer:
        outer.watch(A)
        with tf.GradientTape() as tape:
            tape.watch(A)
            y = broken(A)
        with pytest.raises(ZeroDivisionError):
            tape.gradient(y, A)
        z = A * A
    np.testing.assert_array_equal(outer.gradient(z, A).numpy(), 2 * A.numpy())
    assert_no_tape_is_open()


@pytest.mark.parametrize("name", ["sgd", "momentum", "adam"])
def test_a_failed_step_changes_no_variable(name: str) -> None:
    make = {
        "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
        "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
        "adam": lambda: tf.train.AdamOptimizer(0.1),
    }[name]
    v, optimizer = tf.Variable([1.0, 2.0]), make()
    with pytest.raises((ValueError, TypeError)):
        optimizer.apply_gradients([(tf.ones([3]), v)])
    assert v.numpy().tolist() == [1, 2]
    optimizer.apply_gradients([(tf.ones([2]), v)])
    assert (v.numpy() < [1, 2]).all()
