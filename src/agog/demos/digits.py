"""What the demos that learn from handwritten digits have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import agog
from agog.demos import display, options
from agog.demos.training import Measure, Timer, Training, shown

if TYPE_CHECKING:
    import numpy as np

_CHUNK = 500  # images read at once, so that memory does not grow with their number


class Digits:
    """The digits to train on, in batches that are never twice the same, and those to test with."""

    def __init__(self, given: argparse.Namespace, images_seen: int) -> None:
        import numpy as np

        try:
            self.train, self.test = agog.datasets.mnist(given.data)
        except (OSError, ValueError) as error:
            raise options.DemoError(str(error)) from None
        count = len(self.train[0])
        self.batch = min(given.batch, count)
        self.epochs = given.epochs or max(1, round(images_seen / count))
        self.steps_per_epoch = count // self.batch
        self.steps = self.steps_per_epoch * self.epochs
        self._random = np.random.default_rng(given.seed)

    def batches(self) -> Iterator[tuple[Any, Any]]:
        """Pixels [batch, 784] and labels, without end; each epoch is shuffled and shifted anew."""
        while True:
            images, labels = self.train
            images = shifted(images, self._random)
            order = self._random.permutation(len(images))
            labels = labels.astype("int32")
            for i in range(self.steps_per_epoch):
                chosen = order[i * self.batch : (i + 1) * self.batch]
                yield pixels(images[chosen]), agog.constant(labels[chosen])

    def accuracy(self, model: Callable[[Any], Any]) -> float:
        """The part of the test digits that the model reads right."""
        images, labels = self.test
        return float((predict(model, images) == labels).mean())

    def __str__(self) -> str:
        return f"{len(self.train[0]):,} digits to train, {len(self.test[0]):,} to test"


def pixels(images: np.ndarray) -> Any:
    """Images [n, 28, 28] of bytes as rows of numbers in [0, 1]."""
    return agog.constant(images.reshape(len(images), -1).astype("float32") / 255)


def predict(model: Callable[[Any], Any], images: np.ndarray) -> np.ndarray:
    """The most likely class of each image."""
    import numpy as np

    chunks = [images[i : i + _CHUNK] for i in range(0, len(images), _CHUNK)]
    return np.concatenate([agog.argmax(model(pixels(c)), axis=1).numpy() for c in chunks])


def shifted(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Each image moved by -1, 0 or 1 pixels both ways, so that no two epochs are the same."""
    import numpy as np

    height, width = images.shape[1:]
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    moves = random.integers(0, 9, len(images))
    result = np.empty_like(images)
    for move in range(9):
        chosen = np.flatnonzero(moves == move)
        down, right = divmod(move, 3)
        result[chosen] = padded[chosen, down : down + height, right : right + width]
    return result


def classify(
    given: argparse.Namespace,
    digits: Digits,
    model: Callable[[Any], Any],
    loss: Callable[[Any, Any], Any],
    what: str,
    optimizer: Callable[[Any], agog.train.Optimizer] = agog.train.AdamOptimizer,
) -> int:
    """Train, report, and draw some test digits; returns the exit status."""
    if not given.quiet:
        print(f"{digits}; {what}, batches of {digits.batch}, {digits.epochs} epochs")
    timer = Timer()
    training = Training(
        loss, given.learning_rate, digits.steps, digits.steps_per_epoch, "epoch", optimizer
    )
    measure = Measure("test accuracy", "{:.2%}", lambda: digits.accuracy(model))
    with shown(digits.steps, given) as show:
        accuracy = training.run(digits.batches(), measure, show)
    seconds = timer.seconds()
    print(f"test accuracy {accuracy:.2%} after {training.steps:,} steps in {seconds:.1f} s")
    if not given.quiet:
        _draw(model, digits)
    return 0


def add_data(made: argparse.ArgumentParser, batch: int) -> None:
    """Adds the options that say which digits, and how many at once."""
    made.add_argument("--data", metavar="FILE", help="mnist.npz or a folder of idx files "
        "(default: 10,000 digits that come with agog)")  # fmt: skip
    made.add_argument("--batch", type=options.positive_int, default=batch,
        help=f"digits per step (default: {batch})")  # fmt: skip


def _draw(model: Callable[[Any], Any], digits: Digits) -> None:
    import numpy as np

    images, labels = digits.test
    predicted = predict(model, images)
    wrong = np.flatnonzero(predicted != labels)
    count = display.digits_per_row()
    for title, chosen in (("test digits:", np.arange(len(labels))), ("mistakes:", wrong)):
        chosen = chosen[:count]
        if len(chosen):
            print(f"\n{title}")
            print(display.digits(images[chosen], labels[chosen], predicted[chosen]))
