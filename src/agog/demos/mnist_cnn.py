"""`agog demo mnist-cnn`: a convolutional network of layers, with dropout."""

from __future__ import annotations

import argparse
from typing import Any

import agog
import agog.contrib.eager as tfe
from agog import layers
from agog.demos import options
from agog.demos.digits import Digits, add_data, classify

IMAGES_SEEN = 68_000  # sets the number of epochs: 8 for the digits in the package


class ConvolutionalModel(tfe.Network):
    """Two convolutions, each with pooling, and two dense layers with dropout between them."""

    def __init__(self, filters: int = 32, hidden: int = 128) -> None:
        super().__init__()
        add = self.track_layer
        self.conv1 = add(layers.Conv2D(filters, 3, activation="relu"))
        self.pool1 = add(layers.MaxPooling2D())
        self.conv2 = add(layers.Conv2D(2 * filters, 3, activation="relu"))
        self.pool2 = add(layers.MaxPooling2D())
        self.flatten = add(layers.Flatten())
        self.dense = add(layers.Dense(hidden, activation="relu"))
        self.dropout = add(layers.Dropout(0.4))
        self.scores = add(layers.Dense(10))

    def call(self, pixels: Any, training: bool = False) -> Any:
        """The scores (logits) of the classes, [n, 10]; `pixels` is [n, 784]."""
        images = agog.reshape(pixels, [-1, 28, 28, 1])
        features = self.pool2(self.conv2(self.pool1(self.conv1(images))))
        hidden = self.dense(self.flatten(features))
        return self.scores(self.dropout(hidden, training=training))


def main(argv: list[str]) -> int:
    """Train, report, and draw some test digits; returns the exit status."""
    given = options.parse(_parser(), argv)
    digits, model = Digits(given, IMAGES_SEEN), ConvolutionalModel(given.filters)
    what = f"conv {given.filters} - conv {2 * given.filters} - 128 - 10"

    def loss(pixels: Any, labels: Any) -> Any:
        scores = model(pixels, training=True)
        return agog.losses.sparse_softmax_cross_entropy(labels, scores)

    return classify(given, digits, model, loss, what)


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "mnist-cnn",
        "Trains a convolutional network on handwritten digits to 98% of the test digits and more, "
        "then draws a few of them with what the network reads in them.",
    )
    help_epochs = "passes over the digits (default: 8, fewer with more data)"
    options.add_training(made, "epochs", None, 0.002, epochs=help_epochs)
    add_data(made, batch=64)
    made.add_argument("--filters", type=options.positive_int, default=32,
        help="of the first convolution; the second has twice as many (default: 32)")  # fmt: skip
    return made
