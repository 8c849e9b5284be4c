"""Forward mode of every differentiable row: what arrives is the Jacobian times the direction."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest

from tests.ops.gradcheck import leaf_positions, op_function, random_like
from tests.ops.quirks import expect_quirks
from tests.ops.rows import float_inputs, grad_cases, row_params
from tests.ops.target import arrays_of, call_op, tf
from tests.ops.test_grad1 import differentiable, has_complex
from tests.spec.facts import facts
from tests.spec.table import Case, Spec, kind_of

STEP = 1e-6


def moved(f: Any, xs: list[Any], directions: dict[int, np.ndarray], h: float) -> np.ndarray:
    inputs = [
        tf.constant(x.numpy() + h * directions[i]) if i in directions else x
        for i, x in enumerate(xs)
    ]
    return np.asarray(f(*inputs).numpy())


def check_jvp(f: Any, xs: list[Any], wanted: list[int], rng: Any, tol: float) -> None:
    """All wanted inputs move at once; then reverse mode must agree to rounding."""
    directions = {i: random_like(np.asarray(xs[i].numpy()), rng) for i in wanted}
    primals = [xs[i] for i in wanted]
    tangents = [tf.constant(directions[i]) for i in wanted]
    with tf.GradientTape() as tape:
        tape.watch(primals)
        with tf.autodiff.ForwardAccumulator(primals, tangents) as accumulator:
            y = f(*xs)
        got = accumulator.jvp(y, unconnected_gradients="zero").numpy()
    want = (moved(f, xs, directions, STEP) - moved(f, xs, directions, -STEP)) / (2 * STEP)
    assert got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_allclose(got, want, tol, tol, equal_nan=False)
    dy = random_like(np.asarray(y.numpy()), rng)
    gradients = tape.gradient(y, primals, tf.constant(dy), unconnected_gradients="zero")
    backward = sum(
        np.sum(np.conj(tf.convert_to_tensor(g).numpy()) * directions[i]).real
        for g, i in zip(gradients, wanted, strict=True)
    )
    np.testing.assert_allclose(np.sum(np.conj(dy) * got).real, backward, 1e-9, 1e-9)


def check_case(row: Spec, case: Case, dtype: str) -> int:
    types = facts(row.name).default_types(row.main, dtype)
    arrays = arrays_of(row, case.args, types)
    wanted = leaf_positions(arrays, float_inputs(row, types))
    rng = np.random.default_rng(zlib.crc32(f"{row.name}-{case.id}-jvp".encode()))
    checked = 0
    for index, output in enumerate(call_op(row.name, arrays, case.attrs)):
        if kind_of(output.dtype.name) not in "fc" or index in row.grad_outputs_without:
            continue
        f, xs = op_function(row, case, arrays, index)
        try:
            check_jvp(f, xs, wanted, rng, row.grad_tol)
        except AssertionError as error:
            raise AssertionError(f"{row.name} {case.id} output {index}: {error}") from None
        checked += 1
    return checked


@pytest.mark.parametrize("row", row_params(differentiable))
def test_jvp(row: Spec, request: Any) -> None:
    expect_quirks(request, "jvp", row.name)
    assert sum(check_case(row, case, row.grad_dtype) for case in grad_cases(row, row.grad_dtype))


@pytest.mark.parametrize("row", row_params(has_complex))
def test_jvp_complex(row: Spec, request: Any) -> None:
    """Tangents in the complex plane."""
    expect_quirks(request, "jvp_complex", row.name)
    assert sum(check_case(row, case, "complex128") for case in grad_cases(row, "complex128"))


def second_order(f: Any, x: Any, v: Any, outer: str, inner: str) -> float:
    """v·H·v of the scalar `f` at `x`, by forward ("f") or reverse ("r") mode over either."""

    def first(x: Any) -> Any:
        if inner == "f":
            with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
                y = f(x)
            return accumulator.jvp(y, unconnected_gradients="zero")
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tf.reduce_sum(tape.gradient(y, x, unconnected_gradients="zero") * v)

    if outer == "f":
        with tf.autodiff.ForwardAccumulator(x, v) as accumulator:
            slope = first(x)
        return float(accumulator.jvp(slope, unconnected_gradients="zero"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        slope = first(x)
    return float(tf.reduce_sum(tape.gradient(slope, x, unconnected_gradients="zero") * v))


def smooth_in_one_input(row: Spec) -> bool:
    return differentiable(row) and row.grad_order > 1 and row.grad_dtype == "float64"


@pytest.mark.parametrize("row", row_params(smooth_in_one_input))
def test_all_four_second_orders_agree(row: Spec) -> None:
    """Forward over forward, forward over reverse, reverse over forward, reverse over reverse."""
    case = grad_cases(row)[0]
    types = facts(row.name).default_types(row.main, "float64")
    arrays = arrays_of(row, case.args, types)
    [place, *_] = leaf_positions(arrays, float_inputs(row, types))
    of_op, xs = op_function(row, case, arrays, 0)
    rng = np.random.default_rng(zlib.crc32(row.name.encode()))
    weights = random_like(np.asarray(of_op(*xs).numpy()), rng)
    v = tf.constant(random_like(np.asarray(xs[place].numpy()), rng))

    def scalar(x: Any) -> Any:
        return tf.reduce_sum(of_op(*xs[:place], x, *xs[place + 1 :]) * weights)

    if "float" not in of_op(*xs).dtype.name:
        pytest.skip("the output is complex")
    ways = [second_order(scalar, xs[place], v, outer, inner) for outer in "fr" for inner in "fr"]
    np.testing.assert_allclose(ways, ways[-1], 1e-9, 1e-9)
