"""Docstrings: their examples run, and every public name has one that begins with a sentence."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import agog


def _modules() -> list[ModuleType]:
    names = [info.name for info in pkgutil.walk_packages(agog.__path__, "agog.")]
    written = [n for n in names if not n.startswith(("agog._core", "agog.libagog"))]
    return [agog, *(importlib.import_module(name) for name in written)]


MODULES = _modules()


def _members(owner: Any) -> Iterator[tuple[str, Any]]:
    """Functions and classes that `owner`, a module or class, defines, unwrapped."""
    home = owner.__name__ if inspect.ismodule(owner) else owner.__module__
    for name, value in vars(owner).items():
        plain = inspect.unwrap(value.fget if isinstance(value, property) else value)
        is_named = inspect.isroutine(plain) or inspect.isclass(plain)
        if is_named and getattr(plain, "__module__", None) == home:
            yield name, plain


def _documented() -> Iterator[tuple[str, str, Any]]:
    """Name, docstring and object of modules, their functions and classes, and their methods."""
    for module in MODULES:
        yield module.__name__, module.__doc__ or "", module
        for name, member in _members(module):
            yield f"{module.__name__}.{name}", member.__doc__ or "", member
            if inspect.isclass(member):
                for part_name, part in _members(member):
                    yield f"{module.__name__}.{name}.{part_name}", part.__doc__ or "", part


DOCUMENTED = {name: (text, item) for name, text, item in _documented()}
EXAMPLES = [name for name, (text, _) in DOCUMENTED.items() if ">>> " in text]
EXPORTED = {
    name
    for module in MODULES
    if module is not agog.raw_ops
    for name in getattr(module, "__all__", ())
    if not inspect.ismodule(getattr(module, name))
}


def _is_public(name: str) -> bool:
    """Whether it is a function or class that some module exports, or a member of such a class."""
    *_, owner, last = ("", *name.split("."))
    routine_or_class = not inspect.ismodule(DOCUMENTED[name][1])
    return routine_or_class and last[0] != "_" and (last in EXPORTED or owner in EXPORTED)


PUBLIC = [name for name in DOCUMENTED if "._" not in name and _is_public(name)]
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(DOCUMENTED[name][1])]


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str) -> None:
    text, _ = DOCUMENTED[name]
    test = doctest.DocTestParser().get_doctest(text, {"agog": agog}, name, None, None)
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert failed == 0, "".join(said)


def test_examples_are_found() -> None:
    assert len(EXAMPLES) > 300


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_begins_with_a_sentence(name: str) -> None:
    first = DOCUMENTED[name][0].split("\n")[0]
    assert first.rstrip('"').endswith("."), first or f"{name} has no docstring"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_have_type_hints(name: str) -> None:
    signature = inspect.signature(DOCUMENTED[name][1])
    plain = [n for n, p in signature.parameters.items() if p.annotation is p.empty]
    assert set(plain) <= {"self", "cls", "_cls"}
    assert signature.return_annotation is not signature.empty
