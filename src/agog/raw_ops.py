"""Every op of the registry under its TensorFlow name, called with keyword arguments only.

>>> agog.raw_ops.AddV2(x=[1, 2], y=[3, 4]).numpy().tolist()
[4, 6]
"""

from __future__ import annotations

# As a module: names of ours would hide ops, such as Any.
import typing as _t

from agog import _core


def _composed() -> dict[str, _t.Callable[..., _t.Any]]:
    """Those made of other ops; they need more of agog than this module may import at its start."""
    from agog.composed_ops import COMPOSED

    return COMPOSED


def _names() -> list[str]:
    return sorted([*_core.op_names(), *_composed()])


def _raw_op(op_name: str) -> _t.Callable[..., _t.Any]:
    from inspect import signature

    made = _composed().get(op_name)
    op = made or _core.handle(op_name)

    def call(**arguments: _t.Any) -> _t.Any:
        return op(**arguments)

    call.__signature__ = (  # type: ignore[attr-defined]
        signature(made) if made else _signature(op_name)
    )
    call.__name__ = call.__qualname__ = op_name
    call.__module__ = __name__
    call.__doc__ = f"Runs the raw op {op_name}: inputs and attributes by keyword."
    return _core.public(call)


def _signature(op_name: str) -> _t.Any:
    from inspect import Parameter, Signature

    row = _core.op_row(op_name)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    needed = [Parameter(i["name"], kind) for i in row["inputs"]]
    needed += [Parameter(a["name"], kind) for a in row["attrs"] if a["required"]]
    free = [
        Parameter(a["name"], kind, default=a["default"]) for a in row["attrs"] if not a["required"]
    ]
    return Signature([*needed, *free, Parameter("name", kind, default=None)])


def __getattr__(name: str) -> _t.Any:
    if name == "__all__":
        return _names()
    if name.startswith("__") or name not in _names():
        raise AttributeError(_unknown(name))
    op = globals()[name] = _raw_op(name)
    return op


def __dir__() -> list[str]:
    return _names()


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, _names(), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"module 'agog.raw_ops' has no op {name!r}{hint}"
