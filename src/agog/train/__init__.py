"""Optimizers with TensorFlow 1's names, decays, averages, checkpoints, and training examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agog.checkpoint import safetensors
from agog.checkpoint.checkpoint import Checkpoint
from agog.checkpoint.folder import get_checkpoint_state, latest_checkpoint
from agog.checkpoint.manager import CheckpointManager, checkpoints_iterator
from agog.checkpoint.options import CheckpointOptions
from agog.checkpoint.readers import list_variables, load_checkpoint, load_variable
from agog.checkpoint.saver import Saver
from agog.near_names import no_attribute
from agog.train import experimental
from agog.train.adagrad import AdadeltaOptimizer, AdagradOptimizer
from agog.train.adam import AdamOptimizer
from agog.train.adamw import AdamWOptimizer
from agog.train.decays import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from agog.train.ftrl import FtrlOptimizer
from agog.train.global_step import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)
from agog.train.gradient_descent import GradientDescentOptimizer
from agog.train.momentum import MomentumOptimizer
from agog.train.moving_averages import ExponentialMovingAverage
from agog.train.optimizer import Optimizer
from agog.train.rmsprop import RMSPropOptimizer

if TYPE_CHECKING:
    from agog.io.example import (
        BytesList,
        Example,
        Feature,
        FeatureList,
        FeatureLists,
        Features,
        FloatList,
        Int64List,
        SequenceExample,
    )


def __getattr__(name: str) -> Any:
    # The messages are imported on first use, so that importing agog is fast.
    if name in __all__:
        from agog.io import example

        return getattr(example, name)
    raise no_attribute(__name__, name)


__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "AdamWOptimizer",
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "FtrlOptimizer",
    "GradientDescentOptimizer",
    "Int64List",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "Saver",
    "SequenceExample",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "experimental",
    "exponential_decay",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "inverse_time_decay",
    "latest_checkpoint",
    "linear_cosine_decay",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "safetensors",
]
