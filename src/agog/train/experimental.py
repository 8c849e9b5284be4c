"""State that is not in variables, for checkpoints."""

from __future__ import annotations

from typing import Any

from agog.checkpoint.trackable import PythonState
from agog.random import seeds


class RandomState:
    """The global seed of `agog.random.set_seed`, and how far its sequence has come.

    Put it into a checkpoint to go on with the same random numbers. Ops with a seed of their own
    start again; a generator is trackable itself.

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
        """The seed and the state of its sequence."""
        return seeds.global_state()

    def restore_state(self, state: dict[str, Any]) -> None:
        """Goes on where `save_state` was called."""
        seeds.set_global_state(state)


__all__ = ["PythonState", "RandomState"]
