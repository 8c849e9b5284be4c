"""Small data sets as NumPy arrays and text; they come with the package."""

from agog.datasets.mnist import mnist
from agog.datasets.sonnets import sonnets
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = ["mnist", "sonnets"]
