"""Small data sets as NumPy arrays; they come with the package."""

from agog.datasets.mnist import mnist

__all__ = ["mnist"]
