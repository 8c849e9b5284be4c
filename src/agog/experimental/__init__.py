"""`agog.experimental`: array interchange."""

from agog.experimental import dlpack as dlpack
from agog.near_names import missing

__getattr__ = missing(__name__)
