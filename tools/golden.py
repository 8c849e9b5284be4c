"""Make the golden files of tests/golden from real TensorFlow.

    python tools/golden.py facts        op registry facts -> ops.json
    python tools/golden.py records      values and gradients of chosen calls -> records.json
    python tools/golden.py signatures   public signatures -> signatures.json
    python tools/golden.py data         elements of pipelines -> data.json
    python tools/golden.py io           results of calls of io -> io.json
    python tools/golden.py training     20 steps of optimizers, decays, averages -> training.json
    python tools/golden.py evaluation   losses and metrics -> evaluation.json
    python tools/golden.py layers       values and gradients of layers -> layers.json

Run it with a Python that has TensorFlow; the tests only read the files.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
GOLDEN = ROOT / "tests" / "golden"


def write(name: str, lines: list[str]) -> None:
    """One entry per line, so that a change shows as one line in a diff."""
    GOLDEN.mkdir(exist_ok=True)
    opening, closing = ("{", "}") if lines and lines[0].startswith('"') else ("[", "]")
    text = opening + "\n" + ",\n".join(lines) + "\n" + closing + "\n"
    json.loads(text)
    (GOLDEN / name).write_text(text)
    print(f"{name}: {len(lines)} entries")


def dtype_name(number: int) -> str:
    import tensorflow as tf

    return tf.dtypes.as_dtype(number).name


def attr_default(attr: Any) -> Any:
    """A JSON value of an attr's default; None when there is none."""
    if not attr.HasField("default_value"):
        return None
    value = attr.default_value
    kind = value.WhichOneof("value")
    if kind == "list":
        items = value.list
        return list(items.i) or list(items.f) or [s.decode() for s in items.s]
    if kind == "type":
        return dtype_name(value.type)
    if kind == "s":
        return value.s.decode()
    return getattr(value, kind) if kind in ("i", "f", "b") else None


def kernel_types(name: str) -> list[dict[str, set[str]]]:
    """Per CPU kernel: the dtypes it is limited to, by type attr."""
    from tensorflow.python.framework import kernels

    found = []
    for kernel in kernels.get_registered_kernels_for_op(name).kernel:
        if kernel.device_type not in ("CPU", "DEFAULT"):
            continue
        limits = {}
        for limit in kernel.constraint:
            limits[limit.name] = {dtype_name(n) for n in limit.allowed_values.list.type}
        found.append(limits)
    return found


def type_attrs(op: Any) -> dict[str, list[str]]:
    from tests.spec.table import ALL_DTYPES

    known = (*ALL_DTYPES, "string")
    kernels = kernel_types(op.name)
    types = {}
    for attr in op.attr:
        if attr.type not in ("type", "list(type)"):
            continue
        listed = [dtype_name(n) for n in attr.allowed_values.list.type]
        allowed = [d for d in known if not listed or d in listed]
        types[attr.name] = [
            d for d in allowed if any(attr.name not in k or d in k[attr.name] for k in kernels)
        ]
    return types


def arguments(entries: Any) -> list[dict[str, Any]]:
    found = []
    for entry in entries:
        kind = entry.type_attr or entry.type_list_attr or dtype_name(entry.type)
        item = {"name": entry.name, "type": kind}
        if entry.number_attr:
            item["count"] = entry.number_attr
        if entry.type_list_attr:
            item["types"] = True
        found.append(item)
    return found


def public_names(op: Any) -> dict[str, str]:
    """Names in tf.raw_ops where they differ: `axis` for Sum's `reduction_indices`."""
    import inspect

    import tensorflow as tf

    params = [p for p in inspect.signature(getattr(tf.raw_ops, op.name)).parameters if p != "name"]
    names = [arg.name for arg in op.input_arg] + [attr.name for attr in op.attr]
    fresh = [p for p in params if p not in names]
    inferred = {n for a in op.input_arg for n in (a.type_attr, a.number_attr, a.type_list_attr)}
    gone = [name for name in names if name not in params and name not in inferred]
    if len(fresh) != len(gone):
        raise SystemExit(f"{op.name}: cannot match {gone} with {fresh}")
    return dict(zip(gone, fresh, strict=True))


def gradient_kind(name: str) -> str:
    """'function', 'none' (declared not differentiable) or 'missing'."""
    from tensorflow.python.framework import ops

    try:
        return "none" if ops.gradient_registry.lookup(name) is None else "function"
    except LookupError:
        return "missing"


def facts_of(name: str) -> dict[str, Any]:
    from tensorflow.python.framework import op_def_registry

    op = op_def_registry.get(name)
    if op is None:
        raise SystemExit(f"TensorFlow has no op {name}")
    renames = public_names(op)
    inputs = arguments(op.input_arg)
    for item in inputs:
        item["name"] = renames.get(item["name"], item["name"])
    attrs = {}
    for attr in op.attr:
        entry = {"kind": attr.type, "default": attr_default(attr)}
        if attr.type == "string" and attr.allowed_values.list.s:
            entry["allowed"] = [s.decode() for s in attr.allowed_values.list.s]
        if attr.has_minimum:
            entry["minimum"] = attr.minimum
        attrs[renames.get(attr.name, attr.name)] = entry
    return {
        "inputs": inputs,
        "outputs": arguments(op.output_arg),
        "attrs": attrs,
        "types": type_attrs(op),
        "gradient": gradient_kind(name),
    }


def make_facts() -> None:
    from tests.spec.all import rows

    names = sorted(row.name for row in rows())
    write("ops.json", [f"{json.dumps(n)}: {json.dumps(facts_of(n))}" for n in names])


