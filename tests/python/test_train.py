"""Optimizers: TensorFlow's numbers, their slots, and what they refuse.

GOLDEN and the beta powers come from tf.compat.v1.train of TensorFlow 2.21: the parameters after
20 steps of `descend` with the same settings.
"""

import inspect

import numpy as np
import pytest

import agog as tf

MAKE = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1, beta1=0.8),
}
# fmt: off
GOLDEN = {
    ("sgd", "float32"): [0.692376554, 0.865168512, 1.338230491, -0.121944249, -0.324011147,
                         -0.365046978, 1.009411931],
    ("momentum", "float32"): [0.270307928, -0.323090225, -0.599484563, 0.639500022, -0.041831955,
                              0.08937335, 1.15912199],
    ("nesterov", "float32"): [0.275768131, -0.222440034, -0.408317626, 0.489795029, -0.125160888,
                              0.056596022, 1.03072989],
    ("adam", "float32"): [0.822664261, 0.414783269, 1.253227234, 0.332962394, -0.492270708,
                          -0.176962376, 0.966788292],
    ("sgd", "float64"): [0.692376626594238, 0.865168492282218, 1.338230673174184,
                         -0.121944242174539, -0.324011209551586, -0.365046994357281,
                         1.009412014431303],
    ("momentum", "float64"): [0.270307986668153, -0.323090233833506, -0.599484649102343,
                              0.639500029932332, -0.041831991842639, 0.089373309383867,
                              1.159122047559466],
    ("nesterov", "float64"): [0.2757682079471, -0.222439932669797, -0.408317604326241,
                              0.4897950708841, -0.125160938712334, 0.056595955795093,
                              1.030729868970987],
    ("adam", "float64"): [0.8226642088251, 0.414783381722304, 1.253227169156683,
                          0.33296238848788, -0.492270693442433, -0.176962386191233,
                          0.966788291954031],
}
# fmt: on
RTOL = {"float32": 2e-5, "float64": 1e-12}  # 20 steps add up; kernels may round differently


def problem(dtype):
    def array(values):
        return np.array(values, dtype)

    w = tf.Variable(array([[1.0, 2.0], [3.0, -1.0]]), name="w")
    b, c = tf.Variable(array([0.5, -0.5]), name="b"), tf.Variable(array(2.0), name="c")
    x = tf.constant(array([[0.3, -0.7], [1.1, 0.2], [-0.4, 0.9]]))

    def loss():
        fit = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
        return fit + tf.square(c - 1) * tf.exp(-b[0])

    return (w, b, c), loss


def flat(variables):
    return np.concatenate([variable.numpy().ravel() for variable in variables])


@pytest.mark.parametrize(("kind", "dtype"), GOLDEN)
def test_twenty_steps_equal_tensorflow(kind, dtype):
    variables, loss = problem(dtype)
    optimizer = MAKE[kind]()
    for _ in range(20):
        assert optimizer.minimize(loss) is None
    rtol = RTOL[dtype]
    np.testing.assert_allclose(flat(variables), GOLDEN[kind, dtype], rtol=rtol, atol=rtol)
    assert all(variable.dtype == dtype for variable in variables)


@pytest.mark.parametrize("kind", MAKE)
def test_tape_and_apply_equal_minimize(kind):
    variables, loss = problem("float32")
    others, other_loss = problem("float32")
    optimizer, other = MAKE[kind](), MAKE[kind]()
    for _ in range(3):
        optimizer.minimize(loss)
        with tf.GradientTape() as tape:
            value = other_loss()
        other.apply_gradients(zip(tape.gradient(value, others), others))
    np.testing.assert_array_equal(flat(variables), flat(others))


def test_slots():
    variables, loss = problem("float32")
    for kind, names in (("sgd", []), ("momentum", ["momentum"]), ("adam", ["m", "v"])):
        optimizer = MAKE[kind]()
        assert optimizer.get_slot_names() == names
        assert all(optimizer.get_slot(variables[0], name) is None for name in names)
        optimizer.minimize(loss)
        for name in names:
            slot = optimizer.get_slot(variables[0], name)
            assert slot.shape == variables[0].shape
            assert not slot.trainable
        assert optimizer.get_slot(variables[0], "other") is None


def test_variables_by_name():
    variables, loss = problem("float32")
    optimizer = MAKE["adam"]()
    optimizer.minimize(loss)
    assert [variable.name for variable in optimizer.variables()] == [
        "b/Adam:0", "b/Adam_1:0", "beta1_power:0", "beta2_power:0", "c/Adam:0", "c/Adam_1:0",
        "w/Adam:0", "w/Adam_1:0",
    ]  # fmt: skip
    powers = [float(v) for v in optimizer.variables() if "power" in v.name]
    np.testing.assert_allclose(powers, [0.8**2, 0.999**2], rtol=1e-6)


def test_momentum_slot_holds_the_gradients():
    w = tf.Variable([1.0, 2.0])
    optimizer = tf.train.MomentumOptimizer(0.1, 0.5)
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), w)])
    optimizer.apply_gradients([(tf.constant([1.0, 0.0]), w)])
    np.testing.assert_allclose(optimizer.get_slot(w, "momentum").numpy(), [1.5, 0.5])


