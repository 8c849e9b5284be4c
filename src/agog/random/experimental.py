"""Earlier names of generators and of the functions on seeds."""

from __future__ import annotations

from agog.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from agog.random.stateless import Algorithm, stateless_shuffle
from agog.random.stateless import fold_in as stateless_fold_in
from agog.random.stateless import split as stateless_split

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
