"""What the demos show: a progress bar where there is a terminal, lines elsewhere, and pictures."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from agog.progress_bar import Bar

if TYPE_CHECKING:
    import numpy as np

_CROP = slice(3, 25)  # a digit's ink lies within these rows and columns
_GAP = 2
_RED = "\x1b[31m"
_RESET = "\x1b[0m"


class Progress:
    """Plain progress: remembers losses and measures for the curves, prints lines."""

    def __init__(self) -> None:
        self.losses: list[float] = []  # of each step before the last call of mean_loss
        self.measures: dict[str, list[tuple[int, float]]] = {}  # name: (steps done, value)
        self._unread: list[Any] = []

    def step(self, loss: Any) -> None:
        """One more step is done; `loss` is a scalar tensor, read only when it is shown."""
        self._unread.append(loss)

    def mean_loss(self) -> float:
        """The mean loss since it was last asked for."""
        losses = [float(loss) for loss in self._unread]
        self._unread = []
        self.losses += losses
        return sum(losses) / max(len(losses), 1)

    def measured(self, name: str, value: float) -> None:
        """Keeps a value of that name, measured after the steps done so far."""
        done = len(self.losses) + len(self._unread)
        self.measures.setdefault(name, []).append((done, value))

    def line(self, text: str) -> None:
        """Something to keep on the screen."""
        print(text, flush=True)


class _Quiet(Progress):
    def line(self, text: str) -> None:
        pass


class _WithBar(Progress):
    """A bar with rate, loss and time left, below the lines."""

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self._bar = bar

    def step(self, loss: Any) -> None:
        super().step(loss)
        self._bar.step(loss=loss)

    def line(self, text: str) -> None:
        self._bar.line(text)


@contextlib.contextmanager
def progress(
    steps: int, plain: bool = False, quiet: bool = False, what: str = "training"
) -> Iterator[Progress]:
    """Shows the progress of so many steps while the block runs."""
    if plain or quiet or not sys.stdout.isatty():
        yield _Quiet() if quiet else Progress()
        return
    with Bar(what, steps, "steps", transient=True) as bar:
        yield _WithBar(bar)


def colour_wanted() -> bool:
    """Whether standard output is a terminal that may be coloured."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def digits_per_row() -> int:
    """How many pictures fit beside each other, 8 at most."""
    width = _CROP.stop - _CROP.start + _GAP
    return max(1, min(8, (shutil.get_terminal_size().columns + _GAP) // width))


def digits(images: np.ndarray, labels: np.ndarray, predicted: np.ndarray) -> str:
    """The images side by side, each over what was read in it; red where that is wrong."""
    pictures = [_picture(image) for image in images]
    width = len(pictures[0][0])
    columns = []
    for picture, label, guess in zip(pictures, labels, predicted, strict=True):
        right = label == guess
        caption = f"{guess}" if right else f"{guess}, but is {label}"
        lines = [*picture, caption.center(width)]
        if not right and colour_wanted():
            lines = [f"{_RED}{line}{_RESET}" for line in lines]
        columns.append(lines)
    rows = zip(*columns, strict=True)
    return "\n".join((" " * _GAP).join(row).rstrip() for row in rows)


def _picture(image: np.ndarray) -> list[str]:
    """Lines of text, each for two rows of pixels."""
    ink = image[_CROP, _CROP] > 100
    blocks = _blocks()
    return [
        "".join(blocks[2 * int(top) + int(bottom)] for top, bottom in zip(*pair, strict=True))
        for pair in zip(ink[::2], ink[1::2], strict=True)
    ]


def _blocks() -> str:
    """What stands for (nothing, lower pixel, upper pixel, both) in the terminal's encoding."""
    blocks = " \u2584\u2580\u2588"
    try:
        blocks.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return " .'#"
    return blocks
