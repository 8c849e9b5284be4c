"""Optimizers with TensorFlow 1's names: they change variables against the gradient of a loss.

Also the messages of training examples, `Example` and its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
