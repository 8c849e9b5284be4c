"""Checkpoint: what it finds, how it restores, what its status says."""

from __future__ import annotations

import gc
import logging
from collections import OrderedDict, namedtuple
from pathlib import Path

import numpy as np
import pytest

import agog as tf
from agog.checkpoint import waiting
from agog.checkpoint.trackable import Trackable

Pair = namedtuple("Pair", ["left", "right"])
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


class Net(tf.Module):
    def __init__(self, value: float = 0.0, build: bool = True) -> None:
        super().__init__()
        self.layers = []
        self.named = {}
        self.value = value
        if build:
            self.build()

    def build(self) -> None:
        self.w = tf.Variable([self.value, self.value + 1], name="w")
        self.layers.append(tf.Variable(self.value + 2))
        self.layers.append([tf.Variable(self.value + 3)])
        self.named["a"] = tf.Variable(self.value + 4)

    def numbers(self) -> list[float]:
        rest = (self.layers[0], self.layers[1][0], self.named["a"])
        return [*self.w.numpy().reshape(-1).tolist(), *(float(v) for v in rest)]


NUMBERS = [5.0, 6.0, 7.0, 8.0, 9.0]


@pytest.fixture
def saved(tmp_path: Path) -> str:
    return tf.train.Checkpoint(net=Net(5.0)).save(tmp_path / "ckpt")


@pytest.fixture(autouse=True)
def nothing_waits_afterwards():
    yield
    gc.collect()
    assert waiting._waiting == {}
    assert "__setattr__" not in vars(Trackable)


# ---- saving and restoring


def test_keys_are_those_of_tensorflow(tmp_path: Path) -> None:
    """Seen with TensorFlow 2.21 for the same objects."""
    net = tf.Module()
    net.w = tf.Variable([1.0], name="w")
    net.x = net.w
    net._hidden = tf.Variable(1.0)
    net.deep = [tf.Variable(1), {"a": tf.Variable(2), "b.c/d": tf.Variable(3)}]
    net.pair = Pair(tf.Variable(1), tf.Variable(2))
    net.ordered = OrderedDict(z=tf.Variable(1))
    net.plain, net.empty, net.number, net.tensor = [1, 2], [], 3, tf.constant(3.0)
    adam = tf.train.AdamOptimizer(0.1)
    adam.minimize(lambda: tf.reduce_sum(net.w**2), var_list=[net.w])
    generator = tf.random.Generator.from_seed(1)
    path = tf.train.Checkpoint(model=net, opt=adam, gen=generator).save(tmp_path / "c")
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "gen/_state_var" + VALUE,
        "model/_hidden" + VALUE,
        "model/deep/0" + VALUE,
        "model/deep/1/a" + VALUE,
        "model/deep/1/b..c.Sd" + VALUE,
        "model/ordered/z" + VALUE,
        "model/pair/left" + VALUE,
        "model/pair/right" + VALUE,
        "model/w" + VALUE,
        "model/w/.OPTIMIZER_SLOT/opt/m" + VALUE,
        "model/w/.OPTIMIZER_SLOT/opt/v" + VALUE,
        "opt/beta1_power" + VALUE,
        "opt/beta2_power" + VALUE,
        "save_counter" + VALUE,
    ]


def test_restores_what_exists(saved: str) -> None:
    net = Net()
    checkpoint = tf.train.Checkpoint(net=net)
    status = checkpoint.restore(saved)
    assert net.numbers() == NUMBERS
    assert int(checkpoint.save_counter) == 1
    assert len(status.assert_consumed().restored) == 5
    assert status.report.is_complete


