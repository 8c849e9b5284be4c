"""Mixed precision: dtype policies of layers, and scaling of the loss for float16.

    optimizer = agog.mixed_precision.LossScaleOptimizer(agog.train.AdamOptimizer())
    with agog.GradientTape() as tape:
        loss = compute(...)
        scaled = optimizer.get_scaled_loss(loss)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, variables))
    optimizer.apply_gradients(zip(gradients, variables))    # skipped where one is not finite

bfloat16 needs no scaling: its range is that of float32.
"""

from agog.mixed_precision.loss_scale import DynamicLossScale, FixedLossScale, LossScale
from agog.mixed_precision.optimizer import LossScaleOptimizer
from agog.mixed_precision.policy import Policy, global_policy, policy_for, set_global_policy
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "LossScaleOptimizer",
    "Policy",
    "global_policy",
    "policy_for",
    "set_global_policy",
]
