"""`agog demo vae`: a variational autoencoder of digits (Kingma and Welling, 2013)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import agog
import agog.contrib.eager as tfe
from agog import layers
from agog.demos import options
from agog.demos.digits import Digits, add_data, pixels
from agog.demos.training import Measure, Timer, Training, shown

if TYPE_CHECKING:
    import numpy as np

IMAGES_SEEN = 170_000  # sets the number of epochs: 20 for the digits in the package
GRID = 10  # rows and columns of the picture
_GAP = 2  # pixels between two digits of it


class VAE(tfe.Network):
    """An encoder to the mean and variance of a few numbers, and a decoder back to pixels."""

    def __init__(self, latent: int = 16, hidden: int = 400) -> None:
        super().__init__()
        add = self.track_layer
        self.latent = latent
        self.encoder_hidden = add(layers.Dense(hidden, activation="relu"))
        self.moments = add(layers.Dense(2 * latent))
        self.decoder_hidden = add(layers.Dense(hidden, activation="relu"))
        self.logits = add(layers.Dense(28 * 28))

    def encode(self, pixels: Any) -> tuple[Any, Any]:
        """Mean and logarithm of the variance, [n, latent] each, of what stands for the digits."""
        mean, log_variance = agog.split(self.moments(self.encoder_hidden(pixels)), 2, axis=1)
        return mean, log_variance

    def decode(self, codes: Any) -> Any:
        """The logits of the pixels, [n, 784]."""
        return self.logits(self.decoder_hidden(codes))

    def call(self, pixels: Any) -> Any:
        """The evidence lower bound of each digit, in nats, from one sample of its code.

        A pixel is the chance of ink; the prior of a code is the standard normal distribution.
        """
        mean, log_variance = self.encode(pixels)
        noise = agog.random.normal(agog.shape(mean))
        logits = self.decode(mean + agog.exp(log_variance / 2) * noise)
        error = agog.nn.sigmoid_cross_entropy_with_logits(labels=pixels, logits=logits)
        divergence = agog.square(mean) + agog.exp(log_variance) - 1.0 - log_variance
        return -agog.reduce_sum(error, axis=1) - agog.reduce_sum(divergence, axis=1) / 2

    def drawn(self, codes: Any) -> np.ndarray:
        """The digits of the codes: [n, 28, 28] bytes."""
        ink = agog.sigmoid(self.decode(codes)).numpy()
        return (ink * 255).round().astype("uint8").reshape(-1, 28, 28)


def grid(images: np.ndarray, columns: int) -> np.ndarray:
    """One image [height, width, 1] of images [n, 28, 28], row by row, a gap around each."""
    import numpy as np

    padded = np.pad(images, ((0, 0), (_GAP, _GAP), (_GAP, _GAP)))
    _, height, width = padded.shape
    rows = padded.reshape(-1, columns, height, width).swapaxes(1, 2)
    return rows.reshape(-1, columns * width, 1)


def main(argv: list[str]) -> int:
    """Train, report, and draw digits; returns the exit status."""
    given = options.parse(_parser(), argv)
    digits, model = Digits(given, IMAGES_SEEN), VAE(given.latent, given.hidden)
    if not given.quiet:
        print(
            f"{digits}; 784-{given.hidden}-{given.latent}-{given.hidden}-784, batches of "
            f"{digits.batch}, {digits.epochs} epochs"
        )
    timer = Timer()
    training = Training(lambda pixels, labels: -agog.reduce_mean(model(pixels)),
        given.learning_rate, digits.steps, digits.steps_per_epoch, "epoch")  # fmt: skip
    test = pixels(digits.test[0])
    measure = Measure("test ELBO", "{:.2f}", lambda: float(agog.reduce_mean(model(test))))
    with shown(digits.steps, given) as show:
        bound = training.run(digits.batches(), measure, show)
    print(
        f"test ELBO {bound:.2f} nats per digit after {training.steps:,} steps in "
        f"{timer.seconds():.1f} s"
    )
    if given.output is not None:
        _write(given.output, _picture(model, digits))
        print(f"{given.output}: digits, what the network makes of them, and new ones")
    return 0


def _picture(model: VAE, digits: Digits) -> np.ndarray:
    """A row of test digits, a row of what comes back for them, and new ones below."""
    import numpy as np

    images = digits.test[0][:GRID]
    back = model.drawn(model.encode(pixels(images))[0])
    new = model.drawn(agog.random.normal([GRID * (GRID - 2), model.latent]))
    blank = np.zeros([GRID - len(images), 28, 28], "uint8")
    return grid(np.concatenate([images, blank, back, blank, new]), GRID)


def _write(path: str, image: np.ndarray) -> None:
    try:
        agog.io.write_file(path, agog.io.encode_png(image))
    except (OSError, agog.errors.OpError) as error:
        raise options.DemoError(f"--output {path}: {error}") from None


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "vae",
        "Trains a variational autoencoder on handwritten digits, and draws digits with it that "
        "nobody wrote. ELBO is the evidence lower bound: the higher, the better.",
    )
    help_epochs = "passes over the digits (default: 20, fewer with more data)"
    options.add_training(made, "epochs", None, 0.002, epochs=help_epochs)
    add_data(made, batch=64)
    add, whole = made.add_argument, options.positive_int
    add("--latent", type=whole, default=16, help="numbers that stand for a digit (default: 16)")
    add("--hidden", type=whole, default=400, help="hidden units, each way (default: 400)")
    add("--output", metavar="FILE.png", help="write a picture of digits; needs Pillow")
    return made
