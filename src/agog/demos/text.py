"""What the demos that learn to write text, character by character, have in common."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import agog
from agog.demos import options
from agog.demos.training import Measure, Timer, Training, shown

if TYPE_CHECKING:
    import numpy as np

HELD_OUT = 0.1  # the part of the text, at its end, that is not trained on
_CHUNK = 64  # windows read at once
_REPORTS = 10


class Model(Protocol):
    """What learns: from numbers of characters to scores of those that follow."""

    def __call__(self, characters: Any, training: bool = False) -> Any:
        """Scores [batch, length, alphabet] of what follows each of `characters`."""

    def reader(self) -> Callable[[int], Any]:
        """A function that is told one character after the other; it scores what comes next."""


class Text:
    """A text as numbers of the characters of its alphabet, a part of it held out."""

    def __init__(self, given: argparse.Namespace) -> None:
        import numpy as np

        text = agog.datasets.sonnets() if given.text is None else _read(given.text)
        self.alphabet = sorted(set(text))
        self._number = {character: i for i, character in enumerate(self.alphabet)}
        numbers = self.numbers(text)
        self.length, self.batch = given.length, given.batch
        held_out = int(len(numbers) * HELD_OUT)
        if held_out <= self.length:
            raise options.DemoError(
                f"the text has {len(text):,} characters; --length {self.length} needs more than "
                f"{math.ceil(self.length / HELD_OUT):,}, a tenth of which is held out"
            )
        self.train, self.held_out = numbers[:-held_out], numbers[-held_out:]
        self._random = np.random.default_rng(given.seed)

    def check_start(self, start: str) -> None:
        """Raises DemoError where there is nothing in `start` that the text has, too."""
        if not len(self.numbers(start)):
            raise options.DemoError(f"no character of --start {start!r} is in the text")

    def numbers(self, text: str) -> np.ndarray:
        """The number of each character; those that the alphabet lacks are left out."""
        import numpy as np

        return np.array([self._number[c] for c in text if c in self._number], "int32")

    def batches(self) -> Iterator[tuple[Any]]:
        """Windows [batch, length + 1] from anywhere in what is trained on, without end."""
        import numpy as np

        windows = np.lib.stride_tricks.sliding_window_view(self.train, self.length + 1)
        while True:
            chosen = self._random.integers(0, len(windows), self.batch)
            yield (agog.constant(windows[chosen]),)

    def bits_per_character(self, model: Model) -> float:
        """How many bits the model needs on average for a character of what was held out."""
        import numpy as np

        windows = np.lib.stride_tricks.sliding_window_view(self.held_out, self.length + 1)
        windows = windows[:: self.length]
        chunks = [windows[i : i + _CHUNK] for i in range(0, len(windows), _CHUNK)]
        nats = sum(float(loss(model, agog.constant(c), False)) * len(c) for c in chunks)
        return nats / len(windows) / math.log(2)

    def written(self, model: Model, start: str, count: int, temperature: float) -> str:
        """`start`, and as many characters as the model goes on with."""
        import numpy as np

        read, scores = model.reader(), None
        for number in self.numbers(start):
            scores = read(int(number))
        found = []
        for _ in range(count):
            assert scores is not None
            wanted = scores.numpy().astype("float64") / temperature
            chances = np.exp(wanted - wanted.max())
            number = int(self._random.choice(len(chances), p=chances / chances.sum()))
            found.append(self.alphabet[number])
            scores = read(number)
        return start + "".join(found)


def loss(model: Model, windows: Any, training: bool) -> Any:
    """The mean cross-entropy, in nats, of each character given those before it in its window."""
    scores = model(windows[:, :-1], training=training)
    return agog.losses.sparse_softmax_cross_entropy(windows[:, 1:], scores)


def run(given: argparse.Namespace, text: Text, model: Model, what: str, warm_up: int = 1) -> int:
    """Train, report, and write some text; returns the exit status."""
    text.check_start(given.start)
    if not given.quiet:
        print(
            f"{len(text.train):,} characters to train, {len(text.held_out):,} held out, "
            f"{len(text.alphabet)} different; {what}"
        )
    timer = Timer()
    period = max(1, given.steps // _REPORTS)
    training = Training(lambda windows: loss(model, windows, True), given.learning_rate,
        given.steps, period, warm_up=warm_up)  # fmt: skip
    measure = Measure("bits per character", "{:.3f}", lambda: text.bits_per_character(model))
    with shown(given.steps, given) as show:
        bits = training.run(text.batches(), measure, show)
    print(
        f"{bits:.3f} bits per character of text held out after {given.steps:,} steps in "
        f"{timer.seconds():.1f} s"
    )
    if not given.quiet:
        print("\n" + text.written(model, given.start, given.characters, given.temperature))
    return 0


def add_text(made: argparse.ArgumentParser, batch: int, length: int) -> None:
    """Adds the options that say what is read and what is written."""
    add, whole = made.add_argument, options.positive_int
    add("--text", metavar="FILE", help="UTF-8 text (default: sonnets that come with agog)")
    add("--batch", type=whole, default=batch, help=f"windows per step (default: {batch})")
    add("--length", type=whole, default=length,
        help=f"characters in a window (default: {length})")  # fmt: skip
    add("--start", type=_some, default="\n", metavar="TEXT", help="what the text that is written "
        "begins with (default: an empty line)")  # fmt: skip
    add("--characters", type=whole, default=500, help="how many to write (default: 500)")
    add("--temperature", type=options.positive_float, default=0.6,
        help="below 1, likely characters get likelier (default: 0.6)")  # fmt: skip


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise options.DemoError(f"{path}: not UTF-8 text ({error.reason})") from None
    except OSError as error:
        raise options.DemoError(f"{path}: {error.strerror or error}") from None


def _some(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("must not be empty")
    return text
