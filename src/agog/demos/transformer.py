"""`agog demo transformer`: a small language model of layers, which learns to write.

A decoder as in Vaswani and others, "Attention is all you need" (2017), normalized before each part
rather than after it (Xiong and others, 2020).
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable
from typing import Any

import agog
import agog.contrib.eager as tfe
from agog import layers
from agog.demos import options, text

WARM_UP = 50  # steps in which the rate rises; a high one at first would cost more than it gains
_WIDER = 4  # the middle of a block's dense part has this many times the width


class Block(tfe.Network):
    """Attention to what came before, then two dense layers; both are added to what they read."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        add = self.track_layer
        self.norm1 = add(layers.LayerNormalization(epsilon=1e-5))
        self.attention = add(layers.MultiHeadAttention(heads, width // heads, dropout=dropout))
        self.norm2 = add(layers.LayerNormalization(epsilon=1e-5))
        self.widen = add(layers.Dense(_WIDER * width, activation="gelu"))
        self.narrow = add(layers.Dense(width))
        self.dropout = add(layers.Dropout(dropout))

    def call(self, x: Any) -> Any:
        """The outputs, [batch, length, width], as the inputs."""
        seen = self.norm1(x)
        x = x + self.dropout(self.attention(seen, seen, use_causal_mask=True))
        return x + self.dropout(self.narrow(self.widen(self.norm2(x))))


class Transformer(tfe.Network):
    """From at most `length` characters to scores of what follows each of them."""

    def __init__(
        self, alphabet: int, length: int, width: int, heads: int, depth: int, dropout: float
    ) -> None:
        super().__init__()
        self._length = length
        add = self.track_layer
        self.characters = add(layers.Embedding(alphabet, width))
        self.places = add(layers.Embedding(length, width))
        self.blocks = [add(Block(width, heads, dropout)) for _ in range(depth)]
        self.norm = add(layers.LayerNormalization(epsilon=1e-5))
        self.scores = add(layers.Dense(alphabet))

    def call(self, characters: Any, training: bool = False) -> Any:
        """Scores [batch, length, alphabet] of what follows each of `characters`."""
        x = self.characters(characters) + self.places(agog.range(characters.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))

    def reader(self) -> Callable[[int], Any]:
        """A function that is told one character after the other; it scores what comes next."""
        seen: deque[int] = deque(maxlen=self._length)

        def read(character: int) -> Any:
            seen.append(character)
            return self(agog.constant([list(seen)]), training=False)[0, -1]

        return read


def main(argv: list[str]) -> int:
    """Train, report, and write some text; returns the exit status."""
    given = options.parse(_parser(), argv)
    if given.width % given.heads:
        raise options.DemoError(
            f"--width {given.width} cannot be split among --heads {given.heads}"
        )
    source = text.Text(given)
    model = Transformer(
        len(source.alphabet), given.length, given.width, given.heads, given.depth, given.dropout
    )
    what = f"{given.depth} blocks of width {given.width} with {given.heads} heads"
    return text.run(given, source, model, what, WARM_UP)


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "transformer",
        "Trains a small transformer to guess the next character of a text; then lets it write.",
    )
    options.add_training(made, "steps", 500, 0.003)
    text.add_text(made, batch=32, length=64)
    add, whole = made.add_argument, options.positive_int
    add("--width", type=whole, default=128, help="features of a character (default: 128)")
    add("--heads", type=whole, default=4, help="of the attention (default: 4)")
    add("--depth", type=whole, default=2, help="blocks (default: 2)")
    add("--dropout", type=options.share, default=0.1,
        help="share of features left out in training (default: 0.1)")  # fmt: skip
    return made