def test_numbers_count_up(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    paths = [checkpoint.save(tmp_path / "c") for _ in range(3)]
    assert paths == [str(tmp_path / f"c-{i}") for i in (1, 2, 3)]
    assert tf.train.latest_checkpoint(tmp_path) == paths[-1]
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.all_model_checkpoint_paths == paths[-1:]


def test_root_object_is_the_root(tmp_path: Path) -> None:
    net = Net(5.0)
    net.itself = net
    path = tf.train.Checkpoint(net, extra=tf.Variable(1.5)).save(tmp_path / "c")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "w" + VALUE in names and "extra" + VALUE in names
    again, extra = Net(), tf.Variable(0.0)
    tf.train.Checkpoint(again, extra=extra).restore(path).assert_consumed()
    assert again.numbers() == NUMBERS and float(extra) == 1.5


def test_write_and_read_need_no_counter(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    path = tf.train.Checkpoint(v=v).write(tmp_path / "exact")
    assert path == str(tmp_path / "exact") and not (tmp_path / "checkpoint").exists()
    w = tf.Variable(0.0)
    tf.train.Checkpoint(v=w).read(path).assert_consumed()
    tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path).assert_consumed()
    assert float(w) == 1.0


def test_shared_and_circular_objects(tmp_path: Path) -> None:
    a, b = tf.Module(), tf.Module()
    a.other, b.other, a.v = b, a, tf.Variable(2.0)
    b.same = a.v
    loop = [a]
    loop.append(loop)
    path = tf.train.Checkpoint(a=a, loop=loop).save(tmp_path / "c")
    assert len(tf.train.list_variables(path)) == 3
    a.v.assign(0.0)
    tf.train.Checkpoint(a=a, loop=loop).restore(path).assert_consumed()
    assert float(b.same) == 2.0


def test_numbers_as_keys_of_dicts(tmp_path: Path) -> None:
    net = tf.Module()
    net.by_number = {1: tf.Variable(1.0), 2: tf.Variable(2.0)}
    path = tf.train.Checkpoint(net).save(tmp_path / "c")
    net.by_number[1].assign(0.0)
    tf.train.Checkpoint(net).restore(path).assert_consumed()
    assert float(net.by_number[1]) == 1.0
    net.by_number["1"] = tf.Variable(0.0)
    with pytest.raises(ValueError, match="'1' is taken twice"):
        tf.train.Checkpoint(net).save(tmp_path / "c")
    net.by_number = {(1, 2): tf.Variable(1.0)}
    with pytest.raises(ValueError, match=r"\(1, 2\) is neither a string nor an integer"):
        tf.train.Checkpoint(net).save(tmp_path / "c")


def test_containers_keep_their_type(saved: str) -> None:
    net = Net()
    tf.train.Checkpoint(net=net).restore(saved)
    assert type(net.layers) is list and type(net.named) is dict


def test_only_trackable_objects() -> None:
    with pytest.raises(ValueError, match="expecting v to be a trackable object.*got 3"):
        tf.train.Checkpoint(v=3)
    with pytest.raises(ValueError, match="expecting root"):
        tf.train.Checkpoint(np.zeros(3))


def test_chain_of_many_modules(tmp_path: Path) -> None:
    first = tf.Module()
    first.head = head = tf.Module()
    for _ in range(3000):
        head.next = tf.Module()
        head = head.next
    head.v = tf.Variable(3.0)
    path = tf.train.Checkpoint(first).save(tmp_path / "c")
    head.v.assign(0.0)
    tf.train.Checkpoint(first).restore(path).assert_consumed()
    assert float(head.v) == 3.0


# ---- deferred restoration


def test_values_wait_for_their_objects(saved: str) -> None:
    net = Net(build=False)
    status = tf.train.Checkpoint(net=net).restore(saved)
    assert len(status.deferred) == 4
    status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match="deferred 4"):
        status.assert_consumed()
    net.build()
    assert net.numbers() == NUMBERS
    status.assert_consumed()


def test_values_wait_though_the_checkpoint_object_is_gone(saved: str) -> None:
    net = Net(build=False)

    def restore() -> None:
        tf.train.Checkpoint(net=net).restore(saved).expect_partial()

    restore()
    gc.collect()
    for path in Path(saved).parent.iterdir():
        path.unlink()  # what was restored once needs the files no more
    net.build()
    assert net.numbers() == NUMBERS


