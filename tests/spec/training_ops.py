"""Steps on variables: rows for the coverage test; laws are in tests/ops/test_training_ops.py."""

from __future__ import annotations

from tests.spec.table import family

add = family(__name__)

NAMES = (
    "ResourceApplyAdam",
    "ResourceApplyGradientDescent",
    "ResourceApplyMomentum",
    "RngReadAndSkip",
    "RngSkip",
)
for _name in NAMES:
    add(
        _name,
        form="law",
        cases=lambda s: [],
        grad="skip",
        grad_why="state: see test_training_ops",
    )
