"""Optimizers with TensorFlow 1's names, and checkpoints."""

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

__all__ = [
    "AdamOptimizer",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "GradientDescentOptimizer",
    "MomentumOptimizer",
    "Optimizer",
    "Saver",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "safetensors",
]
