"""Random pipelines, for properties that every pipeline must have."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import agog as tf

Dataset = tf.data.Dataset
Step = Callable[[Any], Any]


def source(rng: random.Random) -> Callable[[], Any]:
    """A function that makes a dataset of rows of a table."""
    size = rng.choice([0, 1, 5, 12, 30])
    x = np.arange(size * 3, dtype=np.float32).reshape(size, 3)
    names = [b"%d" % i for i in range(size)]
    made: list[Callable[[], Any]] = [
        lambda: Dataset.range(size),
        lambda: Dataset.from_tensor_slices(x),
        lambda: Dataset.from_tensor_slices({"x": x, "y": np.arange(size)}),
        lambda: (
            Dataset.from_tensor_slices((x, np.array(names, object))) if size else Dataset.range(0)
        ),
        lambda: Dataset.zip((Dataset.from_tensor_slices(x), Dataset.range(100))),
        lambda: Dataset.from_tensor_slices(np.arange(size)).enumerate(7),
    ]
    return rng.choice(made)


def choosing_step(rng: random.Random) -> Step:
    """A step that only chooses elements."""
    n, seed = rng.randint(1, 9), rng.randint(0, 99)
    again = rng.random() < 0.7
    steps: list[Step] = [
        lambda d: d.take(n),
        lambda d: d.take(-1),
        lambda d: d.skip(n - 1),
        lambda d: d.shard(n, seed % n),
        lambda d: d.repeat(n % 4),
        lambda d: d.shuffle(n, seed=seed, reshuffle_each_iteration=again),
        lambda d: d.shuffle(1000, seed=seed, reshuffle_each_iteration=again),
        lambda d: d.cache(),
        lambda d: d.prefetch(n),
        lambda d: d.concatenate(d.take(2)),
    ]
    return rng.choice(steps)


def batching_step(rng: random.Random) -> Step:
    n, drop = rng.randint(1, 6), rng.random() < 0.3
    return lambda d: d.batch(n, drop_remainder=drop)


def identity(dataset: Any) -> Any:
    """The same elements, but no table any more: what follows takes the plain path."""
    return dataset.map(lambda *parts: parts if len(parts) > 1 else parts[0])


def listed(dataset: Any, most: int = 400) -> list[Any]:
    """The elements as plain values."""
    return [plain(element) for element, _ in zip(dataset, range(most))]


def plain(element: Any) -> Any:
    if isinstance(element, dict):
        return {key: plain(part) for key, part in element.items()}
    if isinstance(element, tuple):
        return tuple(map(plain, element))
    if element is None:
        return None
    value = element.numpy()
    return (element.dtype.name, value.tolist() if hasattr(value, "tolist") else value)