@pytest.mark.parametrize("kind", ["callable", "variable"])
def test_a_rate_that_changes(kind):
    w, rate = tf.Variable(1.0), tf.Variable(0.5, trainable=False)
    steps = iter([0.5, 0.25])
    optimizer = tf.train.GradientDescentOptimizer(
        (lambda: next(steps)) if kind == "callable" else rate
    )
    optimizer.apply_gradients([(tf.constant(1.0), w)])
    rate.assign(0.25)
    optimizer.apply_gradients([(tf.constant(1.0), w)])
    assert float(w) == 0.25


def test_callable_settings_of_adam_equal_numbers():
    variables, loss = problem("float32")
    optimizer = tf.train.AdamOptimizer(lambda: 0.1, beta1=lambda: 0.8)
    for _ in range(20):
        optimizer.minimize(loss)
    np.testing.assert_allclose(flat(variables), GOLDEN["adam", "float32"], rtol=2e-5, atol=2e-5)


def test_several_dtypes_in_one_optimizer():
    single, double = tf.Variable(1.0), tf.Variable(np.float64(1.0))
    optimizer = MAKE["adam"]()
    for _ in range(2):
        optimizer.apply_gradients(
            [(tf.constant(1.0), single), (tf.constant(1.0, tf.float64), double)]
        )
    assert float(single) == pytest.approx(float(double), rel=1e-6)
    assert float(single) < 1.0


def test_only_the_listed_variables_change():
    (w, b, c), loss = problem("float32")
    MAKE["sgd"]().minimize(loss, var_list=[c])
    assert float(c) != 2.0
    assert b.numpy().tolist() == [0.5, -0.5]


def test_a_listed_untrainable_variable_changes():
    v = tf.Variable(3.0, trainable=False)
    tf.train.GradientDescentOptimizer(0.5).minimize(lambda: v * v, var_list=[v])
    assert float(v) == 0.0


def test_global_step_grows():
    v, step = tf.Variable(3.0), tf.Variable(0, dtype=tf.int64, trainable=False)
    optimizer = MAKE["sgd"]()
    optimizer.minimize(lambda: v * v, global_step=step)
    optimizer.apply_gradients([(tf.constant(1.0), v)], global_step=step)
    assert int(step) == 2


def test_grad_loss_weighs_the_loss():
    v = tf.Variable(3.0)
    ((grad, _),) = MAKE["sgd"]().compute_gradients(lambda: v * v, grad_loss=tf.constant(10.0))
    assert float(grad) == 60.0


def test_pairs_without_gradient_are_passed_over():
    v, w = tf.Variable(3.0), tf.Variable(4.0)
    MAKE["sgd"]().apply_gradients([(None, v), (tf.constant(10.0), w)])
    assert (float(v), float(w)) == (3.0, 3.0)


def test_a_value_read_before_the_step_stays():
    v = tf.Variable([1.0, 2.0])
    before = v.read_value()
    tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.constant([1.0, 1.0]), v)])
    assert before.numpy().tolist() == [1.0, 2.0]
    assert v.numpy().tolist() == [0.0, 1.0]


def test_no_step_is_recorded():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        MAKE["momentum"]().apply_gradients([(tf.constant(1.0), v)])
        result = v * v
    assert float(tape.gradient(result, v)) == pytest.approx(2 * float(v))


@pytest.mark.parametrize("kind", MAKE)
def test_refusals(kind):
    optimizer, v, w = MAKE[kind](), tf.Variable(3.0, name="speed"), tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="should be a function"):
        optimizer.minimize(v * v)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.minimize(lambda: tf.constant(1.0))
    with pytest.raises(ValueError, match="No gradients provided for any variable.*speed"):
        optimizer.minimize(lambda: w * w, var_list=[v])
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="No gradients provided for any variable.*speed"):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(TypeError, match="changes variables only, got float"):
        optimizer.apply_gradients([(tf.constant(1.0), 4.0)])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        optimizer.apply_gradients([(tf.constant([1.0, 2.0]), v)])
    assert float(v) == 3.0
    optimizer.minimize(lambda: v * v)
    assert float(v) < 3.0


def test_a_failing_loss_leaves_no_tape_behind():
    v = tf.Variable(3.0)
    with pytest.raises(ZeroDivisionError):
        MAKE["sgd"]().minimize(lambda: v * (1 / 0))
    tf.train.GradientDescentOptimizer(0.5).minimize(lambda: v * v)
    assert float(v) == 0.0


SIGNATURES = {
    "GradientDescentOptimizer": "learning_rate, use_locking=False, name='GradientDescent'",
    "MomentumOptimizer": "learning_rate, momentum, use_locking=False, name='Momentum', "
    "use_nesterov=False",
    "AdamOptimizer": "learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, "
    "use_locking=False, name='Adam', use_own_namescope_for_non_slot_vars=False",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_tensorflows(name):
    parameters = inspect.signature(getattr(tf.train, name)).parameters.values()
    bare = ", ".join(str(p.replace(annotation=inspect.Parameter.empty)) for p in parameters)
    assert bare == SIGNATURES[name]
