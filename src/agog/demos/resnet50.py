"""`agog demo resnet50`: ResNet-50 on random images, forward and in training.

The network is that of He, Zhang, Ren and Sun, "Deep residual learning for image recognition"
(2015), with the stride in the 3x3 convolutions, as it is trained nowadays.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import agog
import agog.contrib.eager as tfe
from agog import layers
from agog.demos import display, options
from agog.demos.training import Timer

BLOCKS = (3, 4, 6, 3)  # of each stage; a stage halves height and width, the first one does not
EXPANSION = 4  # a block has this many times as many channels outside as inside
RATE, MOMENTUM = 0.01, 0.9


class NormalizedConv(tfe.Network):
    """A convolution without bias, then batch normalization."""

    def __init__(self, channels: int, size: int, stride: int = 1, gamma: str = "ones") -> None:
        super().__init__()
        start = agog.initializers.VarianceScaling(2.0, "fan_out", "untruncated_normal")
        self.conv = self.track_layer(
            layers.Conv2D(channels, size, stride, "same", use_bias=False, kernel_initializer=start)
        )
        # A block that starts as the identity, its last gamma 0, trains better (Goyal and others).
        self.norm = self.track_layer(
            layers.BatchNormalization(momentum=0.9, epsilon=1.001e-5, gamma_initializer=gamma)
        )

    def call(self, inputs: Any) -> Any:
        """The outputs, [n, height / stride, width / stride, channels]."""
        return self.norm(self.conv(inputs))


class Bottleneck(tfe.Network):
    """A residual block: 1x1, 3x3 and 1x1 convolutions beside a short cut."""

    def __init__(self, channels: int, stride: int, project: bool) -> None:
        super().__init__()
        add = self.track_layer
        self.reduce = add(NormalizedConv(channels, 1))
        self.conv = add(NormalizedConv(channels, 3, stride))
        self.expand = add(NormalizedConv(EXPANSION * channels, 1, gamma="zeros"))
        self.shortcut = (
            add(NormalizedConv(EXPANSION * channels, 1, stride)) if project else lambda x: x
        )

    def call(self, inputs: Any) -> Any:
        """The outputs, with `EXPANSION * channels` channels."""
        inside = agog.nn.relu(self.conv(agog.nn.relu(self.reduce(inputs))))
        return agog.nn.relu(self.expand(inside) + self.shortcut(inputs))


class ResNet50(tfe.Network):
    """ResNet-50: from images [n, height, width, 3] to one score for each of the classes.

    Called with training=True, its normalization takes the batch's own statistics. It has
    25,557,032 numbers to train with 1,000 classes, and 53,120 moving means and variances.

    >>> model = agog.demos.resnet50.ResNet50(classes=10)
    >>> model(agog.zeros([1, 32, 32, 3]), training=False).shape.as_list()
    [1, 10]
    """

    def __init__(self, classes: int = 1000) -> None:
        super().__init__()
        self.stem = self.track_layer(NormalizedConv(64, 7, 2))
        self.pool = self.track_layer(layers.MaxPooling2D(3, 2, "same"))
        self.blocks = [
            self.track_layer(Bottleneck(64 << stage, _stride(stage, block), block == 0))
            for stage, count in enumerate(BLOCKS)
            for block in range(count)
        ]
        self.average = self.track_layer(layers.GlobalAveragePooling2D())
        self.scores = self.track_layer(layers.Dense(classes))

    def call(self, images: Any, training: bool = False) -> Any:
        """The scores (logits), [n, classes]."""
        features = self.pool(agog.nn.relu(self.stem(images)))
        for block in self.blocks:
            features = block(features)
        return self.scores(self.average(features))


class TrainingStep:
    """A step of gradient descent with momentum for a batch; calling it gives the loss."""

    def __init__(self, model: ResNet50) -> None:
        self.model = model
        self.optimizer = agog.train.MomentumOptimizer(RATE, MOMENTUM)

    def __call__(self, images: Any, labels: Any) -> Any:
        with agog.GradientTape() as tape:
            scores = self.model(images, training=True)
            loss = loss_of(scores, labels)
        variables = self.model.trainable_variables
        gradients = tape.gradient(loss, variables)
        self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss


def loss_of(scores: Any, labels: Any) -> Any:
    """The mean softmax cross-entropy of the scores."""
    return agog.losses.sparse_softmax_cross_entropy(labels, scores)


def count(variables: Any) -> int:
    """How many numbers the variables hold."""
    return sum(int(agog.size(variable)) for variable in variables)


def main(argv: list[str]) -> int:
    """Time the network, report; returns the exit status."""
    given = options.parse(_parser(), argv)
    model = ResNet50(given.classes)
    images = agog.random.normal([given.batch, given.size, given.size, 3])
    labels = agog.random.uniform([given.batch], maxval=given.classes, dtype=agog.int32)
    model(images[:1], training=False)  # makes the variables
    trained, moving = count(model.trainable_variables), count(model.non_trainable_variables)
    print(f"ResNet-50: {trained:,} parameters to train and {moving:,} moving averages")
    update = TrainingStep(model)
    work: dict[str, Callable[[], Any]] = {
        "forward": lambda: loss_of(model(images, training=False), labels),
        "training": lambda: update(images, labels),
    }
    for name, step in work.items():
        with display.progress(given.steps + 1, given.plain, given.quiet, name) as show:
            rate = given.batch / _seconds_per_step(step, given.steps, show)
        print(f"{name}: {rate:.2f} images/s of {given.size}x{given.size}, {given.batch} at once")
    return 0


def _seconds_per_step(step: Callable[[], Any], steps: int, show: display.Progress) -> float:
    """The mean over the steps after a first one, which pays for what later ones find ready."""
    show.step(float(step()))
    timer = Timer()
    for number in range(1, steps + 1):
        loss = float(step())  # reading the value waits for it
        show.step(loss)
        show.line(f"step {number}/{steps}  loss {loss:.4f}")
    return timer.seconds() / steps


def _stride(stage: int, block: int) -> int:
    return 2 if stage > 0 and block == 0 else 1


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "resnet50",
        "Times ResNet-50 on random images, forward and in training, and counts its parameters.",
    )
    add, whole = made.add_argument, options.positive_int
    add("--batch", type=whole, default=8, help="images at once (default: 8)")
    add("--size", type=whole, default=224, help="height and width of an image (default: 224)")
    add("--steps", type=whole, default=3, help="steps to time, each way (default: 3)")
    add("--classes", type=whole, default=1000, help="classes to tell apart (default: 1000)")
    return made
