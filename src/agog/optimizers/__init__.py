"""Learning-rate schedules under TensorFlow 2's name; the optimizers are in `agog.train`."""

from agog.optimizers import schedules

__all__ = ["schedules"]
