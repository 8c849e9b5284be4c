"""Nodes: what a dataset is made of. A node knows its inputs and how to go through them once.

The layers, downwards only: `Dataset` (the methods users call) holds a node; a node makes stages;
a stage is one pass over the data. Nodes never change, so datasets may share them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from agog.data.stage import Run, Stage
    from agog.data.table import Table

INFINITE = -1
UNKNOWN = -2


class DatasetBase:
    """What nodes need to know of `Dataset`: that it holds a node."""

    _node: Node


_dataset_class: list[Any] = []


def as_dataset(node: Node) -> Any:
    """The Dataset of a node."""
    return _dataset_class[0]._of(node)


class Node:
    """A source or a transformation: how to start a pass, and what the elements are."""

    kind: ClassVar[str] = ""
    # Whether the spec of the elements can only be told by running a user's function.
    runs_code_for_spec: ClassVar[bool] = False

    def __init__(self, *inputs: Node) -> None:
        self.inputs = inputs
        self._spec: Any = None

    def start(self, run: Run) -> Stage:
        """A new pass."""
        raise NotImplementedError

    def make_spec(self) -> Any:
        """The specs of an element's leaves; by default those of the first input."""
        return self.inputs[0].spec

    def num_elements(self) -> int:
        """The number of elements, INFINITE or UNKNOWN; by default that of the first input."""
        return self.inputs[0].num_elements()

    def table(self) -> Table | None:
        """The columns whose rows are the elements, in order, where there are such."""
        return None

    @property
    def spec(self) -> Any:
        """The specs of an element's leaves, found out once."""
        if self._spec is None:
            self._spec = self.make_spec()
        return self._spec

    @property
    def spec_is_free(self) -> bool:
        """Whether `spec` runs no code of the user."""
        if self._spec is not None:
            return True
        return not self.runs_code_for_spec and all(node.spec_is_free for node in self.inputs)

    @property
    def title(self) -> str:
        """What `explain` calls it."""
        return self.kind
