"""The model of the tests with real TensorFlow: the same code for both, run in either environment.

    python -m tests.checkpoint.models agog|tensorflow ACTION PATH

`save` makes the model, trains two steps and saves; `restore` makes it anew and restores, `defer`
restores before its variables exist. All of them print the values, and those after one more step.
"""

from __future__ import annotations

import collections
import json
import sys
from typing import Any

Pair = collections.namedtuple("Pair", ["left", "right"])


def make_model(tf: Any) -> Any:
    """A module with modules in containers, odd names, tuples, and values of many dtypes."""

    class Dense(tf.Module):
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

        def build(self, inputs: int, shift: float) -> None:
            values = [[shift + i + j / 8 for j in range(self.size)] for i in range(inputs)]
            self.w = tf.Variable(values, name="w")
            self.b = tf.Variable([shift] * self.size, name="b")

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [Dense(3), Dense(2)]
            self.named = {"first": self.layers[0], "odd.na/me": Dense(1)}
            self.own = self

        def all_dense(self) -> list[Any]:
            return [*self.layers, self.named["odd.na/me"]]

        def build(self, shift: float) -> None:
            for i, layer in enumerate(self.all_dense()):
                layer.build(i + 1, shift)
            add_values(tf, self, shift)

        def loss(self) -> Any:
            losses = [tf.reduce_sum(d.w**2) + tf.reduce_sum(d.b**2) for d in self.all_dense()]
            return tf.add_n(losses) + self.pair.left**2

        def trainable(self) -> list[Any]:
            return [v for d in self.all_dense() for v in (d.w, d.b)] + [self.pair.left]

    return Model()


def add_values(tf: Any, model: Any, shift: float) -> None:
    """Variables of other dtypes than float32."""
    model.pair = Pair(tf.Variable(shift), (tf.Variable([True, shift > 0]),))
    model.step = tf.Variable(int(shift * 10), dtype=tf.int64)
    model.text = tf.Variable(["a", f"shift {shift}"])
    model.half = tf.Variable(tf.cast([shift, 2.5], tf.bfloat16))
    model.complex = tf.Variable(tf.complex([shift], [1.0]))
    model.empty = tf.Variable(tf.zeros([0, 3]))


def train(checkpoint: Any) -> None:
    """A step of both optimizers."""
    for optimizer in (checkpoint.adam, checkpoint.momentum):
        optimizer.minimize(checkpoint.model.loss, var_list=checkpoint.model.trainable())


def values(tf: Any, checkpoint: Any) -> dict[str, Any]:
    """All values as lists of numbers and strings."""
    model, found = checkpoint.model, {}
    variables = {"step": model.step, "text": model.text, "half": model.half, "empty": model.empty}
    variables |= {"left": model.pair.left, "right": model.pair.right[0], "complex": model.complex}
    for i, variable in enumerate(model.trainable()):
        variables[f"v{i}"] = variable
        for optimizer in (checkpoint.adam, checkpoint.momentum):
            for name in optimizer.get_slot_names():
                variables[f"v{i} {name}"] = optimizer.get_slot(variable, name)
    for name, variable in variables.items():
        value = tf.convert_to_tensor(variable)
        if value.dtype in (tf.bfloat16, tf.complex64):
            value = tf.cast(tf.abs(value), tf.float32)
        found[name] = str(value.numpy().tolist())
    found["random"] = checkpoint.generator.uniform([3]).numpy().tolist()
    return found


def act(framework: str, action: str, path: str) -> dict[str, Any]:
    """One action; what it found."""
    if framework == "agog":
        import agog as tf

        optimizers = tf.train
    else:
        import tensorflow as tf

        optimizers = tf.compat.v1.train
    checkpoint = tf.train.Checkpoint(
        model=make_model(tf),
        adam=optimizers.AdamOptimizer(0.1),
        momentum=optimizers.MomentumOptimizer(0.01, 0.9),
        generator=tf.random.Generator.from_seed(7),
    )
    if action == "defer":
        status = checkpoint.restore(path)
    checkpoint.model.build(0.0 if action != "save" else 1.5)
    if action == "save":
        train(checkpoint)
        train(checkpoint)
        checkpoint.generator.normal([5])
        path = checkpoint.save(path)
    elif action == "restore":
        status = checkpoint.restore(path)
    found = {"path": path}
    if action != "save":
        status.assert_existing_objects_matched()
        found["save_counter"] = int(checkpoint.save_counter)
    found["values"] = values(tf, checkpoint)
    train(checkpoint)
    if action != "save":
        status.assert_consumed()  # TensorFlow's Adam makes its powers of beta in its first step
    found["next"] = values(tf, checkpoint)
    return found


if __name__ == "__main__":
    print(json.dumps(act(*sys.argv[1:])))
