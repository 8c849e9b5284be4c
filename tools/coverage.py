#!/usr/bin/env python3
"""Writes docs/coverage.md: which of TensorFlow's public names agog has.

`tools/data/tensorflow_names.tsv` lists the public names of TensorFlow 2.21 that TensorFlow's guides
and tutorials, Keras' TensorFlow backend and TensorFlow Probability use, with the share of uses of
each, averaged over these four. Names of tf.keras, tf.compat and tf.raw_ops are left out.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import agog

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / "tools/data/tensorflow_names.tsv"
PAGE = ROOT / "docs/coverage.md"
MOST_MISSING = 150


class Name(NamedTuple):
    """A public name, without its `tf.`, and the percentage of all uses that are of it."""

    path: str
    share: float

    @property
    def space(self) -> str:
        """The namespace that it is in."""
        return self.path.rpartition(".")[0]

    def is_there(self) -> bool:
        """Whether agog has it."""
        found: object = agog
        for part in self.path.split("."):
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True


def read_names() -> list[Name]:
    """All names, the most used first."""
    with NAMES.open() as file:
        rows = csv.DictReader(file, delimiter="\t")
        return [Name(row["name"], float(row["share"])) for row in rows]


def page(names: list[Name]) -> str:
    """The text of the page."""
    there = [name for name in names if name.is_there()]
    missing = [name for name in names if not name.is_there()]
    share = sum(name.share for name in there) / sum(name.share for name in names)
    return f"""# Coverage

*Written by `tools/coverage.py`; do not edit.*

Four bodies of TensorFlow 2 code (its guides, its tutorials, Keras' TensorFlow backend and
TensorFlow Probability) use {len(names)} of TensorFlow's public functions, classes and constants,
those of `tf.keras` and `tf.compat` not counted. agog has **{len(there)}** of them, which are
**{share:.0%}** of all uses, and {len(agog.raw_ops.__all__)} raw ops.

A name that is there has TensorFlow's arguments and defaults; one that is missing raises
`AttributeError`.

## By namespace

| namespace | there | of | uses there |
|---|---|---|---|
{_by_space(names)}

## Missing, the most used first

{_listed(missing[:MOST_MISSING])}

## There

{_listed(sorted(there, key=lambda name: name.path.lower()))}
"""


def _by_space(names: list[Name]) -> str:
    lines = []
    for space in sorted({name.space for name in names}):
        inside = [name for name in names if name.space == space]
        there = [name for name in inside if name.is_there()]
        share = sum(name.share for name in there) / sum(name.share for name in inside)
        title = f"`tf.{space}`" if space else "`tf`"
        lines.append(f"| {title} | {len(there)} | {len(inside)} | {share:.0%} |")
    return "\n".join(lines)


def _listed(names: list[Name]) -> str:
    """Names in lines of at most 100 columns."""
    lines = [""]
    for name in names:
        word = f"`{name.path}`"
        if len(lines[-1]) + len(word) > 96:
            lines.append("")
        lines[-1] += f"{word}, "
    return "\n".join(line.rstrip() for line in lines).rstrip(",")


if __name__ == "__main__":
    PAGE.write_text(page(read_names()))
