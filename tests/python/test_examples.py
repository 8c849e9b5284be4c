"""The examples of the 2017 announcement print what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

COLLATZ = "".join(
    f"tf.Tensor({value}, shape=(), dtype=float64)\n"
    for value in (6.0, 3.0, 10.0, 5.0, 16.0, 8.0, 4.0, 2.0, 1.0)
)


def slopes(*values: str) -> str:
    """What a list with one gradient prints as, one line for each."""
    return "".join(f"[<tf.Tensor: shape=(), dtype=float32, numpy={value}>]\n" for value in values)


PRINTED = {
    "matmul": "tf.Tensor([[4.]], shape=(1, 1), dtype=float32)\nhello, [[4.0]]\n",
    "collatz": COLLATZ + "steps: 9\n",
    "square": "tf.Tensor(9.0, shape=(), dtype=float32)\n" + slopes("6.0", "2.0"),
    "absolute_value": slopes("1.0", "-1.0"),
    "log1pexp": slopes("0.5", "nan", "0.5", "1.0"),
    "mnist_model": "(1, 1, 10)\nthe loss fell: True\n",
}


def run(name: str) -> str:
    """The output of an example, which must succeed and warn of nothing."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", PRINTED)
def test_prints(name):
    assert run(name) == PRINTED[name]


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(PRINTED)
