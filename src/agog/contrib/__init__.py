"""The 2017 names: `agog.contrib.eager`."""

from agog.contrib import eager

__all__ = ["eager"]
