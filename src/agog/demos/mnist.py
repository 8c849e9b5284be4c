"""`agog demo mnist`: the two-layer network of the 2017 announcement of eager execution."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import agog
import agog.contrib.eager as tfe
from agog.demos import options
from agog.demos.digits import Digits, add_data, classify

# Name on the command line: (optimizer of a learning rate, default learning rate).
OPTIMIZERS: dict[str, tuple[Callable[[Any], agog.train.Optimizer], float]] = {
    "adam": (agog.train.AdamOptimizer, 0.003),
    "momentum": (lambda rate: agog.train.MomentumOptimizer(rate, 0.9), 0.05),
    "sgd": (agog.train.GradientDescentOptimizer, 0.3),
}
IMAGES_SEEN = 255_000  # sets the number of epochs: 30 for the digits in the package


class MNISTModel(tfe.Network):
    """Two dense layers: from the pixels of a digit to one score for each of the ten classes."""

    def __init__(self, hidden: int = 128) -> None:
        super().__init__()
        self.layer1 = self.track_layer(agog.layers.Dense(hidden, activation=agog.nn.relu))
        self.layer2 = self.track_layer(agog.layers.Dense(10))

    def call(self, pixels: Any) -> Any:
        """The scores (logits) of the classes; `pixels` is [..., 784]."""
        return self.layer2(self.layer1(pixels))


def loss(model: MNISTModel, pixels: Any, labels: Any) -> Any:
    """The mean softmax cross-entropy of the model's scores."""
    losses = agog.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=model(pixels))
    return agog.reduce_mean(losses)


def main(argv: list[str]) -> int:
    """Train, report, and draw some test digits; returns the exit status."""
    given = options.parse(_parser(), argv)
    optimizer, default_rate = OPTIMIZERS[given.optimizer]
    given.learning_rate = given.learning_rate or default_rate
    digits, model = Digits(given, IMAGES_SEEN), MNISTModel(given.hidden)
    what = f"784-{given.hidden}-10, {given.optimizer}"

    def loss_of(pixels: Any, labels: Any) -> Any:
        return loss(model, pixels, labels)

    return classify(given, digits, model, loss_of, what, optimizer)


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "mnist",
        "Trains a two-layer network on handwritten digits, then draws a few of them with what the "
        "network reads in them.",
    )
    help_epochs = "passes over the digits (default: 30, fewer with more data)"
    options.add_training(made, "epochs", None, 0, epochs=help_epochs)
    add_data(made, batch=64)
    made.add_argument("--hidden", type=options.positive_int, default=128,
        help="hidden units (default: 128)")  # fmt: skip
    made.add_argument("--optimizer", choices=OPTIMIZERS, default="adam", help="default: adam")
    return made
