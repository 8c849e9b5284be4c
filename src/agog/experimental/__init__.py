"""`agog.experimental`: array interchange."""

from agog.experimental import dlpack as dlpack
