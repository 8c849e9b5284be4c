"""Random calls of registered ops, right and wrong: only proper exceptions may come out.

`python -m tests.ops.fuzz --part 0/8` prints a JSON object per call that ended badly. The call being
made stands in the file given by --note, so that a crash can be told.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from typing import Any

import agog
from agog import _core
from tests.ops.fuzz_calls import Caller
from tests.sanitized import SANITIZED

MEMORY_LIMIT = 16 << 20
SECONDS_PER_OP = 20


class Hang(BaseException):
    """The calls of one op took too long."""


def run(op: Any, inputs: list[Any], attrs: dict[str, Any]) -> None:
    """One call, and when it works the gradient of all that it gave."""
    sources = [x for x in _flat(inputs) if x.dtype.is_floating or x.dtype.is_complex]
    with agog.GradientTape() as tape:
        tape.watch(sources)
        outputs = _flat([op(*inputs, **attrs)])
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
    caller, op, bad = Caller(name, seed), _core.handle(name), []
    for _ in range(cases):
        inputs, attrs = caller.call()
        arguments = [shown(x) for x in inputs] + [f"{k}={shown(v)}" for k, v in attrs.items()]
        call = f"{name}({', '.join(arguments)})"
        note(call)
        try:
            run(op, inputs, attrs)
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
    parser.add_argument("--note", default=os.devnull, help="file for the call being made")
    options = parser.parse_args(argv)
    index, parts = map(int, options.part.split("/"))
    names = [options.op] if options.op else sorted(_core.op_names())[index::parts]
    warnings.simplefilter("ignore")
    if not SANITIZED:  # the sanitizer maps terabytes of shadow
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    agog.config.experimental.set_memory_limit(MEMORY_LIMIT)
    signal.signal(signal.SIGALRM, _on_alarm)
    with open(options.note, "w+b", buffering=0) as file:

        def note(call: str) -> None:
            file.seek(0)
            file.write(call.encode(errors="replace") + b"\0")

        for name in names:
            signal.alarm(SECONDS_PER_OP)
            for found in fuzz_op(name, options.cases, options.seed, note):
                print(json.dumps(found), flush=True)
            signal.alarm(0)


if __name__ == "__main__":
    main(sys.argv[1:])
