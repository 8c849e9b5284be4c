"""`agog demo char-lstm`: an LSTM cell written by hand, which learns to write.

The cell is that of Hochreiter and Schmidhuber (1997) with the forget gate of Gers, Schmidhuber and
Cummins (2000).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import agog
from agog.demos import options, text

State = tuple[Any, Any]  # output and memory, [batch, units] each


class Cell(agog.Module):
    """One step of an LSTM: from an input [batch, inputs] and the state to the state after it."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        start = agog.initializers.GlorotUniform()
        self.kernel = agog.Variable(start([inputs + units, 4 * units]), name="kernel")
        self.bias = agog.Variable(agog.zeros([4 * units]), name="bias")

    def __call__(self, inputs: Any, state: State) -> State:
        output, memory = state
        gates = agog.matmul(agog.concat([inputs, output], 1), self.kernel) + self.bias
        enter, new, forget, leave = agog.split(gates, 4, axis=1)
        # The 1 makes a new cell remember: gradients reach far back from the first step on.
        memory = memory * agog.sigmoid(forget + 1.0) + agog.sigmoid(enter) * agog.tanh(new)
        return agog.tanh(memory) * agog.sigmoid(leave), memory


class CharLSTM(agog.Module):
    """From characters to scores of the next ones: a table, the cell, a dense layer."""

    def __init__(self, alphabet: int, units: int, dropout: float) -> None:
        super().__init__()
        self._units = units
        self.table = agog.Variable(agog.random.normal([alphabet, units // 4], stddev=0.1))
        self.cell = Cell(units // 4, units)
        self.dropout = agog.layers.Dropout(dropout)
        self.scores = agog.layers.Dense(alphabet)

    def __call__(self, characters: Any, training: bool = False) -> Any:
        """Scores [batch, length, alphabet] of what follows each of `characters`."""
        inputs = agog.gather(self.table, characters)
        state = self._start(int(characters.shape[0]))
        outputs = []
        for step in agog.unstack(inputs, axis=1):
            state = self.cell(step, state)
            outputs.append(state[0])
        return self.scores(self.dropout(agog.stack(outputs, axis=1), training=training))

    def reader(self) -> Callable[[int], Any]:
        """A function that is told one character after the other; it scores what comes next."""
        state = self._start(1)

        def read(character: int) -> Any:
            nonlocal state
            state = self.cell(agog.gather(self.table, [character]), state)
            return self.scores(state[0])[0]

        return read

    def _start(self, batch: int) -> State:
        return agog.zeros([batch, self._units]), agog.zeros([batch, self._units])


def main(argv: list[str]) -> int:
    """Train, report, and write some text; returns the exit status."""
    given = options.parse(_parser(), argv)
    source = text.Text(given)
    model = CharLSTM(len(source.alphabet), given.units, given.dropout)
    return text.run(given, source, model, f"an LSTM of {given.units} units")


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "char-lstm",
        "Trains an LSTM, its cell written by hand, to guess the next character of a text; then "
        "lets it write.",
    )
    options.add_training(made, "steps", 500, 0.01)
    text.add_text(made, batch=32, length=64)
    made.add_argument("--units", type=options.at_least(4), default=192,
        help="of the cell (default: 192)")  # fmt: skip
    made.add_argument("--dropout", type=options.share, default=0.3,
        help="share of outputs left out in training (default: 0.3)")  # fmt: skip
    return made
