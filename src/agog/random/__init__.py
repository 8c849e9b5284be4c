"""Random numbers: `agog.random`."""

from agog.random import experimental
from agog.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from agog.random.seeds import set_seed
from agog.random.stateful import categorical, normal, shuffle, truncated_normal, uniform
from agog.random.stateless import (
    Algorithm,
    fold_in,
    split,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)

__all__ = [
    "Algorithm",
    "Generator",
    "categorical",
    "create_rng_state",
    "experimental",
    "fold_in",
    "get_global_generator",
    "normal",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_categorical",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
