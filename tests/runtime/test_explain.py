"""GradientTape.explain: for each way to lose a gradient its cause, the op, the line and a fix."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import agog as tf


@pytest.fixture
def lines():
    tf.debugging.enable_gradient_lines()
    yield
    tf.debugging.disable_gradient_lines()


def line() -> str:
    """Where the caller is."""
    frame = inspect.currentframe().f_back
    return f"{__file__}:{frame.f_lineno}, in {frame.f_code.co_name}"


X = tf.constant([3.0, 1.0])


def check(tape, target, source, cause, op=None, *texts):
    """The report is right, printable, and agrees with the gradient that the tape gives."""
    report = tape.explain(target, source)
    assert (report.cause, report.op) == (cause, op), str(report)
    assert report.fix or report.connected
    for text in texts:
        assert text in str(report)
    if cause != "used":
        gradient = tape.gradient(target, source)
        assert (gradient is not None) == report.connected
    return report


def test_a_gradient_that_is_there():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.reduce_sum(tf.exp(X))
    report = check(tape, y, X, "connected")
    assert report.path == ("Exp", "Sum") and "not None" in repr(report)


def test_a_source_that_was_not_watched():
    with tf.GradientTape() as tape:
        y = X * X
    check(tape, y, X, "unwatched", None, "never watched", "tape.watch", "assign_add")


def test_variables_that_are_not_watched():
    fixed, unread, v = tf.Variable(1.0, trainable=False), tf.Variable(1.0), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * fixed
    check(tape, y, fixed, "unwatched", None, "not trainable", "Variable")
    check(tape, y, unread, "unwatched", None, "not read")
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * fixed
    check(tape, y, v, "unwatched", None, "watch_accessed_variables=False")


def test_integer_sources_and_targets():
    n = tf.constant([1, 2])
    with tf.GradientTape() as tape:
        y = tf.cast(n, tf.float32)
    check(tape, y, n, "dtype", None, "source has dtype int32")
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = tf.cast(X * 2.0, tf.int32)
    with pytest.warns(UserWarning, match="explain"):
        check(tape, y, X, "dtype", "Cast", "target has dtype int32")


def test_ops_without_a_gradient_are_named():
    w = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        stopped = w * tf.reduce_sum(tf.stop_gradient(X * 2.0) * 3.0)
        largest = w * tf.cast(tf.argmax(X), tf.float32)
        places = tf.cast(tf.raw_ops.TopKV2(input=X, k=2)[1], tf.float32)
    report = check(tape, stopped, X, "blocked", "StopGradient", "leave out stop_gradient")
    assert report.path == ("Mul", "StopGradient", "Mul", "Sum", "Mul")
    check(tape, largest, X, "blocked", "ArgMax", "custom_gradient")
    check(tape, places, X, "blocked", "TopKV2")


def test_an_op_with_a_gradient_for_another_input_only():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        shape = tf.cast(tf.shape(X), tf.float32)
        y = tf.reshape(X, tf.shape(X)) * shape
    check(tape, y, X, "connected")
    check(tape, shape, X, "blocked", "Shape")


def test_through_numpy(lines):
    w = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        values, here = (X * 2.0).numpy(), line()
        y = tf.reduce_sum(tf.constant(np.sin(values)))
        z = w * y
    assert check(tape, y, X, "python", "Mul", "agog.custom_gradient").place == here
    assert check(tape, z, X, "python", "Mul").place == here


def test_through_an_assignment(lines):
    v = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        tape.watch(X)
        _, here = v.assign(X * 2.0), line()
        y = tf.reduce_sum(v * v)
    report = check(tape, y, X, "assigned", "AssignVariableOp")
    assert report.place == here
    assert report.path == ("Mul", "AssignVariableOp", "ReadVariableOp", "Mul", "Sum")
    fixed = tf.Variable([0.0, 0.0], trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(X)
        fixed.assign_add(X)
        y = tf.reduce_sum(fixed)
    check(tape, y, X, "assigned", "AssignVariableOp")


def test_outside_the_block():
    with tf.GradientTape() as tape:
        tape.watch(X)
        z = X * 2.0
    check(tape, z * z, X, "independent", None, "outside the tape's with-block")
    with tf.GradientTape() as tape:
        tape.watch(X)
        with tape.stop_recording():
            y = X * X
    check(tape, y, X, "unrecorded", None, "stop_recording")


def test_outside_the_block_with_lines(lines):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        z = X * 2.0
        with tape.stop_recording():
            a, there = tf.exp(X), line()
    b, here = tf.sin(z), line()
    report = check(tape, b + 1.0, X, "unrecorded", "Sin")
    assert report.place == here and report.path == ("Sin", "AddV2")
    assert check(tape, a, X, "unrecorded", "Exp").place == there


def test_lines_of_ops(lines):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y, here = tf.floor(X) * 2.0, line()
    assert check(tape, y, X, "blocked", "Floor", here).place == here


def test_another_source():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = w * w
    check(tape, y, X, "independent", None, "other tensors")


def test_a_tape_that_was_used():
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = X * X
    tape.gradient(y, X)
    check(tape, y, X, "used", None, "persistent=True")


def test_custom_rules():
    @tf.custom_gradient
    def silent(x):
        return x * 2.0, lambda dy: None

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = silent(X)
    check(tape, y, X, "blocked", "silent", "its rule gave none")


def test_inside_the_block_of_a_plain_tape_and_structures():
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = w * tf.reduce_sum(X)
        reports = tape.explain(y, {"x": X, "w": [w], "c": tf.constant(1.0)})
    assert [reports["x"].cause, reports["w"][0].cause] == ["connected", "connected"]
    assert reports["c"].cause == "unwatched"
    assert tape.gradient(y, [X, w])[0] is not None


def test_a_target_that_is_the_source_and_wrong_arguments():
    with tf.GradientTape() as tape:
        tape.watch(X)
        assert tape.explain(X, X).connected
        for wrong in (None, [X], 3.0):
            with pytest.raises(TypeError, match="target must be one tensor"):
                tape.explain(wrong, X)
        with pytest.raises(TypeError, match="source must be"):
            tape.explain(X, 3.0)


def test_watching_a_stopped_tensor_makes_it_a_source():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        h = tf.stop_gradient(X * 2.0)
        before = h * 1.0
        tape.watch(h)
        y = h * h
    assert tape.gradient(y, h).numpy().tolist() == [12.0, 4.0]
    assert tape.gradient(y, X) is None
    check(tape, before, X, "blocked", "StopGradient")
    check(tape, y, X, "blocked", "StopGradient")
    assert tape.gradient(before, h) is None


def test_dead_ends_are_forgotten():
    v = tf.Variable(tf.zeros([100]), trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(X)
        for i in range(100):
            tf.argmax(X)
            v.assign(tf.fill([100], tf.stop_gradient(X)[0] + float(i)))
        assert len(tape._lineage()) < 20
    del v
    assert len(tape._lineage()) < 20