def test_whole_modules_that_come_later(saved: str) -> None:
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(saved)
    checkpoint.net = Net()
    assert checkpoint.net.numbers() == NUMBERS
    status.assert_consumed()


def test_a_later_assignment_is_left_alone(saved: str) -> None:
    net = Net()
    net.more = tf.Module()
    path = tf.train.Checkpoint(net=net).save(Path(saved).parent / "other")
    status = tf.train.Checkpoint(net=net).restore(path)
    net.w = tf.Variable([1.0, 1.0])
    assert net.w.numpy().tolist() == [1.0, 1.0]
    status.expect_partial()


def test_lists_that_others_hold_are_left_alone(saved: str) -> None:
    net = Net(build=False)
    mine = net.layers
    status = tf.train.Checkpoint(net=net).restore(saved)
    assert net.layers is mine
    net.build()
    assert mine[0] is net.layers[0]
    status.assert_consumed()  # looks again, and finds what was appended
    assert net.numbers() == NUMBERS


def test_a_new_list_in_place_of_an_old_one(saved: str) -> None:
    net = Net(build=False)
    status = tf.train.Checkpoint(net=net).restore(saved)
    net.layers = [tf.Variable(0.0), [tf.Variable(0.0)]]
    assert [float(net.layers[0]), float(net.layers[1][0])] == [7.0, 8.0]
    status.expect_partial()


def test_the_later_restore_wins(tmp_path: Path) -> None:
    first = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "1")
    second = tf.train.Checkpoint(v=tf.Variable(2.0)).write(tmp_path / "2")
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(first).expect_partial()
    checkpoint.read(second)
    checkpoint.v = tf.Variable(0.0)
    assert float(checkpoint.v) == 2.0


def test_mismatch_of_a_later_value(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "1")
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible tensor with shape"):
        checkpoint.v = tf.Variable([1.0, 2.0])
    status.expect_partial()


def test_nothing_is_hooked_once_all_is_there(saved: str) -> None:
    net = Net(build=False)
    tf.train.Checkpoint(net=net).restore(saved)
    assert "__setattr__" in vars(Trackable)
    net.build()
    assert "__setattr__" not in vars(Trackable)


def test_a_module_with_its_own_setattr(saved: str) -> None:
    class Counting(Net):
        count = 0

        def __setattr__(self, name: str, value: object) -> None:
            Counting.count += 1
            super().__setattr__(name, value)

    net = Counting(build=False)
    status = tf.train.Checkpoint(net=net).restore(saved)
    net.build()
    assert net.numbers() == NUMBERS and Counting.count > 3
    status.assert_consumed()


# ---- optimizers


def loss(v: tf.Variable):
    return lambda: tf.reduce_sum(tf.square(v - 1.0) * [1.0, 3.0])


@pytest.mark.parametrize("when", ["before", "after", "variable later", "optimizer later"])
def test_slots(tmp_path: Path, when: str) -> None:
    v, adam = tf.Variable([1.5, 2.5]), tf.train.AdamOptimizer(0.1)
    for _ in range(3):
        adam.minimize(loss(v), var_list=[v])
    path = tf.train.Checkpoint(v=v, adam=adam).save(tmp_path / "c")
    w, again = tf.Variable([0.0, 0.0]), tf.train.AdamOptimizer(0.1)
    if when == "after":
        again.minimize(loss(w), var_list=[w])
    if when in ("before", "after"):
        checkpoint = tf.train.Checkpoint(v=w, adam=again)
        status = checkpoint.restore(path)
    else:
        checkpoint = tf.train.Checkpoint()
        status = checkpoint.restore(path)
        if when == "variable later":
            checkpoint.adam = again
            checkpoint.v = w
        else:
            checkpoint.v = w
            checkpoint.adam = again
    status.assert_consumed()
    for optimizer, variable in ((adam, v), (again, w)):
        optimizer.minimize(loss(variable), var_list=[variable])
    assert v.numpy().tobytes() == w.numpy().tobytes()
    for name in ("m", "v"):
        a, b = adam.get_slot(v, name), again.get_slot(w, name)
        assert a.numpy().tobytes() == b.numpy().tobytes()


