"""`agog demo linear-regression`: the smallest complete program: data, model, tape, optimizer."""

from __future__ import annotations

import argparse

import agog
from agog.demos import options, training

WEIGHT, BIAS, NOISE = 3.0, 2.0, 0.5
POINTS = 256


def main(argv: list[str]) -> int:
    """Find the line through noisy points of y = 3x + 2; returns the exit status."""
    given = options.parse(_parser(), argv)
    x = agog.random.normal([POINTS])
    y = WEIGHT * x + BIAS + agog.random.normal([POINTS], stddev=NOISE)

    weight, bias = agog.Variable(0.0), agog.Variable(0.0)
    optimizer = agog.train.GradientDescentOptimizer(given.learning_rate)

    with training.shown(given.steps, given) as show:
        for step in range(given.steps):
            with agog.GradientTape() as tape:
                loss = agog.reduce_mean(agog.square(weight * x + bias - y))
            gradients = tape.gradient(loss, [weight, bias])
            optimizer.apply_gradients(zip(gradients, [weight, bias], strict=True))
            show.step(loss)
            if step % max(1, given.steps // 10) == 0:
                show.line(f"step {step:4d}  loss {show.mean_loss():.4f}")

    print(
        f"found y = {float(weight):.3f} x + {float(bias):.3f} after {given.steps:,} steps; "
        f"the {POINTS} points were made with y = {WEIGHT:g} x + {BIAS:g} + noise"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    made = options.parser(
        "linear-regression",
        "Makes points near the line y = 3x + 2, forgets the line, and finds it again by gradient "
        "descent: the smallest complete program.",
    )
    options.add_training(made, "steps", 100, 0.1)
    return made
