"""Random calls of registered ops, right and wrong: only proper exceptions may come out.

`python -m tests.ops.fuzz --part 0/8` prints a JSON object per call that ended badly. The call being
made stands in the file given by --note, so that a crash can be told.
"""

from __future__ import annotations

import argparse
import json
import resource
import signal
import sys
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import agog
from agog import _core

MEMORY_LIMIT = 16 << 20
SECONDS_PER_OP = 20

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
)
ATTRS: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (*range(-3, 6), 16, 100, 2**31, 2**62, 2**63 - 1, -(2**63)),
    float: (0.0, 1.0, -1.0, 0.5, float("nan"), float("inf")),
    str: STRINGS,
    list: ([], [0], [1, 1], [-1], [0, 1], [1, 2, 2, 1], [5, 2**62], [-(2**63)], [0] * 20),
    agog.DType: agog.dtypes.ALL,
}


class Hang(BaseException):
    """The calls of one op took too long."""


class Fuzzer:
    """Makes the calls of one op; the same ones for the same seed."""

    def __init__(self, name: str, seed: int) -> None:
        self.row = _core.op_row(name)
        self.op = _core.handle(name)
        self.rng = np.random.default_rng([zlib.crc32(name.encode()), seed])

    def pick(self, options: Any) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

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

    def tensor(self, dtype: Any, shape: tuple[int, ...]) -> Any:
        if dtype.name in ("resource", "variant"):
            inner = self.pick((agog.float32, agog.int32, agog.bool, agog.string, agog.complex64))
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

    def inputs(self) -> list[Any]:
        types: dict[str, Any] = {}
        base = self.pick(SHAPES)
        values: list[Any] = []
        for given in self.row["inputs"]:
            shapes = (base, base, self.pick(SHAPES)) if self.chance(0.7) else SHAPES
            if self.chance(0.05):
                values.append(self.pick(ODD))
            elif given["list"]:
                count = self.pick((0, 1, 2, 2, 3))
                values.append(
                    [
                        self.tensor(self.dtype_of(given, types), self.pick(shapes))
                        for _ in range(count)
                    ]
                )
            else:
                values.append(self.tensor(self.dtype_of(given, types), self.pick(shapes)))
        return values

    def attrs(self) -> dict[str, Any]:
        values = {}
        for attr in self.row["attrs"]:
            if not attr["required"] and self.chance(0.5):
                continue
            pool = ATTRS.get(type(attr["default"]), ODD)
            values[attr["name"]] = self.pick(ODD if self.chance(0.1) else pool)
        return values

    def call(self) -> tuple[list[Any], dict[str, Any]]:
        return self.inputs(), self.attrs()

    def run(self, inputs: list[Any], attrs: dict[str, Any]) -> None:
        """One call, and when it works the gradient of all that it gave."""
        sources = [x for x in _flat(inputs) if x.dtype.is_floating or x.dtype.is_complex]
        with agog.GradientTape() as tape:
            tape.watch(sources)
            outputs = _flat([self.op(*inputs, **attrs)])
        targets = [y for y in outputs if y.dtype.is_floating or y.dtype.is_complex]
        if not targets or not sources:
            return
        for grad, source in zip(tape.gradient(targets, sources), sources, strict=True):
            if grad is not None and (grad.shape, grad.dtype) != (source.shape, source.dtype):
                raise AssertionError(f"gradient {grad} of {source}")


def _flat(values: Any) -> list[Any]:
    if isinstance(values, (list, tuple)):
        return [t for value in values for t in _flat(value)]
    return [values] if isinstance(values, (agog.Tensor, agog.Variable)) else []


def shown(value: Any) -> str:
    """An argument as Python text."""
    if isinstance(value, agog.Variable):
        return f"tf.Variable({shown(value.value())})"
    if isinstance(value, agog.Tensor):
        text = f"{value.numpy().tolist()!r}" if value.ndim else repr(value.item())
        return f"tf.constant({text}, '{value.dtype.name}', shape={tuple(value.shape)})"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return repr(value)


def allowed(error: BaseException) -> bool:
    """Whether an exception is one that a wrong call may end in."""
    if isinstance(error, agog.errors.OpError):
        return not isinstance(error, (agog.errors.InternalError, agog.errors.UnknownError))
    return isinstance(error, (TypeError, ValueError))


def fuzz_op(name: str, cases: int, seed: int, note: Callable[[str], None]) -> list[dict[str, str]]:
    fuzzer, bad = Fuzzer(name, seed), []
    for _ in range(cases):
        inputs, attrs = fuzzer.call()
        arguments = [shown(x) for x in inputs] + [f"{k}={shown(v)}" for k, v in attrs.items()]
        call = f"{name}({', '.join(arguments)})"
        note(call)
        try:
            fuzzer.run(inputs, attrs)
        except Exception as error:
            if not allowed(error):
                bad.append({"call": call, "error": f"{type(error).__name__}: {error}"})
        except Hang:
            return [*bad, {"call": call, "error": f"over {SECONDS_PER_OP} s for the op"}]
    return bad


def _on_alarm(*_: Any) -> None:
    raise Hang


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="0/1", help="I/N: every N-th op, from the I-th on")
    parser.add_argument("--op", help="only this op")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--note", default="/dev/null", help="file for the call being made")
    options = parser.parse_args(argv)
    index, parts = map(int, options.part.split("/"))
    names = [options.op] if options.op else sorted(_core.op_names())[index::parts]
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    agog.config.experimental.set_memory_limit(MEMORY_LIMIT)
    signal.signal(signal.SIGALRM, _on_alarm)
    with open(options.note, "w+b", buffering=0) as file:

        def note(call: str) -> None:
            file.seek(0)
            file.truncate()
            file.write(call.encode(errors="replace"))

        for name in names:
            signal.alarm(SECONDS_PER_OP)
            for found in fuzz_op(name, options.cases, options.seed, note):
                print(json.dumps(found), flush=True)
            signal.alarm(0)


if __name__ == "__main__":
    main(sys.argv[1:])
