"""`agog.data.experimental`: older names of what `Dataset` does, and a few extras."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from agog import _core, dtypes
from agog._core import public
from agog.data import elements, mapping, sources
from agog.data.csv_files import make_csv_dataset
from agog.data.dataset import Dataset
from agog.data.iterator import Optional
from agog.data.node import INFINITE as INFINITE_CARDINALITY
from agog.data.node import UNKNOWN as UNKNOWN_CARDINALITY
from agog.data.node import as_dataset
from agog.data.options import (
    AUTOTUNE,
    AutotuneOptions,
    DistributeOptions,
    OptimizationOptions,
    ThreadingOptions,
    enable_debug_mode,
)
from agog.data.readers import CsvDataset
from agog.errors import InvalidArgumentError
from agog.io.tfrecord import TFRecordWriter as _RecordFile

Transformation = Callable[[Any], Any]


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is split among workers; accepted and without effect."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a dataset; accepted and without effect."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How parameters are tuned; accepted and without effect."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


@public
def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """For `Dataset.apply`: `map`, then `batch`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


@public
def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """For `Dataset.apply`: `shuffle`, then `repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@public
def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """For `Dataset.apply`: `interleave` on as many threads as datasets; `sloppy`: in any order."""
    return lambda dataset: dataset.interleave(
        map_func, cycle_length, block_length, cycle_length, deterministic=not sloppy
    )


@public
def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """For `Dataset.apply`: `Dataset.scan`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


@public
def take_while(predicate: Callable[..., Any]) -> Transformation:
    """For `Dataset.apply`: `Dataset.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


@public
def unbatch() -> Transformation:
    """For `Dataset.apply`: `Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


@public
def unique() -> Transformation:
    """For `Dataset.apply`: `Dataset.unique`."""
    return lambda dataset: dataset.unique()


@public
def ignore_errors(log_warning: bool = False) -> Transformation:
    """For `Dataset.apply`: `Dataset.ignore_errors`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


@public
def enumerate_dataset(start: Any = 0) -> Transformation:
    """For `Dataset.apply`: `Dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


@public
def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """For `Dataset.apply`: `Dataset.group_by_window`."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


@public
def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """For `Dataset.apply`: `Dataset.bucket_by_sequence_length`."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


@public
def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """For `Dataset.apply`: `Dataset.rejection_resample`."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


@public
def sample_from_datasets(
    datasets: Sequence[Any],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """`Dataset.sample_from_datasets` under its older name."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


@public
def choose_from_datasets(
    datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Dataset:
    """`Dataset.choose_from_datasets` under its older name, which passes over empty datasets."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


@public
def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:  # noqa: N802
    """`Dataset.counter` under its older name."""
    return Dataset.counter(start, step, dtype)


@public
def RandomDataset(  # noqa: N802 - a class in TensorFlow
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Dataset:
    """`Dataset.random` under its older name."""
    return Dataset.random(seed, rerandomize_each_iteration)


@public
def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """A dataset of the elements of a list, which must be nested alike.

    >>> [int(x) for x in agog.data.experimental.from_list([1, 2])]
    [1, 2]
    """
    found = [_element(value) for value in elements]
    if not found:
        raise ValueError("Invalid `elements`. `elements` should not be empty.")
    node = sources.Elements(found)
    node.spec  # noqa: B018 - raises where the elements differ
    return as_dataset(node)


def _element(value: Any) -> Any:
    return elements.to_tensors(value)


@public
def cardinality(dataset: Dataset) -> Any:
    """`Dataset.cardinality` as a function."""
    return dataset.cardinality()


@public
def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """For `Dataset.apply`: says how many elements there are; FailedPreconditionError otherwise."""
    expected = int(expected_cardinality)
    return lambda dataset: as_dataset(mapping.AssertCardinality(dataset._node, expected))


@public
def get_single_element(dataset: Dataset) -> Any:
    """`Dataset.get_single_element` as a function."""
    return dataset.get_single_element()


@public
def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec` of a dataset or an iterator."""
    return dataset_or_iterator.element_spec


@public
def get_next_as_optional(iterator: Any) -> Optional:
    """The iterator's next element as an Optional, which is empty at the end."""
    return iterator.get_next_as_optional()


@public
def at(dataset: Dataset, index: Any) -> Any:
    """The element with this number; InvalidArgumentError where there is none.

    >>> int(agog.data.experimental.at(agog.data.Dataset.range(5), 3))
    3
    """
    number = int(index)
    for element in dataset.skip(max(number, 0)).take(1):
        if number >= 0:
            return element
    raise InvalidArgumentError(None, None, f"there is no element {number} in the dataset")


@public
def copy_to_device(target_device: Any, source_device: Any = "/cpu:0") -> Transformation:
    """For `Dataset.apply`: the dataset itself, as there is one device."""
    return lambda dataset: dataset


@public
def prefetch_to_device(device: Any, buffer_size: Any = None) -> Transformation:
    """For `Dataset.apply`: `prefetch`, as there is one device."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


@public
def parse_example_dataset(
    features: Any, num_parallel_calls: Any = 1, deterministic: Any = None
) -> Transformation:
    """For `Dataset.apply`: `io.parse_example` of each batch of serialized examples."""
    from agog.io import parse_example

    return lambda dataset: dataset.map(
        lambda serialized: parse_example(serialized, features), num_parallel_calls, deterministic
    )


class TFRecordWriter:
    """Writes a dataset of string scalars to a TFRecord file."""

    @public
    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename, self._compression = filename, compression_type

    @public
    def write(self, dataset: Dataset) -> None:
        """Writes the elements of a dataset; TypeError where they are no strings."""
        spec = dataset.element_spec
        if getattr(spec, "dtype", None) is not dtypes.string:
            raise TypeError(f"`dataset` must have elements of dtype tf.string, got {spec}")
        with _RecordFile(self._filename, self._compression) as file:
            for record in dataset:
                file.write(record)


class Reducer:
    """The three functions of `group_by_reducer`."""

    @public
    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self.init_func, self.reduce_func = init_func, reduce_func
        self.finalize_func = finalize_func


@public
def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """For `Dataset.apply`: one element for each key, `finalize_func` of the key's last state.

    Keys come in ascending order.
    """

    def reduced(key: Any, window: Any) -> Any:
        state = window.reduce(reducer.init_func(key), _with_element(reducer.reduce_func))
        return Dataset.from_tensors(elements.to_element(reducer.finalize_func(state)))

    # No window is ever full, so all come at the end.
    return lambda dataset: dataset.group_by_window(key_func, reduced, _core.convert(2**62))


def _with_element(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda state, element: function(state, element)


__all__ = [
    "AUTOTUNE",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DistributeOptions",
    "ExternalStatePolicy",
    "INFINITE_CARDINALITY",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "TFRecordWriter",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_csv_dataset",
    "map_and_batch",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "take_while",
    "unbatch",
    "unique",
]
