"""Saving and restoring 500 MB of variables: 496 of 1 MB and 400 of 10 kB.

agog waits until the disk has the file, which is what makes its checkpoints survive a crash. So does
dd, which is told to. PyTorch and TensorFlow write into the page cache only, and so does one more
side of agog.
"""

import os
import subprocess
import tempfile

import numpy as np
from case import Case

WHAT = "save and restore 500 MB"
UNIT = "ms"
LIMITS = {"dd": 1.25, "tf": 1}

_random = np.random.default_rng(0)
VALUES = [_random.random(1 << 18, dtype="float32") for _ in range(496)]
VALUES += [_random.random(2560, dtype="float32") for _ in range(400)]


def _case(save, restore, clear, first):
    def step():
        save()
        clear()
        restore()

    def result():
        step()
        return first()

    return Case("step()", {"step": step}, result, calls_per_sample=1)


def _tensorflow_style(tf):
    variables = [tf.Variable(value) for value in VALUES]
    checkpoint = tf.train.Checkpoint(variables=variables)
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "c")

    def clear():
        variables[0].assign(tf.zeros([1 << 18]))

    def restore(keep=folder):
        checkpoint.read(path).assert_consumed()

    return _case(lambda: checkpoint.write(path), restore, clear, lambda: variables[0].numpy())


def agog():
    import agog as tf

    return _tensorflow_style(tf)


def agog_no_wait():
    import agog as tf

    os.fsync = lambda file: None
    return _tensorflow_style(tf)


def dd():
    folder = tempfile.TemporaryDirectory()
    source, saved = (os.path.join(folder.name, name) for name in "ab")
    with open(source, "wb") as file:
        for value in VALUES:
            file.write(value.tobytes())

    def copy(start, end, *how):
        subprocess.run(["dd", f"if={start}", f"of={end}", "bs=1M", *how], check=True)

    def first(keep=folder):
        with open(saved, "rb") as file:
            return np.frombuffer(file.read(1 << 20), "float32")

    return _case(
        lambda: copy(source, saved, "conv=fsync"),
        lambda: copy(saved, "/dev/null"),
        lambda: None,
        first,
    )


def tf():
    import tensorflow as tf

    return _tensorflow_style(tf)


def torch():
    import torch as th

    tensors = {str(i): th.tensor(value) for i, value in enumerate(VALUES)}
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "c")

    def restore(keep=folder):
        for name, value in th.load(path).items():
            tensors[name].copy_(value)

    def first():
        return tensors["0"].numpy()

    return _case(lambda: th.save(tensors, path), restore, lambda: tensors["0"].zero_(), first)