def test_slots_of_another_optimizer_are_unused(tmp_path: Path) -> None:
    v, adam = tf.Variable([1.5, 2.5]), tf.train.AdamOptimizer(0.1)
    adam.minimize(loss(v), var_list=[v])
    path = tf.train.Checkpoint(v=v, opt=adam).save(tmp_path / "c")
    checkpoint = tf.train.Checkpoint(v=v, opt=tf.train.MomentumOptimizer(0.1, 0.9))
    status = checkpoint.restore(path).expect_partial()
    unused = sorted(value.name for value in status.unused)
    assert unused == [
        "opt/beta1_power" + VALUE,
        "opt/beta2_power" + VALUE,
        "v/.OPTIMIZER_SLOT/opt/m" + VALUE,
        "v/.OPTIMIZER_SLOT/opt/v" + VALUE,
    ]
    assert status.deferred == []


def test_slots_can_be_skipped(tmp_path: Path) -> None:
    v, adam = tf.Variable([1.5, 2.5]), tf.train.AdamOptimizer(0.1)
    adam.minimize(loss(v), var_list=[v])
    path = tf.train.Checkpoint(v=v, adam=adam).save(tmp_path / "c")
    again = tf.train.AdamOptimizer(0.1)
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    tf.train.Checkpoint(v=v, adam=again).restore(path, options).expect_partial()
    assert again.get_slot(v, "m") is None


# ---- the report


def test_report_names_everything(saved: str) -> None:
    net = Net()
    net.extra = tf.Variable([[1.0]])
    net.weights = net.w
    del net.w
    net.pair = (tf.Variable(1),)
    path = tf.train.Checkpoint(net=Net(5.0), old=(tf.Variable(1.0), tf.Variable(2.0))).write(
        Path(saved).parent / "x"
    )
    status = tf.train.Checkpoint(net=net, old=(tf.Variable(0.0),)).read(path)
    assert [value.name for value in status.deferred] == ["net/w" + VALUE]
    assert [value.name for value in status.unused] == ["old/1" + VALUE]
    assert sorted(value.name for value in status.missing) == [
        "net/extra",
        "net/pair/0",
        "net/weights",
    ]
    text = str(status)
    assert "4 of 6 values restored" in text
    assert "net/w float32 [2]" in text and "net/extra float32 [1, 1]" in text
    assert "perhaps net/weights was saved as net/w" in text
    assert text in repr(status)
    with pytest.raises(AssertionError, match="3 Python objects that were not bound"):
        status.assert_existing_objects_matched()
    status.assert_nontrivial_match()


def test_nothing_matches(saved: str) -> None:
    checkpoint = tf.train.Checkpoint(other=tf.Variable(1.0))
    status = checkpoint.restore(saved)
    with pytest.raises(AssertionError, match="nothing but the root"):
        status.assert_nontrivial_match()


MISMATCHES = {
    "shape": ([1.0, 2.0, 3.0], r"incompatible tensor with shape \(2,\).* shape \(3,\)"),
    "rank": (1.0, r"with shape \(2,\).* shape \(\)"),
    "dtype": (np.array([1.0, 2.0]), "expected dtype float64 does not equal original dtype float32"),
    "integer": (np.array([1, 2]), "expected dtype int64"),
}


