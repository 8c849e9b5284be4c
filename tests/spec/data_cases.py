"""Pipelines whose elements, spec and cardinality are to be TensorFlow's: one source for both.

Each case is a function of the package and of a folder, and gives a dataset. `golden.py data`
runs them with TensorFlow and writes tests/golden/data.json; tests/data/test_golden.py runs them in
agog. Orders of shuffles are not TensorFlow's, so no case depends on one.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Point = collections.namedtuple("Point", "x y")
CASES: dict[str, Callable[[Any, Path], Any]] = {}


def case(make: Callable[[Any, Path], Any]) -> Callable[[Any, Path], Any]:
    """Lists a case under the name of its function."""
    name = make.__name__.removeprefix("_")
    assert name not in CASES, name
    CASES[name] = make
    return make


def ragged(tf: Any, low: int = 1, high: int = 6) -> Any:
    """Vectors [n] * n."""
    return tf.data.Dataset.range(low, high).map(lambda n: tf.fill([n], n))


def numbers(tf: Any, *args: int) -> Any:
    return tf.data.Dataset.range(*args)


def slices(tf: Any, values: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(values)


def add(name: str, make: Callable[[Any], Any]) -> None:
    """Lists a case that needs no folder."""
    assert name not in CASES, name
    CASES[name] = lambda tf, folder: make(tf)


# ---- sources

add("range", lambda tf: numbers(tf, 5))
add("range_from_to", lambda tf: numbers(tf, 2, 9, 3))
add("range_down", lambda tf: numbers(tf, 5, 0, -2))
add("range_empty", lambda tf: numbers(tf, 5, 0))
add("range_int32", lambda tf: tf.data.Dataset.range(3, output_type=tf.int32))
add("range_float", lambda tf: tf.data.Dataset.range(3, output_type=tf.float32))
add("range_step_0", lambda tf: numbers(tf, 5, 0, 0))
add("range_of_float", lambda tf: tf.data.Dataset.range(1.5))
add("tensors", lambda tf: tf.data.Dataset.from_tensors([[1, 2], [3, 4]]))
add("tensors_dict", lambda tf: tf.data.Dataset.from_tensors({"b": 1, "a": (2.0, "x")}))
add("slices", lambda tf: slices(tf, [[1, 2], [3, 4]]))
add("slices_tuple_of_lists", lambda tf: slices(tf, ([1, 2], [[3], [4]])))
add("slices_dict", lambda tf: slices(tf, {"b": [1, 2], "a": [3.5, 4.5]}))
add("slices_nested", lambda tf: slices(tf, {"b": ([1, 2], ["x", "y"]), "a": [True, False]}))
add("slices_named", lambda tf: slices(tf, Point([1, 2], [3.0, 4.0])))
add("slices_empty", lambda tf: slices(tf, []))
add("slices_scalar", lambda tf: slices(tf, 5))
add("slices_lengths_differ", lambda tf: slices(tf, ([1, 2], [3, 4, 5])))
add("slices_float16", lambda tf: slices(tf, np.float16([1, 2])))
add("slices_uint8", lambda tf: slices(tf, np.uint8([[1], [2]])))
add("counter", lambda tf: tf.data.Dataset.counter(3, 2).take(3))
add("from_list", lambda tf: tf.data.experimental.from_list([(1, "a"), (2, "b")]))
add("random_spec", lambda tf: tf.data.Dataset.random(seed=1).take(0))


def generated(tf: Any, values: Any, **how: Any) -> Any:
    return tf.data.Dataset.from_generator(lambda: iter(values), **how)


add("generator_types", lambda tf: generated(tf, [0, 1, 2], output_types=tf.int64))
add(
    "generator_signature",
    lambda tf: generated(tf, [0, 1], output_signature=tf.TensorSpec([], tf.float32)),
)
add(
    "generator_shapes",
    lambda tf: generated(
        tf, [(1, [2]), (3, [4, 5])], output_types=(tf.int64, tf.int32), output_shapes=([], [None])
    ),
)
add(
    "generator_wrong_shape",
    lambda tf: generated(tf, [0], output_signature=tf.TensorSpec([2], tf.int32)),
)
add(
    "generator_wrong_type",
    lambda tf: generated(tf, ["a"], output_signature=tf.TensorSpec([], tf.int32)),
)
add(
    "generator_float_to_int",
    lambda tf: generated(tf, [1.5], output_signature=tf.TensorSpec([], tf.int32)),
)
add(
    "generator_float64_to_float32",
    lambda tf: generated(tf, [np.ones(2)], output_signature=tf.TensorSpec([2], tf.float32)),
)
add(
    "generator_wrong_structure",
    lambda tf: generated(
        tf, [1], output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    ),
)
add(
    "generator_list_for_tuple",
    lambda tf: generated(
        tf, [[1, 2]], output_signature=(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    ),
)
add(
    "generator_dict",
    lambda tf: generated(tf, [{"a": 1}], output_signature={"a": tf.TensorSpec([], tf.int32)}),
)
add("generator_not_callable", lambda tf: tf.data.Dataset.from_generator([1], tf.int32))
add("generator_no_types", lambda tf: generated(tf, [1]))
add(
    "generator_args",
    lambda tf: tf.data.Dataset.from_generator(lambda n: range(n), tf.int64, args=(4,)),
)

# ---- one by one

add("map_tuple", lambda tf: numbers(tf, 3).map(lambda x: (x, x * x)))
add("map_list_at_the_top", lambda tf: numbers(tf, 2).map(lambda x: [x, x]))
add("map_list_inside", lambda tf: numbers(tf, 2).map(lambda x: ([x, x], {"a": [1.0, 2]})))
add("map_none", lambda tf: numbers(tf, 2).map(lambda x: (x, None)))
add("map_python_int", lambda tf: numbers(tf, 2).map(lambda x: 5))
add("map_string", lambda tf: numbers(tf, 2).map(lambda x: "a"))
add("map_set", lambda tf: numbers(tf, 2).map(lambda x: {1, 2}))
add("map_named_is_one_argument", lambda tf: slices(tf, Point([1], [2])).map(lambda p, q: p + q))
add("map_dict", lambda tf: slices(tf, {"a": [1, 2]}).map(lambda d: d["a"] + 1))
add("map_nested", lambda tf: slices(tf, (([1], [2]), [3])).map(lambda p, z: p[0] + p[1] + z))
add("map_parallel", lambda tf: numbers(tf, 9).map(lambda x: x * 2, num_parallel_calls=3))
add("map_parallel_0", lambda tf: numbers(tf, 9).map(lambda x: x, num_parallel_calls=0))
add("map_of_batches", lambda tf: numbers(tf, 5).batch(2).map(lambda x: (x + 1, tf.reduce_sum(x))))
add("filter", lambda tf: numbers(tf, 9).filter(lambda x: x % 3 == 1))
add("filter_not_bool", lambda tf: numbers(tf, 9).filter(lambda x: x))
add("take_while", lambda tf: numbers(tf, 9).take_while(lambda x: x < 4))
add("take", lambda tf: numbers(tf, 5).take(2))
add("take_all", lambda tf: numbers(tf, 5).take(-1))
add("take_more", lambda tf: numbers(tf, 5).take(9))
add("take_0", lambda tf: numbers(tf, 5).take(0))
add("skip", lambda tf: numbers(tf, 5).skip(2))
add("skip_all", lambda tf: numbers(tf, 5).skip(-1))
add("skip_more", lambda tf: numbers(tf, 5).skip(9))
add("shard", lambda tf: numbers(tf, 10).shard(3, 1))
add("shard_index_too_large", lambda tf: numbers(tf, 2).shard(2, 2))
add("shard_index_negative", lambda tf: numbers(tf, 2).shard(2, -1))
add("shard_0", lambda tf: numbers(tf, 2).shard(0, 0))
add("repeat", lambda tf: numbers(tf, 3).repeat(2))
add("repeat_0", lambda tf: numbers(tf, 3).repeat(0))
add("repeat_forever", lambda tf: numbers(tf, 3).repeat().take(7))
add("repeat_forever_empty", lambda tf: numbers(tf, 0).repeat())
add("enumerate", lambda tf: slices(tf, ["a", "b"]).enumerate(5))
add("enumerate_tuple", lambda tf: slices(tf, ([1, 2], [3, 4])).enumerate())
add("scan", lambda tf: numbers(tf, 5).scan(np.int64(0), lambda s, x: (s + x, s * x)))
add("scan_tuple_state", lambda tf: numbers(tf, 4).scan(
    (np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1] * 2.0), {"a": s[1]})
))  # fmt: skip
add("scan_state_type_changes", lambda tf: numbers(tf, 3).scan(0, lambda s, x: (s + 1.5, x)))
add("scan_no_pair", lambda tf: numbers(tf, 3).scan(np.int64(0), lambda s, x: s))
add("unique", lambda tf: slices(tf, [1, 37, 2, 37, 2, 1]).unique())
add("unique_strings", lambda tf: slices(tf, ["b", "a", "b"]).unique())
add("cache_twice", lambda tf: numbers(tf, 3).cache().repeat(2))
add("prefetch", lambda tf: numbers(tf, 3).prefetch(2))
add("prefetch_0", lambda tf: numbers(tf, 3).prefetch(0))
add("prefetch_negative", lambda tf: numbers(tf, 3).prefetch(-2))
add("shuffle_1_keeps_order", lambda tf: numbers(tf, 5).shuffle(1))
add("shuffle_0", lambda tf: numbers(tf, 5).shuffle(0))
add("shuffle_negative", lambda tf: numbers(tf, 5).shuffle(-1))
add("ignore_errors", lambda tf: slices(tf, [1.0, 2.0, 0.0, 4.0]).map(
    lambda x: tf.debugging.check_numerics(1.0 / x, "bad")
).ignore_errors())  # fmt: skip
add("error_in_the_middle", lambda tf: slices(tf, [1.0, 0.0]).map(
    lambda x: tf.debugging.check_numerics(1.0 / x, "bad")
))  # fmt: skip
add("assert_cardinality", lambda tf: numbers(tf, 3).filter(lambda x: True).apply(
    tf.data.experimental.assert_cardinality(3)
))  # fmt: skip
add("assert_cardinality_wrong", lambda tf: numbers(tf, 3).apply(
    tf.data.experimental.assert_cardinality(4)
))  # fmt: skip
add("apply_not_a_dataset", lambda tf: numbers(tf, 2).apply(lambda d: 3))
add("concatenate", lambda tf: numbers(tf, 2).concatenate(numbers(tf, 5, 7)))
add(
    "concatenate_shapes",
    lambda tf: slices(tf, [[1, 2]]).concatenate(slices(tf, [[1, 2, 3]])),
)
add("concatenate_dtypes", lambda tf: numbers(tf, 2).concatenate(slices(tf, [1.0])))
add(
    "concatenate_structures",
    lambda tf: numbers(tf, 2).concatenate(tf.data.Dataset.zip((numbers(tf, 1), numbers(tf, 1)))),
)
add("concatenate_endless", lambda tf: numbers(tf, 2).concatenate(numbers(tf, 2).repeat()).take(5))
add("zip", lambda tf: tf.data.Dataset.zip(numbers(tf, 3), numbers(tf, 10, 20)))
add("zip_tuple_of_one", lambda tf: tf.data.Dataset.zip((numbers(tf, 2),)))
add("zip_one", lambda tf: tf.data.Dataset.zip(numbers(tf, 2)))
add("zip_dict", lambda tf: tf.data.Dataset.zip(
    {"b": numbers(tf, 2), "a": (numbers(tf, 5), slices(tf, ["x", "y", "z"]))}
))  # fmt: skip
add("zip_list", lambda tf: tf.data.Dataset.zip([numbers(tf, 2), numbers(tf, 2)]))
add("zip_number", lambda tf: tf.data.Dataset.zip(3))
add("zip_nothing", lambda tf: tf.data.Dataset.zip())
add("zip_with_endless", lambda tf: tf.data.Dataset.zip(numbers(tf, 2), numbers(tf, 3).repeat()))
add("rejection_resample_all_of_one_class", lambda tf: slices(tf, [0, 1] * 20).rejection_resample(
    lambda x: x, [1.0, 0.0], [0.5, 0.5], seed=1
))  # fmt: skip

# ---- batches

add("batch", lambda tf: numbers(tf, 5).batch(2))
add("batch_drop", lambda tf: numbers(tf, 5).batch(2, drop_remainder=True))
add("batch_of_batches", lambda tf: numbers(tf, 7).batch(3, drop_remainder=True).batch(2))
add("batch_dict", lambda tf: slices(tf, {"a": [1, 2, 3], "b": [[1.0], [2.0], [3.0]]}).batch(2))
add("batch_strings", lambda tf: slices(tf, ["a", "bb", "c"]).batch(2))
add("batch_0", lambda tf: numbers(tf, 5).batch(0))
add("batch_after_map", lambda tf: numbers(tf, 5).map(lambda x: (x, -x)).batch(3))
add("batch_none", lambda tf: numbers(tf, 3).map(lambda x: (x, None)).batch(2))
add("batch_repeat", lambda tf: numbers(tf, 3).batch(2).repeat(2))
add("repeat_batch", lambda tf: numbers(tf, 3).repeat(2).batch(4))
add("shard_batch", lambda tf: numbers(tf, 20).shard(3, 2).batch(2))
add("skip_take_batch", lambda tf: numbers(tf, 20).skip(3).take(7).batch(4))
add("cache_repeat_batch", lambda tf: numbers(tf, 5).map(lambda x: x + 1).cache().repeat(3).batch(4))
add("concatenate_batch", lambda tf: numbers(tf, 3).concatenate(numbers(tf, 10, 14)).batch(2))
add("enumerate_batch", lambda tf: slices(tf, ["a", "b", "c"]).enumerate().batch(2))
add("batch_shapes_differ", lambda tf: ragged(tf).batch(2))
add("padded_batch", lambda tf: ragged(tf).padded_batch(2))
add("padded_batch_drop", lambda tf: ragged(tf).padded_batch(2, drop_remainder=True))
add("padded_batch_shape", lambda tf: ragged(tf, 1, 4).padded_batch(2, padded_shapes=[4]))
add("padded_batch_too_long", lambda tf: ragged(tf, 1, 4).padded_batch(2, padded_shapes=[2]))
add("padded_batch_rank", lambda tf: ragged(tf, 1, 4).padded_batch(2, padded_shapes=[]))
add("padded_batch_value", lambda tf: ragged(tf, 1, 4).padded_batch(
    2, padded_shapes=[None], padding_values=tf.constant(-1, tf.int64)
))  # fmt: skip
add("padded_batch_value_dtype", lambda tf: ragged(tf, 1, 4).padded_batch(
    2, padded_shapes=[None], padding_values=-1
))  # fmt: skip
add("padded_batch_tuple", lambda tf: numbers(tf, 1, 4).map(
    lambda n: (n, tf.fill([n, 2], "x"))
).padded_batch(2, padded_shapes=([], [4, None])))  # fmt: skip
add("padded_batch_dict", lambda tf: numbers(tf, 1, 4).map(
    lambda n: {"n": n, "v": tf.fill([n], 1.5)}
).padded_batch(2, padded_shapes={"n": [], "v": [None]},
               padding_values={"n": np.int64(0), "v": np.float32(-1)}))  # fmt: skip
add("unbatch", lambda tf: slices(tf, ([[1, 2], [3, 4]], [[5, 6], [7, 8]])).unbatch())
add("unbatch_of_batches", lambda tf: numbers(tf, 5).batch(2).unbatch())
add("unbatch_known", lambda tf: numbers(tf, 5).batch(2, drop_remainder=True).unbatch())
add("unbatch_lengths_differ", lambda tf: tf.data.Dataset.from_tensors(([1], [1, 2])).unbatch())
add("unbatch_scalars", lambda tf: numbers(tf, 2).unbatch())
add("rebatch", lambda tf: numbers(tf, 10).batch(4).rebatch(3))
add("rebatch_in_turn", lambda tf: numbers(tf, 10).batch(4).rebatch([2, 1]))
add("rebatch_drop", lambda tf: numbers(tf, 10).batch(4).rebatch(3, drop_remainder=True))

# ---- datasets of datasets

add("flat_map", lambda tf: numbers(tf, 4).flat_map(tf.data.Dataset.range))
add("flat_map_no_dataset", lambda tf: numbers(tf, 4).flat_map(lambda x: x))


def repeated(tf: Any, times: int | None = None) -> Callable[[Any], Any]:
    def make(x: Any) -> Any:
        return tf.data.Dataset.from_tensors(x).repeat(x if times is None else times)

    return make


add("interleave", lambda tf: numbers(tf, 1, 4).interleave(repeated(tf, 4), 2, 3))
add("interleave_uneven", lambda tf: numbers(tf, 1, 6).interleave(repeated(tf), 3, 2))
add("interleave_empty_parts", lambda tf: numbers(tf, 0, 5).interleave(
    lambda x: tf.data.Dataset.range(x % 2 * 3), cycle_length=2, block_length=2
))  # fmt: skip
add(
    "interleave_parallel",
    lambda tf: numbers(tf, 1, 6).interleave(repeated(tf), 3, 2, num_parallel_calls=2),
)
add("interleave_cycle_0", lambda tf: numbers(tf, 3).interleave(repeated(tf, 1), 0))
add("window_then_batch", lambda tf: numbers(tf, 7).window(3, 2, 2).flat_map(
    lambda w: w.batch(3)
))  # fmt: skip
add("window_drop", lambda tf: numbers(tf, 7).window(3, 2, 1, True).flat_map(lambda w: w.batch(3)))
add("window_skipping", lambda tf: numbers(tf, 9).window(2, 3).flat_map(lambda w: w.batch(3)))
add("window_0", lambda tf: numbers(tf, 7).window(0))
add("window_cardinality", lambda tf: numbers(tf, 5).window(2, 1).map(lambda w: 0))
add("window_cardinality_drop", lambda tf: numbers(tf, 5).window(2, 1, 1, True).map(lambda w: 0))
add("window_tuple", lambda tf: slices(tf, ([1, 2, 3], [4, 5, 6])).window(2).flat_map(
    lambda a, b: tf.data.Dataset.zip((a, b))
))  # fmt: skip
add("window_dict", lambda tf: slices(tf, {"a": [1, 2, 3]}).window(2).flat_map(
    lambda d: d["a"].batch(2)
))  # fmt: skip
add("group_by_window", lambda tf: numbers(tf, 10).group_by_window(
    lambda x: x % 3, lambda key, w: w.batch(2), 2
))  # fmt: skip
add("group_by_window_func", lambda tf: numbers(tf, 10).group_by_window(
    lambda x: x % 2, lambda key, w: w.batch(10), window_size_func=lambda key: key + 2
))  # fmt: skip
add("group_by_window_no_dataset", lambda tf: numbers(tf, 10).group_by_window(
    lambda x: x % 2, lambda key, w: key, 3
))  # fmt: skip
add("group_by_window_no_size", lambda tf: numbers(tf, 4).group_by_window(
    lambda x: x, lambda key, w: w
))  # fmt: skip


def bucketed(tf: Any, sizes: list[int] | None = None, **how: Any) -> Any:
    def lists() -> Any:
        for n in (1, 5, 1, 7, 3, 2, 9, 4, 8):
            yield [n] * n

    dataset = tf.data.Dataset.from_generator(lists, tf.int64, [None])
    return dataset.bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], [3, 6, 10], sizes or [2, 2, 2, 2], **how
    )


add("bucket", bucketed)
add("bucket_to_boundary", lambda tf: bucketed(tf, pad_to_bucket_boundary=True))
add("bucket_drop", lambda tf: bucketed(tf, drop_remainder=True))
add("bucket_no_padding", lambda tf: bucketed(tf, no_padding=True))
add("bucket_sizes", lambda tf: bucketed(tf, [1, 1]))
add(
    "bucket_padding",
    lambda tf: bucketed(tf, padding_values=tf.constant(-1, tf.int64), padded_shapes=[None]),
)


def two(tf: Any) -> list[Any]:
    return [numbers(tf, 3), numbers(tf, 10, 13)]


def chosen(tf: Any, choices: list[int], **how: Any) -> Any:
    return tf.data.Dataset.choose_from_datasets(two(tf), slices(tf, np.int64(choices)), **how)


add("choose", lambda tf: chosen(tf, [0, 1, 0, 0, 1, 0]))
add("choose_stops", lambda tf: chosen(tf, [0, 0, 0, 0, 1]))
add("choose_goes_on", lambda tf: chosen(tf, [0, 0, 0, 0, 1], stop_on_empty_dataset=False))
add("choose_out_of_range", lambda tf: chosen(tf, [0, 2]))
add(
    "choose_dtype",
    lambda tf: tf.data.Dataset.choose_from_datasets(two(tf), tf.data.Dataset.from_tensors(1)),
)
add("sample_one_sided", lambda tf: tf.data.Dataset.sample_from_datasets(two(tf), [0.0, 1.0]))
add(
    "sample_one_sided_stops",
    lambda tf: tf.data.Dataset.sample_from_datasets(
        two(tf), [0.0, 1.0], stop_on_empty_dataset=True
    ),
)
add("sample_weights", lambda tf: tf.data.Dataset.sample_from_datasets(two(tf), [1.0]))
add("sample_nothing", lambda tf: tf.data.Dataset.sample_from_datasets([]))
add(
    "sample_dtypes",
    lambda tf: tf.data.Dataset.sample_from_datasets([numbers(tf, 3), slices(tf, [1.0])]),
)

# ---- files


def written(folder: Path) -> list[str]:
    """Two text files."""
    (folder / "a.txt").write_bytes(b"one\ntwo\r\n\nth\rree\n")
    (folder / "b.txt").write_bytes(b"four")
    return [str(folder / "a.txt"), str(folder / "b.txt")]


@case
def lines(tf: Any, folder: Path) -> Any:
    return tf.data.TextLineDataset(written(folder))


@case
def lines_of_listed_files(tf: Any, folder: Path) -> Any:
    written(folder)
    names = tf.data.Dataset.list_files(str(folder / "*.txt"), shuffle=False)
    return tf.data.TextLineDataset(names)


@case
def lines_in_turns(tf: Any, folder: Path) -> Any:
    return tf.data.TextLineDataset(written(folder), num_parallel_reads=2)


@case
def lines_missing(tf: Any, folder: Path) -> Any:
    return tf.data.TextLineDataset([str(folder / "none.txt")])


@case
def lines_number(tf: Any, folder: Path) -> Any:
    return tf.data.TextLineDataset([1])


@case
def list_files_nothing(tf: Any, folder: Path) -> Any:
    return tf.data.Dataset.list_files(str(folder / "*.none"))


@case
def fixed_length(tf: Any, folder: Path) -> Any:
    (folder / "f").write_bytes(b"head" + b"aabbcc" + b"end")
    return tf.data.FixedLengthRecordDataset(str(folder / "f"), 2, 4, 3)


@case
def fixed_length_odd(tf: Any, folder: Path) -> Any:
    (folder / "f").write_bytes(b"abc")
    return tf.data.FixedLengthRecordDataset(str(folder / "f"), 2)


TABLE = 'a,b,c\n1,2.5,x\n4,,"y\nz"\n7,8,"q""r"\n'


@case
def csv(tf: Any, folder: Path) -> Any:
    (folder / "t.csv").write_text(TABLE)
    defaults = [tf.int32, tf.constant([9.0]), tf.string]
    return tf.data.experimental.CsvDataset(str(folder / "t.csv"), defaults, header=True)


@case
def csv_selected(tf: Any, folder: Path) -> Any:
    (folder / "t.csv").write_text(TABLE)
    name = str(folder / "t.csv")
    defaults = [tf.int64, tf.string]
    return tf.data.experimental.CsvDataset(name, defaults, header=True, select_cols=[0, 2])


@case
def csv_not_a_number(tf: Any, folder: Path) -> Any:
    (folder / "t.csv").write_text(TABLE)
    defaults = [tf.int32, tf.constant([9.0]), tf.string]
    return tf.data.experimental.CsvDataset(str(folder / "t.csv"), defaults)


@case
def made_csv(tf: Any, folder: Path) -> Any:
    (folder / "t.csv").write_text("a,b,c\n1,2.5,x\n5000000000,3.5,y\n7,,z\n")
    return tf.data.experimental.make_csv_dataset(
        str(folder / "t.csv"), 2, label_name="b", num_epochs=1, shuffle=False
    )


@case
def records(tf: Any, folder: Path) -> Any:
    name = str(folder / "r")
    with tf.io.TFRecordWriter(name) as file:
        for record in (b"one", b"", b"three" * 100):
            file.write(record)
    return tf.data.TFRecordDataset([name, name])


def _compressed(kind: str) -> Callable[[Any, Path], Any]:
    def make(tf: Any, folder: Path) -> Any:
        name = str(folder / "r")
        with tf.io.TFRecordWriter(name, kind) as file:
            for i in range(3):
                file.write(b"%d" % i * 1000)
        return tf.data.TFRecordDataset(name, compression_type=kind)

    return make


CASES["records_gzip"] = _compressed("GZIP")
CASES["records_zlib"] = _compressed("ZLIB")


@case
def records_not_gzip(tf: Any, folder: Path) -> Any:
    name = str(folder / "r")
    with tf.io.TFRecordWriter(name) as file:
        file.write(b"plain")
    return tf.data.TFRecordDataset(name, compression_type="GZIP")


def _damaged(change: Callable[[bytearray], Any]) -> Callable[[Any, Path], Any]:
    def make(tf: Any, folder: Path) -> Any:
        name = folder / "r"
        with tf.io.TFRecordWriter(str(name)) as file:
            file.write(b"one")
            file.write(b"two")
        data = bytearray(name.read_bytes())
        change(data)
        name.write_bytes(data)
        return tf.data.TFRecordDataset(str(name))

    return make


CASES["records_bad_data"] = _damaged(lambda data: data.__setitem__(12, 0))
CASES["records_bad_length"] = _damaged(lambda data: data.__setitem__(0, 9))
CASES["records_bad_checksum"] = _damaged(lambda data: data.__setitem__(-1, 0))
CASES["records_cut_in_data"] = _damaged(lambda data: data.__delitem__(slice(-6, None)))
