"""Training, run by real TensorFlow and by agog: optimizers, decays, averages.

A case is a function of a `Doors`, which gives it the same names from both; it returns arrays,
nested in lists and dicts.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np


class Doors(NamedTuple):
    """Where the same things are in TensorFlow and in agog."""

    tf: Any
    train: Any
    schedules: Any
    slices: Callable[..., Any]


def agog_doors() -> Doors:
    """The names as agog has them."""
    import agog

    def slices(values: Any, indices: Any, shape: Any) -> Any:
        kind = getattr(agog, "IndexedSlices", None)
        if kind is not None:
            return kind(values, indices, shape)
        return SimpleNamespace(values=values, indices=indices, dense_shape=shape)

    return Doors(agog, agog.train, agog.optimizers.schedules, slices)


def tensorflow_doors() -> Doors:
    """The names as TensorFlow has them."""
    import tensorflow as tf

    train = tf.compat.v1.train
    return Doors(tf, train, tf.keras.optimizers.schedules, tf.IndexedSlices)


CASES: dict[str, Callable[[Doors], Any]] = {}


OPTIMIZERS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "sgd": ("GradientDescent", (0.1,), {}),
    "momentum": ("Momentum", (0.05, 0.9), {}),
    "nesterov": ("Momentum", (0.05, 0.9), {"use_nesterov": True}),
    "adagrad": ("Adagrad", (0.3,), {}),
    "adagrad_initial": ("Adagrad", (0.3,), {"initial_accumulator_value": 0.5}),
    "adadelta": ("Adadelta", (), {}),
    "adadelta_fast": ("Adadelta", (1.0, 0.8, 1e-3), {}),
    "rmsprop": ("RMSProp", (0.05,), {}),
    "rmsprop_momentum": ("RMSProp", (0.02, 0.8, 0.7, 1e-4), {}),
    "rmsprop_centered": ("RMSProp", (0.02, 0.8, 0.5, 1e-2), {"centered": True}),
    "adam": ("Adam", (0.1,), {"beta1": 0.8}),
    "ftrl": ("Ftrl", (0.3,), {}),
    "ftrl_all": (
        "Ftrl",
        (0.3, -0.6, 0.2),
        {
            "l1_regularization_strength": 0.05,
            "l2_regularization_strength": 0.1,
            "l2_shrinkage_regularization_strength": 0.02,
        },
    ),
    "ftrl_beta": ("Ftrl", (0.3,), {"beta": 0.4}),
    "ftrl_linear": ("Ftrl", (0.1, 0.0), {"l1_regularization_strength": 0.01}),
}


def _made(k: Doors, name: str) -> Any:
    kind, args, kwargs = OPTIMIZERS[name]
    return getattr(k.train, f"{kind}Optimizer")(*args, **kwargs)


def _dense(name: str, dtype: str) -> Callable[[Doors], Any]:
    def case(k: Doors) -> Any:
        tf, cast = k.tf, lambda values: np.array(values, dtype)
        w = tf.Variable(cast([[1.0, 2.0], [3.0, -1.0]]), name="w")
        b, c = tf.Variable(cast([0.5, -0.5]), name="b"), tf.Variable(cast(2.0), name="c")
        x = tf.constant(cast([[0.3, -0.7], [1.1, 0.2], [-0.4, 0.9]]))

        def loss() -> Any:
            fit = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
            return fit + tf.square(c - 1) * tf.exp(-b[0])

        optimizer = _made(k, name)
        for _ in range(20):
            optimizer.minimize(loss)
        names = optimizer.get_slot_names()
        slots = {slot: optimizer.get_slot(w, slot).numpy() for slot in names}
        return {"variables": [w.numpy(), b.numpy(), c.numpy()], "slots": slots}

    return case


def _sparse(name: str) -> Callable[[Doors], Any]:
    def case(k: Doors) -> Any:
        start = np.linspace(-1, 1, 15, dtype=np.float32).reshape(5, 3)
        table = k.tf.Variable(start, name="table")
        optimizer = _made(k, name)
        rng = np.random.default_rng(5)
        for step in range(20):
            indices = np.array([step % 3, 4, step % 3], np.int64 if step % 2 else np.int32)
            values = rng.normal(size=(3, 3)).astype(np.float32)
            grad = k.slices(k.tf.constant(values), k.tf.constant(indices), k.tf.constant([5, 3]))
            optimizer.apply_gradients([(grad, table)])
        names = optimizer.get_slot_names()
        slots = {slot: optimizer.get_slot(table, slot).numpy() for slot in names}
        return {"table": table.numpy(), "slots": slots}

    return case


for _name in OPTIMIZERS:
    for _dtype in ("float32", "float64"):
        CASES[f"{_name} {_dtype}"] = _dense(_name, _dtype)
    CASES[f"{_name} sparse"] = _sparse(_name)


def _adamw(k: Doors) -> Any:
    """Keras' rule times the rate is that of TensorFlow 1's contrib, which is gone."""
    tf = k.tf
    w = tf.Variable([1.0, -2.0, 0.5])
    if hasattr(k.train, "AdamWOptimizer"):
        optimizer = k.train.AdamWOptimizer(0.1 * 0.3, 0.1, beta1=0.8, epsilon=1e-8)
    else:
        optimizer = tf.keras.optimizers.AdamW(0.1, weight_decay=0.3, beta_1=0.8, epsilon=1e-8)
    for step in range(20):
        optimizer.apply_gradients([(tf.sin(w * 3.0) + 0.1 * step, w)])
    return w.numpy()


CASES["adamw"] = _adamw

DECAYS: dict[str, Callable[[Any, Any], Any]] = {
    "exponential": lambda t, s: t.exponential_decay(0.1, s, 7, 0.6),
    "exponential_stairs": lambda t, s: t.exponential_decay(0.1, s, 7, 0.6, staircase=True),
    "natural": lambda t, s: t.natural_exp_decay(0.1, s, 7, 0.6),
    "natural_stairs": lambda t, s: t.natural_exp_decay(0.1, s, 7, 0.6, staircase=True),
    "inverse": lambda t, s: t.inverse_time_decay(0.1, s, 7, 0.6),
    "inverse_stairs": lambda t, s: t.inverse_time_decay(0.1, s, 7, 0.6, staircase=True),
    "polynomial": lambda t, s: t.polynomial_decay(0.1, s, 12, 0.01, power=2.0),
    "polynomial_cycle": lambda t, s: t.polynomial_decay(0.1, s, 6, 0.01, cycle=True),
    "piecewise": lambda t, s: t.piecewise_constant(s, [3, 9], [0.3, 0.2, 0.1]),
    "cosine": lambda t, s: t.cosine_decay(0.1, s, 15, alpha=0.2),
    "restarts": lambda t, s: t.cosine_decay_restarts(0.1, s, 4, t_mul=1.5, m_mul=0.8, alpha=0.1),
    "restarts_even": lambda t, s: t.cosine_decay_restarts(0.1, s, 4, t_mul=1.0, m_mul=0.8),
    "linear_cosine": lambda t, s: t.linear_cosine_decay(0.1, s, 15, num_periods=1.5, alpha=0.1),
}
SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "Exponential": lambda s: s.ExponentialDecay(0.1, 7, 0.6),
    "Exponential_stairs": lambda s: s.ExponentialDecay(0.1, 7, 0.6, staircase=True),
    "InverseTime": lambda s: s.InverseTimeDecay(0.1, 7, 0.6),
    "Polynomial": lambda s: s.PolynomialDecay(0.1, 12, 0.01, power=0.5),
    "Polynomial_cycle": lambda s: s.PolynomialDecay(0.1, 6, 0.01, cycle=True),
    "Piecewise": lambda s: s.PiecewiseConstantDecay([3, 9], [0.3, 0.2, 0.1]),
    "Cosine": lambda s: s.CosineDecay(0.1, 15, alpha=0.2),
    "Cosine_warm": lambda s: s.CosineDecay(0.1, 10, 0.2, warmup_target=0.5, warmup_steps=5),
    "Restarts": lambda s: s.CosineDecayRestarts(0.1, 4, t_mul=1.5, m_mul=0.8, alpha=0.1),
    "Restarts_even": lambda s: s.CosineDecayRestarts(0.1, 4, t_mul=1.0, m_mul=0.8),
}


def _decay(make: Callable[[Any, Any], Any]) -> Callable[[Doors], Any]:
    def case(k: Doors) -> Any:
        step = k.tf.Variable(0)
        rate, rates = make(k.train, step), []
        for at in range(21):
            step.assign(at)
            rates.append(rate().numpy())
        return rates

    return case


def _schedule(make: Callable[[Any], Any]) -> Callable[[Doors], Any]:
    def case(k: Doors) -> Any:
        rate = make(k.schedules)
        return [np.asarray(rate(k.tf.constant(step))) for step in range(21)]

    return case


CASES |= {f"decay {name}": _decay(make) for name, make in DECAYS.items()}
CASES |= {f"schedule {name}": _schedule(make) for name, make in SCHEDULES.items()}


def _average(**kwargs: Any) -> Callable[[Doors], Any]:
    def case(k: Doors) -> Any:
        w, v = k.tf.Variable([1.0, -2.0]), k.tf.Variable(np.float64(3.0))
        step = k.tf.Variable(0)
        given = {**kwargs, "num_updates": step} if "num_updates" in kwargs else kwargs
        average = k.tf.train.ExponentialMovingAverage(0.9, **given)
        found = []
        for at in range(20):
            step.assign(at)
            w.assign(k.tf.sin(w) * 3.0 + float(at))
            v.assign(v * 0.5 + 1.0)
            average.apply([w, v])
            found.append([average.average(w).numpy(), average.average(v).numpy()])
        return found

    return case


CASES["average"] = _average()
CASES["average counted"] = _average(num_updates=True)
CASES["average debiased"] = _average(zero_debias=True)
CASES["clip_by_global_norm"] = lambda k: [
    t.numpy()
    for limit in (1.0, 100.0)
    for t in k.tf.clip_by_global_norm([k.tf.constant([3.0, 4.0]), k.tf.constant([[12.0]])], limit)[
        0
    ]
]


def plain(value: Any) -> Any:
    """A JSON value: floats with enough digits for their dtype."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    value = np.asarray(value)
    if value.dtype.kind != "f":
        return value.tolist()
    digits = 17 if value.dtype == np.float64 else 9
    return np.vectorize(lambda x: float(f"{x:.{digits}g}"), otypes=[float])(value).tolist()
