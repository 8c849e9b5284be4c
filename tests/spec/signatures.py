"""Where public names or ops differ from TensorFlow's on purpose, each with its reason."""

from __future__ import annotations

# Public symbol: why its signature is not TensorFlow's.
EXCEPTIONS: dict[str, str] = {
    "Variable": "TensorFlow hides the arguments behind a metaclass; agog shows them",
}

# Op that TensorFlow does not have: why the registry has it, and where it is tested.
OWN_OPS: dict[str, str] = {
    "LinearRecurrence": "gradient of cumulative products and log-sum-exps; by theirs, to order two",
    "_ApplyAdamToAll": "Adam's step for many variables in one call; in test_training_ops",
    "_LayerNorm": "the step of layers.LayerNormalization in one pass; in test_own_ops",
    "_LayerNormGrad": "gradient of _LayerNorm; in test_own_ops",
    "_SigmoidGradOfX": "gradient of Sigmoid from its input; in test_own_ops",
    "_TanhGradOfX": "gradient of Tanh from its input; in test_own_ops",
}
EXCEPTIONS |= {
    "constant_initializer": "the class of agog.initializers; partitions are for graphs' variables",
    "data.Iterator": "TensorFlow's is abstract; this one is what iter(dataset) makes",
    "data.experimental.Optional": "TensorFlow's is abstract; this one is what iterators give",
}
