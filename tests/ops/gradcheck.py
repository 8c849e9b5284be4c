"""Gradients against central differences, to any order, for real and complex tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.target import call_op, tf
from tests.spec.table import Case, Spec

Function = Callable[..., Any]


def vjp(f: Function, xs: list[Any], index: int, dy: Any, connected: bool = True) -> Any:
    """Gradient of `f` at `xs` with respect to input `index`, for the cotangent `dy`."""
    with tf.GradientTape() as tape:
        tape.watch(xs[index])
        y = f(*xs)
    gradient = tape.gradient(y, xs[index], output_gradients=dy)
    assert gradient is not None or not connected, f"no gradient for input {index}"
    if gradient is None:
        return tf.constant(np.zeros_like(xs[index].numpy()))
    # Gradients of gathers may be sparse.
    return gradient if hasattr(gradient, "numpy") else tf.convert_to_tensor(gradient)


def directions(dtype: np.dtype) -> tuple[complex, ...]:
    return (1.0, 1.0j) if dtype.kind == "c" else (1.0,)


def numeric_vjp(f: Function, xs: list[Any], index: int, dy: np.ndarray, h: float) -> np.ndarray:
    """The same by central differences of Re(sum(conj(dy) * y)), element by element."""
    base = np.asarray(xs[index].numpy())
    found = np.zeros(base.shape, base.dtype)
    for place in np.ndindex(base.shape):
        for direction in directions(base.dtype):
            ends = []
            for sign in (1, -1):
                moved = base.copy()
                moved[place] += sign * h * direction
                inputs = [*xs[:index], tf.constant(moved), *xs[index + 1 :]]
                ends.append(f(*inputs).numpy())
            slope = np.sum(np.conj(dy) * (ends[0] - ends[1])).real / (2 * h)
            found[place] += slope * direction
    return found


def random_like(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A cotangent; never ones, which hide transposes."""
    values = rng.normal(size=y.shape)
    if y.dtype.kind == "c":
        values = values + 1j * rng.normal(size=y.shape)
    return np.asarray(values, y.dtype)


def check_grad(
    f: Function,
    xs: list[Any],
    wanted: list[int],
    order: int,
    rng: np.random.Generator,
    tol: float,
    h: float = 1e-6,
    connected: bool = True,
) -> None:
    """Check `f` at order one, then the function that gives its gradient, and so on.

    A gradient of an op must exist; the gradient of a gradient may be missing where it is zero.
    """
    y = np.asarray(f(*xs).numpy())
    assert np.isfinite(y).all(), "sample outside the domain"
    dy = random_like(y, rng)
    for index in wanted:
        got = np.asarray(vjp(f, xs, index, tf.constant(dy), connected).numpy())
        want = numeric_vjp(f, xs, index, dy, h)
        assert got.shape == want.shape, f"gradient of input {index} has shape {got.shape}"
        assert got.dtype == want.dtype, f"gradient of input {index} is {got.dtype}"
        np.testing.assert_allclose(got, want, tol, tol, equal_nan=False, err_msg=f"input {index}")
        if order > 1:
            check_grad(
                gradient_function(f, index),
                [*xs, tf.constant(dy)],
                [*wanted, len(xs)],
                order - 1,
                rng,
                tol,
                h,
                connected=False,
            )


def gradient_function(f: Function, index: int) -> Function:
    return lambda *args: vjp(f, list(args[:-1]), index, args[-1])


def op_function(
    row: Spec, case: Case, arrays: list[Any], output: int
) -> tuple[Function, list[Any]]:
    """One output of the op as a function of its flattened inputs, and the inputs as tensors."""
    layout = [len(array) if isinstance(array, list) else None for array in arrays]
    leaves = [leaf for array in arrays for leaf in (array if isinstance(array, list) else [array])]

    def f(*xs: Any) -> Any:
        rest = list(xs)
        args = []
        for count in layout:
            if count is None:
                args.append(rest.pop(0))
            else:
                args.append([rest.pop(0) for _ in range(count)])
        return call_op(row.name, args, case.attrs)[output]

    return f, [tf.constant(leaf) for leaf in leaves]


def leaf_positions(arrays: list[Any], wanted: list[int]) -> list[int]:
    """Positions among the flattened inputs of the inputs `wanted`."""
    found, position = [], 0
    for index, array in enumerate(arrays):
        count = len(array) if isinstance(array, list) else 1
        if index in wanted:
            found += range(position, position + count)
        position += count
    return found
