"""Jacobians of a tape: one backward pass for each element of the target."""

from __future__ import annotations

from typing import Any

from agog import _core
from agog._core import handle
from agog.gradient_tape import UnconnectedGradients, _check_sources, _flatten, _pack

_reshape = handle("Reshape")
_pack_op = handle("Pack")
_transpose = handle("Transpose")


def _unit(shape: list[int], dtype: Any, index: int) -> Any:
    import numpy as np

    weight = np.zeros(shape, np.float32)
    weight.reshape(-1)[index] = 1
    return _core.convert(weight, dtype)


def _rows(tape: Any, target: Any, sources: list[Any], count: int, weight: Any) -> list[list[Any]]:
    """The gradients of `count` weighted sums of the target, source by source."""
    columns: list[list[Any]] = [[] for _ in sources]
    for i in range(count):
        keep = tape._persistent or i + 1 < count
        grads = tape._gradient([target], sources, [weight(i)], keep)
        for column, grad in zip(columns, grads, strict=True):
            column.append(None if grad is None else _core.convert(grad))
    return columns


def _stacked(column: list[Any], source: Any, shape: list[int], dtype: Any, zero: bool) -> Any:
    import numpy as np

    lead = shape[: len(shape) - len(source.shape)]
    known = [g for g in column if g is not None]
    if not known:
        if lead and 0 in lead and not column:
            return _core.convert(np.zeros(shape, np.float32), dtype)
        return _core.convert(np.zeros(shape, np.float32), dtype) if zero else None
    zeros = _core.convert(np.zeros(source.shape.as_list(), np.float32), source.dtype)
    return _reshape(_pack_op([zeros if g is None else g for g in column], 0), shape)


def jacobian(tape: Any, target: Any, sources: Any, unconnected: Any) -> Any:
    """See `GradientTape.jacobian`."""
    tape._begin("jacobian")
    zero = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    target = _core.convert(target)
    flat = _flatten(sources)
    _check_sources(flat)
    shape = target.shape.as_list()
    count = target.shape.num_elements()
    tape._leave(keep=tape._persistent)
    columns = _rows(tape, target, flat, count, lambda i: _unit(shape, target.dtype, i))
    results = [
        _stacked(column, source, shape + source.shape.as_list(), source.dtype, zero)
        for column, source in zip(columns, flat, strict=True)
    ]
    return _pack(sources, results)


def batch_jacobian(tape: Any, target: Any, source: Any, unconnected: Any) -> Any:
    """See `GradientTape.batch_jacobian`."""
    tape._begin("batch_jacobian")
    zero = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    target = _core.convert(target)
    shape, source_shape = target.shape.as_list(), source.shape.as_list()
    if not shape or not source_shape or shape[0] != source_shape[0]:
        raise ValueError(
            f"target and source must share their first dimension, got {target.shape} and "
            f"{source.shape}"
        )
    inner = 1
    for length in shape[1:]:
        inner *= length

    def weight(i: int) -> Any:
        import numpy as np

        row = np.zeros([shape[0], inner], np.float32)
        row[:, i] = 1
        return _core.convert(row.reshape(shape), target.dtype)

    tape._leave(keep=tape._persistent)
    [column] = _rows(tape, target, [source], inner, weight)
    stacked = _stacked(column, source, [inner, *source_shape], source.dtype, zero)
    if stacked is None:
        return None
    rank = len(source_shape) + 1
    by_row = _transpose(stacked, [1, 0, *range(2, rank)])
    return _reshape(by_row, [shape[0], *shape[1:], *source_shape[1:]])
