"""What GradientTape does beyond single ops: watching, nesting, persistence, depth, recovery."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import agog
from agog import _core


def depth() -> int:
    return _core.tape_depth()


def test_only_watched_tensors_have_gradients():
    x = agog.constant(3.0)
    with agog.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None


def test_variables_are_watched_when_read():
    v = agog.Variable(3.0)
    fixed = agog.Variable(2.0, trainable=False)
    with agog.GradientTape() as tape:
        y = v * v * fixed
    assert [w is v for w in tape.watched_variables()] == [True]
    dv, df = tape.gradient(y, [v, fixed])
    assert float(dv) == 12.0 and df is None


def test_watch_accessed_variables_can_be_off():
    v = agog.Variable(3.0)
    with agog.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.gradient(y, v) is None
    with agog.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * v
    assert float(tape.gradient(y, v)) == 6.0


def test_second_gradient_needs_a_persistent_tape():
    x = agog.constant(3.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)


def test_persistent_tape_gives_intermediate_gradients_in_the_structure_of_the_sources():
    x = agog.constant(3.0)
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert [float(g) for g in tape.gradient(z, [x, y])] == [108.0, 18.0]
    grads = tape.gradient(z, {"x": x, "rest": (y,)})
    assert float(grads["x"]) == 108.0 and float(grads["rest"][0]) == 18.0
    assert float(tape.gradient([y, z], x)) == 114.0


def test_target_that_is_a_source():
    x = agog.constant(3.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
    assert float(tape.gradient(x, x)) == 1.0


def test_output_gradients_weigh_the_targets():
    x = agog.constant([1.0, 2.0])
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    got = tape.gradient(y, x, output_gradients=agog.constant([1.0, 10.0]))
    assert got.numpy().tolist() == [2.0, 40.0]
    with pytest.raises(ValueError, match="shape"):
        tape.gradient(y, x, output_gradients=agog.ones([3]))


def test_unconnected_gradients():
    x, other = agog.constant(3.0), agog.constant([1.0, 2.0])
    with agog.GradientTape(persistent=True) as tape:
        tape.watch([x, other])
        y = x * x
    assert tape.gradient(y, other) is None
    zero = tape.gradient(y, other, unconnected_gradients="zero")
    assert zero.numpy().tolist() == [0.0, 0.0]
    zero = tape.gradient(y, other, unconnected_gradients=agog.UnconnectedGradients.ZERO)
    assert zero.numpy().tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="nonsense"):
        tape.gradient(y, other, unconnected_gradients="nonsense")


def test_nested_tapes_give_higher_orders():
    x = agog.constant(2.0)
    with agog.GradientTape() as t3:
        t3.watch(x)
        with agog.GradientTape() as t2:
            t2.watch(x)
            with agog.GradientTape() as t1:
                t1.watch(x)
                y = x * x * x * x
            d1 = t1.gradient(y, x)
        d2 = t2.gradient(d1, x)
    d3 = t3.gradient(d2, x)
    assert [float(d) for d in (d1, d2, d3)] == [32.0, 48.0, 48.0]


def test_gradient_inside_its_own_persistent_block_is_recorded():
    x = agog.constant(3.0)
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        dy = tape.gradient(y, x)
    assert float(tape.gradient(dy, x)) == 18.0


def test_stop_recording_and_reset():
    x = agog.constant(3.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * x
    assert tape.gradient([y, z], x).numpy() == 6.0
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x + x
    assert float(tape.gradient(z, x)) == 2.0


def test_stop_gradient_cuts():
    x = agog.constant(3.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = x * agog.stop_gradient(x)
    assert float(tape.gradient(y, x)) == 3.0


def test_assignment_cuts_and_old_reads_keep_their_value():
    v = agog.Variable(3.0)
    with agog.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = v * 1.0
    assert float(y) == 9.0 and float(z) == 10.0
    assert float(tape.gradient([y, z], v)) == 7.0


def test_integer_sources_and_targets_warn():
    with agog.GradientTape() as tape, pytest.warns(UserWarning, match="int32"):
        tape.watch(agog.constant(1))
    x = agog.constant(1.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = agog.cast(x, agog.int32)
    with pytest.warns(UserWarning, match="int32"):
        assert tape.gradient(y, x) is None


def test_bad_arguments_name_themselves():
    x = agog.constant(1.0)
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(TypeError, match="None"):
        tape.gradient(None, x)
    with pytest.raises(TypeError, match="1.0"):
        tape.gradient(y, 1.0)
    with pytest.raises(ValueError, match="float"):
        tape.watch(1.0)


def test_an_error_inside_the_block_leaves_no_tape_behind():
    x = agog.constant(1.0)
    for _ in range(3):
        with pytest.raises(agog.errors.InvalidArgumentError), agog.GradientTape() as tape:
            tape.watch(x)
            agog.reshape(x, [7])
    assert depth() == 0
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient(y, x)) == 2.0


def test_an_error_in_a_custom_backward_leaves_no_tape_behind():
    @agog.custom_gradient
    def bad(x):
        def backward(dy):
            raise KeyError("mine")

        return x * 2.0, backward

    x = agog.constant(1.0)
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = bad(x)
    with pytest.raises(KeyError, match="mine"):
        tape.gradient(y, x)
    assert depth() == 0


def test_jacobian():
    x = agog.constant([1.0, 2.0, 3.0])
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = agog.stack([agog.reduce_sum(x * x), x[0] * x[1]])
    expected = [[2.0, 4.0, 6.0], [2.0, 1.0, 0.0]]
    np.testing.assert_allclose(tape.jacobian(y, x).numpy(), expected)
    with agog.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    np.testing.assert_allclose(tape.jacobian(y, x).numpy(), np.diag([2.0, 4.0, 6.0]))
    with pytest.raises(RuntimeError, match="persistent"):
        tape.jacobian(y, x)


def test_jacobian_of_a_scalar_an_empty_and_an_unconnected_target():
    x = agog.constant([[1.0, 2.0]])
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        scalar = agog.reduce_sum(x * x)
        empty = x[:, :0] * 2.0
        other = agog.constant([1.0, 2.0])
    assert tape.jacobian(scalar, x).shape == (1, 2)
    assert tape.jacobian(empty, x).shape == (1, 0, 1, 2)
    assert tape.jacobian(other, x) is None
    assert tape.jacobian(other, x, unconnected_gradients="zero").shape == (2, 1, 2)


def test_second_jacobian_is_the_hessian():
    x = agog.constant([1.0, 2.0])
    with agog.GradientTape() as outer:
        outer.watch(x)
        with agog.GradientTape() as inner:
            inner.watch(x)
            y = x[0] * x[0] * x[1]
        grad = inner.gradient(y, x)
    np.testing.assert_allclose(outer.jacobian(grad, x).numpy(), [[4.0, 2.0], [2.0, 0.0]])


def test_batch_jacobian_equals_the_diagonal_of_the_jacobian():
    x = agog.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = agog.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2, x[:, 1] ** 3], axis=1)
    full = tape.jacobian(y, x).numpy()
    rows = np.stack([full[i, :, i] for i in range(3)])
    np.testing.assert_allclose(tape.batch_jacobian(y, x).numpy(), rows)


def test_million_op_chain_is_linear_and_does_not_overflow():
    v = agog.Variable(1.0)
    one = agog.constant(1.0)
    with agog.GradientTape() as tape:
        y = v * one
        for _ in range(1_000_000):
            y = y + one
    assert float(tape.gradient(y, v)) == 1.0


def test_million_op_chain_is_freed_without_a_gradient():
    x = agog.constant(1.0)
    before = _core.live_tensor_count()
    tape = agog.GradientTape()
    with tape:
        tape.watch(x)
        y = x
        for _ in range(1_000_000):
            y = y * x
    assert _core.live_tensor_count() - before > 900_000
    del y, tape
    assert _core.live_tensor_count() - before < 100


def test_discarded_results_do_not_pile_up_while_a_tape_records():
    x = agog.constant(1.0)
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        for _ in range(1000):
            _ = (x + x) * 2.0 + x
            del _
        assert tape._num_records() < 10


def test_tape_inside_a_function_called_while_another_is_paused():
    x = agog.constant(2.0)
    with agog.GradientTape() as outer:
        outer.watch(x)
        with outer.stop_recording(), agog.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        z = x * 3.0
    assert float(inner.gradient(y, x)) == 4.0
    assert float(outer.gradient(z, x)) == 3.0


def test_no_warning_for_ordinary_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = agog.constant(2.0)
        with agog.GradientTape() as tape:
            tape.watch(x)
            y = agog.exp(x)
        tape.gradient(y, x)


def test_a_variable_made_and_dropped_inside_the_block_can_still_be_named():
    with agog.GradientTape() as tape:
        v = agog.Variable(3.0, name="short")
        y = v * v
        del v
    [again] = tape.watched_variables()
    assert again.name == "short:0"
    assert float(tape.gradient(y, again)) == 6.0


def test_a_tape_inside_stop_recording_records():
    v = agog.Variable(3.0)
    with agog.GradientTape() as outer:
        with _core.stop_recording():
            with agog.GradientTape() as inner:
                y = v * v
            z = v * 2.0
        assert float(inner.gradient(y, v)) == 6.0
        w = v * 5.0
    assert float(outer.gradient([z, w], v)) == 5.0


@pytest.mark.parametrize("method", ["__init__", "__enter__", "__exit__", "watch", "gradient"])
@pytest.mark.parametrize("arguments", [(), (5,), (5, agog.constant(1.0)), (None,) * 3], ids=repr)
def test_methods_of_a_tape_refuse_what_is_no_tape(method: str, arguments: tuple):
    with pytest.raises(TypeError, match="method of tapes"):
        getattr(agog.GradientTape, method)(*arguments)


def test_a_variable_that_was_never_made_is_refused():
    empty = _core.VariableBase.__new__(_core.VariableBase)
    x = agog.constant(1.0)
    with agog.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    for use in (
        lambda: empty + 1.0,
        lambda: empty.shape,
        lambda: tape.watch(empty),
        lambda: tape.gradient(y, empty),
        lambda: tape.gradient(y, [x, empty]),
        lambda: tape.gradient(empty, x),
        lambda: agog.raw_ops.ReadVariableOp(resource=empty, dtype=agog.float32),
    ):
        with pytest.raises(agog.errors.FailedPreconditionError, match="never initialised"):
            use()
    assert float(tape.gradient(y, x)) == 2.0


def test_flags_of_a_tape_cannot_be_deleted():
    with pytest.raises(TypeError, match="without"):
        del agog.GradientTape()._persistent
