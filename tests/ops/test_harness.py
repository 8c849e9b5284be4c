"""The checks themselves: planted faults must be caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.ops.compare import assert_close, steps
from tests.ops.gradcheck import check_grad
from tests.ops.target import has_op, tf
from tests.spec.all import ROWS, rows
from tests.spec.table import Sampler, Spec, spec

raw = tf.raw_ops
needs = pytest.mark.skipif(
    not all(has_op(name) for name in ("Mul", "MatMul", "Sin", "Cos", "Log", "Transpose")),
    reason="needs a few ops",
)


def check(f: Callable[..., Any], *xs: np.ndarray, order: int = 2) -> None:
    tensors = [tf.constant(x) for x in xs]
    check_grad(f, tensors, list(range(len(xs))), order, np.random.default_rng(0), 1e-5)


def mul(x: Any, y: Any) -> Any:
    return raw.Mul(x=x, y=y)


def seven(x: Any) -> Any:
    return tf.constant(np.full(tuple(x.shape), 7.0))


def sine(slope: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Sine with a gradient of our choice."""

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return raw.Sin(x=x), lambda dy: slope(dy, x)

    return f


X = np.array([[0.3, -0.7, 1.1], [0.5, 0.2, -0.4]])


@needs
def test_right_gradients_pass() -> None:
    check(sine(lambda dy, x: mul(dy, raw.Cos(x=x))), X)
    check(mul, X, X[:1])
    check(lambda a, b: raw.MatMul(a=a, b=b), X, X.T.copy())
    check(lambda a: raw.Sin(x=a), np.zeros((0, 3)))
    check(lambda a: raw.Sin(x=a), np.array(0.5))


@needs
def test_wrong_factor_fails() -> None:
    with pytest.raises(AssertionError):
        check(sine(lambda dy, x: mul(seven(x), mul(dy, raw.Cos(x=x)))), X, order=1)


@needs
def test_wrong_at_order_two_fails() -> None:
    """The slope is right, and then cut off from x."""

    def constant_slope(dy: Any, x: Any) -> Any:
        return mul(dy, tf.constant(np.cos(x.numpy())))

    check(sine(constant_slope), X, order=1)
    with pytest.raises(AssertionError):
        check(sine(constant_slope), X, order=2)


@needs
def test_missing_transpose_fails() -> None:
    @tf.custom_gradient
    def product(a: Any, b: Any) -> Any:
        def slope(dy: Any) -> Any:
            return raw.MatMul(a=dy, b=b), raw.MatMul(a=a, b=dy)

        return raw.MatMul(a=a, b=b), slope

    square = X[:, :2].copy()
    with pytest.raises(AssertionError):
        check(product, square, square + 1, order=1)


@needs
def test_sample_outside_the_domain_fails() -> None:
    with pytest.raises(AssertionError, match="domain"):
        check(lambda x: raw.Log(x=x), np.array([-1.0, 2.0]))


def row(**fields: Any) -> Spec:
    return Spec(name="Test", ref=np.sin, **fields)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_one_step_is_one_ulp(dtype: str) -> None:
    to = np.dtype(getattr(ml_dtypes, dtype)) if dtype == "bfloat16" else np.dtype(dtype)
    values = np.array([1.0, -1.0, 0.0, 2.0, 1e-4]).astype(to)
    above = np.nextafter(values, np.array(np.inf, to))
    np.testing.assert_array_equal(steps(above, values), 1)
    want = values.astype(np.float64)
    assert_close(row(ulp=1), dtype, above, want, [])
    with pytest.raises(AssertionError):
        assert_close(row(ulp=0), dtype, above, want, [])


@pytest.mark.parametrize(
    "got, want", [(np.nan, 1.0), (1.0, np.nan), (np.inf, -np.inf), (-0.0, 0.0), (3e38, np.inf)]
)
def test_special_values_are_not_close(got: float, want: float) -> None:
    with pytest.raises(AssertionError):
        assert_close(row(ulp=4), "float32", np.array([got], np.float32), np.array([want]), [])


def test_scale_is_the_unit() -> None:
    got, want = np.array([1e-6], np.float32), np.array([0.0])
    assert_close(row(ulp=2), "float32", got, want, [], scale=np.array([8.0]))
    with pytest.raises(AssertionError):
        assert_close(row(ulp=2), "float32", got, want, [], scale=np.array([1.0]))


def test_shape_must_match() -> None:
    with pytest.raises(AssertionError, match="shape"):
        assert_close(row(), "int32", np.zeros((1, 2), np.int32), np.zeros(2, np.int32), [])


def test_second_row_of_one_name_is_refused() -> None:
    with pytest.raises(ValueError, match="Abs"):
        spec("Abs", "test")


def test_samples_are_seeded_by_name() -> None:
    one, two = Sampler("Abs", "float32")(4), Sampler("Abs", "float32")(4)
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, Sampler("Neg", "float32")(4))


def test_rows_are_in_the_family_they_are_written_in() -> None:
    assert len(rows()) == len(ROWS) > 200
    assert all(row.family.endswith("_ops") for row in rows())
