#!/usr/bin/env python3
"""Checks what no other tool does: lengths of functions, files and lines; TODOs without an issue.

    tools/lint.py [FILE...]

Without files, looks at all of them. Tables of data may be as long as they need to be: the rows of
`csrc/ops`, the specs of the tests, and the texts among the data sets.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FUNCTION_LINES = 40
FILE_LINES = 600
COLUMNS = 100
ROOT = Path(__file__).resolve().parent.parent

FOLDERS = (".ci", "benchmarks", "csrc", "docs", "examples", "src", "tests", "tools")
SUFFIXES = {".cpp", ".h", ".md", ".py", ".pyi", ".sh", ".toml", ".txt"}
# Files that are mostly data.
TABLES = ("csrc/ops/", "src/agog/datasets/data/", "tests/spec/", "tests/ops/quirks.py")

TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")
# Where a function may begin in C++: a line indented no further than a member is.
CPP_HEAD = re.compile(r"^( {0,2})(?! )(?!namespace|struct|class|enum|union|extern|switch|if|for)")


def main() -> int:
    """Prints every finding; 1 where there is one."""
    paths = [Path(name).resolve() for name in sys.argv[1:]] or _sources()
    findings = [finding for path in paths for finding in check(path)]
    print(*findings, sep="\n", end="\n" if findings else "")
    return 1 if findings else 0


def _sources() -> list[Path]:
    """All text of ours; no build folders, no caches."""
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sorted(p for p in found if p.suffix in SUFFIXES or p.parent.name == ".ci")


def check(path: Path) -> Iterator[str]:
    """What is wrong in a file, as `path:line: what`."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
    lines = path.read_text().splitlines()
    if len(lines) > FILE_LINES and not name.startswith(TABLES):
        yield f"{name}:1: {len(lines)} lines; the most is {FILE_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not name.endswith(".md"):
            yield f"{name}:{number}: {len(line)} columns; the most is {COLUMNS}"
        if TODO.search(line) and name != "tools/lint.py":
            yield f"{name}:{number}: a TODO needs an issue number, as in TODO(#12)"
    for number, length, function in _functions(name, lines):
        if length > FUNCTION_LINES and not name.startswith("tests/spec/"):
            yield f"{name}:{number}: {function} has {length} lines; the most is {FUNCTION_LINES}"


def _functions(name: str, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    if name.endswith((".py", ".pyi")):
        yield from _python_functions("\n".join(lines))
    elif name.endswith((".cpp", ".h")):
        yield from _cpp_functions(lines)


def _python_functions(source: str) -> Iterator[tuple[int, int, str]]:
    """Line, length and name of each function; neither signature nor docstring counts."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if body:
            yield node.lineno, (body[-1].end_lineno or 0) - body[0].lineno + 1, node.name


def _cpp_functions(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Roughly: what opens a brace after a parameter list closes it at the same indentation."""
    start, indent, head = 0, "", ""
    for number, line in enumerate(lines, 1):
        if start:
            if line.startswith(f"{indent}}}"):
                yield start, number - start + 1, head
                start = 0
            continue
        found = CPP_HEAD.match(line)
        if not found or "(" not in line or not line.endswith("{") or line.endswith("= {"):
            continue
        if "OpRows" not in line:  # rows of ops are data
            start, indent = number, found.group(1)
            head = line.split("(")[0].split()[-1].lstrip("*&")


if __name__ == "__main__":
    sys.exit(main())
