"""`Dataset`: a description of how to go through elements, again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.data import node as nodes
from agog.data.explaining import Explanation, explain
from agog.data.grouping import Grouping
from agog.data.iterator import Iterator, NumpyIterator
from agog.data.making import Making
from agog.data.nesting import DatasetSpec
from agog.data.node import INFINITE, UNKNOWN, Node
from agog.data.options import Options


class Dataset(Making, Grouping):
    """A sequence of elements, each a tensor or a structure of tensors, that is read as needed.

    Static methods make datasets, the other methods make datasets of datasets; nothing runs before
    elements are asked for, and each `for` goes through all of it again.

    >>> dataset = agog.data.Dataset.range(10).map(lambda x: x * x).batch(4)
    >>> for batch in dataset:
    ...     print(batch.numpy())
    [0 1 4 9]
    [16 25 36 49]
    [64 81]
    """

    _own_options: Options | None = None

    @public
    def __init__(self, variant_tensor: Any) -> None:
        raise TypeError(
            "a Dataset is made by its methods, such as Dataset.from_tensor_slices(x), and not by "
            "calling the class"
        )

    @classmethod
    def _of(cls, node: Node) -> Dataset:
        """The dataset of a node."""
        dataset = object.__new__(Dataset)
        dataset._node = node
        return dataset

    # ---- going through it

    @public
    def __iter__(self) -> Iterator:
        return Iterator(self._node, self.options())

    @public
    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements with NumPy arrays and bytes in place of tensors.

        >>> list(agog.data.Dataset.from_tensor_slices([1.5, 2.5]).as_numpy_iterator())
        [np.float32(1.5), np.float32(2.5)]
        """
        return NumpyIterator(self)

    @public
    def __len__(self) -> int:
        size = self._node.num_elements()
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def __bool__(self) -> bool:
        return True

    @public
    def cardinality(self) -> Tensor:
        """The number of elements as an int64 scalar, or INFINITE (-1) or UNKNOWN (-2).

        >>> int(agog.data.Dataset.range(5).batch(2).cardinality())
        3
        """
        return _core.convert(self._node.num_elements(), dtypes.int64)

    @property
    def element_spec(self) -> Any:
        """The shapes and dtypes of the elements, as a structure of TensorSpecs.

        After a map function that is found out by running the function: on the first element, and,
        where lengths of the input are unknown, on a variant of it with other lengths.
        """
        return self._node.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @public
    def make_one_shot_iterator(self) -> Iterator:
        """`iter(dataset)` under TensorFlow 1's name."""
        return iter(self)

    # ---- options

    @public
    def options(self) -> Options:
        """The options of this dataset and of its inputs."""
        merged = Options()
        for options in _options_of(self._node, set()):
            merged = merged.merge(options)
        return merged

    @public
    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same dataset with these options.

        >>> options = agog.data.Options()
        >>> options.threading.private_threadpool_size = 2
        >>> dataset = agog.data.Dataset.range(3).with_options(options)
        >>> dataset.options().threading.private_threadpool_size
        2
        """
        if not isinstance(options, Options):
            raise TypeError(f"options must be a tf.data.Options, got {type(options).__name__}")
        return Dataset._of(_WithOptions(self._node, options))

    # ---- looking at it

    @public
    def explain(
        self, count: int | None = None, consumer: Callable[..., Any] | None = None
    ) -> Explanation:
        """Goes through the dataset and prints how long each stage worked, and how long it waited.

        It stops after `count` elements, if that is given. `consumer` is called with each of them:
        with the training step there, waits are those of training. Work of threads is the sum over
        all of them.

        >>> times = agog.data.Dataset.range(10).batch(5).explain()  # doctest: +ELLIPSIS
        stage...
        >>> [(row.stage, row.elements) for row in times.rows]
        [('Batch', 2), ('  Range', 10)]
        """
        found = explain(self._node, self.options(), count, consumer)
        print(found)
        return found

    def __repr__(self) -> str:
        spec = self._node.spec if self._node.spec_is_free else "(told by running it)"
        name = type(self).__name__
        name = f"_{self._node.kind}Dataset" if name == "Dataset" else name
        return f"<{name} element_spec={spec}>"


class _WithOptions(Node):
    """A node with options."""

    kind = "Options"

    def __init__(self, source: Node, options: Options) -> None:
        super().__init__(source)
        self.options = Options().merge(options)

    def start(self, run: Any) -> Any:
        return run.start(self.inputs[0])

    def table(self) -> Any:
        return self.inputs[0].table()


def _options_of(node: Node, seen: set[int]) -> list[Options]:
    """The options in a pipeline, those of inputs first."""
    if id(node) in seen:
        return []
    seen.add(id(node))
    found = [options for source in node.inputs for options in _options_of(source, seen)]
    return [*found, node.options] if isinstance(node, _WithOptions) else found


nodes._dataset_class.append(Dataset)
