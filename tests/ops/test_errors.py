"""Wrong calls: the class, a text that names argument and offender, and no harm done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.quirks import expect_quirks
from tests.ops.rows import elementwise, row_params, skip_absent
from tests.ops.target import IS_AGOG, call_op, error_class, failures, tf
from tests.spec.all import rows
from tests.spec.facts import facts
from tests.spec.table import Call, Spec


def error_params() -> list[Any]:
    return [
        pytest.param(row, call, id=f"{row.name}-{call.id}", marks=skip_absent(row))
        for row in rows()
        for call in row.errors
    ]


@pytest.mark.parametrize("row, call", error_params())
def test_errors(row: Spec, call: Call, request: Any) -> None:
    expect_quirks(request, "errors", row.name, call.id)
    with tf.GradientTape() as tape, pytest.raises(error_class(call.error)) as caught:
        call_op(row.name, call.args, call.attrs)
    if IS_AGOG:
        assert call.text in str(caught.value)
        assert f"[Op:{row.name}]" in str(caught.value)
    assert_healthy(tape)


def assert_healthy(tape: Any) -> None:
    """The failed call left nothing open: a new tape works and sees only its own ops."""
    x = tf.constant(3.0)
    y = tf.raw_ops.Mul(x=x, y=x)
    assert tape.gradient(y, x) is None
    with tf.GradientTape() as fresh:
        fresh.watch(x)
        y = tf.raw_ops.Mul(x=x, y=x)
    assert fresh.gradient(y, x).numpy() == 6.0


@pytest.mark.parametrize("row", row_params(elementwise))
def test_unknown_argument(row: Spec) -> None:
    """A misspelt argument is a TypeError that names it."""
    inputs = {name: tf.constant(1.0) for name in facts(row.name).input_names()}
    with pytest.raises(TypeError, match="no_such_argument"):
        getattr(tf.raw_ops, row.name)(**inputs, no_such_argument=1)


@pytest.mark.parametrize("row", row_params(elementwise))
def test_missing_argument(row: Spec) -> None:
    inputs = {name: tf.constant(1.0) for name in facts(row.name).input_names()[1:]}
    with pytest.raises(TypeError, match=facts(row.name).input_names()[0]):
        getattr(tf.raw_ops, row.name)(**inputs)


def test_tape_closes_when_the_user_fails() -> None:
    x = tf.constant(2.0)
    with pytest.raises(ZeroDivisionError), tf.GradientTape() as tape:
        tape.watch(x)
        raise ZeroDivisionError
    y = tf.raw_ops.Mul(x=x, y=x)
    assert tape.gradient(y, x) is None, "the tape went on recording after its block"


def test_errors_in_a_gradient_leave_no_tape_open() -> None:
    x = tf.constant(np.ones((2, 3)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Mul(x=x, y=x)
    with pytest.raises(failures("InvalidArgumentError", "ValueError")):
        tape.gradient(y, x, output_gradients=tf.constant(np.ones((5, 7))))
    with tf.GradientTape() as fresh:
        fresh.watch(x)
        y = tf.raw_ops.Mul(x=x, y=x)
    np.testing.assert_array_equal(fresh.gradient(y, x).numpy(), 2 * np.ones((2, 3)))
