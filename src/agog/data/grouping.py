"""`Dataset`'s methods for datasets of datasets, groups and sums."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from agog import _core
from agog._core import public
from agog.data import elements, nesting, resampling
from agog.data.mapping import check_state, scalar_int64
from agog.data.node import as_dataset
from agog.data.transforming import Transforming, _count
from agog.errors import InvalidArgumentError, UnimplementedError
from agog.tensor_shape import TensorShape

if TYPE_CHECKING:
    from agog.data.dataset import Dataset


class Grouping(Transforming):
    """The part of Dataset that makes datasets of elements, and single values of datasets."""

    @public
    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the dataset that `map_func` makes of each element, one after another.

        >>> dataset = agog.data.Dataset.range(3).flat_map(agog.data.Dataset.range)
        >>> [int(x) for x in dataset]
        [0, 0, 1]
        """
        return as_dataset(nesting.FlatMap(self._node, map_func))

    @public
    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: int | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of the datasets that `map_func` makes, `cycle_length` of them in turns.

        A turn takes `block_length` elements (1 by default); a dataset at its end makes way for the
        next one when its turn comes. With `num_parallel_calls`, turns are read ahead on threads in
        the same order, unless `deterministic` is false. `cycle_length` is the number of CPUs by
        default.

        >>> def threes(x):
        ...     return agog.data.Dataset.from_tensors(x).repeat(3)
        >>> dataset = agog.data.Dataset.range(2).interleave(threes, cycle_length=2, block_length=2)
        >>> [int(x) for x in dataset]
        [0, 0, 1, 1, 0, 1]
        """
        cycle = None if cycle_length is None else _count(cycle_length, "cycle_length")
        block = None if block_length is None else _count(block_length, "block_length")
        calls = None if num_parallel_calls is None else int(num_parallel_calls)
        node = nesting.Interleave(self._node, map_func, cycle, block, calls, deterministic)
        return as_dataset(node)

    @public
    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of `size` elements, the first of them `shift` (by default `size`) apart.

        `stride` is the distance of the elements in a window. Windows at the end are smaller, or
        left out with `drop_remainder`. Elements that are structures give structures of datasets.

        >>> windows = agog.data.Dataset.range(5).window(3, shift=2)
        >>> [[int(x) for x in window] for window in windows]
        [[0, 1, 2], [2, 3, 4], [4]]
        """
        step = None if shift is None else _count(shift, "shift")
        size, stride = _count(size, "size"), _count(stride, "stride")
        return as_dataset(nesting.Window(self._node, size, step, stride, bool(drop_remainder)))

    @public
    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of `reduce_func(key, window)` for every `window_size` elements of a key.

        `key_func` gives the key of an element, a scalar integer; `window` is a dataset, and so is
        what `reduce_func` makes of it. `window_size_func(key)` may give a size for each key.

        >>> dataset = agog.data.Dataset.range(5).group_by_window(
        ...     lambda x: x % 2, lambda key, window: window.batch(2), window_size=2)
        >>> [x.numpy().tolist() for x in dataset]
        [[0, 2], [1, 3], [4]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        if window_size_func is None:
            fixed = _count(window_size, "window_size")

            def size_of(key: int) -> int:
                return fixed

        else:
            given = window_size_func

            def size_of(key: int) -> int:
                return scalar_int64(given(_core.convert(key, "int64")), "window_size_func")

        return as_dataset(nesting.GroupByWindow(self._node, key_func, reduce_func, size_of))

    @public
    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of similar lengths, padded.

        Bucket i takes lengths from `bucket_boundaries[i - 1]` up to but without
        `bucket_boundaries[i]`; batches of it have `bucket_batch_sizes[i]` elements. With
        `pad_to_bucket_boundary`, unknown lengths are padded to one less than the upper boundary.

        >>> ragged = agog.data.Dataset.range(1, 5).map(lambda n: agog.fill([n], n))
        >>> batches = ragged.bucket_by_sequence_length(agog.size, [3], [2, 2])
        >>> [x.numpy().tolist() for x in batches]
        [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
        """
        boundaries, sizes = list(bucket_boundaries), [int(size) for size in bucket_batch_sizes]
        if len(sizes) != len(boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(sizes)}` and "
                f"`len(bucket_boundaries)={len(boundaries)}`."
            )

        def bucket(*element: Any) -> int:
            length = element_length_func(*element)
            return bisect.bisect_right(boundaries, scalar_int64(length, "element_length_func"))

        def batch(key: Any, window: Any) -> Any:
            size = sizes[int(key)]
            if no_padding:
                return window.batch(size, drop_remainder)
            shapes = padded_shapes
            if pad_to_bucket_boundary:
                shapes = _up_to_boundary(shapes, window, boundaries, int(key))
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        node = nesting.GroupByWindow(self._node, bucket, batch, lambda key: sizes[key], True)
        return as_dataset(node)

    @public
    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Pairs (class, element) in which classes come as `target_dist` says; others are dropped.

        `class_func` gives the class of an element. Without `initial_dist` the distribution of the
        input is counted on the way.
        """
        target = [float(p) for p in _core.convert(target_dist)]
        initial = None if initial_dist is None else [float(p) for p in _core.convert(initial_dist)]
        node = resampling.RejectionResample(self._node, class_func, target, initial, seed)
        return as_dataset(node)

    @public
    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The last state of `reduce_func(state, element)`; TypeError where its dtypes change.

        >>> zero = agog.constant(0, agog.int64)
        >>> int(agog.data.Dataset.range(5).reduce(zero, lambda total, x: total + x))
        10
        """
        state = elements.to_tensors(initial_state)
        initial = state
        for element in self:  # type: ignore[attr-defined]
            state = elements.to_element(elements.call(reduce_func, (state, element)))
            check_state("reduce_func", initial, state)
        return state

    @public
    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; InvalidArgumentError where there are none or several.

        >>> int(agog.data.Dataset.range(1).get_single_element())
        0
        """
        iterator = iter(self)  # type: ignore[call-overload]
        found = [element for element, _ in zip(iterator, range(2), strict=False)]
        if len(found) != 1:
            what = "had more than one element" if found else "was empty"
            raise InvalidArgumentError(None, None, f"Dataset {what}.")
        return found[0]

    @public
    def apply(self, transformation_func: Callable[..., Any]) -> Dataset:
        """`transformation_func(self)`, which must be a dataset.

        >>> len(agog.data.Dataset.range(5).apply(lambda dataset: dataset.take(2)))
        2
        """
        made = transformation_func(self)
        if not isinstance(made, Transforming):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}."
            )
        return made  # type: ignore[return-value]

    @public
    def save(
        self,
        path: Any,
        compression: Any = None,
        shard_func: Any = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Raises UnimplementedError: write a TFRecord file with `io.TFRecordWriter` instead."""
        _refuse("save", "write the elements with io.TFRecordWriter and io.serialize_tensor")

    @staticmethod
    @public
    def load(
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: Any = None,
        wait: bool = False,
    ) -> Dataset:
        """Raises UnimplementedError: read a TFRecord file with `data.TFRecordDataset` instead."""
        _refuse("load", "read TFRecord files with data.TFRecordDataset")

    @public
    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Raises UnimplementedError: `cache()` keeps elements in memory."""
        _refuse("snapshot", "keep the elements in memory with cache()")

    @public
    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """Raises UnimplementedError: there are no ragged tensors; see `padded_batch`."""
        _refuse("ragged_batch", "pad the elements with padded_batch")

    @public
    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """Raises UnimplementedError: see `padded_batch`."""
        _refuse("sparse_batch", "pad the elements with padded_batch")


def _refuse(method: str, instead: str) -> NoReturn:
    raise UnimplementedError(None, None, f"Dataset.{method} does not exist here: {instead}")


def _up_to_boundary(shapes: Any, window: Any, boundaries: list[int], key: int) -> Any:
    """The padded shapes with unknown lengths set to one less than the bucket's upper boundary."""
    if key >= len(boundaries):
        raise InvalidArgumentError(
            None,
            None,
            f"an element is too long for pad_to_bucket_boundary: the last of the "
            f"bucket_boundaries is {boundaries[-1]}",
        )
    if shapes is None:
        sample = next(iter(window))
        shapes = elements.map_leaves(lambda x: TensorShape([None] * x.shape.rank), sample)

    def bounded(shape: Any) -> TensorShape:
        lengths = [None if n in (None, -1) else int(n) for n in shape]
        return TensorShape([boundaries[key] - 1 if n is None else n for n in lengths])

    if isinstance(shapes, (TensorShape, list)) or _is_plain_shape(shapes):
        return bounded(shapes)
    return elements.map_leaves(bounded, shapes)


def _is_plain_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(n is None or isinstance(n, int) for n in value)
