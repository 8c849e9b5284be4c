"""How many threads kernels use."""

from __future__ import annotations

import operator

from agog import _core
from agog._core import public

# The core takes OMP_NUM_THREADS up to this, too.
_MOST_THREADS = 1024


@public
def get_intra_op_parallelism_threads() -> int:
    """The number of threads that one operation may use.

    At first that is what affinity, the cgroup's quota and OMP_NUM_THREADS allow.
    """
    return _core.num_threads()


@public
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads one operation may use, from now on; 0 for the default.

    Raises ValueError for a negative number and for more than 1024.

    >>> before = agog.config.threading.get_intra_op_parallelism_threads()
    >>> agog.config.threading.set_intra_op_parallelism_threads(1)
    >>> agog.config.threading.get_intra_op_parallelism_threads()
    1
    >>> agog.config.threading.set_intra_op_parallelism_threads(before)
    """
    count = operator.index(num_threads)
    if not 0 <= count <= _MOST_THREADS:
        raise ValueError(f"num_threads must be between 0 and {_MOST_THREADS}, got {count}")
    _core.set_num_threads(count)


@public
def get_inter_op_parallelism_threads() -> int:
    """The number of operations that run at once: 1, for each Python thread."""
    return 1


@public
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepts 0 and 1: operations run when they are called, one after another."""
    if num_threads not in (0, 1):
        raise ValueError(
            "operations run one after another in each Python thread; num_threads must be 0 or 1, "
            f"got {num_threads}"
        )
