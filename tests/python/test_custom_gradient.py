"""custom_gradient and recompute_grad: values, arguments, variables, order two, messages.

The expected numbers were checked against TensorFlow 2.21 (order two of recompute_grad, which it
does not have, against the derivative by hand).
"""

import math

import numpy as np
import pytest

import agog as tf


def gradient(f, *args, sources=None, **kwargs):
    sources = list(args) if sources is None else sources
    with tf.GradientTape() as tape:
        tape.watch([s for s in sources if not isinstance(s, tf.Variable)])
        result = f(*args, **kwargs)
    return tape.gradient(result, sources)


def floats(tensors):
    return [None if t is None else float(t) for t in tensors]


@pytest.fixture
def x():
    return tf.constant(2.0)


@pytest.fixture
def y():
    return tf.constant(3.0)


@tf.custom_gradient
def scaled_product(a, b, k=1.0):
    return a * b * k, lambda dy: (dy * 10.0, dy * 20.0)


def test_the_rule_replaces_the_gradient(x, y):
    assert floats(gradient(scaled_product, x, y)) == [10.0, 20.0]


def test_the_value_stays(x, y):
    assert float(scaled_product(x, y)) == 6.0


def test_keyword_arguments_reach_the_function(x, y):
    assert float(scaled_product(x, y, k=5.0)) == 30.0
    assert floats(gradient(scaled_product, x, y, k=x)) == [10.0, 20.0]


def test_upstream_gradient_is_passed_on(x, y):
    assert floats(gradient(lambda a, b: 3.0 * scaled_product(a, b), x, y)) == [30.0, 60.0]


def test_python_numbers_as_arguments():
    assert float(scaled_product(2.0, 3.0)) == 6.0


def test_an_input_returned_unchanged_still_follows_the_rule(x):
    @tf.custom_gradient
    def f(a):
        return a, lambda dy: dy * 3.0

    assert floats(gradient(f, x)) == [3.0]


def test_structures_in_and_out(x, y):
    got = []

    @tf.custom_gradient
    def f(pair):
        def rule(*dys):
            got.extend(floats(dys))
            return {"a": dys[0] * 7.0, "b": dys[1]}

        return {"p": pair["a"] * pair["b"], "q": pair["a"]}, rule

    def weighted(pair):
        result = f(pair)
        return 2.0 * result["p"] + 5.0 * result["q"]

    assert floats(gradient(weighted, {"a": x, "b": y}, sources=[x, y])) == [14.0, 5.0]
    assert got == [2.0, 5.0]


def test_an_unused_output_has_a_zero_gradient(x):
    seen = []

    @tf.custom_gradient
    def f(a):
        def rule(d_first, d_second):
            seen.append((float(d_first), d_second.numpy().tolist()))
            return d_first

        return (a * 2.0, tf.fill([2], a)), rule

    assert floats(gradient(lambda a: f(a)[0], x)) == [1.0]
    assert seen == [(1.0, [0.0, 0.0])]


def test_none_means_no_gradient(x, y):
    @tf.custom_gradient
    def f(a, b):
        return a * b, lambda dy: (None, dy)

    assert floats(gradient(f, x, y)) == [None, 1.0]


def test_a_python_number_as_gradient(x):
    @tf.custom_gradient
    def f(a):
        return a * a, lambda dy: 3

    (grad,) = gradient(f, x)
    assert (grad.dtype, float(grad)) == (tf.float32, 3.0)


def test_no_rule_runs_without_a_watching_tape(x):
    @tf.custom_gradient
    def f(a):
        def rule(dy):
            raise AssertionError("not asked for")

        return a * a, rule

    assert float(f(x)) == 4.0
    with tf.GradientTape() as tape:
        result = f(x)
    assert tape.gradient(result, x) is None


def test_variable_inside():
    v = tf.Variable(5.0)
    given = []

    @tf.custom_gradient
    def f(a):
        def rule(dy, variables=None):
            given.extend(variables)
            return dy, [dy * 7.0]

        return a * v, rule

    x = tf.constant(2.0)
    assert floats(gradient(f, x, sources=[x, v])) == [1.0, 7.0]
    assert len(given) == 1
    assert given[0] is v


def test_variable_as_argument_is_not_given_again():
    v = tf.Variable(5.0)

    @tf.custom_gradient
    def f(a):
        return a * a, lambda dy: dy * 3.0

    assert floats(gradient(f, v)) == [3.0]


def test_untrainable_variable_needs_no_rule(x):
    v = tf.Variable(5.0, trainable=False)

    @tf.custom_gradient
    def f(a):
        return a * v, lambda dy: dy

    assert floats(gradient(f, x)) == [1.0]


def test_two_variables_in_order_of_use():
    v, w = tf.Variable(5.0, name="v"), tf.Variable(6.0, name="w")

    @tf.custom_gradient
    def f(a):
        def rule(dy, **kwargs):
            return dy, [{"v": dy * 10.0, "w": dy * 20.0}[u.name[0]] for u in kwargs["variables"]]

        return a * v * w, rule

    x = tf.constant(2.0)
    assert floats(gradient(f, x, sources=[v, w])) == [10.0, 20.0]


