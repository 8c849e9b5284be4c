"""Modules: objects that own variables and other modules, found by walking their attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import agog
from agog._core import public
from agog.checkpoint.trackable import Trackable
from agog.framework import current_scope


class Module(Trackable):
    """Base class for things that hold variables: its attributes are searched for them.

    Variables and modules are found in attributes, in name order, also inside lists, tuples and
    dicts; each is reported once, the module's own before those of its submodules.

    >>> class Scale(agog.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factors = {"x": agog.Variable(2.0), "y": agog.Variable(3.0)}
    >>> scale = Scale()
    >>> scale.name, [float(v) for v in scale.trainable_variables]
    ('scale', [2.0, 3.0])
    """

    @public
    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not name.isidentifier():
            raise ValueError(f"a module's name must be a Python identifier, got {name!r}")
        self._name = name
        scope = current_scope()
        if scope:
            self._scope = scope

    @property
    def name(self) -> str:
        """The name given to the module, or its class name in snake case."""
        return self._name

    @property
    def name_scope(self) -> Any:
        """A with-block in which names of new variables begin with the module's name.

        Before it stand the scopes that the module was made in.

        >>> module = agog.Module(name="net")
        >>> with module.name_scope:
        ...     agog.Variable(1.0, name="w").name
        'net/w:0'
        """
        return agog.name_scope(f"{vars(self).get('_scope', '')}{self._name}/")

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables of this module and of its submodules."""
        return tuple(_walk(self, _is_variable))

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The variables that tapes watch and optimizers train by default."""
        return tuple(_walk(self, lambda leaf: _is_variable(leaf) and leaf.trainable))

    @property
    def non_trainable_variables(self) -> tuple[Any, ...]:
        """The variables that are made with `trainable=False`."""
        return tuple(_walk(self, lambda leaf: _is_variable(leaf) and not leaf.trainable))

    @property
    def submodules(self) -> tuple[Module, ...]:
        """The modules inside this one, at any depth."""
        return tuple(_walk(self, _is_module))

    @classmethod
    def with_name_scope(cls, method: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator for a method that runs inside the module's `name_scope`."""

        @functools.wraps(method)
        def inside(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return inside


def _is_variable(leaf: Any) -> bool:
    return isinstance(leaf, agog.Variable)


def _is_module(leaf: Any) -> bool:
    return isinstance(leaf, Module)


def _walk(root: Module, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """Each wanted leaf once: those of a module first, then those of the modules in it."""
    seen = {id(root)}
    todo = [root]
    while todo:
        module = todo.pop()
        inner = []
        for leaf in _leaves(module):
            if id(leaf) in seen:
                continue
            if wanted(leaf):
                seen.add(id(leaf))
                yield leaf
            if _is_module(leaf):
                seen.add(id(leaf))
                inner.append(leaf)
        todo.extend(reversed(inner))


def _leaves(module: Module) -> Iterator[Any]:
    attributes = vars(module)
    for name in sorted(attributes):
        yield from _parts(attributes[name], set())


def _parts(value: Any, open_ids: set[int]) -> Iterator[Any]:
    """The leaves of nested lists, tuples and dicts; one that contains itself is cut there."""
    if not isinstance(value, dict | list | tuple):
        yield value
        return
    if id(value) in open_ids:
        return
    open_ids.add(id(value))
    for part in _in_order(value):
        yield from _parts(part, open_ids)
    open_ids.discard(id(value))


def _in_order(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        return [value[key] for key in sorted(value)]
    except TypeError:  # keys of mixed types have no order: take theirs
        return list(value.values())


def _snake_case(name: str) -> str:
    import re

    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name).lower()
