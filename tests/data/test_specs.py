"""TensorSpec and its relatives, Options, the experimental names, contrib.eager.Iterator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import agog as tf
import agog.contrib.eager as tfe

Dataset = tf.data.Dataset
Spec = tf.TensorSpec


def test_tensor_spec() -> None:
    spec = Spec([None, 2], tf.int32, "x")
    assert repr(spec) == "TensorSpec(shape=(None, 2), dtype=tf.int32, name='x')"
    assert repr(Spec(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    assert spec == Spec([None, 2], "int32", "x") != Spec([None, 2], tf.int32)
    assert hash(spec) == hash(Spec([None, 2], tf.int32, "x"))
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec.is_compatible_with(tf.zeros([3, 2], tf.int32))
    assert not spec.is_compatible_with(tf.zeros([3, 3], tf.int32))
    assert not spec.is_compatible_with(tf.zeros([3, 2]))
    assert not spec.is_compatible_with({1, 2})
    assert Spec([2]).is_subtype_of(Spec([None]))
    assert not Spec([None]).is_subtype_of(Spec([2]))
    assert Spec([2]).most_specific_compatible_type(Spec([3])) == Spec([None])
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        Spec([2]).most_specific_compatible_type(Spec([2], tf.int32))
    assert Spec.from_tensor(tf.ones([2]), "y") == Spec([2], tf.float32, "y")
    assert Spec.from_spec(spec).name == "x"
    assert spec.value_type is tf.Tensor


def test_specs_of_values() -> None:
    of = tf.type_spec_from_value
    assert of(3) == Spec([], tf.int32)
    assert of("s") == Spec([], tf.string)
    assert of(np.ones(3)) == Spec([3], tf.float64)
    assert of(Dataset.range(3)) == tf.data.DatasetSpec(Spec([], tf.int64))
    assert "DatasetSpec(TensorSpec" in repr(of(Dataset.range(3)))
    assert of(iter(Dataset.range(3))) == tf.data.IteratorSpec(Spec([], tf.int64))
    sparse = tf.SparseTensor([[0, 1]], [5], [1, 3])
    assert of(sparse) == tf.SparseTensorSpec([1, 3], tf.int32)
    with pytest.raises(TypeError, match="Could not build a TypeSpec"):
        of({1, 2})


def test_sparse_tensor() -> None:
    sparse = tf.SparseTensor(indices=[[0, 1]], values=[5.0], dense_shape=[1, 3])
    assert sparse.get_shape() == (1, 3)
    assert sparse.with_values([7]).dtype is tf.int32
    assert repr(sparse).startswith("SparseTensor(indices=<tf.Tensor")
    for bad in (([[0]], [5], [1, 3]), ([0], [5], [3]), ([[0, 1]], [5, 6], [1, 3])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="needs indices of shape"):
            tf.SparseTensor(*bad)


def test_options() -> None:
    one, two = tf.data.Options(), tf.data.Options()
    assert one == two
    one.experimental_deterministic = False
    assert one.deterministic is False
    assert one != two
    two.threading.private_threadpool_size = 3
    two.experimental_threading.max_intra_op_parallelism = 1
    merged = one.merge(two)
    assert (merged.deterministic, merged.threading.private_threadpool_size) == (False, 3)
    with pytest.raises(AttributeError, match="Cannot set the property unknown"):
        one.unknown = 1
    with pytest.raises(AttributeError, match="Cannot set the property"):
        one.threading.pool = 1
    dataset = Dataset.range(3).with_options(one).map(lambda x: x).with_options(two)
    assert dataset.options() == merged
    assert [int(x) for x in dataset.batch(2).unbatch()] == [0, 1, 2]
    with pytest.raises(TypeError, match=r"must be a tf\.data\.Options"):
        Dataset.range(3).with_options(3)


def test_len_and_bool() -> None:
    assert len(Dataset.range(5).batch(2)) == 3
    assert bool(Dataset.range(0))
    with pytest.raises(TypeError, match="infinite"):
        len(Dataset.range(3).repeat())
    with pytest.raises(TypeError, match="unknown"):
        len(Dataset.range(3).filter(lambda x: True))
    assert tf.data.UNKNOWN_CARDINALITY == -2
    assert tf.data.INFINITE_CARDINALITY == -1


def numbers(dataset: tf.data.Dataset) -> list[int]:
    return [int(x) for x in dataset]


def test_older_names() -> None:
    ex = tf.data.experimental
    nine = Dataset.range(9)
    cases = {
        "scan": (ex.scan(np.int64(0), lambda s, x: (s + x, s)), [0, 0, 1, 3, 6, 10, 15, 21, 28]),
        "take_while": (ex.take_while(lambda x: x < 2), [0, 1]),
        "unique": (ex.unique(), list(range(9))),
        "ignore_errors": (ex.ignore_errors(), list(range(9))),
        "copy_to_device": (ex.copy_to_device("/cpu:0"), list(range(9))),
        "prefetch_to_device": (ex.prefetch_to_device("/cpu:0"), list(range(9))),
        "interleave": (ex.parallel_interleave(lambda x: Dataset.range(x % 2), 2), [0, 0, 0, 0]),
    }
    for name, (transformation, want) in cases.items():
        assert numbers(nine.apply(transformation)) == want, name
    batches = nine.apply(ex.map_and_batch(lambda x: x + 1, 4, drop_remainder=True))
    assert [b.numpy().tolist() for b in batches] == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert numbers(batches.apply(ex.unbatch())) == list(range(1, 9))
    assert sorted(numbers(nine.apply(ex.shuffle_and_repeat(9, 2)))) == sorted([*range(9)] * 2)
    assert [int(i) for i, _ in nine.apply(ex.enumerate_dataset(3)).take(2)] == [3, 4]
    grouped = nine.apply(ex.group_by_window(lambda x: x % 2, lambda k, w: w.batch(9), 3))
    assert [b.numpy().tolist() for b in grouped][:2] == [[0, 2, 4], [1, 3, 5]]
    assert numbers(ex.Counter(2).take(2)) == [2, 3]
    assert numbers(ex.RandomDataset(1).take(2)) == numbers(Dataset.random(1).take(2))
    assert int(ex.cardinality(nine)) == 9
    assert int(nine.make_one_shot_iterator().get_next()) == 0
    assert int(ex.get_single_element(nine.take(1))) == 0
    assert ex.get_structure(nine) == Spec([], tf.int64)
    assert not ex.get_next_as_optional(iter(nine.take(0))).has_value()
    parts = [nine.take(1), nine.skip(7)]
    assert numbers(ex.choose_from_datasets(parts, Dataset.range(2).repeat(2))) == [0, 7, 8]
    assert sorted(numbers(ex.sample_from_datasets(parts, seed=1))) == [0, 7, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no element 9"):
        ex.at(nine, 9)


def test_group_by_reducer() -> None:
    reducer = tf.data.experimental.Reducer(
        lambda key: np.int64(0), lambda s, x: s + x, lambda s: s * 10
    )
    dataset = Dataset.range(6).apply(
        tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)
    )
    assert numbers(dataset) == [60, 90]


def test_what_is_not_done_says_so() -> None:
    dataset = Dataset.range(3)
    for refused in (
        lambda: dataset.save("x"),
        lambda: Dataset.load("x"),
        lambda: dataset.snapshot("x"),
        lambda: dataset.cache("file"),
        lambda: dataset.ragged_batch(2),
        lambda: dataset.sparse_batch(2, [3]),
    ):
        with pytest.raises(tf.errors.UnimplementedError):
            refused()


def test_iterators_of_2017_take_datasets() -> None:
    iterator = tfe.Iterator(Dataset.from_tensor_slices({"a": [1, 2]}).batch(1))
    assert isinstance(iterator, tf.data.Iterator)
    assert iterator.next()["a"].numpy().tolist() == [1]
    state = iterator.save_state()
    assert iterator.get_next()["a"].numpy().tolist() == [2]
    iterator.restore_state(state)
    assert iterator.get_next()["a"].numpy().tolist() == [2]
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()
    plain = tfe.Iterator([(1.0, 2)])
    assert plain.element_spec == (Spec([]), Spec([], tf.int32))
    with pytest.raises(TypeError):
        tfe.Iterator(3)


def test_reduce_and_single_elements() -> None:
    total = Dataset.range(5).reduce(
        (np.int64(0), np.int64(1)), lambda s, x: (s[0] + x, s[1] * (x + 1))
    )
    assert [int(t) for t in total] == [10, 120]
    with pytest.raises(TypeError, match="must match the initial state"):
        Dataset.range(5).reduce(0, lambda s, x: x)
    for count, what in ((0, "was empty"), (2, "more than one")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=what):
            Dataset.range(count).get_single_element()


def test_weights_that_change() -> None:
    weights = Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 1.0]]).repeat(2)
    parts = [Dataset.range(5), Dataset.range(10, 15)]
    assert numbers(Dataset.sample_from_datasets(parts, weights)) == [0, 10, 1, 11]


def test_sampling_follows_the_weights() -> None:
    parts = [Dataset.from_tensors(i).repeat() for i in range(3)]
    got = numbers(Dataset.sample_from_datasets(parts, [0.2, 0.5, 0.3], seed=3).take(4000))
    shares = np.bincount(got) / 4000
    assert abs(shares - [0.2, 0.5, 0.3]).max() < 0.03
    again = numbers(Dataset.sample_from_datasets(parts, [0.2, 0.5, 0.3], seed=3).take(4000))
    assert got == again


def test_resampling_reaches_its_target() -> None:
    initial_dist = [0.7, 0.2, 0.1]
    classes = Dataset.from_tensor_slices(np.random.default_rng(0).choice(3, 20000, p=initial_dist))
    for initial in (None, initial_dist):
        kept = classes.rejection_resample(lambda c: c, [0.3, 0.3, 0.4], initial, seed=1)
        shares = np.bincount([int(c) for c, _ in kept])
        assert abs(shares / shares.sum() - [0.3, 0.3, 0.4]).max() < 0.04
