"""What the command lines of the demos have in common."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Callable

import agog
from agog.demos import listing


class DemoError(Exception):
    """The demo cannot run as asked; the message is the one line that the user reads."""


def parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser for `agog demo NAME` with the options that every demo has."""
    made = argparse.ArgumentParser(
        prog=f"agog demo {name}",
        description=textwrap.fill(description, 80),
        epilog=f"demos:\n{listing()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--seed", type=int, default=1, help="of all random numbers (default: 1)")
    made.add_argument("--plain", action="store_true", help="lines instead of a progress bar")
    made.add_argument("--quiet", action="store_true", help="only the result")
    return made


def add_training(
    made: argparse.ArgumentParser, unit: str, count: int | None, rate: float, **helps: str
) -> None:
    """Adds --epochs or --steps, --learning-rate and --plot, for a demo that trains."""
    default = "" if count is None else f" (default: {count:,})"
    add = made.add_argument
    add(f"--{unit}", type=positive_int, default=count, help=helps.get(unit, f"{unit}{default}"))
    add(
        "--learning-rate",
        type=positive_float,
        default=rate or None,
        help=f"first learning rate; it falls to 0 (default: {rate or 'by optimizer'})",
    )
    add("--plot", metavar="FILE.png", help="draw the learning curves; needs Pillow")


def parse(made: argparse.ArgumentParser, argv: list[str]) -> argparse.Namespace:
    """The options; seeds agog's random numbers.

    Raises DemoError where pictures are asked for that could not be written.
    """
    options = made.parse_args(argv)
    agog.random.set_seed(options.seed)
    for name in ("plot", "output"):
        path = vars(options).get(name)
        if path is not None:
            _check_picture(f"--{name}", path)
    return options


def at_least(least: int) -> Callable[[str], int]:
    """A function that turns text into a whole number of at least that size."""

    def whole(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, got {text}")
        return value

    return whole


positive_int = at_least(1)


def share(text: str) -> float:
    """The number, if it is in [0, 1)."""
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must be in [0, 1), got {text}")
    return value


def positive_float(text: str) -> float:
    """The number, if it is positive and finite."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a positive number, got {text}")
    return value


def _check_picture(option: str, path: str) -> None:
    """Before the training rather than after it."""
    from agog.io.images import pillow

    if not path.lower().endswith(".png"):
        raise DemoError(f"{option} must name a .png file, got {path!r}")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder) or os.path.isdir(path):
        raise DemoError(f"{option} {path}: there is no folder {folder} to write a file to")
    if not os.access(folder, os.W_OK):
        raise DemoError(f"{option} {path}: the folder {folder} cannot be written to")
    try:
        pillow()
    except ImportError as error:
        raise DemoError(f"{option} {path}: {error}") from None
