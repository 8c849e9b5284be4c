"""Optimizer steps and generator states: one step of a variable against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.ops.target import IS_AGOG, failures, has_op, tf
from tests.spec.facts import facts
from tests.spec.table import kind_of, numpy_dtype

DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "complex64": 1e-6}
SHAPES = ((), (0,), (3,), (2, 33), (1001,))
WRONG = failures("InvalidArgumentError", "ValueError", "TypeError")


def steps(*names: str) -> Any:
    mark = pytest.mark.skip(reason="op not in the registry")
    return pytest.mark.parametrize(
        "name", [pytest.param(n, marks=[] if has_op(n) else [mark]) for n in names]
    )


def draw(rng: np.random.Generator, shape: Any, dtype: str, low: float = -2.0) -> np.ndarray:
    values = rng.uniform(low, 2.0, shape)
    if kind_of(dtype) == "c":
        values = values + 1j * rng.uniform(low, 2.0, shape)
    return np.asarray(values).astype(numpy_dtype(dtype))


def wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def apply(name: str, states: list[np.ndarray], **inputs: Any) -> list[np.ndarray]:
    """One step on fresh variables; `inputs` by name, numbers in the dtype of the states."""
    variables = [tf.Variable(tf.constant(state)) for state in states]
    handles = dict(zip(facts(name).input_names(), [v.handle for v in variables], strict=False))
    ready = {
        key: value if isinstance(value, bool) else tf.constant(np.asarray(value, states[0].dtype))
        for key, value in inputs.items()
    }
    assert getattr(tf.raw_ops, name)(**handles, **ready) is None
    return [wide(v.numpy()) for v in variables]


def close(got: list[np.ndarray], want: list[np.ndarray], dtype: str) -> None:
    limit = TOLERANCE.get(dtype, 1e-14)
    for value, wanted in zip(got, want, strict=True):
        assert value.shape == np.shape(wanted)
        np.testing.assert_allclose(value, wanted, limit, limit)


def rounded(value: float, dtype: str) -> Any:
    return wide(np.asarray(value, numpy_dtype(dtype)))


@steps("ResourceApplyGradientDescent")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradient_descent(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    var, delta = draw(rng, shape, dtype), draw(rng, shape, dtype)
    got = apply(name, [var], alpha=0.3, delta=delta)
    close(got, [wide(var) - rounded(0.3, dtype) * wide(delta)], dtype)


@steps("ResourceApplyMomentum")
@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_momentum(name: str, dtype: str, shape: tuple[int, ...], nesterov: bool) -> None:
    rng = np.random.default_rng(2)
    var, accum, grad = (draw(rng, shape, dtype) for _ in range(3))
    lr, momentum = rounded(0.1, dtype), rounded(0.9, dtype)
    want_accum = wide(accum) * momentum + wide(grad)
    step = wide(grad) * lr + want_accum * momentum * lr if nesterov else want_accum * lr
    got = apply(name, [var, accum], lr=0.1, grad=grad, momentum=0.9, use_nesterov=nesterov)
    close(got, [wide(var) - step, want_accum], dtype)


@steps("ResourceApplyAdam")
@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_adam(name: str, dtype: str, shape: tuple[int, ...], nesterov: bool) -> None:
    rng = np.random.default_rng(3)
    var, m, grad = (draw(rng, shape, dtype) for _ in range(3))
    v = draw(rng, shape, dtype, low=0.1)
    powers = {"beta1_power": 0.5, "beta2_power": 0.75}  # without rounding in any dtype
    settings = {**powers, "lr": 0.125, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.0625}
    rate = 0.125 * np.sqrt(1 - 0.75) / (1 - 0.5)
    want_m = wide(m) + (wide(grad) - wide(m)) * 0.5
    want_v = wide(v) + (wide(grad) ** 2 - wide(v)) * 0.25
    top = want_m * 0.5 + 0.5 * wide(grad) if nesterov else want_m
    want = wide(var) - top * rate / (np.sqrt(want_v) + 0.0625)
    got = apply(name, [var, m, v], grad=grad, use_nesterov=nesterov, **settings)
    close(got, [want, want_m, want_v], dtype)


@pytest.mark.skipif(not IS_AGOG, reason="TensorFlow ends the process")
@steps("ResourceApplyGradientDescent")
def test_wrong_calls_change_nothing(name: str) -> None:
    v = tf.Variable(np.ones(3, np.float32))
    one = tf.constant(1.0)
    wrong = [
        (one, tf.constant(np.ones(4, np.float32))),
        (tf.constant(np.ones(3, np.float32)), tf.constant(np.ones(3, np.float32))),
        (one, tf.constant(np.ones(3))),
        (tf.constant(np.float64(1)), tf.constant(np.ones(3))),
    ]
    for alpha, delta in wrong:
        with pytest.raises(WRONG):
            getattr(tf.raw_ops, name)(var=v.handle, alpha=alpha, delta=delta)
    np.testing.assert_array_equal(v.numpy(), [1, 1, 1])


@steps("ResourceApplyGradientDescent")
def test_earlier_reads_keep_their_value(name: str) -> None:
    v = tf.Variable(np.ones(3, np.float32))
    before = v.read_value()
    delta = tf.constant(np.ones(3, np.float32))
    getattr(tf.raw_ops, name)(var=v.handle, alpha=tf.constant(0.5), delta=delta)
    np.testing.assert_array_equal(before.numpy(), [1, 1, 1])
    np.testing.assert_array_equal(v.numpy(), [0.5, 0.5, 0.5])


@steps("RngReadAndSkip")
def test_read_and_skip(name: str) -> None:
    """The state before comes out; each number skipped moves the counter by 256 blocks."""
    start = np.array([7, 2, 5], np.int64)
    v = tf.Variable(start)
    alg = tf.constant(np.int32(1))
    got = tf.raw_ops.RngReadAndSkip(resource=v.handle, alg=alg, delta=tf.constant(np.uint64(3)))
    np.testing.assert_array_equal(got.numpy(), start)
    np.testing.assert_array_equal(v.numpy(), [7 + 3 * 256, 2, 5])


@steps("RngSkip")
def test_skip(name: str) -> None:
    v = tf.Variable(np.array([7, 2, 5], np.int64))
    result = tf.raw_ops.RngSkip(
        resource=v.handle,
        algorithm=tf.constant(np.int64(1)),
        delta=tf.constant(np.int64(3)),
    )
    assert result is None
    np.testing.assert_array_equal(v.numpy(), [7 + 3 * 256, 2, 5])


@steps("RngReadAndSkip")
def test_skip_carries(name: str) -> None:
    """The counter has 128 bits."""
    v = tf.Variable(np.array([-1, 2, 5], np.int64))
    alg = tf.constant(np.int32(1))
    tf.raw_ops.RngReadAndSkip(resource=v.handle, alg=alg, delta=tf.constant(np.uint64(1)))
    np.testing.assert_array_equal(v.numpy(), [255, 3, 5])


@pytest.mark.skipif(not has_op("_ApplyAdamToAll"), reason="no such op")
def test_adam_of_many_variables_is_that_of_each() -> None:
    rng = np.random.default_rng(5)
    shapes = [(3,), (0, 2), (), (20_000,), (7, 5)]
    arrays = [[rng.uniform(0.1, 1, s).astype("float32") for s in shapes] for _ in range(4)]
    settings = {"beta1_power": 0.5, "beta2_power": 0.75, "lr": 0.25, "beta1": 0.5, "beta2": 0.875}
    settings["epsilon"] = 1e-3
    together, apart = ([[tf.Variable(a) for a in group] for group in arrays[:3]] for _ in range(2))
    handles = [[v.handle for v in group] for group in together]
    named = dict(zip(("var", "m", "v"), handles, strict=True))
    tf.raw_ops._ApplyAdamToAll(**named, grad=arrays[3], **settings)
    for i, grad in enumerate(arrays[3]):
        var, m, v = (group[i].handle for group in apart)
        tf.raw_ops.ResourceApplyAdam(var=var, m=m, v=v, grad=grad, **settings)
        for one, other in zip(together, apart, strict=True):
            np.testing.assert_array_equal(one[i].numpy(), other[i].numpy())
    with pytest.raises(tf.errors.InvalidArgumentError, match="must differ"):
        handles[0][1] = handles[0][0]
        tf.raw_ops._ApplyAdamToAll(**named, grad=arrays[3], **settings)
