"""Optimizers with TensorFlow 1's names: they change variables against the gradient of a loss.

Also the messages of training examples, `Example` and its parts.
"""

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
from agog.train.adam import AdamOptimizer
from agog.train.gradient_descent import GradientDescentOptimizer
from agog.train.momentum import MomentumOptimizer
from agog.train.optimizer import Optimizer

__all__ = [
    "AdamOptimizer",
    "BytesList",
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
    "SequenceExample",
]
