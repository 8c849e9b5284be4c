"""The package under test: agog, or real TensorFlow to check the tables themselves.

AGOG_TEST_TARGET=tensorflow pytest tests/ops
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from tests.spec.facts import facts
from tests.spec.table import Case, Spec, numpy_dtype

TARGET = os.environ.get("AGOG_TEST_TARGET", "agog")
IS_AGOG = TARGET == "agog"
if not IS_AGOG:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
tf: Any = importlib.import_module(TARGET)


def has_op(name: str) -> bool:
    return name in tf.raw_ops.__all__ if IS_AGOG else hasattr(tf.raw_ops, name)


def error_class(name: str) -> type[BaseException]:
    builtin = {"TypeError": TypeError, "ValueError": ValueError, "LookupError": LookupError}
    return builtin[name] if name in builtin else getattr(tf.errors, name)


def failures(*names: str) -> tuple[type[BaseException], ...]:
    return tuple(error_class(name) for name in names)


def arrays_of(row: Spec, args: Any, types: dict[str, str]) -> list[Any]:
    """Arguments as arrays of the dtypes that `types` gives to the op's type variables."""
    found = []
    for index, arg in enumerate(args):
        name = types.get(facts(row.name).type_of(index), facts(row.name).type_of(index))
        if isinstance(arg, list):
            found.append([np.asarray(item).astype(numpy_dtype(name)) for item in arg])
        else:
            found.append(np.asarray(arg).astype(numpy_dtype(name)))
    return found


def tensor(array: Any) -> Any:
    if isinstance(array, list):
        return [tensor(item) for item in array]
    return tf.constant(array) if isinstance(array, np.ndarray | np.generic) else array


def attr_value(kind: str, value: Any) -> Any:
    return getattr(tf, value) if kind == "type" and isinstance(value, str) else value


def call_op(name: str, args: Any, attrs: dict[str, Any]) -> list[Any]:
    """Run a raw op on tensors or arrays; its outputs as a flat list."""
    fact = facts(name)
    inputs = dict(zip(fact.input_names(), [tensor(arg) for arg in args], strict=True))
    converted = {key: attr_value(fact.attrs[key]["kind"], value) for key, value in attrs.items()}
    return flat(getattr(tf.raw_ops, name)(**inputs, **converted))


def flat(result: Any) -> list[Any]:
    if isinstance(result, list | tuple):
        return [leaf for item in result for leaf in flat(item)]
    return [] if result is None else [result]


def run_case(row: Spec, case: Case, types: dict[str, str]) -> tuple[list[Any], list[np.ndarray]]:
    """The arrays that went in and the arrays that came out."""
    arrays = arrays_of(row, case.args, types)
    return arrays, [np.asarray(out.numpy()) for out in call_op(row.name, arrays, case.attrs)]


def output_dtypes(row: Spec, case: Case, types: dict[str, str], count: int) -> list[str]:
    """Declared dtypes of the outputs."""
    fact = facts(row.name)
    found = []
    for entry in fact.outputs:
        kind = entry["type"]
        if kind in fact.attrs:
            chosen = case.attrs.get(kind, fact.attrs[kind]["default"])
            kind = types[kind] if is_inferred(row.name, kind) else chosen
        found += [kind] * (count if "count" in entry or "types" in entry else 1)
    return found


def is_inferred(name: str, var: str) -> bool:
    """Whether a type variable follows from an input."""
    return any(entry["type"] == var for entry in facts(name).inputs)
