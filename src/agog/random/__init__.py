"""Random numbers: `agog.random`."""

from agog.near_names import missing
from agog.random import experimental
from agog.random.candidates import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from agog.random.distributions import (
    gamma,
    poisson,
    stateless_binomial,
    stateless_gamma,
    stateless_parameterized_truncated_normal,
    stateless_poisson,
)
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

__getattr__ = missing(__name__)

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]
