"""Layers and networks beside their numbers: training, masks, names, copies, mixed precision."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import agog as tf

L = tf.layers
tfe = tf.contrib.eager
X = np.random.default_rng(1).normal(size=(4, 5, 3)).astype(np.float32)


@pytest.mark.parametrize("make", [lambda: L.BatchNormalization(), lambda: L.Dropout(0.5)])
def test_inference_under_a_tape_is_not_silent(make: Any) -> None:
    layer = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        layer(X)  # no tape: nothing to be said
        with tf.GradientTape():
            layer(X, training=False)
            layer(X, training=True)
    with tf.GradientTape(), pytest.warns(UserWarning, match="pass training=True"):
        layer(X)


def test_training_goes_to_the_layers_inside() -> None:
    net = tfe.Sequential([tfe.Sequential([L.Dropout(0.5)], name="inner"), L.BatchNormalization()])
    x = tf.ones([100, 4])
    net(x, training=True)
    norm = net.get_layer(index=1)
    moved = norm.moving_mean.numpy()
    assert (moved != 0).all()
    net(x)
    net(x, training=False)
    np.testing.assert_array_equal(norm.moving_mean.numpy(), moved)
    zeros = float(tf.nn.zero_fraction(net.layers[0](x, training=True)))
    assert 0.3 < zeros < 0.7


def test_training_is_forgotten_after_an_error() -> None:
    class Fails(tfe.Network):
        def call(self, inputs: Any, training: Any = None) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Fails()(X, training=True)
    assert L.Dropout(0.9)(tf.ones([50])).numpy().sum() == 50


def test_a_frozen_batch_normalization_stays() -> None:
    layer = L.BatchNormalization(trainable=False)
    layer(X, training=True)
    assert layer.moving_mean.numpy().tolist() == [0.0] * 3
    assert layer.gamma.trainable is False


def test_masks_go_along_a_sequence() -> None:
    ids = tf.constant([[1, 2, 0, 0], [3, 1, 2, 0]])
    net = tfe.Sequential(
        [L.Embedding(5, 3, mask_zero=True), L.GRU(4, return_sequences=True), L.LSTM(2)]
    )
    got = net(ids).numpy()
    embedding, gru, lstm = net.layers
    one = lstm(gru(embedding(ids[:1, :2]))).numpy()
    two = lstm(gru(embedding(ids[1:, :3]))).numpy()
    np.testing.assert_allclose(got, np.concatenate([one, two]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [L.SimpleRNN, L.GRU, L.LSTM])
def test_dropout_in_cells(kind: Any) -> None:
    layer = kind(4, dropout=0.5, recurrent_dropout=0.5)
    still = layer(X, training=False).numpy()
    np.testing.assert_array_equal(layer(X, training=False).numpy(), still)
    assert (layer(X, training=True).numpy() != layer(X, training=True).numpy()).any()


def test_stateful_layers_go_on_and_reset() -> None:
    layer = L.LSTM(4, stateful=True)
    first, second = layer(X).numpy(), layer(X).numpy()
    assert (first != second).any()
    layer.reset_states()
    np.testing.assert_array_equal(layer(X).numpy(), first)


def test_a_cell_of_ones_own() -> None:
    class Sum(L.Layer):
        state_size = 3

        def call(self, inputs: Any, states: Any) -> Any:
            return inputs + states, inputs + states

    np.testing.assert_allclose(L.RNN(Sum())(X).numpy(), X.sum(1), rtol=1e-5)


def test_names_are_tensorflows() -> None:
    net = tfe.Sequential([L.Dense(2), L.Dense(2), tfe.Sequential([L.Dense(2)])], name="net")
    net(tf.ones([1, 2]))
    assert [v.name for v in net.layers[2].variables] == [
        "net/sequential/dense/bias:0",
        "net/sequential/dense/kernel:0",
    ]
    assert net.layers[1].kernel.name == "net/dense_1/kernel:0"
    lstm = L.LSTM(2)
    lstm(X)
    assert [w.name for w in lstm.weights] == [
        f"lstm/lstm_cell/{n}:0" for n in ("kernel", "recurrent_kernel", "bias")
    ]
    with pytest.raises(ValueError, match="named 'a'"):
        tfe.Sequential([L.Dense(1, name="a"), L.Dense(1, name="a")])


def test_scopes_of_modules() -> None:
    class Net(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self) -> Any:
            return tf.Variable(1.0, name="w")

    with tf.name_scope("out"):
        net = Net()
    assert net().name == "out/net/w:0"
    assert net.name_scope.name == "out/net/"


def test_containers_may_be_replaced_inserted_deleted_sorted() -> None:
    class Net(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts: Any = [tf.Variable(2.0), {"a": (tf.Variable(1.0),)}]

    net = Net()

    def values() -> list[float]:
        return [float(v) for v in net.variables]

    assert values() == [2.0, 1.0]
    net.parts.insert(0, tf.Variable(9.0))
    del net.parts[2]
    assert values() == [9.0, 2.0]
    net.parts.sort(key=float)
    assert values() == [2.0, 9.0]
    net.parts = {"z": tf.Variable(3.0)}
    assert values() == [3.0]
    assert type(net.parts) is dict


@pytest.mark.parametrize(
    "make",
    [
        lambda: L.Bidirectional(L.GRU(3)),
        lambda: L.BatchNormalization(),
        lambda: L.RNN([L.LSTMCell(2), L.GRUCell(3)]),
        lambda: tfe.Sequential([L.Dense(3), L.LayerNormalization()]),
    ],
)
def test_copies_are_equal_and_apart(make: Any) -> None:
    layer = make()
    want = layer(X).numpy()
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        np.testing.assert_array_equal(other(X).numpy(), want)
        for variable in other.variables:
            variable.assign(variable * 0.0)
    np.testing.assert_array_equal(layer(X).numpy(), want)


def test_a_network_saves_and_restores(tmp_path: Any) -> None:
    def net() -> Any:
        return tfe.Sequential([L.Dense(3), tfe.Sequential([L.LSTM(2), L.BatchNormalization()])])

    one, two = net(), net()
    want = one(X, training=True)
    want = one(X)
    path = tf.train.Checkpoint(net=one).save(str(tmp_path / "c"))
    two(X)
    tf.train.Checkpoint(net=two).restore(path).assert_consumed()
    np.testing.assert_array_equal(two(X).numpy(), want.numpy())


def test_weights_are_checked_before_any_changes() -> None:
    layer = L.Dense(2)
    layer(tf.ones([1, 3]))
    before = layer.get_weights()
    for wrong in ([before[0]], [before[0] + 1, np.ones(3, np.float32)]):
        with pytest.raises(ValueError):
            layer.set_weights(wrong)
    for old, new in zip(before, layer.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_summary(capsys: Any) -> None:
    net = tfe.Sequential([L.Dense(4), tfe.Sequential([L.BatchNormalization()], name="inner")])
    net(tf.ones([1, 3]))
    net.summary()
    text = capsys.readouterr().out
    for part in ("kernel [3, 4], bias [4]", "  batch_normalization", "moving_mean [4]"):
        assert part in text
    assert "32 parameters, 24 of them trainable" in text


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    "make",
    [
        lambda d: L.Dense(4, dtype=d),
        lambda d: L.LSTM(4, dtype=d),
        lambda d: L.GRU(4, dtype=d),
        lambda d: L.LayerNormalization(dtype=d),
        lambda d: L.BatchNormalization(dtype=d),
    ],
)
def test_mixed_policies(make: Any, half: str) -> None:
    layer, plain = make(f"mixed_{half}"), make(None)
    got, want = layer(X), plain(X)
    plain.set_weights(layer.get_weights())
    assert got.dtype == half
    assert {w.dtype for w in layer.weights} == {tf.float32}
    np.testing.assert_allclose(got.numpy().astype(np.float32), plain(X).numpy(), atol=0.05)
    assert want.dtype == tf.float32


def test_loss_scaling_recovers_from_an_overflow() -> None:
    w = tf.Variable(1.0)
    inner = tf.train.MomentumOptimizer(0.1, 0.5)
    optimizer = tf.mixed_precision.LossScaleOptimizer(inner, dynamic_growth_steps=3)
    optimizer._scale.current_loss_scale.assign(2.0**17)  # above the largest float16
    made = []
    for _ in range(8):
        with tf.GradientTape() as tape:
            half = tf.cast(w, tf.float16)
            scaled = optimizer.get_scaled_loss(half * half)
        grads = optimizer.get_unscaled_gradients(tape.gradient(scaled, [w]))
        made.append(optimizer.apply_gradients(zip(grads, [w])))
    assert made[0] is False
    assert made.count(True) >= 5
    assert 0 <= float(w) < 0.7
    assert np.isfinite(float(optimizer.loss_scale))


def test_loss_scaling_keeps_small_gradients() -> None:
    w = tf.Variable(1.0)
    optimizer = tf.mixed_precision.LossScaleOptimizer(tf.train.GradientDescentOptimizer(1.0))
    with tf.GradientTape(persistent=True) as tape:
        x = tf.cast(w, tf.float16) * tf.constant(1e-4, tf.float16)
        loss = x * tf.constant(1e-4, tf.float16)
        scaled = optimizer.get_scaled_loss(x) * tf.constant(1e-4, tf.float16)
    assert float(tape.gradient(loss, w)) == pytest.approx(1e-8, rel=1)
    (grad,) = optimizer.get_unscaled_gradients([tape.gradient(scaled, w)])
    assert float(grad) == pytest.approx(1e-8, rel=2e-2)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: L.Conv2D(3, 2)(tf.ones([2, 3, 4])), "must have axes NHWC"),
        (lambda: L.Conv2D(3, 2, groups=2), "divisible by groups"),
        (lambda: L.Conv2D(3, 2, padding="causal"), "padding must be one of"),
        (lambda: L.MaxPooling2D([2]), "pool_size must be 2 positive integers"),
        (lambda: L.GroupNormalization(2)(tf.ones([1, 3])), "3 channels .* 2 equal groups"),
        (lambda: L.LSTM(2)(tf.ones([2, 3])), "batch, steps and features"),
        (lambda: L.LSTM(2)(tf.ones([2, 0, 3])), "at least one step"),
        (lambda: L.Bidirectional(L.LSTM(2), merge_mode="max"), "merge_mode must be"),
        (lambda: L.Dropout(1.5), r"rate must be in \[0, 1\]"),
        (lambda: tf.mixed_precision.Policy("mixed_float8"), "mixed policy"),
    ],
)
def test_refusals(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def _normalized(layer: Any, x: Any, training: bool) -> list[np.ndarray]:
    """Outputs, gradients, and moving averages after a call."""
    weights = tf.constant(np.random.default_rng(2).normal(size=x.shape), x.dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = layer(x, training=training)
        loss = tf.reduce_sum(y * weights)
    gradients = tape.gradient(loss, [x, *layer.trainable_variables])
    return [t.numpy().astype("float64") for t in (y, *gradients, *layer.non_trainable_variables)]


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("axis", [-1, 1])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("learned", [True, False])
def test_batch_normalization_of_images_is_that_of_anything(
    training: bool, axis: int, dtype: str, learned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    found = []
    x = tf.constant(rng.normal(3, 2, [2, 3, 4, 5]), dtype)
    for fused in (True, False):
        layer = L.BatchNormalization(axis, momentum=0.5, center=learned, scale=learned)
        if not fused:
            monkeypatch.setattr(layer, "_fits_fused", lambda *_: False, raising=True)
        found.append(_normalized(layer, x, training))
        assert layer._fits_fused(x, axis % 4) is fused
    tolerance = {"float32": 2e-5, "bfloat16": 0.1, "float16": 0.01}[dtype]
    for got, want in zip(*found, strict=True):
        np.testing.assert_allclose(got, want, tolerance, tolerance)


@pytest.mark.parametrize(("shape", "axis"), [([], -1), ([2, 3], 2), ([2, 3], (-1, -3))])
def test_layer_normalization_needs_its_axes(shape, axis):
    layer = tf.layers.LayerNormalization(axis)
    with pytest.raises(ValueError, match=f"not one of inputs of rank {len(shape)}"):
        layer(tf.ones(shape))
