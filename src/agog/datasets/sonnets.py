"""Sonnets of William Shakespeare: text to learn to write from."""

from __future__ import annotations

from agog._core import public


@public
def sonnets() -> str:
    """71 of Shakespeare's sonnets, 43,441 characters, with an empty line between two.

    They were printed in 1609 and are in the public domain. Spelling is that of modern editions;
    this is text to train on, not an edition to quote from.

    >>> text = agog.datasets.sonnets()
    >>> text.splitlines()[0]
    'From fairest creatures we desire increase,'
    >>> len(text), len(set(text))
    (43441, 59)
    """
    from pathlib import Path

    path = Path(__file__).parent / "data" / "sonnets.txt"
    return path.read_text(encoding="utf-8")
