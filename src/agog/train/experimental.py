"""State that is not in variables, for checkpoints."""

from __future__ import annotations

from typing import Any

from agog.checkpoint.trackable import PythonState
from agog.random import seeds


class RandomState:
    """Where the numbers of `agog.random.uniform` and its like stand, with seeds and without.

    Put it into a checkpoint to go on with the same random numbers. It belongs to the process, not
    to the object; a `Generator` has a state of its own and is trackable itself.

    >>> import tempfile
    >>> agog.random.set_seed(1)
    >>> checkpoint = agog.train.Checkpoint(random=agog.train.experimental.RandomState())
    >>> path = checkpoint.write(f"{tempfile.mkdtemp()}/c")
    >>> first = agog.random.uniform([2])
    >>> _ = checkpoint.read(path)
    >>> agog.random.uniform([2]).numpy().tolist() == first.numpy().tolist()
    True
    """

    def save_state(self) -> dict[str, Any]:
        """The global seed, and the state of every random op."""
        return seeds.global_state()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Goes on where `save_state` was called."""
        seeds.set_global_state(state)


__all__ = ["PythonState", "RandomState"]
