"""Each row with a mistake put in makes its tests fail; a mutant that passes is a hole in the table.

Needs a build with AGOG_MUTANTS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agog import _core
from tests.ops.rows import broadcast_cases, dtypes, forward_cases, has_ref, row_params
from tests.ops.target import call_op, tensor, tf
from tests.ops.test_broadcast import broadcasts
from tests.ops.test_forward import check
from tests.ops.test_grad1 import check_row, differentiable
from tests.spec.facts import facts
from tests.spec.table import Spec, kind_of

set_mutant: Callable[[str, str], None] | None = getattr(_core, "set_mutant", None)

if set_mutant is None:
    pytest.skip("needs a build with AGOG_MUTANTS", allow_module_level=True)

# The gradient of Sign is zero, that of Fill one number: these mistakes change nothing there.
HARMLESS = {"Sign": {"factor", "negate", "drop", "reverse"}, "Fill": {"reverse"}}


@pytest.fixture(autouse=True)
def mended() -> Iterator[None]:
    yield
    assert set_mutant is not None
    set_mutant("", "")


def put_in(op: str, kind: str) -> None:
    assert set_mutant is not None
    set_mutant(op, kind)


def noticed(run: Callable[[], Any]) -> bool:
    try:
        run()
    except Exception:  # whatever a test fails with
        return True
    return False


@pytest.mark.parametrize("kind", ["factor", "negate", "drop", "reverse"])
@pytest.mark.parametrize("row", row_params(differentiable))
def test_gradients(row: Spec, kind: str) -> None:
    if kind in HARMLESS.get(row.name, ()):
        pytest.skip("the mistake changes nothing here")
    put_in(row.name, kind)
    assert noticed(lambda: check_row(row, row.grad_dtype, 1))


def compared(row: Spec) -> bool:
    return has_ref(row) and bool(dtypes(row)) and dtypes(row)[0] != "string"


@pytest.mark.parametrize("row", row_params(compared))
def test_values(row: Spec) -> None:
    dtype = "float32" if "float32" in dtypes(row) else dtypes(row)[0]
    types = facts(row.name).default_types(row.main, dtype)
    put_in(row.name, "forward")
    assert noticed(lambda: [check(row, case, types) for case in forward_cases(row, dtype)])


def gradients_of_broadcast(row: Spec) -> None:
    """The gradients have the shapes of the inputs."""
    types = facts(row.name).default_types(row.main, row.grad_dtype)
    for case in broadcast_cases(row, row.grad_dtype):
        inputs = [tensor(array) for array in case.args]
        watched = [x for x in inputs if kind_of(x.dtype.name) in "fc"]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            y = call_op(row.name, inputs, case.attrs)
        for x, dx in zip(watched, tape.gradient(y, watched), strict=True):
            assert dx is None or dx.shape == x.shape, (case.id, types)


@pytest.mark.parametrize("row", row_params(lambda row: broadcasts(row) and differentiable(row)))
def test_sums_of_broadcast(row: Spec) -> None:
    gradients_of_broadcast(row)
    put_in(row.name, "broadcast")
    assert noticed(lambda: gradients_of_broadcast(row))
