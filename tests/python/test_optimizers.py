"""What optimizers do beside their numbers: rows, schedules, copies, refusals."""

from __future__ import annotations

import copy
import inspect
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import agog as tf
from tests.spec.training_cases import OPTIMIZERS

Decay = tf.optimizers.schedules.ExponentialDecay


def made(name: str) -> Any:
    kind, args, kwargs = OPTIMIZERS[name]
    return getattr(tf.train, f"{kind}Optimizer")(*args, **kwargs)


def slices(values: Any, indices: Any, shape: Any) -> Any:
    """Anything with these attributes is a gradient of rows."""
    return SimpleNamespace(
        values=tf.constant(values), indices=tf.constant(indices), dense_shape=tf.constant(shape)
    )


@pytest.mark.parametrize("name", [n for n in OPTIMIZERS if n != "adam"])
def test_sparse_steps_touch_only_their_rows(name: str) -> None:
    start = np.arange(1.0, 9.0, dtype=np.float32).reshape(4, 2)
    table, optimizer = tf.Variable(start), made(name)
    optimizer.apply_gradients([(tf.zeros([4, 2]), table)])  # makes the slots
    before = [table.numpy(), *(v.numpy() for v in optimizer.variables())]
    optimizer.apply_gradients([(slices([[1.0, 2.0]], [2], [4, 2]), table)])
    after = [table.numpy(), *(v.numpy() for v in optimizer.variables())]
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(old[[0, 1, 3]], new[[0, 1, 3]])
    assert (after[0][2] < start[2]).all()


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rows_named_twice_equal_the_dense_step(name: str) -> None:
    start = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)
    sparse, dense = tf.Variable(start), tf.Variable(start)
    one, other = made(name), made(name)
    for _ in range(3):
        rows = slices([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5], [1.0, 1.0]], [0, 2, 0, 1], [3, 2])
        one.apply_gradients([(rows, sparse)])
        whole = tf.constant([[1.5, 2.5], [1.0, 1.0], [3.0, -1.0]])
        other.apply_gradients([(whole, dense)])
    np.testing.assert_allclose(sparse.numpy(), dense.numpy(), rtol=2e-6)


def test_adamw_decays_only_the_rows_named() -> None:
    table = tf.Variable(np.ones((3, 2), np.float32))
    optimizer = tf.train.AdamWOptimizer(0.5, learning_rate=0.0)
    optimizer.apply_gradients([(slices([[1.0, 1.0], [2.0, 2.0]], [1, 1], [3, 2]), table)])
    assert table.numpy().tolist() == [[1.0, 1.0], [0.5, 0.5], [1.0, 1.0]]


def test_an_optimizer_without_a_step_for_rows_says_so() -> None:
    class Mine(tf.train.Optimizer):
        def __init__(self) -> None:
            super().__init__(False, "Mine")

        def _resource_apply_dense(self, grad: Any, var: Any) -> None:
            var.assign_sub(grad)

    w = tf.Variable([1.0], name="w")
    with pytest.raises(tf.errors.UnimplementedError, match="Mine.*'w:0'.*convert_to_tensor"):
        Mine().apply_gradients([(slices([1.0], [0], [1]), w)])
    assert w.numpy().tolist() == [1.0]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_schedule_equals_rates_set_by_hand(name: str) -> None:
    kind, args, kwargs = OPTIMIZERS[name]
    make = getattr(tf.train, f"{kind}Optimizer")
    schedule = Decay(0.1, 2, 0.5)
    w, v = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    one, other = make(schedule, *args[1:], **kwargs), make(0.1, *args[1:], **kwargs)
    for step in range(5):
        other.learning_rate = float(schedule(step))
        one.apply_gradients([(tf.constant([0.3, -0.4]), w)])
        other.apply_gradients([(tf.constant([0.3, -0.4]), v)])
    assert int(one.iterations) == 5
    assert any(variable is one.iterations for variable in one.variables())
    np.testing.assert_allclose(w.numpy(), v.numpy(), rtol=1e-6)


def test_a_decay_follows_its_step() -> None:
    step, w = tf.Variable(0), tf.Variable(0.0)
    optimizer = tf.train.GradientDescentOptimizer(tf.train.exponential_decay(1.0, step, 1, 0.5))
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(-1.0), w)], global_step=step)
    assert float(w) == 1.75


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_copies_go_on_alike_and_apart(name: str, how: str) -> None:
    w, optimizer = tf.Variable([1.0, 2.0]), made(name)
    optimizer.apply_gradients([(tf.constant([0.3, -0.4]), w)])
    pair = (w, optimizer)
    v, other = copy.deepcopy(pair) if how == "deepcopy" else pickle.loads(pickle.dumps(pair))
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant([0.3, -0.4]), w)])
    assert v.numpy().tolist() != w.numpy().tolist()
    for _ in range(2):
        other.apply_gradients([(tf.constant([0.3, -0.4]), v)])
    np.testing.assert_array_equal(v.numpy(), w.numpy())
    for slot in optimizer.get_slot_names():
        assert other.get_slot(v, slot) is not optimizer.get_slot(w, slot)


