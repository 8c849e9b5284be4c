"""`Dataset`'s static methods: where elements come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from agog import _core, dtypes, nest
from agog._core import public
from agog.data import elements, mixing, sources
from agog.data.choosing import Zip
from agog.data.node import DatasetBase, Node, as_dataset
from agog.tensor_shape import as_shape
from agog.tensor_spec import TensorSpec, TypeSpec

if TYPE_CHECKING:
    from agog.data.dataset import Dataset


class Making:
    """The part of Dataset that makes datasets."""

    @staticmethod
    @public
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """One element: the given structure of tensors.

        >>> list(agog.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return as_dataset(sources.Tensors(tensors))

    @staticmethod
    @public
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The slices of tensors along their first axis, which must be equally long.

        Tuples and dicts of tensors give elements nested alike; a list becomes one tensor. Batches
        of slices are gathered at once: nothing is done per element.

        >>> dataset = agog.data.Dataset.from_tensor_slices({"x": [1, 2], "y": ["a", "b"]})
        >>> [(int(e["x"]), e["y"].numpy()) for e in dataset]
        [(1, b'a'), (2, b'b')]
        """
        return as_dataset(sources.Slices(tensors))

    @staticmethod
    @public
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """What `generator(*args)` yields; it is called anew for each pass.

        `output_signature` is a structure of TensorSpecs; the older `output_types`, perhaps with
        `output_shapes`, says the same. Values are cast as NumPy casts. Raises InvalidArgumentError
        (which is a TypeError here) for what does not fit; errors of the generator stay as they
        are.

        >>> def squares(n):
        ...     for i in range(n):
        ...         yield i * i
        >>> dataset = agog.data.Dataset.from_generator(
        ...     squares, args=(3,), output_signature=agog.TensorSpec([], agog.int64))
        >>> [int(x) for x in dataset]
        [0, 1, 4]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = _signature(output_types, output_shapes, output_signature)
        arguments = tuple(_core.convert(arg).numpy() for arg in args or ())
        return as_dataset(sources.Generated(generator, spec, arguments))

    @staticmethod
    @public
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """Numbers: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        `output_type` is their dtype, int64 by default.

        >>> [int(x) for x in agog.data.Dataset.range(5, 0, -2)]
        [5, 3, 1]
        """
        dtype = kwargs.pop("output_type", dtypes.int64)
        kwargs.pop("name", None)
        if kwargs:
            raise TypeError(
                f"range takes the keywords output_type and name, not {', '.join(kwargs)}"
            )
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` should be between 1 and 3, got {len(args)}"
            )
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        return as_dataset(sources.Range(start, stop, step, dtype))

    @staticmethod
    @public
    def counter(
        start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """The numbers start, start + step, …, without end.

        >>> [int(x) for x in agog.data.Dataset.counter(3, 2).take(3)]
        [3, 5, 7]
        """
        return as_dataset(sources.Count(start, step, dtype))

    @staticmethod
    @public
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """Random integers from 0 to 2^32 - 1, as int64, without end.

        Every pass gives the same ones unless `rerandomize_each_iteration` is true.
        """
        return as_dataset(sources.Random(seed, rerandomize_each_iteration))

    @staticmethod
    @public
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """One element of each of several datasets, ending with the shortest.

        The datasets are the arguments, or one tuple or dict of datasets, nested as the elements
        are to be.

        >>> a, b = agog.data.Dataset.range(3), agog.data.Dataset.range(10, 20)
        >>> [(int(x), int(y)) for x, y in agog.data.Dataset.zip(a, b)]
        [(0, 10), (1, 11), (2, 12)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = (args[0] if len(args) == 1 else args) if args else datasets
        nodes = elements.map_leaves(_zipped_node, given)
        return as_dataset(Zip(nodes, elements.flatten(nodes)))

    @staticmethod
    @public
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that match a pattern or several, shuffled unless told otherwise.

        Raises InvalidArgumentError where nothing matches.
        """
        from agog.io.local import matching

        patterns = _core.convert(file_pattern, dtypes.string)
        found = matching(patterns)
        if not found:
            from agog.errors import InvalidArgumentError

            shown = patterns.numpy()
            raise InvalidArgumentError(None, None, f"No files matched pattern: {shown!r}")
        dataset = as_dataset(sources.Slices(_core.convert(found)))
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(len(found), seed=seed)
        return dataset

    @staticmethod
    @public
    def sample_from_datasets(
        datasets: Sequence[Any],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """Elements of datasets that are picked at random, by `weights` (equal ones by default).

        `weights` is a list of numbers, or a dataset of such lists, one for each draw. It goes on
        until all datasets are at their end, or the first one with `stop_on_empty_dataset`.
        """
        nodes = _nodes(datasets)
        if isinstance(weights, DatasetBase):
            chosen: Any = weights._node
        else:
            chosen = _weights(weights, len(nodes))
            nodes = [node for node, weight in zip(nodes, chosen, strict=True) if weight > 0]
            chosen = [weight for weight in chosen if weight > 0]
            if len(nodes) == 1:
                return as_dataset(nodes[0])
        stop, again = stop_on_empty_dataset, rerandomize_each_iteration
        return as_dataset(mixing.Sample(chosen, nodes, seed, stop, again))

    @staticmethod
    @public
    def choose_from_datasets(
        datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Elements of the datasets that the numbers in `choice_dataset` (int64) name.

        With `stop_on_empty_dataset=False`, choices of datasets at their end are passed over.

        >>> choices = agog.data.Dataset.range(2).repeat(2)
        >>> parts = [agog.data.Dataset.range(2), agog.data.Dataset.range(10, 12)]
        >>> [int(x) for x in agog.data.Dataset.choose_from_datasets(parts, choices)]
        [0, 10, 1, 11]
        """
        nodes = _nodes(datasets)
        if not isinstance(choice_dataset, DatasetBase):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset).__name__}."
            )
        choices = choice_dataset._node
        if choices.spec_is_free and choices.spec != TensorSpec([], dtypes.int64):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {choices.spec}."
            )
        return as_dataset(mixing.Choose(choices, nodes, stop_on_empty_dataset))


def _zipped_node(dataset: Any) -> Node:
    if isinstance(dataset, DatasetBase):
        return dataset._node
    if isinstance(dataset, list):
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
            "`tf.data.Dataset` objects. Python `list` is not supported and you should use `tuple` "
            "instead."
        )
    raise TypeError(
        "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
        f"`tf.data.Dataset` objects but encountered object of type {type(dataset)}."
    )


def _nodes(datasets: Sequence[Any]) -> list[Node]:
    found = list(datasets)
    if not found:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    for dataset in found:
        if not isinstance(dataset, DatasetBase):
            raise TypeError(
                f"Invalid `datasets`. `datasets` must be datasets, got {type(dataset).__name__}"
            )
    return [dataset._node for dataset in found]


def _weights(weights: Any, count: int) -> list[float]:
    if weights is None:
        return [1.0] * count
    listed = [float(w) for w in _core.convert(weights)]
    if len(listed) != count:
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={len(listed)}` vs. `len(datasets)={count}`."
        )
    if any(w < 0 for w in listed) or not sum(listed) > 0:
        raise ValueError(
            f"Invalid `weights`. `weights` must not be negative, and one must not be 0: {listed}"
        )
    return listed


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is not None:
        for name, given in (("output_types", output_types), ("output_shapes", output_shapes)):
            if given is not None:
                raise TypeError(
                    f"The `{name}` argument can not be used together with the "
                    "`output_signature` argument."
                )
        for spec in nest.flatten(output_signature):
            if not isinstance(spec, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` "
                    f"but found {type(spec)} which is not."
                )
        return _as_tuples(output_signature)
    if output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    types = _as_tuples(output_types)
    leaves = elements.flatten(types)
    shapes = [None] * len(leaves)
    if output_shapes is not None:
        shapes = _shapes_like(types, output_shapes)
    pairs = zip(shapes, leaves, strict=True)
    specs = [TensorSpec(as_shape(shape), dtypes.as_dtype(dtype)) for shape, dtype in pairs]
    return elements.pack_like(types, iter(specs))


def _as_tuples(structure: Any) -> Any:
    return tuple(structure) if isinstance(structure, list) else structure


def _shapes_like(types: Any, shapes: Any) -> list[Any]:
    """The shape of each leaf of `types`: shapes may be tuples and lists themselves."""
    if not elements.is_nested(types):
        return [shapes]
    if isinstance(types, dict):
        pairs = [(types[key], shapes[key]) for key in sorted(types)]
    else:
        pairs = list(zip(elements.parts_of(types), shapes, strict=True))
    return [shape for part, given in pairs for shape in _shapes_like(part, given)]
