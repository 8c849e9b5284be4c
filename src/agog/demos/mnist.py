"""`agog demo mnist`: the two-layer network of the 2017 announcement of eager execution."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import agog
import agog.contrib.eager as tfe
from agog.demos import display

if TYPE_CHECKING:
    import numpy as np

    Digits = tuple[np.ndarray, np.ndarray]

# Name on the command line: (optimizer of a learning rate, default learning rate).
OPTIMIZERS: dict[str, tuple[Callable[[Any], agog.train.Optimizer], float]] = {
    "adam": (agog.train.AdamOptimizer, 0.003),
    "momentum": (lambda rate: agog.train.MomentumOptimizer(rate, 0.9), 0.05),
    "sgd": (agog.train.GradientDescentOptimizer, 0.3),
}
IMAGES_SEEN = 255_000  # sets the number of epochs: 30 for the digits in the package
BROKEN_DATA = 2


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


def predict(model: MNISTModel, images: np.ndarray) -> np.ndarray:
    """The most likely class of each image."""
    return agog.argmax(model(_pixels(images)), axis=1).numpy()


class Training:
    """One run: a model, an optimizer whose rate falls to 0, and the digits."""

    def __init__(self, train: Digits, test: Digits, options: argparse.Namespace) -> None:
        import numpy as np

        self.train, self.test = train, test
        self.batch = min(options.batch, len(train[0]))
        self.steps_per_epoch = len(train[0]) // self.batch
        self.epochs = options.epochs or max(1, round(IMAGES_SEEN / len(train[0])))
        self.steps = self.steps_per_epoch * self.epochs
        self.step = 0
        self.random = np.random.default_rng(options.seed)
        if options.seed is not None:
            agog.random.set_seed(options.seed)
        make, default_rate = OPTIMIZERS[options.optimizer]
        self.rate = options.learning_rate or default_rate
        self.optimizer = make(lambda: self.rate * (1 - self.step / self.steps))
        self.model = MNISTModel(options.hidden)
        self._gradients = tfe.implicit_value_and_gradients(loss)

    def one_epoch(self) -> Iterator[Any]:
        """Train on every digit once; yields the loss after each step."""
        for pixels, labels in self._batches():
            value, gradients = self._gradients(self.model, pixels, labels)
            self.optimizer.apply_gradients(gradients)
            self.step += 1
            yield value

    def accuracy(self) -> float:
        """The part of the test digits that the model reads right."""
        images, labels = self.test
        return float((predict(self.model, images) == labels).mean())

    def _batches(self) -> Iterator[tuple[Any, Any]]:
        images, labels = self.train
        images = shifted(images, self.random)
        order = self.random.permutation(len(images))
        labels = labels.astype("int32")
        for i in range(self.steps_per_epoch):
            chosen = order[i * self.batch : (i + 1) * self.batch]
            yield _pixels(images[chosen]), agog.constant(labels[chosen])


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


def main(argv: list[str]) -> int:
    """Train, report, and draw some test digits; returns the exit status."""
    options = _parser().parse_args(argv)
    try:
        train, test = agog.datasets.mnist(options.data)
    except (OSError, ValueError) as error:
        print(f"agog demo: error: {error}", file=sys.stderr)
        return BROKEN_DATA
    training = Training(train, test, options)
    say: Callable[[str], None] = (lambda text: None) if options.quiet else print
    say(
        f"{len(train[0]):,} digits to train, {len(test[0]):,} to test; 784-{options.hidden}-10, "
        f"{options.optimizer}, batches of {training.batch}, {training.epochs} epochs"
    )
    start = time.perf_counter()
    with display.progress(training.steps, plain=options.plain, quiet=options.quiet) as show:
        accuracy = _train(training, show)
    seconds = time.perf_counter() - start
    print(f"test accuracy {accuracy:.2%} after {training.steps:,} steps in {seconds:.1f} s")
    if not options.quiet:
        _draw(training)
    return 0


def _train(training: Training, show: display.Progress) -> float:
    accuracy = 0.0
    for epoch in range(1, training.epochs + 1):
        for value in training.one_epoch():
            show.step(value)
        accuracy = training.accuracy()
        show.line(
            f"epoch {epoch:2d}/{training.epochs}  loss {show.mean_loss():.4f}  "
            f"test accuracy {accuracy:.2%}"
        )
    return accuracy


def _draw(training: Training) -> None:
    import numpy as np

    images, labels = training.test
    predicted = predict(training.model, images)
    wrong = np.flatnonzero(predicted != labels)
    count = display.digits_per_row()
    for title, chosen in (("test digits:", np.arange(len(labels))), ("mistakes:", wrong)):
        chosen = chosen[:count]
        if len(chosen):
            print(f"\n{title}")
            print(display.digits(images[chosen], labels[chosen], predicted[chosen]))


def _pixels(images: np.ndarray) -> Any:
    return agog.constant(images.reshape(len(images), -1).astype("float32") / 255)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agog demo mnist",
        description="Trains a two-layer network on handwritten digits, then draws a few of them "
        "with what the network reads in them.",
    )
    add = parser.add_argument
    add("--data", metavar="FILE", help="mnist.npz or a folder of idx files (default: 10,000 "
        "digits that come with agog)")  # fmt: skip
    add("--epochs", type=_positive_int, help="passes over the digits (default: 30, fewer with "
        "more data)")  # fmt: skip
    add("--batch", type=_positive_int, default=64, help="digits per step (default: 64)")
    add("--hidden", type=_positive_int, default=128, help="hidden units (default: 128)")
    add("--learning-rate", type=_positive_float, help="first learning rate; it falls to 0 "
        "(default: by optimizer)")  # fmt: skip
    add("--optimizer", choices=OPTIMIZERS, default="adam", help="default: adam")
    add("--seed", type=int, default=1, help="of all random numbers (default: 1)")
    add("--plain", action="store_true", help="lines instead of a progress bar")
    add("--quiet", action="store_true", help="only the last accuracy")
    return parser


def _positive_int(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def _positive_float(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number, got {text}")
    return value
