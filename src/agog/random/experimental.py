"""Earlier names of generators and of the functions on seeds."""

from __future__ import annotations

from typing import Any

from agog._core import public
from agog.errors import UnimplementedError
from agog.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from agog.random.stateless import Algorithm, stateless_shuffle
from agog.random.stateless import fold_in as stateless_fold_in
from agog.random.stateless import split as stateless_split


@public
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Raises UnimplementedError: there is no shuffle of single indices yet."""
    raise UnimplementedError(
        None,
        None,
        "agog.random.experimental.index_shuffle is not implemented; stateless_shuffle is",
    )


__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
