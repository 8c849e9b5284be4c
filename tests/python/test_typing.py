"""What type checkers see: the stub of the core is complete, and public names have their types."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import agog
from agog import _core

PACKAGE = Path(agog.__file__).parent

SNIPPET = """
import agog

x = agog.constant([[1.0, 2.0]])
v = agog.Variable([1.0])
with agog.GradientTape() as tape:
    y = agog.reduce_sum(v * v)
reveal_type(agog.matmul(x, x, transpose_b=True))  # Tensor
reveal_type(agog.constant(1) + 1)  # Tensor
reveal_type(1 - agog.constant(1))  # Tensor
reveal_type(-v)  # Tensor
reveal_type(v[0])  # Tensor
reveal_type(x == x)  # Tensor
reveal_type(float(y))  # float
reveal_type(y.shape)  # TensorShape
reveal_type(y.dtype)  # DType
reveal_type(agog.float32)  # DType
reveal_type(tape)  # GradientTape
reveal_type(tape.gradient)  # def (target: Any, sources: Any, output_gradients: Any =, \
unconnected_gradients: Any =) -> Any
reveal_type(agog.nn.relu(x))  # Tensor
reveal_type([row for row in x])  # list[Tensor]
x.no_such_member  # error: "Tensor" has no attribute "no_such_member"
x[0] = 1.0  # error: Unsupported target for indexed assignment ("Tensor")
agog.matmul(x, x, nope=3)  # error: Unexpected keyword argument "nope" for "matmul"
agog.GradientTape(persistent="yes")  # error: Argument "persistent" to "GradientTape" has \
incompatible type "str"; expected "bool"
"""


def _expected() -> list[str]:
    lines = SNIPPET.replace("\\\n", "").splitlines()
    return [line.split("# ", 1)[1].removeprefix("error: ") for line in lines if "# " in line]


def _said(output: str) -> list[str]:
    said = re.findall(r'Revealed type is "(.*)"|error: (.*?)  \[', output)
    return [(one or two).replace("builtins.", "") for one, two in said]


@pytest.mark.slow
def test_types_of_public_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET.replace("\\\n", ""))
    command = [sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={tmp_path}", snippet]
    # An installed package is found by its py.typed alone; a working tree must be named.
    installed = "site-packages" in PACKAGE.parts
    environment = {**os.environ, "MYPYPATH": "" if installed else str(PACKAGE.parent)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    said = [re.sub(r"\bagog\.\w+\.(?=\w)", "", line) for line in _said(done.stdout)]
    assert said == _expected(), done.stdout + done.stderr


def _stub() -> dict[str, set[str]]:
    """The names in the stub: of the module under "", and of each class."""
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    found = {"": _names(tree.body)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = _names(node.body)
    shared = found.pop("_Operators")
    found["Tensor"] |= shared
    found["VariableBase"] |= shared
    return found


def _names(body: list[ast.stmt]) -> set[str]:
    named = (ast.FunctionDef, ast.ClassDef)
    names = {node.name for node in body if isinstance(node, named)}
    return names | {n.target.id for n in body if isinstance(n, ast.AnnAssign)}  # type: ignore


def test_stub_has_all_names_of_the_core() -> None:
    assert {name for name in dir(_core) if not name.startswith("__")} <= _stub()[""]


@pytest.mark.parametrize("name", ["Tensor", "VariableBase", "TapeBase"])
def test_stub_has_all_members(name: str) -> None:
    plain = {"__getattr__", "__setitem__", "__module__", *dir(object)}
    assert set(dir(getattr(_core, name))) - plain <= _stub()[name]


def test_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()
