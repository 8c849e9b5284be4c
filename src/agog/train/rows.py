"""Rows of variables: what sparse steps read and write."""

from __future__ import annotations

from typing import Any

import agog
from agog._core import handle

_gather = handle("ResourceGather")
_segment_sum = handle("UnsortedSegmentSum")
_unique: Any = handle("Unique")

_IN_PLACE = hasattr(agog.raw_ops, "ResourceScatterUpdate")
_scatter_update = handle("ResourceScatterUpdate" if _IN_PLACE else "TensorScatterUpdate")
_expand = handle("ExpandDims")


def summed(values: Any, indices: Any) -> tuple[Any, Any]:
    """The rows with those of one index added up, and the indices, each named once."""
    indices, places = _unique(indices)
    return _segment_sum(values, places, indices.shape[0]), indices


def gather(var: Any, indices: Any) -> Any:
    """The rows `indices` of a variable."""
    return _gather(var.handle, indices, dtype=var.dtype)


def update(var: Any, indices: Any, values: Any) -> None:
    """Gives the rows `indices` of a variable new values, and leaves the others alone."""
    if _IN_PLACE:
        _scatter_update(var.handle, indices, values)
    else:
        var.assign(_scatter_update(var.value(), _expand(indices, -1), values))
