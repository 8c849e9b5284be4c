"""The registry, the spec table and TensorFlow's public names agree."""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any

import pytest

from tests.ops.rows import missing
from tests.ops.target import IS_AGOG, has_op, tf
from tests.spec.all import ROWS
from tests.spec.facts import GOLDEN, facts
from tests.spec.signatures import EXCEPTIONS, OWN_OPS
from tools.golden import parameters

agog_only = pytest.mark.skipif(not IS_AGOG, reason="TensorFlow has more ops than the table")


@agog_only
def test_every_row_is_registered() -> None:
    absent = [name for name in missing() if not ROWS[name].optional]
    assert not absent, f"{len(absent)} spec rows without an op: {' '.join(absent)}"


@agog_only
def test_every_op_has_a_row() -> None:
    extra = sorted(set(tf.raw_ops.__all__) - set(ROWS) - set(OWN_OPS))
    assert not extra, f"{len(extra)} ops without a spec row: {' '.join(extra)}"


@agog_only
def test_own_ops_exist() -> None:
    """An entry of OWN_OPS whose op is gone is dead text."""
    gone = sorted(set(OWN_OPS) - set(tf.raw_ops.__all__))
    assert not gone
    assert all(len(why) > 10 for why in OWN_OPS.values())


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[] if has_op(name) else [pytest.mark.skip(reason="not in the registry")]
        )
        for name in ROWS
    ],
)
def test_raw_op_arguments(name: str) -> None:
    """Inputs, then attrs, under TensorFlow's names, then `name`."""
    found = list(inspect.signature(getattr(tf.raw_ops, name)).parameters)
    inputs = facts(name).input_names()
    inferred = {
        entry[key] for entry in facts(name).inputs for key in ("type", "count") if key in entry
    }
    attrs = set(facts(name).attrs) - inferred
    assert set(found) == {*inputs, *attrs, "name"}
    assert found[-1] == "name"


@functools.cache
def signatures() -> dict[str, Any]:
    return json.loads((GOLDEN / "signatures.json").read_text())


def resolve(dotted: str) -> Any:
    value = tf
    for part in dotted.split("."):
        value = getattr(value, part, None)
        if value is None:
            return None
    return value


def exported() -> list[Any]:
    return [pytest.param(name, id=name) for name in signatures() if callable(resolve(name))]


@pytest.mark.parametrize("name", exported())
def test_signature(name: str) -> None:
    """Parameter names, kinds, order and defaults are TensorFlow's."""
    got = parameters(resolve(name))
    assert got is not None, f"{name} has no signature"
    want = signatures()[name]
    if name in EXCEPTIONS and IS_AGOG:
        assert got != want, f"{name} needs no exception any more"
        return
    assert got == want


@agog_only
def test_all_is_public() -> None:
    """Whatever `agog` lists exists."""
    assert [name for name in tf.__all__ if not hasattr(tf, name)] == []


def test_exceptions_have_reasons() -> None:
    assert all(name in signatures() and len(why) > 10 for name, why in EXCEPTIONS.items())