def test_second_order_follows_the_rules_of_the_rule(x):
    @tf.custom_gradient
    def f(a):
        @tf.custom_gradient
        def slope(dy, b):
            return dy * 2.0 * b, lambda ddy: (ddy * 100.0, ddy * 1000.0)

        return a * a, lambda dy: slope(dy, a)

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = f(x)
        first = inner.gradient(result, x)
    assert float(first) == 4.0
    assert float(outer.gradient(first, x)) == 1000.0


def test_second_order_of_a_plain_rule(x):
    @tf.custom_gradient
    def cube(a):
        return a * a * a, lambda dy: dy * 3.0 * a * a

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = cube(x)
        first = inner.gradient(result, x)
    assert float(outer.gradient(first, x)) == 12.0


def test_a_tape_inside_works(x):
    @tf.custom_gradient
    def f(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            cube = a * a * a
        return tape.gradient(cube, a), lambda dy: dy * 4.0

    assert float(f(x)) == 12.0
    assert floats(gradient(f, x)) == [4.0]


def test_method(x):
    class Model:
        factor = 9.0

        @tf.custom_gradient
        def double(self, a):
            return a * 2.0, lambda dy: dy * self.factor

    assert floats(gradient(Model().double, x)) == [9.0]


def test_with_parentheses_and_name(x):
    @tf.custom_gradient()
    def f(a):
        """Doc."""
        return a, lambda dy: dy * 2.0

    assert (f.__name__, f.__doc__) == ("f", "Doc.")
    assert floats(gradient(f, x)) == [2.0]


def test_persistent_tape_runs_the_rule_each_time(x):
    @tf.custom_gradient
    def f(a):
        return a * a, lambda dy: dy * 5.0

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = f(x)
    assert [float(tape.gradient(result, x)) for _ in range(2)] == [5.0, 5.0]


def one(a):
    return a * 2.0, lambda dy: dy


def wrong_count(a, b):
    return a * b, lambda dy: dy


def not_a_pair(a):
    return a * a


@pytest.mark.parametrize(
    ("f", "num_args", "error", "text"),
    [
        (wrong_count, 2, ValueError, "wrong_count must return 2 gradients.*got 1"),
        (not_a_pair, 1, TypeError, r"not_a_pair.*must return \(result, grad_fn\)"),
        (lambda a: (a, lambda: 1.0), 1, TypeError, "0 positional arguments but 1 was given"),
    ],
)
def test_wrong_rules_are_told(f, num_args, error, text, x):
    with pytest.raises(error, match=text):
        gradient(tf.custom_gradient(f), *([x] * num_args))


def test_wrong_use_of_variables_is_told(x):
    v = tf.Variable(5.0, name="speed")
    with pytest.raises(TypeError, match="keyword argument 'variables'.*speed"):
        tf.custom_gradient(lambda a: (a * v, lambda dy: dy))(x)
    f = tf.custom_gradient(lambda a: (a * v, lambda dy, variables: (dy, [])))
    with pytest.raises(ValueError, match="one gradient for each of its 1 variables, got 0"):
        gradient(f, x)
    f = tf.custom_gradient(lambda a: (a * v, lambda dy, variables: dy))
    with pytest.raises(ValueError, match=r"must return \(gradients, variable_gradients\)"):
        gradient(f, x)


def test_an_error_inside_leaves_no_tape_behind(x):
    @tf.custom_gradient
    def f(a):
        raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        f(x)
    assert floats(gradient(tf.custom_gradient(one), x)) == [1.0]


def test_recompute_has_the_same_gradients():
    v, x = tf.Variable(5.0), tf.constant(2.0)
    f = tf.recompute_grad(lambda a, k=2.0: tf.sin(a) * v * k)
    np.testing.assert_allclose(
        floats(gradient(f, x, sources=[x, v])), [10 * math.cos(2), 2 * math.sin(2)], rtol=1e-6
    )
    np.testing.assert_allclose(
        floats(gradient(f, x, sources=[x, v], k=4.0)),
        [20 * math.cos(2), 4 * math.sin(2)],
        rtol=1e-6,
    )


def test_recompute_runs_twice():
    runs = []

    @tf.recompute_grad
    def f(a):
        runs.append(1)
        return tf.exp(a), a * 2.0

    x = tf.constant(1.0)
    grads = gradient(lambda a: f(a)[0] + f(a)[1], x)
    np.testing.assert_allclose(floats(grads), [math.e + 2.0], rtol=1e-6)
    assert len(runs) == 4


def test_recompute_order_two(x):
    v = tf.Variable(5.0)
    f = tf.recompute_grad(lambda a: tf.sin(a) * v)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = f(x)
        first = inner.gradient(result, x)
    second = floats(outer.gradient(first, [x, v]))
    np.testing.assert_allclose(second, [-5 * math.sin(2), math.cos(2)], rtol=1e-6)


def test_recompute_passes_integers_by(x):
    f = tf.recompute_grad(lambda a, n: a * tf.cast(n, tf.float32))
    assert floats(gradient(lambda a: f(a, tf.constant(3)), x)) == [3.0]
