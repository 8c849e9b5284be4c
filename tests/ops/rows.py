"""Test parameters out of the table: readable ids, skips for ops that do not exist yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from tests.ops.target import has_op
from tests.spec.all import rows
from tests.spec.facts import facts
from tests.spec.table import BROADCAST_SHAPES, Case, Sampler, Spec, kind_of, special_values

NUMERIC_COUNT = 67  # more than one vector of any width, and a tail


def present() -> list[str]:
    return [row.name for row in rows() if has_op(row.name)]


def missing() -> list[str]:
    return [row.name for row in rows() if not has_op(row.name)]


def dtypes(row: Spec) -> list[str]:
    """Dtypes of the swept type variable; strings have tests of their own."""
    if row.form == "law" and row.family in ("state_ops", "training_ops"):
        return []
    if row.main not in facts(row.name).types:
        only = (facts(row.name).inputs or facts(row.name).outputs)[0]["type"]
        return [] if only == "string" else [only]
    allowed = facts(row.name).types[row.main]
    return [d for d in allowed if d != "string" and d not in row.without]


def row_params(keep: Callable[[Spec], bool]) -> list[Any]:
    """One parameter per row."""
    return [pytest.param(row, id=row.name, marks=skip_absent(row)) for row in rows() if keep(row)]


def dtype_params(keep: Callable[[Spec], bool], among: Iterable[str] | None = None) -> list[Any]:
    """One parameter per row and dtype; an absent op counts once."""
    found = []
    for row in rows():
        if not keep(row):
            continue
        chosen = [d for d in dtypes(row) if among is None or d in among]
        if chosen and not has_op(row.name):
            found.append(pytest.param(row, "-", id=row.name, marks=skip_absent(row)))
            continue
        found += [pytest.param(row, d, id=f"{row.name}-{d}") for d in chosen]
    return found


def skip_absent(row: Spec) -> list[Any]:
    return [] if has_op(row.name) else [pytest.mark.skip(reason="op not in the registry")]


def is_law(row: Spec) -> bool:
    return row.form == "law"


def has_ref(row: Spec) -> bool:
    return row.form != "law"


def elementwise(row: Spec) -> bool:
    return row.form in ("unary", "binary")


def draw(row: Spec, s: Sampler, index: int, shape: tuple[int, ...], domain: Any) -> np.ndarray:
    lo, hi = row.of_input(domain, index)
    return s(*shape, lo=lo, hi=hi, ints=row.of_input(row.ints, index))


def forward_cases(row: Spec, dtype: str) -> list[Case]:
    """Cases for the reference test."""
    s = Sampler(row.name, dtype)
    if row.cases is not None:
        return row.cases(s)
    found = []
    for attrs in row.attr_sets():
        tag = "-".join(f"{k}={v}" for k, v in attrs.items())
        inputs = [draw(row, s, i, (NUMERIC_COUNT,), row.domain) for i in range(row.arity)]
        found.append(Case(f"sample{tag}", tuple(inputs), attrs))
        if row.wild and s.kind != "c" and (row.ints is None or s.kind == "f"):
            found.append(Case(f"special{tag}", special_inputs(row, dtype), attrs))
            found.append(Case(f"bits{tag}", tuple(bit_inputs(row, s)), attrs))
    return [masked(row, case) for case in found]


def special_inputs(row: Spec, dtype: str) -> tuple[np.ndarray, ...]:
    """All special values; all pairs of them for two inputs."""
    values = special_values(dtype)
    if row.arity == 1:
        return (values,)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def bit_inputs(row: Spec, s: Sampler) -> list[np.ndarray]:
    drawn = [s.bits(1000) for _ in range(row.arity)]
    count = min(len(values) for values in drawn)
    return [values[:count] for values in drawn]


def masked(row: Spec, case: Case) -> Case:
    """The case without the elements where the row has no defined value."""
    if row.valid is None:
        return case
    with np.errstate(all="ignore"):
        keep = np.broadcast_to(row.valid(*case.args), np.shape(case.args[0]))
    return Case(case.id, tuple(arg[keep] for arg in case.args), case.attrs)


def shaped_case(row: Spec, s: Sampler, shapes: Any, attrs: dict[str, Any]) -> Case:
    inputs = [draw(row, s, i, shape, row.domain) for i, shape in enumerate(shapes)]
    if row.valid is not None and not all(np.all(row.valid(*pair)) for pair in [ones(inputs)]):
        raise ValueError(f"{row.name}: the domain has values that are not valid")
    if row.valid is not None:
        inputs = mend(row, inputs)
    return Case(
        "x".join(str(list(shape)).replace(" ", "") for shape in shapes), tuple(inputs), attrs
    )


def ones(inputs: list[np.ndarray]) -> list[np.ndarray]:
    return [np.ones_like(array) for array in inputs]


def mend(row: Spec, inputs: list[np.ndarray]) -> list[np.ndarray]:
    """Ones in place of each element that is not valid with every other element."""
    if row.arity == 1:
        return [np.where(row.valid(inputs[0]), inputs[0], np.ones_like(inputs[0]))]
    x, y = inputs
    good = row.valid(np.ones_like(y), y)
    return [x, np.where(good, y, np.ones_like(y))]


def edge_cases(row: Spec, dtype: str) -> list[Case]:
    """Rank 0 and zero-size cases."""
    s = Sampler(row.name, dtype, "edge")
    if row.edge is not None:
        return row.edge(s)
    if not elementwise(row):
        return []
    attrs = next(row.attr_sets())
    return [shaped_case(row, s, [shape] * row.arity, attrs) for shape in ((), (0,), (3, 0, 2))]


def broadcast_cases(row: Spec, dtype: str) -> list[Case]:
    s = Sampler(row.name, dtype, "broadcast")
    attrs = next(row.attr_sets())
    return [shaped_case(row, s, shapes, attrs) for shapes in BROADCAST_SHAPES]


def grad_cases(row: Spec, dtype: str = "float64") -> list[Case]:
    """Small cases at least 100 difference steps away from kinks."""
    s = Sampler(row.name, dtype, "grad")
    if row.grad_cases is not None:
        return row.grad_cases(s)
    if row.cases is not None:
        return [case for case in row.cases(s) if size_of(case) <= 24]
    shapes = (
        [[(2, 3)], [()]]
        if row.arity == 1
        else [[(2, 3), (2, 3)], [(2, 1), (3,)], [(), (2,)], [(3,), ()], [(0,), (1,)]]
    )
    if not row.broadcasts:
        shapes = shapes[:1]
    found = []
    for attrs in row.attr_sets():
        for shape in shapes:
            found.append(smooth_case(row, s, shape, attrs))
    return found


def smooth_case(row: Spec, s: Sampler, shapes: Any, attrs: dict[str, Any]) -> Case:
    domain = row.grad_domain or row.domain
    for _ in range(1000):
        inputs = [draw(row, s, i, shape, domain) for i, shape in enumerate(shapes)]
        if row.kink is None or np.all(row.kink(*inputs, **attrs) > 1e-2):
            break
    else:
        raise ValueError(f"{row.name}: no sample away from kinks")
    tag = "x".join(str(list(shape)).replace(" ", "") for shape in shapes)
    return Case(tag, tuple(inputs), attrs)


def size_of(case: Case) -> int:
    leaves = [leaf for arg in case.args for leaf in (arg if isinstance(arg, list) else [arg])]
    return max((np.size(leaf) for leaf in leaves if np.asarray(leaf).dtype.kind != "i"), default=0)


def float_inputs(row: Spec, types: dict[str, str]) -> list[int]:
    """Inputs that can have a gradient."""
    if row.grad_inputs is not None:
        return list(row.grad_inputs)
    names = [types.get(entry["type"], entry["type"]) for entry in facts(row.name).inputs]
    return [
        i
        for i, name in enumerate(names)
        if name not in ("string", "bool", "resource") and kind_of(name) in "fc"
    ]