def test_a_copied_average_goes_on_apart() -> None:
    w, average = tf.Variable(1.0), tf.train.ExponentialMovingAverage(0.5)
    average.apply([w])
    v, other = copy.deepcopy((w, average))
    w.assign(3.0)
    average.apply()
    assert (float(average.average(w)), float(other.average(v))) == (2.0, 1.0)


def test_averages_refuse_what_they_cannot_average() -> None:
    average = tf.train.ExponentialMovingAverage(0.9)
    assert average.average(tf.Variable(1.0)) is None
    with pytest.raises(TypeError, match="variables only"):
        average.apply([tf.constant(1.0)])
    with pytest.raises(TypeError, match="'n:0' of dtype int32"):
        average.apply([tf.Variable(1, name="n")])


SLOT_NAMES = {
    "adagrad": ["v/Adagrad:0"],
    "adadelta": ["v/Adadelta:0", "v/Adadelta_1:0"],
    "rmsprop": ["v/RMSProp:0", "v/RMSProp_1:0"],
    "rmsprop_centered": ["v/RMSProp:0", "v/RMSProp_1:0", "v/RMSProp_2:0"],
    "ftrl": ["v/Ftrl:0", "v/Ftrl_1:0"],
}


@pytest.mark.parametrize("name", SLOT_NAMES)
def test_slot_variables_have_tensorflows_names(name: str) -> None:
    v, optimizer = tf.Variable([1.0], name="v"), made(name)
    optimizer.apply_gradients([(tf.constant([1.0]), v)])
    assert [variable.name for variable in optimizer.variables()] == SLOT_NAMES[name]


def test_ftrl_names_its_slots_as_asked() -> None:
    v = tf.Variable([1.0], name="v")
    optimizer = tf.train.FtrlOptimizer(0.1, accum_name="a", linear_name="l")
    optimizer.apply_gradients([(tf.constant([1.0]), v)])
    assert [variable.name for variable in optimizer.variables()] == ["v/a:0", "v/l:0"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.train.AdagradOptimizer(0.1, 0.0), "must be positive"),
        (lambda: tf.train.FtrlOptimizer(0.1, 0.5), "must be negative or zero, got 0.5"),
        (lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0), "l1_regul.*-1.0"),
        (lambda: Decay(0.1, 0, 0.5), "decay_steps must be above 0, got 0"),
        (lambda: tf.train.exponential_decay(0.1, None, 5, 0.5), "global_step is required"),
        (lambda: tf.train.piecewise_constant(1, [1, 2], [0.1]), "2 boundaries and 1 values"),
    ],
)
def test_refusals(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_schedules_come_back_from_their_configuration() -> None:
    schedule = Decay(0.1, 7, 0.6, staircase=True)
    again = Decay.from_config(schedule.get_config())
    assert float(again(9)) == float(schedule(9))
    assert float(pickle.loads(pickle.dumps(schedule))(9)) == float(schedule(9))


def test_the_noisy_decay_is_noisy_around_the_linear_one() -> None:
    tf.random.set_seed(1)
    noisy = tf.train.noisy_linear_cosine_decay(0.1, 5, 20)
    values = np.array([float(noisy()) for _ in range(400)])
    plain = float(tf.train.linear_cosine_decay(0.1, 5, 20)())
    spread = 0.1 * 6**-0.275 * 0.5 * (1 + np.cos(np.pi * 5 / 20))
    assert abs(values.mean() - plain) < 4 * spread / 20
    assert 0.85 < values.std() / spread < 1.15


SIGNATURES = {
    "AdagradOptimizer": "learning_rate, initial_accumulator_value=0.1, use_locking=False, "
    "name='Adagrad'",
    "AdadeltaOptimizer": "learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, "
    "name='Adadelta'",
    "RMSPropOptimizer": "learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, "
    "use_locking=False, centered=False, name='RMSProp'",
    "FtrlOptimizer": "learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, "
    "l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, "
    "name='Ftrl', accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0, "
    "beta=None",
    "ExponentialMovingAverage": "decay, num_updates=None, zero_debias=False, "
    "name='ExponentialMovingAverage'",
    "exponential_decay": "learning_rate, global_step, decay_steps, decay_rate, staircase=False, "
    "name=None",
    "polynomial_decay": "learning_rate, global_step, decay_steps, end_learning_rate=0.0001, "
    "power=1.0, cycle=False, name=None",
    "piecewise_constant": "x, boundaries, values, name=None",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_tensorflows(name: str) -> None:
    parameters = inspect.signature(getattr(tf.train, name)).parameters.values()
    bare = ", ".join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)
    assert bare == SIGNATURES[name]
