"""The 2017 names: `agog.contrib.eager`."""

from agog.contrib import eager
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = ["eager"]
