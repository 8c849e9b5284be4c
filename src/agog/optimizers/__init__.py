"""Learning-rate schedules under TensorFlow 2's name; the optimizers are in `agog.train`."""

from agog.near_names import missing
from agog.optimizers import schedules

__getattr__ = missing(__name__)

__all__ = ["schedules"]
