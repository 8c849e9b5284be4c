"""The random numbers of pipelines: a stream that can be entered anywhere.

Each block of draws is a Philox generator of its own, keyed by the two seeds (those that
`random.set_seed` and the argument `seed` give) and counted by epoch and number of the block. So
the order of a shuffle depends on the seeds, the epoch and the number of elements only, and a
position is two integers.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from agog.random.seeds import get_seed

if TYPE_CHECKING:
    import numpy as np

LAST = 2**64 - 1  # the block that orders what is left at the end


class Seeds:
    """The seeds of a node, and which epoch the next pass is."""

    def __init__(self, seed: Any, changes: bool) -> None:
        pair = get_seed(None if seed is None else int(seed))
        if pair == (0, 0):
            import secrets

            pair = secrets.randbits(63), secrets.randbits(63)
        self.pair = pair
        self.changes = changes
        self.epoch = 0
        self._lock = threading.Lock()

    def next_epoch(self) -> int:
        """The number of a new pass; always 0 where every pass is to have the same order."""
        if not self.changes:
            return 0
        with self._lock:
            self.epoch += 1
            return self.epoch - 1

    def go_to(self, epoch: int) -> None:
        """Lets the pass after this one be `epoch + 1`."""
        if self.changes:
            self.epoch = epoch + 1


def blocks(seeds: Seeds, epoch: int, block: int) -> np.random.Generator:
    """The generator of a block of draws."""
    import numpy as np

    key, counter = np.array(seeds.pair, np.uint64), np.array([0, 0, block, epoch], np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))
