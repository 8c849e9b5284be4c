"""The iterator over datasets of 2017, `agog.contrib.eager.Iterator`."""

from __future__ import annotations

from typing import Any

from agog import data
from agog._core import public
from agog.data.sources import Iterated


class Iterator(data.Iterator):
    """Goes through a dataset, or anything else that can be iterated, as tensors.

    >>> for x, y in agog.contrib.eager.Iterator([(1.0, 2.0), (3.0, 4.0)]):
    ...     print(float(x + y))
    3.0
    7.0
    """

    @public
    def __init__(self, dataset: Any) -> None:
        if isinstance(dataset, data.Dataset):
            super().__init__(dataset._node, dataset.options())
        else:
            iter(dataset)  # a TypeError now rather than later
            super().__init__(Iterated(dataset), data.Options())


__all__ = ["Iterator"]
