"""Optimizers with TensorFlow 1's names, checkpoints, and the messages of training examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agog.checkpoint import safetensors
from agog.checkpoint.checkpoint import Checkpoint
from agog.checkpoint.folder import get_checkpoint_state, latest_checkpoint
from agog.checkpoint.manager import CheckpointManager, checkpoints_iterator
from agog.checkpoint.options import CheckpointOptions
from agog.checkpoint.readers import list_variables, load_checkpoint, load_variable
from agog.checkpoint.saver import Saver
from agog.train import experimental
from agog.train.adam import AdamOptimizer
from agog.train.gradient_descent import GradientDescentOptimizer
from agog.train.momentum import MomentumOptimizer
from agog.train.optimizer import Optimizer

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
    raise AttributeError(f"module 'agog.train' has no attribute {name!r}")


__all__ = [
    "AdamOptimizer",
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "GradientDescentOptimizer",
    "Int64List",
    "MomentumOptimizer",
    "Optimizer",
    "Saver",
    "SequenceExample",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "safetensors",
]
