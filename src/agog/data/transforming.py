"""`Dataset`'s methods for single elements and their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agog import _core, dtypes
from agog._core import public
from agog.data import batching, buffering, choosing, mapping, shuffling, sources
from agog.data.node import DatasetBase, Node, as_dataset

if TYPE_CHECKING:
    from agog.data.dataset import Dataset


def _count(value: Any, what: str) -> int:
    """An integer argument: a Python number or a scalar tensor."""
    if type(value) is int:
        return value
    tensor = _core.convert(value)
    if not tensor.dtype.is_integer or tensor.shape.rank:
        raise TypeError(f"{what} must be a scalar integer, got {value!r}")
    return int(tensor)


class Transforming(DatasetBase):
    """The part of Dataset that changes elements one by one, and batches them."""

    @public
    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """`map_func` of each element; the parts of a tuple are its arguments.

        The function runs as ordinary Python, on tensors with values. With `num_parallel_calls` it
        runs on that many threads at a time (AUTOTUNE: one for each CPU); elements keep their order
        unless `deterministic` is false. What it raises is raised where the element would come, and
        the next elements follow.

        >>> dataset = agog.data.Dataset.range(3).map(lambda x: (x, x * x))
        >>> [(int(x), int(y)) for x, y in dataset]
        [(0, 0), (1, 1), (2, 4)]
        """
        calls = None if num_parallel_calls is None else int(num_parallel_calls)
        return as_dataset(mapping.Map(self._node, map_func, calls, deterministic))

    @public
    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` gives a true scalar.

        >>> [int(x) for x in agog.data.Dataset.range(6).filter(lambda x: x % 2 == 0)]
        [0, 2, 4]
        """
        return as_dataset(mapping.Filter(self._node, predicate))

    @public
    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first for which `predicate` gives a false scalar.

        >>> [int(x) for x in agog.data.Dataset.range(9).take_while(lambda x: x < 3)]
        [0, 1, 2]
        """
        return as_dataset(mapping.TakeWhile(self._node, predicate))

    @public
    def scan(
        self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
    ) -> Dataset:
        """`scan_func(state, element)` gives the next state and an element, starting anew each pass.

        Raises TypeError where it gives no pair, or a state of other dtypes.

        >>> zero = agog.constant(0, agog.int64)
        >>> sums = agog.data.Dataset.range(4).scan(zero, lambda s, x: (s + x, s + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6]
        """
        return as_dataset(mapping.Scan(self._node, initial_state, scan_func))

    @public
    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order, drawn from a buffer of `buffer_size`.

        Each draw is from the whole buffer, which the input then fills up; a buffer as large as the
        dataset gives a uniformly random order. Every pass has another order, unless
        `reshuffle_each_iteration` is false. With a `seed`, or after `random.set_seed`, orders
        repeat from run to run. They are not those of TensorFlow.

        >>> sorted(int(x) for x in agog.data.Dataset.range(4).shuffle(4, seed=1))
        [0, 1, 2, 3]
        """
        size = _count(buffer_size, "buffer_size")
        return as_dataset(shuffling.Shuffle(self._node, size, seed, reshuffle_each_iteration))

    @public
    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The dataset `count` times, without end by default.

        >>> [int(x) for x in agog.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        times = -1 if count is None else _count(count, "count")
        return as_dataset(choosing.Repeat(self._node, times))

    @public
    def take(self, count: Any, name: str | None = None) -> Dataset:
        """At most the first `count` elements; all of them where `count` is -1."""
        return as_dataset(choosing.Take(self._node, _count(count, "count")))

    @public
    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """All elements but the first `count`; none where `count` is -1."""
        return as_dataset(choosing.Skip(self._node, _count(count, "count")))

    @public
    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element from number `index` on.

        >>> [int(x) for x in agog.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        shards, index = _count(num_shards, "num_shards"), _count(index, "index")
        return as_dataset(choosing.Shard(self._node, shards, index))

    @public
    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, counted from `start` as int64, and an element.

        >>> [(int(i), x.numpy()) for i, x in agog.data.Dataset.from_tensor_slices("ab".split())
        ...  .enumerate(5)]
        [(5, b'ab')]
        """
        numbers = sources.Count(_count(start, "start"), 1, dtypes.int64)
        return as_dataset(choosing.Zip((numbers, self._node), [numbers, self._node]))

    @public
    def concatenate(self, dataset: Any, name: str | None = None) -> Dataset:
        """These elements, then those of `dataset`; TypeError where they are of other kinds.

        >>> [int(x) for x in agog.data.Dataset.range(2).concatenate(agog.data.Dataset.range(3))]
        [0, 1, 0, 1, 2]
        """
        return as_dataset(choosing.Concatenate(self._node, _node_of(dataset, "dataset")))

    @public
    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """Keeps the elements of the first whole pass in memory for those after it.

        Elements of one shape are kept as columns, so that batches of them are gathered at once.
        A `filename` raises UnimplementedError.

        >>> dataset = agog.data.Dataset.range(3).map(lambda x: x * 2).cache()
        >>> [int(x) for x in dataset], [int(x) for x in dataset]
        ([0, 2, 4], [0, 2, 4])
        """
        path = filename if isinstance(filename, str) else _core.convert(filename).numpy().decode()
        return as_dataset(buffering.Cache(self._node, path))

    @public
    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """Reads up to `buffer_size` elements ahead, on another thread (AUTOTUNE: 2).

        A thread is started when reading an element takes longer than handing it over would.
        """
        return as_dataset(buffering.Prefetch(self._node, _count(buffer_size, "buffer_size")))

    @public
    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Every `batch_size` elements stacked along a new first axis.

        The last batch is smaller where elements do not suffice, or left out with
        `drop_remainder`. InvalidArgumentError where shapes differ: see `padded_batch`.

        >>> [x.numpy().tolist() for x in agog.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        size = batching.check_batch_size(_count(batch_size, "batch_size"))
        return as_dataset(batching.Batch(self._node, size, bool(drop_remainder)))

    @public
    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Every `batch_size` elements padded to one shape and stacked.

        `padded_shapes` has a shape for each component, with None for the longest of the batch,
        which is also the default; `padding_values` a scalar for each, 0 or "" by default.
        DataLossError where an element is longer than its padded shape.

        >>> ragged = agog.data.Dataset.range(1, 4).map(lambda n: agog.fill([n], n))
        >>> [x.numpy().tolist() for x in ragged.padded_batch(3)]
        [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]
        """
        size = batching.check_batch_size(_count(batch_size, "batch_size"))
        drop = bool(drop_remainder)
        node = batching.PaddedBatch(self._node, size, padded_shapes, padding_values, drop)
        return as_dataset(node)

    @public
    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along its first axis.

        >>> [int(x) for x in agog.data.Dataset.range(5).batch(2).unbatch()]
        [0, 1, 2, 3, 4]
        """
        return as_dataset(batching.Unbatch(self._node))

    @public
    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Any:
        """Batches of another size, or of several sizes in turn.

        >>> [x.shape[0] for x in agog.data.Dataset.range(10).batch(4).rebatch([2, 3])]
        [2, 3, 2, 3]
        """
        sizes = _core.convert(batch_size).numpy()
        import numpy as np

        node = batching.Rebatch(self._node, np.asarray(sizes), bool(drop_remainder))
        return as_dataset(node)

    @public
    def unique(self, name: str | None = None) -> Dataset:
        """The elements that did not come before; single tensors only.

        >>> [int(x) for x in agog.data.Dataset.from_tensor_slices([1, 37, 2, 37]).unique()]
        [1, 37, 2]
        """
        return as_dataset(mapping.Unique(self._node))

    @public
    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that raise no error; with `log_warning` the errors are logged.

        >>> dataset = agog.data.Dataset.range(4).map(lambda x: 6 // int(x) if x != 2 else 1 // 0)
        >>> [int(x) for x in dataset.ignore_errors()]
        [6, 2]
        """
        return as_dataset(mapping.IgnoreErrors(self._node, log_warning))


def _node_of(dataset: Any, what: str) -> Node:
    if not isinstance(dataset, DatasetBase):
        raise TypeError(f"{what} must be a tf.data.Dataset, got {type(dataset).__name__}")
    return dataset._node
