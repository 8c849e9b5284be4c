#!/usr/bin/env python3
"""Writes the tables of docs/numerics.md: the error bounds that the tests hold every op to."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.spec.all import rows  # noqa: E402
from tests.spec.table import Spec  # noqa: E402

PAGE = ROOT / "docs/numerics.md"
BEGIN = "<!-- written by tools/numerics.py: do not edit -->\n"
END = "<!-- end -->\n"
GROUPS = {
    "float32, float64": ("float32", "float64"),
    "float16, bfloat16": ("float16", "bfloat16"),
    "complex": ("complex64", "complex128"),
}


def bounds(row: Spec) -> list[float]:
    """The largest bound of each group of dtypes."""
    return [max(row.limit(dtype) for dtype in group) for group in GROUPS.values()]


def table(specs: list[Spec]) -> str:
    """One line per op."""
    lines = ["| op | " + " | ".join(GROUPS) + " | ulps |", "|---|" + "---|" * 4]
    for row in sorted(specs, key=lambda row: row.name):
        cells = [f"{bound:g}" for bound in bounds(row)]
        if "complex64" not in row.ulps:
            cells[-1] = ""
        unit = "of the result" if row.scale is None else "of the terms"
        lines.append(f"| `{row.name}` | " + " | ".join(cells) + f" | {unit} |")
    return "\n".join(lines)


def tables() -> str:
    """What stands between the marks of the page: ops that are exact, and bounds of the others."""
    computed = [row for row in rows() if row.ref is not None]
    exact = [row for row in computed if max(bounds(row)) == 0]
    names = ", ".join(f"`{row.name}`" for row in sorted(exact, key=lambda row: row.name))
    others = [row for row in computed if row not in exact]
    return f"Exact or correctly rounded:\n{fill(names, 110)}.\n\n{table(others)}\n"


def main() -> None:
    """Puts the tables into the page."""
    head, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{tables()}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
