"""`import tensorflow` that gives agog."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

NAME = "tensorflow"


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `tensorflow`, `tensorflow.contrib.eager` and so on where agog has such a module."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != NAME and not fullname.startswith(NAME + "."):
            return None
        module = module_of(fullname)
        if module is None:
            raise _not_there(fullname)
        is_package = hasattr(module, "__path__")
        return importlib.machinery.ModuleSpec(fullname, _Loader(module), is_package=is_package)


class _Loader(importlib.abc.Loader):
    """Gives a module that is there already, as it is."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.before = {key: vars(module).get(key) for key in ("__spec__", "__loader__")}

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put its own into the module that it thinks is new.
        vars(module).update(self.before)


def module_of(name: str) -> ModuleType | None:
    """The module of agog that stands for `tensorflow` or a module in it, None for none."""
    found: Any = importlib.import_module("agog")
    for part in name.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            return None
    return found if isinstance(found, ModuleType) else None


def _not_there(name: str) -> ModuleNotFoundError:
    from agog.near_names import near

    parent, _, last = name.rpartition(".")
    module = module_of(parent)
    like = near(last, dir(module)) if module else []
    hint = f"; near names: {', '.join(like)}" if like else ""
    return ModuleNotFoundError(f"agog has no module {name}{hint}", name=name)


def install_as_tensorflow() -> None:
    """From now on `import tensorflow` and its modules give agog in this process.

    `tensorflow.contrib.eager`, `tensorflow.compat.v1`, `tensorflow.compat.v2` and
    `from tensorflow import ...` work, too; a module that agog does not have raises
    ModuleNotFoundError, a name AttributeError. Raises RuntimeError if the real TensorFlow has been
    imported already. `agog run script.py` does this for a whole program.

        agog.install_as_tensorflow()
        import tensorflow as tf         # tf is agog
    """
    agog = importlib.import_module("agog")
    if sys.modules.get(NAME, agog) is not agog:
        raise RuntimeError(
            "TensorFlow has been imported already; call install_as_tensorflow() before anything "
            "imports it"
        )
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    sys.modules[NAME] = agog
