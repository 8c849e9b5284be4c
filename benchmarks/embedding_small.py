"""The step of embedding.py on a table a thousand times smaller: it is to cost about the same."""

import embedding
import training

WHAT = "embedding 1,000 x 64, batch 32, SGD step"
UNIT = "us"
LIMITS = {}


def agog():
    import agog as tf

    return training.agog_step(
        embedding.tensorflow_style(tf, embedding.IDS % 1000), embedding.parameters(1000)
    )
