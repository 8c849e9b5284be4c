"""Optimizers with TensorFlow 1's names: they change variables against the gradient of a loss."""

from agog.train.adam import AdamOptimizer
from agog.train.gradient_descent import GradientDescentOptimizer
from agog.train.momentum import MomentumOptimizer
from agog.train.optimizer import Optimizer

__all__ = ["AdamOptimizer", "GradientDescentOptimizer", "MomentumOptimizer", "Optimizer"]
