"""A checkpoint holds an iterator: training goes on with the batch that would have come next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agog as tf
from tests.data.pipelines import listed

Dataset = tf.data.Dataset


def records(folder: Path) -> str:
    name = str(folder / "records")
    with tf.io.TFRecordWriter(name) as file:
        for i in range(40):
            file.write(b"%d" % i)
    return name


PIPELINES: dict[str, Any] = {
    "slices": lambda folder: Dataset.from_tensor_slices(
        {"x": np.arange(60).reshape(30, 2), "y": ["s"] * 30}
    ).shuffle(30, seed=1).batch(4).repeat(2),
    "records": lambda folder: tf.data.TFRecordDataset(records(folder))
    .map(lambda r: (r, None), num_parallel_calls=2)
    .shuffle(7, seed=2)
    .batch(3)
    .prefetch(2),
    "windows": lambda folder: Dataset.range(30).window(4, 2).flat_map(lambda w: w.batch(4)),
    "groups": lambda folder: Dataset.range(30)
    .group_by_window(lambda x: x % 3, lambda key, w: w.batch(2), 4)
    .unbatch(),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("at", [0, 1, 5])
def test_iterators_in_checkpoints(name: str, at: int, tmp_path: Path) -> None:
    iterator, step = iter(PIPELINES[name](tmp_path)), tf.Variable(0)
    for _ in range(at):
        next(iterator)
        step.assign_add(1)
    saved = tf.train.Checkpoint(iterator=iterator, step=step).save(str(tmp_path / "ckpt"))
    want = listed(iterator)
    fresh, counter = iter(PIPELINES[name](tmp_path)), tf.Variable(0)
    tf.train.Checkpoint(iterator=fresh, step=counter).restore(saved)
    assert int(counter) == at
    assert listed(fresh) == want
