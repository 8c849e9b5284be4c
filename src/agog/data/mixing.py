"""Elements of several datasets, picked one at a time."""

from __future__ import annotations

from typing import Any, ClassVar

from agog.data import elements
from agog.data.node import INFINITE, UNKNOWN, Node
from agog.data.randomness import Seeds, blocks
from agog.data.stage import Run, Stage, State
from agog.errors import InvalidArgumentError


class Choose(Node):
    """The next element of the input that a dataset of numbers names."""

    kind = "DirectedInterleave"

    def __init__(self, choices: Node, sources: list[Node], stop_on_empty: bool) -> None:
        super().__init__(choices, *sources)
        self.stop_on_empty = stop_on_empty
        if all(node.spec_is_free for node in sources):
            self._spec = self.make_spec()

    def make_spec(self) -> Any:
        spec = self.inputs[1].spec
        for node in self.inputs[2:]:
            try:
                spec = elements.common_spec(spec, node.spec)
            except TypeError as error:
                raise TypeError(
                    f"Invalid `datasets`. `datasets` must have compatible element specs. {error}"
                ) from None
        return spec

    def num_elements(self) -> int:
        sizes = [node.num_elements() for node in self.inputs[1:]]
        if self.stop_on_empty:
            return INFINITE if all(s == INFINITE for s in sizes) and self._endless() else UNKNOWN
        return INFINITE if INFINITE in sizes and self._endless() else UNKNOWN

    def _endless(self) -> bool:
        return self.inputs[0].num_elements() == INFINITE

    def start(self, run: Run) -> Stage:
        return ChooseStage([run.start(node) for node in self.inputs], self.stop_on_empty)


class ChooseStage(Stage):
    """A pass over the choices. An input at its end is passed over, or ends it all."""

    def __init__(self, stages: list[Stage], stop_on_empty: bool) -> None:
        super().__init__(*stages)
        self.stop_on_empty = stop_on_empty
        self.live = [True] * (len(stages) - 1)

    def next(self) -> Any:
        while any(self.live):
            choice = int(self.inputs[0].next())
            if not 0 <= choice < len(self.live):
                raise InvalidArgumentError(
                    None, None, f"Selector index out of range: {choice} >= {len(self.live)}"
                )
            if not self.live[choice]:
                continue
            try:
                return self.inputs[1 + choice].next()
            except StopIteration:
                self.live[choice] = False
                if self.stop_on_empty:
                    self.live = [False] * len(self.live)
        raise StopIteration

    def save(self) -> State:
        return {"live": list(self.live), **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.live = list(state["live"])


class Sample(Choose):
    """An element of a random input, by weights: given once, or by a dataset for each draw.

    Where an input is at its end and the rest goes on, draws of it are drawn again.
    """

    kind = "SampleFromDatasets"

    def __init__(
        self,
        weights: list[float] | Node,
        sources: list[Node],
        seed: Any,
        stop_on_empty: bool,
        rerandomize: bool | None,
    ) -> None:
        from agog.data.sources import Tensors

        self.changing = isinstance(weights, Node)
        choices = weights if isinstance(weights, Node) else Tensors(weights)
        super().__init__(choices, sources, stop_on_empty)
        self.seeds = Seeds(seed, rerandomize is not False)

    def _endless(self) -> bool:
        return not self.changing or super()._endless()

    def start(self, run: Run) -> Stage:
        return SampleStage([run.start(node) for node in self.inputs], self)


class SampleStage(ChooseStage):
    """A pass over random inputs."""

    BLOCK: ClassVar[int] = 1024

    def __init__(self, stages: list[Stage], node: Sample) -> None:
        super().__init__(stages, node.stop_on_empty)
        self.node = node
        self.epoch = node.seeds.next_epoch()
        self.position = 0
        self.block: tuple[int, list[float]] = (-1, [])
        self.weights: list[float] | None = None

    def next(self) -> Any:
        while any(self.live):
            if self.weights is None or self.node.changing:
                self.weights = [float(w) for w in self.inputs[0].next()]
            choice = self._choice(self.weights)
            if choice is None:
                break
            if not self.live[choice]:
                continue
            try:
                return self.inputs[1 + choice].next()
            except StopIteration:
                self.live[choice] = False
                if self.stop_on_empty:
                    self.live = [False] * len(self.live)
        raise StopIteration

    def _choice(self, weights: list[float]) -> int | None:
        """A random input that goes on; None where only inputs of weight 0 do."""
        live = [w if alive else 0.0 for w, alive in zip(weights, self.live, strict=True)]
        if self.stop_on_empty:
            live = list(weights)
        total = sum(live)
        if total <= 0:
            return None
        point = self._draw() * total
        for i, weight in enumerate(live):
            point -= weight
            if point < 0:
                return i
        return max(i for i, weight in enumerate(live) if weight > 0)

    def _draw(self) -> float:
        number, offset = divmod(self.position, self.BLOCK)
        if self.block[0] != number:
            self.block = (
                number,
                blocks(self.node.seeds, self.epoch, number).random(self.BLOCK).tolist(),
            )
        self.position += 1
        return self.block[1][offset]

    def save(self) -> State:
        state = {"epoch": self.epoch, "position": self.position, "weights": self.weights}
        return {**state, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.epoch, self.position = state["epoch"], state["position"]
        self.weights = state["weights"]
        self.node.seeds.go_to(self.epoch)
