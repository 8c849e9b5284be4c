"""Elements dropped at random so that classes come in given proportions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from agog.data import elements
from agog.data.mapping import scalar_int64
from agog.data.node import UNKNOWN, Node
from agog.data.probing import first_elements
from agog.data.randomness import Seeds, blocks
from agog.data.stage import Run, Stage, State
from agog.errors import InvalidArgumentError


class RejectionResample(Node):
    """Pairs of class and element; an element stays with a chance that suits its class."""

    kind = "RejectionResample"
    runs_code_for_spec = True

    def __init__(
        self,
        source: Node,
        class_func: Callable[..., Any],
        target: list[float],
        initial: list[float] | None,
        seed: Any,
    ) -> None:
        super().__init__(source)
        self.class_func, self.target, self.initial = class_func, target, initial
        if initial is not None and len(initial) != len(target):
            raise ValueError(
                f"initial_dist has {len(initial)} classes, target_dist has {len(target)}"
            )
        self.seeds = Seeds(seed, True)

    def make_spec(self) -> Any:
        element = first_elements(self.inputs[0], 1)[0]
        return elements.spec_of(self.class_of(element)[1]), self.inputs[0].spec

    def num_elements(self) -> int:
        return 0 if self.inputs[0].num_elements() == 0 else UNKNOWN

    def class_of(self, element: Any) -> tuple[int, Any]:
        """The class that the function gives an element, as a number and as a tensor."""
        tensor = elements.to_element(elements.call(self.class_func, element))
        found = scalar_int64(tensor, "class_func")
        if not 0 <= found < len(self.target):
            raise InvalidArgumentError(
                None,
                None,
                f"class_func gave the class {found}, but target_dist has {len(self.target)}",
            )
        return found, tensor

    def start(self, run: Run) -> Stage:
        return RejectionResampleStage(run.start(self.inputs[0]), self)


class RejectionResampleStage(Stage):
    """A pass that counts classes where their distribution is not given."""

    BLOCK: ClassVar[int] = 1024

    def __init__(self, source: Stage, node: RejectionResample) -> None:
        super().__init__(source)
        self.node = node
        self.counts = [0] * len(node.target)
        self.epoch = node.seeds.next_epoch()
        self.position = 0
        self.block: tuple[int, list[float]] = (-1, [])

    def next(self) -> Any:
        while True:
            element = self.inputs[0].next()
            found, tensor = self.node.class_of(element)
            self.counts[found] += 1
            if self._draw() < self._chance(found):
                return tensor, element

    def _chance(self, found: int) -> float:
        """Of an element of this class to stay: target / initial, over its largest value."""
        initial = self.node.initial or self.counts
        total = sum(initial)
        ratios = [
            t * total / n if n else 0.0 for t, n in zip(self.node.target, initial, strict=True)
        ]
        largest = max(ratios)
        return ratios[found] / largest if largest else 0.0

    def _draw(self) -> float:
        number, offset = divmod(self.position, self.BLOCK)
        if self.block[0] != number:
            draws = blocks(self.node.seeds, self.epoch, number).random(self.BLOCK)
            self.block = number, draws.tolist()
        self.position += 1
        return self.block[1][offset]

    def save(self) -> State:
        state = {"counts": list(self.counts), "epoch": self.epoch, "position": self.position}
        return {**state, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.counts = list(state["counts"])
        self.epoch, self.position = state["epoch"], state["position"]
        self.node.seeds.go_to(self.epoch)
