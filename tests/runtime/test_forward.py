"""ForwardAccumulator: nesting, tapes, variables, custom rules, errors.

Numbers and Nones are those of TensorFlow 2.21's tf.autodiff.ForwardAccumulator for the same code.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest

import agog as tf
from agog import _core
from agog.autodiff import ForwardAccumulator

ONE = tf.constant(1.0)


def test_matches_the_jacobian_of_a_tape():
    w = tf.Variable([[0.5, -1.0], [2.0, 0.25], [1.0, 1.5]])
    x, v = tf.constant([[1.0, 2.0, -0.5]]), tf.constant([[0.3, -1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with ForwardAccumulator(x, v) as acc:
            y = tf.nn.softmax(tf.tanh(x @ w))
    jacobian = tape.jacobian(y, x).numpy().reshape(2, 3)
    np.testing.assert_allclose(acc.jvp(y).numpy()[0], jacobian @ v.numpy()[0], 1e-5, 1e-7)


def test_nested_in_one_another():
    x = tf.constant(3.0)
    with ForwardAccumulator(x, ONE) as outer:
        with ForwardAccumulator(x, ONE) as inner:
            y = x**3
            early = inner.jvp(y)
            of_outer = outer.jvp(y)
            product = early * x
        assert float(inner.jvp(y)) == 27.0 and float(outer.jvp(y)) == 27.0
        assert float(outer.jvp(early)) == 18.0
        assert inner.jvp(of_outer) is None and inner.jvp(early) is None
        assert float(inner.jvp(product)) == 27.0 and float(outer.jvp(product)) == 81.0


def test_third_order_of_an_op_whose_rule_reads_its_result():
    x = tf.constant(3.0, tf.float64)
    one = tf.constant(1.0, tf.float64)
    with ForwardAccumulator(x, one) as outer:
        with ForwardAccumulator(x, one) as middle:
            with ForwardAccumulator(x, one) as inner:
                y = tf.tanh(x)
            first = inner.jvp(y)
        second = middle.jvp(first)
    t = np.tanh(3.0)
    want = [1 - t**2, -2 * t * (1 - t**2), (1 - t**2) * (6 * t**2 - 2)]
    got = [float(first), float(second), float(outer.jvp(second))]
    np.testing.assert_allclose(got, want, 1e-12)


def test_a_tape_inside_does_not_see_tangents_and_one_outside_does():
    x = tf.constant(3.0)
    with ForwardAccumulator(x, ONE) as acc:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**3
            tangent = acc.jvp(y)
        gradient = tape.gradient(y, x)
        assert tape.gradient(tangent, x) is None
    assert float(acc.jvp(gradient)) == 18.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, ONE])
        with ForwardAccumulator(x, ONE) as acc:
            y = x**3
        tangent = acc.jvp(y)
    assert float(tape.gradient(tangent, x)) == 18.0
    assert float(tape.gradient(tangent, ONE)) == 27.0
    assert float(tape.gradient(y, x)) == 27.0


def test_hessian_vector_product_forward_over_reverse():
    w = tf.Variable([1.0, 2.0])
    v = tf.constant([3.0, -1.0])
    with ForwardAccumulator(w, v) as acc:
        with tf.GradientTape() as tape:
            loss = w[0] ** 3 * w[1]
        gradient = tape.gradient(loss, w)
    hessian = np.array([[12.0, 3.0], [3.0, 0.0]])
    np.testing.assert_allclose(acc.jvp(gradient).numpy(), hessian @ v.numpy(), 1e-6)


def test_variables_keep_the_tangent_they_were_given():
    v, fixed = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    with ForwardAccumulator([v, fixed], [ONE, tf.constant(10.0)]) as acc:
        y = v * v * fixed
        v.assign(5.0)
        z = v * 1.0
        v.assign_add(y)
        q = fixed.assign(y) * 1.0
    assert [float(t) for t in acc.jvp([y, z, v, fixed, q])] == [102.0, 1.0, 1.0, 10.0, 10.0]


def test_unconnected_and_structures():
    x = tf.constant(3.0)
    with ForwardAccumulator(x, ONE) as acc:
        y = tf.constant(2.0)
        number = tf.cast(x, tf.int32)
        stopped = tf.stop_gradient(x) * 2.0
    assert acc.jvp(y) is None and acc.jvp(number) is None and acc.jvp(stopped) is None
    assert float(acc.jvp(y, tf.UnconnectedGradients.ZERO)) == 0.0
    got = acc.jvp([x, {"a": y}], unconnected_gradients="zero")
    assert float(got[0]) == 1.0 and float(got[1]["a"]) == 0.0


def test_only_its_block_counts_and_it_can_go_on():
    acc = ForwardAccumulator(tf.constant(2.0), ONE)
    x = tf.constant(2.0)
    acc._watch(x, 1.0)
    with acc:
        y = x * x
    assert acc.jvp(y * y) is None
    with acc:
        z = y * y
    assert float(acc.jvp(z)) == 32.0 and float(acc.jvp(y)) == 4.0


@tf.custom_gradient
def squared(x):
    return x * x, lambda dy: dy * 100.0 * x


@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda dy: dy * 5.0


@tf.custom_gradient
def through_numpy(x):
    return tf.constant(x.numpy() * 2), lambda dy: dy * 7.0


def test_custom_rules_count_only_where_the_ops_inside_give_nothing():
    x = tf.constant(3.0)
    for f, want in ((squared, 6.0), (rounded, 5.0), (through_numpy, 7.0)):
        with ForwardAccumulator(x, ONE) as acc:
            y = f(x)
        assert float(acc.jvp(y)) == want
    with ForwardAccumulator(x, ONE) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = rounded(x) * x
        gradient = tape.gradient(y, x)
    assert float(acc.jvp(y)) == 18.0 and float(acc.jvp(gradient)) == 10.0


def test_a_rule_may_use_an_accumulator_itself():
    @tf.custom_gradient
    def f(x):
        def rule(dy):
            with ForwardAccumulator(x, ONE) as acc:
                y = x**3
            return dy * acc.jvp(y)

        return tf.constant(x.numpy() ** 3), rule

    x = tf.constant(3.0)
    with ForwardAccumulator(x, ONE) as outer, ForwardAccumulator(x, ONE) as inner:
        y = f(x)
        z = y * x
    assert float(outer.jvp(y)) == float(inner.jvp(y)) == 27.0
    assert float(outer.jvp(z)) == float(inner.jvp(z)) == 108.0
    assert float(outer.jvp(inner.jvp(y))) == 18.0


def test_recomputed_functions_and_stopped_tapes():
    x = tf.constant(2.0)
    with ForwardAccumulator(x, ONE) as acc:
        y = tf.recompute_grad(lambda x: tf.sin(x) * x)(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                z = x * x
    np.testing.assert_allclose(float(acc.jvp(y)), np.sin(2) + 2 * np.cos(2), 1e-5)
    assert float(acc.jvp(z)) == 4.0


def test_complex_directions():
    z = tf.constant(1 + 2j)
    with ForwardAccumulator(z, tf.constant(1j)) as acc:
        results = [z * z, tf.math.conj(z), tf.abs(z), tf.math.real(z), tf.exp(z)]
    got = [complex(t.numpy()) for t in acc.jvp(results)]
    want = [-4 + 2j, -1j, 0.8944271909999159, 0, -2.4717266720048188 - 1.1312043837568135j]
    np.testing.assert_allclose(got, want, 1e-12, 1e-12)


def test_wrong_use():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="twice"):
        ForwardAccumulator([x, x], [ONE, ONE])
    with pytest.raises(ValueError, match="structure"):
        ForwardAccumulator([x], x)
    with pytest.raises(ValueError, match=r"shape \(\), got \(2,\)"):
        ForwardAccumulator(x, tf.constant([1.0, 1.0]))
    with pytest.raises((TypeError, ValueError), match="float64"):
        ForwardAccumulator(x, tf.constant(1.0, tf.float64))
    with pytest.raises(ValueError, match="None"):
        ForwardAccumulator([x], [None])
    with pytest.raises(TypeError, match="a primal must be"):
        ForwardAccumulator(2.0, 1.0)
    with pytest.raises(TypeError, match="jvp takes"):
        ForwardAccumulator(x, ONE).jvp(3.0)
    with pytest.warns(UserWarning, match="int32"):
        ForwardAccumulator(tf.constant(2), tf.constant(1))
    acc = ForwardAccumulator(x, ONE)
    with acc, pytest.raises(ValueError, match="already"):
        acc.__enter__()


def test_an_exception_leaves_nothing_recording():
    x = tf.constant([2.0])
    with pytest.raises(RuntimeError), ForwardAccumulator(x, tf.ones([1])), tf.GradientTape():
        raise RuntimeError
    with pytest.raises(tf.errors.InvalidArgumentError), ForwardAccumulator(x, tf.ones([1])):
        tf.matmul(tf.reshape(x, [1, 1]), tf.ones([3, 3]))
    assert _core.tape_depth() == 0
    acc = ForwardAccumulator(x, tf.ones([1]))
    assert acc.jvp(x * x) is None

    @tf.custom_gradient
    def bad(x):
        def rule(dy):
            raise KeyError("rule")

        return tf.constant(x.numpy()), rule

    with pytest.raises(KeyError), ForwardAccumulator(x, tf.ones([1])), tf.GradientTape() as tape:
        tape.watch(x)
        bad(x)
    assert _core.tape_depth() == 0


def test_tangents_die_with_their_tensors():
    x = tf.constant(np.ones(1000, np.float32))
    with ForwardAccumulator(x, tf.ones(1000)):
        y = x * 2.0
        gc.collect()
        before = _core.live_tensor_count()
        for _ in range(100):
            y = y * 1.0
        assert _core.live_tensor_count() <= before + 2
