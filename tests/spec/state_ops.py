"""Variables: rows for the coverage test; the laws are in tests/ops/test_state.py."""

from __future__ import annotations

from tests.spec.table import family

add = family(__name__)

NAMES = (
    "VarHandleOp",
    "VarIsInitializedOp",
    "ReadVariableOp",
    "AssignVariableOp",
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "DestroyResourceOp",
    "VariableShape",
    "ResourceGather",
    "ResourceGatherNd",
    "ResourceScatterUpdate",
    "ResourceScatterAdd",
    "ResourceScatterSub",
    "ResourceScatterMul",
    "ResourceScatterDiv",
    "ResourceScatterMin",
    "ResourceScatterMax",
    "ResourceScatterNdUpdate",
    "ResourceScatterNdAdd",
    "ResourceScatterNdSub",
    "ResourceScatterNdMin",
    "ResourceScatterNdMax",
    "ResourceCountUpTo",
    "ResourceStridedSliceAssign",
)
for _name in NAMES:
    add(
        _name,
        form="law",
        main="dtype",
        cases=lambda s: [],
        grad="skip",
        optional=True,
        grad_why="state: see test_state",
    )
