"""Every family, imported for its rows."""

from __future__ import annotations

import importlib

from tests.spec.table import ROWS, Spec

FAMILIES = (
    "math_unary_ops",
    "math_binary_ops",
    "comparison_ops",
    "reduction_ops",
    "scan_ops",
    "matmul_ops",
    "array_ops",
    "slice_ops",
    "nn_ops",
    "bitwise_ops",
    "complex_ops",
    "random_ops",
    "state_ops",
    "space_ops",
    "segment_ops",
    "search_ops",
    "special_ops",
    "random_seed_ops",
    "distribution_ops",
    "training_ops",
    "conv_ops",
    "pool_ops",
    "norm_ops",
)

for _family in FAMILIES:
    importlib.import_module(f"tests.spec.{_family}")


def rows() -> list[Spec]:
    return list(ROWS.values())
