"""Calls for the fuzz test: those of the spec table, changed a little, and wholly random ones."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

import agog
from agog import _core
from tests.ops.rows import dtypes, edge_cases, forward_cases, grad_cases
from tests.ops.target import arrays_of, attr_value
from tests.spec.all import ROWS
from tests.spec.facts import all_facts, facts

SHAPES: tuple[tuple[int, ...], ...] = (
    *((), (), (0,), (1,), (1,), (2,), (2,), (3,), (2, 2), (2, 3), (3, 2), (1, 3), (0, 3), (3, 0)),
    *((2, 3, 2), (2, 0, 2), (1, 1, 1), (1, 4, 4, 2), (2, 2, 2, 2), (1, 2, 1, 2, 1), (1,) * 16),
)
INTS = (0, 0, 1, 1, 2, 3, -1, -1, -2, 4, 5, -5, 127, -128, 2**31 - 1, -(2**31))
WIDE_INTS = (2**62, 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 1e-40, 3e38, np.nan, np.inf, -np.inf)
STRINGS = ("", "SAME", "VALID", "NHWC", "REFLECT", "SYMMETRIC", "no such thing", "\0", "é")
ODD: tuple[Any, ...] = (
    *(None, 2**70, -(2**63) - 1, "text", b"bytes", [], [[]], [1, [2]], {}, {1: 2}, object(), 1j),
    *(True, 1.5, float("nan"), [None], range(3), np.zeros((2, 2)), agog.float32, "int32", len),
    *(10**400, [10**400], (), "\ud800", np.array([None]), [np.int8(1), None]),
)
LISTS = ([], [0], [1, 1], [-1], [0, 1], [1, 2, 2, 1], [5, 2**62], [-(2**63)], [0] * 20)
ATTRS: dict[str, tuple[Any, ...]] = {
    "bool": (True, False),
    "int": (*range(-3, 6), 16, 100, 2**31, 2**62, 2**63 - 1, -(2**63)),
    "float": (0.0, 1.0, -1.0, 0.5, float("nan"), float("inf")),
    "string": STRINGS,
    "type": agog.dtypes.ALL,
    "shape": LISTS,
}
# Inputs that are one number, and those that are vectors, where the table has no calls of an op.
SCALARS = frozenset(
    "alg algorithm alpha axis beta1 beta1_power beta2 beta2_power delta depth epsilon lr max "
    "maxval minval momentum num_samples num_segments size".split()
)
VECTORS = {"counter": (2,), "key": (1,), "seed": (2,), "shape": (2,)}
MOST_ELEMENTS = 100


class Caller:
    """Makes the calls of one op; the same ones for the same seed."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.row = _core.op_row(name)
        self.rng = np.random.default_rng([zlib.crc32(name.encode()), seed])
        self.known = _known_calls(name)

    def call(self) -> tuple[list[Any], dict[str, Any]]:
        """The inputs and attrs of the next call."""
        if not self.known or self.chance(0.15):
            return self.inputs(), self.attrs()
        arrays, attrs = self.pick(self.known)
        inputs, attrs = list(arrays), dict(attrs)
        for _ in range(self.pick((0, 1, 1, 1, 2, 3))):
            self.change(inputs, attrs)
        return [self.as_input(value) for value in inputs], attrs

    def pick(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    # ---- changes of calls that are known

    def change(self, inputs: list[Any], attrs: dict[str, Any]) -> None:
        if self.row["attrs"] and self.chance(0.25):
            attr = self.pick(self.row["attrs"])
            attrs[attr["name"]] = self.attr(attr)
        elif inputs:
            i = int(self.rng.integers(len(inputs)))
            inputs[i] = self.changed(inputs[i])

    def changed(self, value: Any) -> Any:
        if isinstance(value, list):
            return self.changed_list(value)
        if not isinstance(value, np.ndarray) or self.chance(0.05):
            return self.pick(ODD)
        how = self.pick((self.other_values, self.other_values, self.other_shape, self.other_dtype))
        return how(value)

    def changed_list(self, values: list[Any]) -> list[Any]:
        at = int(self.rng.integers(len(values) + 1))
        if at == len(values) or self.chance(0.3):
            return self.pick(([], values * 2, values[:-1], [*values, None], values[:1] * 20))
        return [*values[:at], self.changed(values[at]), *values[at + 1 :]]

    def other_values(self, array: np.ndarray) -> np.ndarray:
        """Some elements replaced by extreme ones."""
        if array.size == 0 or array.dtype.kind not in "biufcV":
            return array
        array = np.array(array)
        pool = INTS + WIDE_INTS if array.dtype.kind in "biu" else FLOATS
        flat = array.reshape(-1)
        for _ in range(self.pick((1, 1, 2, array.size))):
            new = np.asarray(self.pick(pool))
            with np.errstate(all="ignore"):
                flat[int(self.rng.integers(flat.size))] = new.astype(array.dtype)
        return flat.reshape(array.shape)

    def other_shape(self, array: np.ndarray) -> np.ndarray:
        ways = [
            array.reshape(-1),
            array[None],
            array[..., None],
            array[:0].T if array.ndim else array,
        ]
        if array.size:
            ways += [np.resize(array, (2, *array.shape)), np.resize(array, self.pick(SHAPES))]
        if array.size and array.ndim:
            ways += [array[..., :0], array[:1], array[0], array[..., 0], array.T]
            ways += [np.concatenate([array, array]), np.concatenate([array, array], -1)]
        return np.asarray(self.pick([way for way in ways if np.ndim(way) <= 16]))

    def other_dtype(self, array: np.ndarray) -> np.ndarray:
        dtype = self.pick(agog.dtypes.ALL[:15])
        with np.errstate(all="ignore"):
            return array.astype(dtype.as_numpy_dtype) if array.dtype.kind in "biufcV" else array

    def as_input(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.as_input(item) for item in value]
        return (
            agog.constant(value)
            if isinstance(value, np.ndarray) and value.dtype != object
            else value
        )

    # ---- random calls

    def array(self, dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
        count = int(np.prod(shape))
        if dtype.name == "string":
            return np.array([self.pick(STRINGS) for _ in range(count)], object).reshape(shape)
        if dtype.is_integer:
            pool = INTS + WIDE_INTS if self.chance(0.1) else INTS[: self.pick((5, 8, len(INTS)))]
            values = np.array([self.pick(pool) for _ in range(count)], np.int64)
        elif dtype.is_bool:
            values = self.rng.integers(2, size=count)
        else:
            pool = FLOATS if self.chance(0.4) else FLOATS[:7]
            values = np.array([self.pick(pool) for _ in range(count)])
        with np.errstate(all="ignore"):
            return values.astype(dtype.as_numpy_dtype).reshape(shape)

    def tensor(self, dtype: Any, shape: tuple[int, ...], types: dict[str, Any]) -> Any:
        if dtype.name in ("resource", "variant"):
            allowed = self.row["types"].get("T", ["float32"])
            inner = types.setdefault("T", agog.as_dtype(self.pick(allowed)))
            inner = inner if inner.is_numpy_compatible else agog.float32
            return agog.Variable(self.array(inner, shape), name="v")
        return agog.constant(self.array(dtype, shape), dtype)

    def dtype_of(self, given: dict[str, Any], types: dict[str, Any]) -> Any:
        """The dtype of an input: mostly one that the row allows, the same one for a type."""
        name = given["type"]
        if name is None or self.chance(0.1):
            return self.pick(agog.dtypes.ALL[:16])
        if name not in types:
            allowed = self.row["types"].get(name)
            types[name] = agog.as_dtype(self.pick(allowed)) if allowed else agog.as_dtype(name)
        return types[name]

    def shape_of(self, given: dict[str, Any], base: tuple[int, ...]) -> tuple[int, ...]:
        if self.chance(0.15):
            return self.pick(SHAPES)
        if given["name"] in SCALARS:
            return ()
        return VECTORS.get(given["name"], base)

    def inputs(self) -> list[Any]:
        types: dict[str, Any] = {}
        base = self.pick(SHAPES)
        values: list[Any] = []
        for given in self.row["inputs"]:
            count = self.pick((0, 1, 2, 2, 3)) if given["list"] else 1
            made = [
                self.tensor(self.dtype_of(given, types), self.shape_of(given, base), types)
                for _ in range(count)
            ]
            values.append(made if given["list"] else made[0])
        if values and self.chance(0.2):
            values[int(self.rng.integers(len(values)))] = self.pick(ODD)
        return values

    def attr(self, attr: dict[str, Any]) -> Any:
        kinds = all_facts().get(self.name, {"attrs": {}})["attrs"]
        kind = kinds.get(attr["name"], {"kind": type(attr["default"]).__name__})["kind"]
        if kind == "type" and self.chance(0.4):
            return agog.float32
        pool = LISTS if kind.startswith("list") else ATTRS.get(kind, ODD)
        return self.pick(ODD if self.chance(0.1) else pool)

    def attrs(self) -> dict[str, Any]:
        return {
            attr["name"]: self.attr(attr)
            for attr in self.row["attrs"]
            if attr["required"] or self.chance(0.3)
        }


def _known_calls(name: str) -> list[tuple[list[Any], dict[str, Any]]]:
    """The small calls of the op that the spec table makes, in every dtype."""
    row = ROWS.get(name)
    if row is None or row.form == "law":
        return []
    calls = []
    for dtype in dtypes(row):
        types = facts(name).default_types(row.main, dtype)
        small = grad_cases(row, dtype) if row.grad == "yes" and dtype == row.grad_dtype else []
        for case in [*forward_cases(row, dtype), *edge_cases(row, dtype), *small]:
            arrays = arrays_of(row, case.args, types)
            leaves = [x for a in arrays for x in (a if isinstance(a, list) else [a])]
            if sum(np.size(leaf) for leaf in leaves) <= MOST_ELEMENTS:
                kinds = facts(name).attrs
                attrs = {k: attr_value(kinds[k]["kind"], v) for k, v in case.attrs.items()}
                calls.append((arrays, attrs))
    return calls
