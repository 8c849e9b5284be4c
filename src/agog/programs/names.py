"""The names of TensorFlow that a program uses, read from its source."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agog.near_names import near

ROOT = "tensorflow"


@dataclass
class Use:
    """A name below `tensorflow`, as in `nn.relu`, and where it is used."""

    name: str
    places: list[tuple[str, int]] = field(default_factory=list)


class _Reader(ast.NodeVisitor):
    """Notes what each dotted name that starts at an import of TensorFlow is."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.meaning: dict[str, str] = {}  # a name in the program -> its dotted path
        self.found: list[tuple[str, int]] = []

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if _is_below(alias.name):
                if alias.asname:
                    self.meaning[alias.asname] = alias.name
                    self._note(alias.name, node.lineno)
                else:
                    self.meaning[ROOT] = ROOT

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level == 0 and node.module and _is_below(node.module):
            for alias in node.names:
                if alias.name != "*":
                    path = f"{node.module}.{alias.name}"
                    self.meaning[alias.asname or alias.name] = path
                    self._note(path, node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        else:
            self._note(path, node.lineno)

    def _path(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self.meaning.get(node.id)
        if isinstance(node, ast.Attribute):
            start = self._path(node.value)
            return start and f"{start}.{node.attr}"
        return None

    def _note(self, path: str, line: int) -> None:
        if path != ROOT:
            self.found.append((path.removeprefix(ROOT + "."), line))


def _is_below(module: str) -> bool:
    return module == ROOT or module.startswith(ROOT + ".")


def python_files(paths: list[str]) -> list[Path]:
    """The files themselves, and all `.py` files below folders."""
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


def uses_in(files: list[Path]) -> list[Use]:
    """The names of TensorFlow used in these files, in alphabetical order.

    Nothing is run. Raises OSError for a file that cannot be read and SyntaxError for one that is
    not Python.
    """
    uses: dict[str, Use] = {}
    for file in files:
        reader = _Reader(str(file))
        reader.visit(ast.parse(file.read_bytes(), filename=str(file)))
        for path, line in reader.found:
            name = _without_attributes(path)
            uses.setdefault(name, Use(name)).places.append((str(file), line))
    return [uses[name] for name in sorted(uses)]


def _without_attributes(path: str) -> str:
    """The part of a path up to the first thing that is neither a module nor missing."""
    found: Any = importlib.import_module("agog")
    parts = path.split(".")
    for i, part in enumerate(parts):
        try:
            found = getattr(found, part)
        except AttributeError:
            return ".".join(parts[: i + 1])
        if not inspect.ismodule(found):
            return ".".join(parts[: i + 1])
    return path


def is_there(name: str) -> bool:
    """Whether agog has this name."""
    found: Any = importlib.import_module("agog")
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            return False
    return True


def near_names(name: str) -> list[str]:
    """Names that agog has in the same place and that look like a missing one."""
    parent, _, last = name.rpartition(".")
    found: Any = importlib.import_module("agog")
    for part in parent.split(".") if parent else []:
        found = getattr(found, part, None)
    prefix = parent + "." if parent else ""
    return [prefix + n for n in near(last, dir(found))]


def report(paths: list[str]) -> int:
    """Print the names that programs use and which of them agog lacks.

    Returns 0 if none is missing, 1 if some are, 2 for files that cannot be read.
    """
    try:
        files = python_files(paths)
        uses = uses_in(files)
    except (OSError, SyntaxError, ValueError) as error:
        print(f"agog coverage: error: {error}", file=sys.stderr)
        return 2
    missing = [use for use in uses if not is_there(use.name)]
    for use in uses:
        if use not in missing:
            print(f"    tf.{use.name}  {_times(use)}")
    for use in missing:
        file, line = use.places[0]
        like = near_names(use.name)
        hint = f"; near names: {', '.join(like)}" if like else ""
        print(f"NO  tf.{use.name}  {_times(use)}, first {file}:{line}{hint}")
    there = len(uses) - len(missing)
    print(f"agog has {there} of the {len(uses)} TensorFlow names in {len(files)} file(s)")
    return 1 if missing else 0


def _times(use: Use) -> str:
    n = len(use.places)
    return "once" if n == 1 else f"{n} times"
