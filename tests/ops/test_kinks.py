"""Values and gradients that are conventions, against records of real TensorFlow."""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np
import pytest

from tests.ops.gradcheck import check_grad, op_function
from tests.ops.target import IS_AGOG, call_op, error_class, has_op, tensor, tf
from tests.spec.all import ROWS
from tests.spec.conventions import FACTS, Fact
from tests.spec.facts import GOLDEN
from tests.spec.table import Case, kind_of, numpy_dtype


@functools.cache
def records() -> dict[str, Any]:
    return json.loads((GOLDEN / "records.json").read_text())


def decode(entry: dict[str, Any]) -> np.ndarray:
    data = entry["data"]
    if kind_of(entry["dtype"]) == "c":
        data = [complex(*parts) for parts in data]
    if kind_of(entry["dtype"]) in "iu":  # no detour over float64
        return np.array(data, entry["dtype"]).reshape(entry["shape"])
    return np.array(data).astype(numpy_dtype(entry["dtype"])).reshape(entry["shape"])


def assert_same(fact: Fact, got: np.ndarray, entry: dict[str, Any]) -> None:
    want = decode(entry)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if kind_of(entry["dtype"]) not in "fc":
        np.testing.assert_array_equal(got, want)
        return
    wide = np.complex128 if kind_of(entry["dtype"]) == "c" else np.float64
    np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=fact.tol, atol=0)


def params(keep: Any) -> list[Any]:
    absent = pytest.mark.skip(reason="op not in the registry")
    return [
        pytest.param(fact, id=fact.id, marks=[] if has_op(fact.op) else [absent])
        for fact in FACTS.values()
        if keep(fact) and not (IS_AGOG and fact.ours)
    ]


@pytest.mark.parametrize("fact", params(lambda fact: True))
def test_values(fact: Fact) -> None:
    record = records()[fact.id]
    if "error" in record:
        with pytest.raises(error_class(record["error"])):
            call_op(fact.op, fact.args, fact.attrs)
        return
    outputs = call_op(fact.op, fact.args, fact.attrs)
    assert len(outputs) == len(record["outputs"])
    for got, entry in zip(outputs, record["outputs"], strict=True):
        assert_same(fact, np.asarray(got.numpy()), entry)


@pytest.mark.parametrize("fact", params(lambda fact: fact.grad))
def test_gradients(fact: Fact) -> None:
    """At ties, zeros and borders, for the cotangent 1, 2, 3, ..."""
    inputs = [tensor(arg) for arg in fact.args]
    watched = [x for x in inputs if kind_of(x.dtype.name) in "fc"]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        y = call_op(fact.op, inputs, fact.attrs)[0]
    shape = tuple(np.shape(y.numpy()))
    dy = np.arange(1, 1 + int(np.prod(shape))).reshape(shape).astype(numpy_dtype(y.dtype.name))
    found = tape.gradient(y, watched, output_gradients=tf.constant(dy))
    for got, entry in zip(found, records()[fact.id]["gradients"], strict=True):
        assert (got is None) == (entry is None)
        if got is not None:
            assert_same(fact, np.asarray(tf.convert_to_tensor(got).numpy()), entry)


@pytest.mark.skipif(not IS_AGOG, reason="where agog differs on purpose")
@pytest.mark.parametrize(
    "fact",
    [
        pytest.param(fact, id=fact.id, marks=[] if has_op(fact.op) else [pytest.mark.skip])
        for fact in FACTS.values()
        if fact.ours and fact.grad
    ],
)
def test_own_gradients(fact: Fact) -> None:
    """Where TensorFlow's gradient is not the slope, ours is."""
    arrays = [np.asarray(arg) for arg in fact.args]
    f, xs = op_function(ROWS[fact.op], Case(fact.id, tuple(arrays), fact.attrs), arrays, 0)
    wanted = [i for i, array in enumerate(arrays) if array.dtype.kind == "f"]
    check_grad(f, xs, wanted, 2, np.random.default_rng(0), 1e-5)


def test_records_are_complete() -> None:
    """Every fact has a record, and every record a fact."""
    assert list(records()) == list(FACTS)
    for fact in FACTS.values():
        assert fact.grad == ("gradients" in records()[fact.id]), fact.id
        assert not fact.ours or len(fact.ours) > 10
