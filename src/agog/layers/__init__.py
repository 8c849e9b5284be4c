"""Layers: modules that make their variables when they first see an input."""

from agog.layers.dense import Dense

__all__ = ["Dense"]
