"""Layers with given weights, run by real TensorFlow and by agog: values, gradients, states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any], Any]] = {}
RNG = np.random.default_rng(17)
X = RNG.normal(size=(3, 5, 4)).astype(np.float32)
Y = RNG.normal(size=(3, 4, 4)).astype(np.float32)
IMAGE = RNG.normal(size=(2, 6, 7, 4)).astype(np.float32)
# No two numbers of a window are equal: TensorFlow gives each of them the whole gradient in three
# dimensions, and the first alone in two; agog always the first.
VOLUME = IMAGE[:, None] * np.float32([1.0, 0.75, 0.5])[:, None, None, None]
MASK = np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1], [0, 1, 1, 1, 0]], bool)


def _layers(tf: Any) -> Any:
    return tf.keras.layers if hasattr(tf, "keras") else tf.layers


def _fill(layer: Any) -> None:
    """Every weight gets numbers that follow from its place and shape."""
    for i, weight in enumerate(layer.weights):
        rng = np.random.default_rng(100 + i)
        values = rng.normal(size=tuple(weight.shape)).astype(np.float32) * 0.4
        weight.assign(np.abs(values) + 0.5 if "variance" in weight.name else values)


def _flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


def case(
    make: Callable[[Any], Any], inputs: Any = X, calls: int = 1, **kwargs: Any
) -> Callable[[Any], Any]:
    """Outputs of each call, then the gradients of inputs and trainable weights."""

    def run(tf: Any) -> Any:
        layer = make(_layers(tf))
        given = [tf.constant(x) for x in (inputs if isinstance(inputs, tuple) else (inputs,))]
        layer(*given, **kwargs)
        _fill(layer)
        if getattr(layer, "stateful", False):
            layer.reset_state()
        found = []
        for _ in range(calls):
            with tf.GradientTape() as tape:
                tape.watch(given)
                outputs = _flat(layer(*given, **kwargs))
                loss = sum(tf.reduce_sum(tf.sin(o) * (i + 1.0)) for i, o in enumerate(outputs))
            found += [o.numpy() for o in outputs]
        weights = [w for w in layer.weights if w.trainable]
        weights = [getattr(w, "value", w) if hasattr(tf, "keras") else w for w in weights]
        slopes = tape.gradient(loss, [*given, *weights])
        found += [np.zeros(1) if s is None else tf.convert_to_tensor(s).numpy() for s in slopes]
        found += [w.numpy() for w in layer.weights if not w.trainable]
        return found

    return run


CASES["dense"] = case(lambda L: L.Dense(3, activation="tanh"))
CASES["dense matrix"] = case(lambda L: L.Dense(3, use_bias=False), X[:, 0])
CASES["flatten first"] = case(lambda L: L.Flatten("channels_first"), IMAGE)
CASES["layer_norm"] = case(lambda L: L.LayerNormalization())
CASES["layer_norm axes"] = case(lambda L: L.LayerNormalization(axis=[1, 2], center=False))
CASES["group_norm"] = case(lambda L: L.GroupNormalization(2), IMAGE)
CASES["group_norm each"] = case(lambda L: L.GroupNormalization(-1, scale=False))
CASES["batch_norm train"] = case(lambda L: L.BatchNormalization(), IMAGE, 3, training=True)
CASES["batch_norm infer"] = case(lambda L: L.BatchNormalization(), IMAGE, training=False)
CASES["batch_norm axis"] = case(
    lambda L: L.BatchNormalization(axis=1, momentum=0.7, scale=False), X, 2, training=True
)
CASES["batch_norm mask"] = case(lambda L: L.BatchNormalization(), X, 2, training=True, mask=MASK)
CASES["embedding"] = case(lambda L: L.Embedding(6, 3), np.array([[1, 2], [5, 1]]))

KINDS: dict[str, Callable[..., Any]] = {
    "simple": lambda L, **k: L.SimpleRNN(3, **k),
    "gru": lambda L, **k: L.GRU(3, **k),
    "gru before": lambda L, **k: L.GRU(3, reset_after=False, **k),
    "lstm": lambda L, **k: L.LSTM(3, **k),
    "cells": lambda L, **k: L.RNN([L.LSTMCell(2), L.GRUCell(3)], **k),
}
WAYS: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "last": ({}, {}, 1),
    "all": ({"return_sequences": True}, {}, 1),
    "masked": ({"return_sequences": True}, {"mask": MASK}, 1),
    "masked last": ({}, {"mask": MASK}, 1),
    "backwards masked": ({"return_sequences": True, "go_backwards": True}, {"mask": MASK}, 1),
    "stateful": ({"stateful": True}, {}, 3),
}


def _recurrent(kind: str, way: str) -> Callable[[Any], Any]:
    made, called, calls = WAYS[way]
    return case(lambda L: KINDS[kind](L, **made), X, calls, **called)


CASES |= {f"{kind} {way}": _recurrent(kind, way) for kind in KINDS for way in WAYS}
del CASES["cells stateful"]  # Keras 3.15 cannot reset it
for _kind in ("simple", "gru", "lstm"):
    CASES[f"{_kind} states"] = case(
        lambda L, kind=_kind: KINDS[kind](L, return_sequences=True, return_state=True),
        X,
        mask=MASK,
    )
CASES["lstm zeros"] = case(
    lambda L: L.RNN(L.LSTMCell(3), return_sequences=True, zero_output_for_mask=True), X, mask=MASK
)
CASES["lstm linear"] = case(
    lambda L: L.LSTM(3, activation=None, recurrent_activation="relu", use_bias=False)
)
CASES["gru bare"] = case(lambda L: L.GRU(3, use_bias=False))
for _mode in ("concat", "sum", "mul", "ave"):
    CASES[f"both {_mode}"] = case(
        lambda L, mode=_mode: L.Bidirectional(L.GRU(3, return_sequences=True), merge_mode=mode),
        X,
        mask=MASK,
    )
CASES["both last"] = case(lambda L: L.Bidirectional(L.LSTM(3)), X, mask=MASK)
CASES["both none"] = case(lambda L: L.Bidirectional(L.SimpleRNN(2), merge_mode=None))

ATTENTION: dict[str, dict[str, Any]] = {
    "plain": {},
    "scores": {"return_attention_scores": True},
    "mask": {"attention_mask": np.random.default_rng(1).uniform(size=(3, 5, 4)) < 0.7},
    "causal": {"use_causal_mask": True},
    "padding": {"value_mask": MASK[:, :4], "query_mask": MASK},
    "padding causal": {"key_mask": MASK[[0, 1, 1], :4], "use_causal_mask": True},
}
CASES |= {
    f"attention {name}": case(
        lambda L: L.MultiHeadAttention(2, 3, value_dim=5, output_shape=6), (X, Y), **kwargs
    )
    for name, kwargs in ATTENTION.items()
}
CASES["attention key"] = case(lambda L: L.MultiHeadAttention(2, 3, use_bias=False), (X, Y, Y * 2.0))
CASES["attention nowhere"] = case(
    lambda L: L.MultiHeadAttention(2, 3),
    (X, Y),
    attention_mask=np.arange(60).reshape(3, 5, 4) >= 6,
    return_attention_scores=True,
)

# Layers that need functions of agog.nn: what they need stands before the case.
NEEDS: dict[str, str] = {}
CONVOLUTIONS: dict[str, tuple[str, Callable[[Any], Any], Any]] = {
    "conv1d": ("conv1d", lambda L: L.Conv1D(3, 2, strides=2), X),
    "conv1d causal": ("conv1d", lambda L: L.Conv1D(3, 2, padding="causal", dilation_rate=2), X),
    "conv2d": ("conv2d", lambda L: L.Conv2D(3, (2, 3), activation="tanh"), IMAGE),
    "conv2d same": ("conv2d", lambda L: L.Conv2D(3, 3, strides=2, padding="same"), IMAGE),
    "conv2d groups": ("conv2d", lambda L: L.Conv2D(4, 2, groups=2, use_bias=False), IMAGE),
    "conv2d dilated": ("conv2d", lambda L: L.Conv2D(2, 2, dilation_rate=2), IMAGE),
    "conv3d": ("conv3d", lambda L: L.Conv3D(3, 2), IMAGE[:, None].repeat(3, 1)),
    "transpose": ("conv2d_transpose", lambda L: L.Conv2DTranspose(3, 3, strides=2), IMAGE),
    "transpose same": (
        "conv2d_transpose",
        lambda L: L.Conv2DTranspose(3, 3, strides=2, padding="same", output_padding=1),
        IMAGE,
    ),
    "depthwise": ("depthwise_conv2d", lambda L: L.DepthwiseConv2D(2, depth_multiplier=2), IMAGE),
    "separable": ("separable_conv2d", lambda L: L.SeparableConv2D(3, 2, padding="same"), IMAGE),
    "max1d": ("max_pool1d", lambda L: L.MaxPooling1D(2), X),
    "max2d": ("max_pool2d", lambda L: L.MaxPooling2D(3, strides=2, padding="same"), IMAGE),
    "mean2d": ("avg_pool2d", lambda L: L.AveragePooling2D(3, strides=2, padding="same"), IMAGE),
    "mean1d": ("avg_pool1d", lambda L: L.AveragePooling1D(2), X),
    "max3d": ("max_pool3d", lambda L: L.MaxPooling3D(2), VOLUME),
}
for _name, (_need, _make, _inputs) in CONVOLUTIONS.items():
    CASES[_name] = case(_make, _inputs)
    NEEDS[_name] = _need
CASES["global mean"] = case(lambda L: L.GlobalAveragePooling2D(), IMAGE)
CASES["global max"] = case(lambda L: L.GlobalMaxPooling2D(keepdims=True), IMAGE)
CASES["global mean masked"] = case(lambda L: L.GlobalAveragePooling1D(), X, mask=MASK)
CASES["global mean first"] = case(lambda L: L.GlobalAveragePooling1D("channels_first"), X)