@pytest.mark.parametrize("kind", MISMATCHES)
def test_mismatch_changes_nothing(saved: str, kind: str) -> None:
    value, text = MISMATCHES[kind]
    net = Net()
    net.w = tf.Variable(value, name="w")
    before = net.named["a"].numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match=text) as caught:
        tf.train.Checkpoint(net=net).restore(saved)
    assert isinstance(caught.value, ValueError)
    assert net.named["a"].numpy() == before
    status = tf.train.Checkpoint(net=net).restore(saved, strict=False)
    assert [mismatch.key for mismatch in status.mismatched] == ["net/w" + VALUE]
    assert net.numbers()[-3:] == NUMBERS[-3:]
    assert np.array_equal(net.w.numpy(), value)
    with pytest.raises(AssertionError, match="mismatched 1"):
        status.assert_existing_objects_matched()


def test_variables_of_open_shape_take_any_that_fits(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable(tf.ones([4, 2]))).write(tmp_path / "c")
    v = tf.Variable(tf.zeros([1, 2]), shape=[None, 2])
    tf.train.Checkpoint(v=v).read(path).assert_consumed()
    assert v.value().shape == [4, 2]
    with pytest.raises(ValueError, match="incompatible tensor"):
        tf.train.Checkpoint(v=tf.Variable(tf.zeros([1, 3]), shape=[None, 3])).read(path)


def test_strict_changes_nothing_unless_all_match(saved: str) -> None:
    tf.train.Checkpoint(net=Net()).restore(saved, strict=True)
    for change in ("add", "remove", "reshape"):
        net = Net()
        if change == "add":
            net.more = tf.Variable(1.0)
        elif change == "remove":
            del net.named["a"]
        else:
            net.w = tf.Variable([1.0])
        with pytest.raises(tf.errors.FailedPreconditionError, match="nothing was restored"):
            tf.train.Checkpoint(net=net).restore(saved, strict=True)
        assert float(net.layers[0]) == 2.0


def test_damage_changes_nothing(saved: str) -> None:
    path = Path(f"{saved}.data-00000-of-00001")
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    net = Net()
    before = net.numbers()
    with pytest.raises(tf.errors.DataLossError, match="Checksum does not match"):
        tf.train.Checkpoint(net=net).restore(saved)
    assert net.numbers() == before


def test_object_graphs_that_lie(tmp_path: Path) -> None:
    from agog.checkpoint.bundle_writer import write_bundle
    from agog.checkpoint.messages import Child, Node, ObjectGraph, Slot
    from agog.checkpoint.wire import encode

    for graph in (
        b"\xff\xff",
        encode(ObjectGraph()),
        encode(ObjectGraph([Node(children=[Child(7, "x")])])),
        encode(ObjectGraph([Node(children=[Child(-1, "x")])])),
        encode(ObjectGraph([Node(slot_variables=[Slot(0, "m", 9)])])),
    ):
        key = "_CHECKPOINTABLE_OBJECT_GRAPH"
        write_bundle(str(tmp_path / "c"), {key: tf.constant(graph)})
        with pytest.raises(tf.errors.DataLossError, match="object graph"):
            tf.train.Checkpoint(v=tf.Variable(1.0)).restore(tmp_path / "c")


def test_no_checkpoint(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(tf.errors.NotFoundError, match="Error when restoring from checkpoint"):
        checkpoint.restore(tmp_path / "none")
    status = checkpoint.restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        status.assert_consumed()
    assert status.expect_partial() is status


def test_unrestored_values_are_logged(saved: str, caplog: pytest.LogCaptureFixture) -> None:
    def restore(quiet: bool) -> None:
        status = tf.train.Checkpoint(other=tf.Variable(1.0)).restore(saved)
        if quiet:
            status.expect_partial()

    with caplog.at_level(logging.WARNING, "agog"):
        restore(quiet=True)
        gc.collect()
        assert caplog.messages == []
        restore(quiet=False)
        gc.collect()
    assert len(caplog.messages) == 1 and "4 values of the checkpoint" in caplog.messages[0]