def encode(array: Any) -> dict[str, Any]:
    """JSON of an array; NaN and Infinity are spelled as Python's json does."""
    import numpy as np

    array = np.asarray(array)
    dtype = str(array.dtype)
    flat = array.ravel()
    if array.dtype.kind == "c":
        data = [[float(v.real), float(v.imag)] for v in flat]
    elif array.dtype.kind in "iub":
        data = [v.item() for v in flat]
    else:
        data = [float(v) for v in flat]
    return {"dtype": dtype, "shape": list(array.shape), "data": data}


def gradients(fact: Any, inputs: list[Any]) -> list[Any]:
    """With respect to every float input, for the cotangent 1, 2, 3, ... of the first output."""
    import numpy as np
    import tensorflow as tf

    from tests.ops.target import call_op

    watched = [x for x in inputs if x.dtype.is_floating or x.dtype.is_complex]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        y = call_op(fact.op, inputs, fact.attrs)[0]
    dy = tf.constant(np.arange(1, 1 + int(tf.size(y))).reshape(y.shape), y.dtype)
    found = tape.gradient(y, watched, output_gradients=dy)
    return [None if g is None else encode(tf.convert_to_tensor(g).numpy()) for g in found]


def record(fact: Any) -> dict[str, Any]:
    import tensorflow as tf

    from tests.ops.target import call_op, tensor

    inputs = [tensor(arg) for arg in fact.args]
    try:
        outputs = call_op(fact.op, inputs, fact.attrs)
    except tf.errors.OpError as error:
        return {"error": type(error).__name__}
    found = {"outputs": [encode(y.numpy()) for y in outputs]}
    if fact.grad:
        found["gradients"] = gradients(fact, inputs)
    return found


def make_records() -> None:
    os.environ["AGOG_TEST_TARGET"] = "tensorflow"
    from tests.spec.conventions import FACTS

    write("records.json", [f"{json.dumps(id)}: {json.dumps(record(FACTS[id]))}" for id in FACTS])


def default_text(value: Any) -> str:
    """The same text for the same default in two packages."""
    if hasattr(value, "as_datatype_enum"):
        return f"dtype {value.name}"
    if isinstance(value, type) or callable(value):
        return getattr(value, "__name__", "callable")
    text = repr(getattr(value, "value", value))
    return "object" if " at 0x" in text else text


def parameters(function: Any) -> list[list[str]] | None:
    """Name, kind and default of each parameter."""
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    return [
        [p.name, p.kind.name] + ([] if p.default is p.empty else [default_text(p.default)])
        for p in signature.parameters.values()
    ]


NOT_PUBLIC = ("compat", "keras", "raw_ops", "python", "core", "compiler", "security", "tools")


def public_symbols(tf: Any) -> dict[str, Any]:
    """Public functions and classes of TensorFlow by dotted name, without Keras and v1."""
    import types

    found: dict[str, Any] = {}
    todo = [("", tf)]
    while todo:
        prefix, module = todo.pop()
        for name in dir(module):
            if name.startswith("_") or (not prefix and name in NOT_PUBLIC):
                continue
            value = getattr(module, name, None)
            if isinstance(value, types.ModuleType):
                if "tensorflow" in value.__name__ and prefix.count(".") < 3:
                    todo.append((f"{prefix}{name}.", value))
            elif callable(value):
                found[f"{prefix}{name}"] = value
    return found


def make_signatures() -> None:
    import tensorflow as tf

    lines = []
    for name, value in sorted(public_symbols(tf).items()):
        found = parameters(value)
        if found is not None:
            lines.append(f"{json.dumps(name)}: {json.dumps(found)}")
    write("signatures.json", lines)


def make_data() -> None:
    from tests.spec.data_cases import CASES
    from tests.spec.data_outcome import outcome

    write("data.json", outcomes(CASES, outcome))


def make_io() -> None:
    from tests.spec.io_cases import CASES
    from tests.spec.io_outcome import outcome

    write("io.json", outcomes(CASES, outcome))


def outcomes(cases: dict[str, Any], outcome: Any) -> list[str]:
    """What each case comes to, in a folder of its own."""
    import tempfile

    import tensorflow as tf

    lines = []
    for name, make in sorted(cases.items()):
        with tempfile.TemporaryDirectory() as folder:
            found = outcome(tf, make, Path(folder))
        lines.append(f"{json.dumps(name)}: {json.dumps(found)}")
    return lines


def make_training() -> None:
    from tests.spec.training_cases import CASES, tensorflow_doors

    write("training.json", numbers(CASES, tensorflow_doors()))


def make_evaluation() -> None:
    import tensorflow as tf

    from tests.spec.evaluation_cases import CASES

    write("evaluation.json", numbers(CASES, tf))


def make_layers() -> None:
    import tensorflow as tf

    from tests.spec.layer_cases import CASES

    write("layers.json", numbers(CASES, tf))


def numbers(cases: dict[str, Any], argument: Any) -> list[str]:
    """What each case returns, as numbers."""
    from tests.spec.training_cases import plain

    found = {name: plain(case(argument)) for name, case in cases.items()}
    return [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()]


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:  # one a run: importing more of TensorFlow shows more names
        raise SystemExit(__doc__)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    makers = {
        "facts": make_facts,
        "records": make_records,
        "signatures": make_signatures,
        "data": make_data,
        "io": make_io,
        "training": make_training,
        "evaluation": make_evaluation,
        "layers": make_layers,
    }
    makers[arguments[0]]()


if __name__ == "__main__":
    main(sys.argv[1:])
