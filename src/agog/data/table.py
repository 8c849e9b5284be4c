"""Tables: columns whose rows are elements, so that batches are gathered and not put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from agog import _core
from agog._core import handle
from agog.data import elements

if TYPE_CHECKING:
    import numpy as np

# Numbers of rows: a range where they follow each other, so that a batch shares the memory.
Rows: TypeAlias = Union[range, "np.ndarray"]

_gather = handle("GatherV2")


class Table:
    """Columns of equal length: tensors, or Counters."""

    def __init__(self, structure: Any, columns: list[Any], length: int) -> None:
        self.structure = structure
        self.columns = columns
        self.length = length
        self._pack = elements.packer(structure)

    def row(self, i: int) -> Any:
        """The element number `i`."""
        return self._pack([column[i] for column in self.columns])

    def gather(self, rows: Rows) -> Any:
        """These elements, stacked."""
        if type(rows) is range and rows.step == 1:
            return self._pack([column[rows.start : rows.stop] for column in self.columns])
        numbers = _core.convert(as_array(rows))
        return self._pack([_gather_column(column, numbers) for column in self.columns])


class Counter:
    """The column start, start + step, …, made as it is needed."""

    def __init__(self, start: int, step: int, length: int, dtype: Any) -> None:
        self.start, self.step, self.length, self.dtype = start, step, length, dtype

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self.gather(as_array(range(key.start, key.stop)))
        return _core.convert(self.start + key * self.step, self.dtype)

    def gather(self, rows: Any) -> Any:
        """The numbers at these rows."""
        numbers = self.start + self.step * rows
        return _core.convert(numbers.astype(self.dtype.as_numpy_dtype))


def _gather_column(column: Any, numbers: Any) -> Any:
    if type(column) is Counter:
        return column.gather(numbers.numpy())
    return _gather(column, numbers, 0)


def as_array(rows: Rows) -> np.ndarray:
    """Row numbers as an int64 array."""
    import numpy as np

    if type(rows) is range:
        return np.arange(rows.start, rows.stop, rows.step, dtype=np.int64)
    return rows  # type: ignore[return-value]


def join(parts: list[Rows]) -> Rows:
    """Several runs of row numbers as one."""
    import numpy as np

    parts = [part for part in parts if len(part)]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([as_array(part) for part in parts]) if parts else range(0)
