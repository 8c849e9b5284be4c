"""What a namespace says about a name that it does not have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def near(name: str, names: list[str]) -> list[str]:
    """At most four of `names` that look like `name`, the most alike first."""
    import difflib

    by_lower = {n.lower(): n for n in reversed(names) if not n.startswith("_")}
    found = difflib.get_close_matches(name.lower(), by_lower, n=4, cutoff=0.6)
    return [by_lower[n] for n in found]


def no_attribute(namespace: str, name: str) -> AttributeError:
    """The error for a missing name of a module; it lists the module's names that are like it."""
    text = f"module {namespace!r} has no attribute {name!r}"
    module = sys.modules.get(namespace)
    if name.startswith("_") or module is None:
        return AttributeError(text)
    like = near(name, dir(module))
    hint = f"; near names: {', '.join(like)}" if like else ""
    return AttributeError(text + hint, name=name, obj=module)


def missing(namespace: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: raises AttributeError with the names that are near."""

    def __getattr__(name: str) -> Any:
        raise no_attribute(namespace, name)

    return __getattr__
