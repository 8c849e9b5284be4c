"""Sources whose elements are in memory, are counted, or come from Python or from a generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from agog import _core, dtypes, nest
from agog._core import Tensor
from agog.data import elements
from agog.data.node import INFINITE, UNKNOWN, Node
from agog.data.randomness import Seeds, blocks
from agog.data.stage import Run, Stage, State
from agog.data.table import Counter, Rows, Table
from agog.errors import FailedPreconditionError, InvalidArgumentError, InvalidTypeError
from agog.tensor_spec import NoneTensorSpec, TensorSpec


class Tensors(Node):
    """One element."""

    kind = "Tensor"

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.element = elements.to_tensors(value)

    def make_spec(self) -> Any:
        return elements.spec_of(self.element)

    def num_elements(self) -> int:
        return 1

    def start(self, run: Run) -> Stage:
        return ListStage([self.element])


class Elements(Node):
    """Elements in a list: windows, and `from_list`."""

    kind = "List"

    def __init__(self, found: list[Any], make_spec: Callable[[], Any] | None = None) -> None:
        super().__init__()
        self.elements = found
        self._make_spec = make_spec

    def make_spec(self) -> Any:
        if self._make_spec is not None:
            return self._make_spec()
        spec = elements.spec_of(self.elements[0])
        for element in self.elements[1:]:
            spec = elements.common_spec(spec, elements.spec_of(element))
        return spec

    def num_elements(self) -> int:
        return len(self.elements)

    def start(self, run: Run) -> Stage:
        return ListStage(self.elements)


class ListStage(Stage):
    """A pass over a list."""

    def __init__(self, found: list[Any]) -> None:
        super().__init__()
        self.elements = found
        self.position = 0

    def next(self) -> Any:
        if self.position >= len(self.elements):
            raise StopIteration
        self.position += 1
        return self.elements[self.position - 1]

    def next_elements(self, count: int) -> list[Any]:
        found = self.elements[self.position : self.position + count]
        self.position += len(found)
        return found

    def save(self) -> State:
        return {"position": self.position}

    def restore(self, state: State) -> None:
        self.position = state["position"]


class TableNode(Node):
    """The rows of a table."""

    def __init__(self, *inputs: Node) -> None:
        super().__init__(*inputs)
        self._table: Table | None = None

    def start(self, run: Run) -> Stage:
        table = self.table()
        assert table is not None
        return TableStage(table)


class Slices(TableNode):
    """The slices of tensors along their first axis."""

    kind = "TensorSlice"

    def __init__(self, value: Any) -> None:
        super().__init__()
        structure = elements.to_tensors(value)
        columns = elements.flatten(structure)
        lengths = [_length(column) for column in columns]
        for length in lengths:
            if length != lengths[0]:
                raise ValueError(
                    f"from_tensor_slices needs tensors of one length along the first axis: "
                    f"Dimensions {lengths[0]} and {length} are not compatible"
                )
        if not lengths:
            raise ValueError("from_tensor_slices needs at least one tensor, got an empty structure")
        self._table = Table(structure, columns, lengths[0])

    def table(self) -> Table | None:
        return self._table

    def make_spec(self) -> Any:
        assert self._table is not None
        return elements.map_leaves(
            lambda x: TensorSpec(x.shape[1:], x.dtype), self._table.structure
        )

    def num_elements(self) -> int:
        assert self._table is not None
        return self._table.length


def _length(column: Any) -> int:
    if type(column) is not Tensor:
        raise TypeError(
            f"from_tensor_slices takes tensors and what converts to them, got "
            f"{type(column).__name__}"
        )
    if not column.shape.rank:
        raise ValueError(
            "from_tensor_slices needs tensors of rank >= 1, got a scalar; from_tensors makes one "
            "element of it (Unbatching a tensor is only supported for rank >= 1)"
        )
    return len(column)


class Range(TableNode):
    """Numbers that are counted up or down."""

    kind = "Range"

    def __init__(self, start: Any, stop: Any, step: Any, dtype: Any) -> None:
        super().__init__()
        self.start_at, stop, step = (_integer(v) for v in (start, stop, step))
        if step == 0:
            raise InvalidArgumentError(None, None, "step of range must be a non-zero integer")
        self.dtype = dtypes.as_dtype(dtype)
        if not self.dtype.is_integer and not self.dtype.is_floating:
            raise TypeError(f"range makes numbers, not elements of dtype {self.dtype.name}")
        length = len(range(self.start_at, stop, step))
        column = Counter(self.start_at, step, length, self.dtype)
        self._table = Table(_core.convert(0), [column], length)

    def table(self) -> Table | None:
        return self._table

    def make_spec(self) -> Any:
        return TensorSpec([], self.dtype)

    def num_elements(self) -> int:
        assert self._table is not None
        return self._table.length


def _integer(value: Any) -> int:
    tensor = _core.convert(value, None, dtypes.int64)
    if not tensor.dtype.is_integer or tensor.shape.rank:
        raise TypeError(f"range counts in scalar integers, got {value!r}")
    return int(tensor)


class Count(TableNode):
    """Numbers from `start` on, without end."""

    kind = "Counter"
    LENGTH: ClassVar[int] = 2**63 - 1

    def __init__(self, start: Any, step: Any, dtype: Any) -> None:
        super().__init__()
        self.dtype = dtypes.as_dtype(dtype)
        column = Counter(_integer(start), _integer(step), self.LENGTH, self.dtype)
        self._table = Table(_core.convert(0), [column], self.LENGTH)

    def table(self) -> Table | None:
        return self._table

    def make_spec(self) -> Any:
        return TensorSpec([], self.dtype)

    def num_elements(self) -> int:
        return INFINITE


class TableStage(Stage):
    """A pass over the rows of a table."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table
        self.position = 0

    @property
    def table(self) -> Table | None:
        return self._table

    def next(self) -> Any:
        if self.position >= self._table.length:
            raise StopIteration
        self.position += 1
        return self._table.row(self.position - 1)

    def next_rows(self, count: int) -> Rows:
        start = self.position
        self.position = min(start + count, self._table.length)
        return range(start, self.position)

    def save(self) -> State:
        return {"position": self.position}

    def restore(self, state: State) -> None:
        self.position = state["position"]


class Generated(Node):
    """What a Python generator yields."""

    kind = "Generator"

    def __init__(self, generator: Callable[..., Any], spec: Any, args: tuple[Any, ...]) -> None:
        super().__init__()
        self.generator = generator
        self._spec = spec
        self.args = args
        self.is_flat = isinstance(spec, TensorSpec)

    def num_elements(self) -> int:
        return UNKNOWN

    def start(self, run: Run) -> Stage:
        return GeneratedStage(self)

    def element(self, value: Any) -> Any:
        """What was yielded, in the shape and dtype of the signature."""
        if self.is_flat:
            return self._leaf(self._spec, value)
        if type(value) is list and isinstance(self._spec, tuple):
            raise self._misfit(value)
        try:
            return elements.map_leaves(self._leaf, self._spec, value)
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            if isinstance(error, InvalidTypeError):
                raise
            raise self._misfit(value) from None

    def _misfit(self, value: Any) -> InvalidTypeError:
        return InvalidTypeError(
            None,
            None,
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {self._spec}, but the yielded element was {value!r}.",
        )

    def _leaf(self, spec: Any, value: Any) -> Any:
        if isinstance(spec, NoneTensorSpec):
            return None
        tensor = _converted(value, spec)
        if not spec.shape.is_compatible_with(tensor.shape):
            raise InvalidTypeError(
                None,
                None,
                f"`generator` yielded an element of shape {tensor.shape} where an element of "
                f"shape {spec.shape} was expected.",
            )
        return tensor


def _converted(value: Any, spec: Any) -> Tensor:
    """A tensor of the dtype of the spec; as NumPy casts, so that arrays of float64 are welcome."""
    if type(value) is Tensor and value.dtype is spec.dtype:
        return value
    try:
        if spec.dtype is dtypes.string or type(value) in (int, bool):
            return _core.convert(value, spec.dtype)
        import numpy as np

        return _core.convert(np.asarray(value).astype(spec.dtype.as_numpy_dtype))
    except (TypeError, ValueError, OverflowError):
        raise InvalidTypeError(
            None,
            None,
            "`generator` yielded an element that could not be converted to the expected type. "
            f"The expected type was {spec.dtype.name}, but the yielded element was {value!r}.",
        ) from None


class GeneratedStage(Stage):
    """A pass over a generator. Generators cannot be rewound: a restored one is run anew."""

    def __init__(self, node: Generated) -> None:
        super().__init__()
        self.node = node
        self.iterator: Iterator[Any] | None = None
        self.count = 0
        self.ended = False

    def next(self) -> Any:
        if self.ended:
            raise StopIteration
        if self.iterator is None:
            self.iterator = iter(self.node.generator(*self.node.args))
        try:
            value = next(self.iterator)
        except StopIteration:
            self.ended = True
            raise
        self.count += 1
        return self.node.element(value)

    def save(self) -> State:
        return {"count": self.count, "ended": self.ended}

    def restore(self, state: State) -> None:
        for _ in range(state["count"]):
            self.next()
        self.ended = state["ended"]

    def close(self) -> None:
        if self.iterator is None or not hasattr(self.iterator, "close"):
            return
        try:
            self.iterator.close()
        except ValueError:
            # It runs on a thread of a prefetch that was left: it ends when nobody holds it.
            self.iterator = None


class Iterated(Generated):
    """What can be iterated: each item is an element, in which lists are structures, too."""

    kind = "Iterable"

    def __init__(self, items: Any) -> None:
        super().__init__(lambda: iter(items), None, ())
        self.items = items

    def element(self, value: Any) -> Any:
        return nest.map_structure(_core.convert, value)

    def make_spec(self) -> Any:
        if iter(self.items) is self.items:
            raise FailedPreconditionError(
                None, None, "what can be iterated only once cannot be asked for its first element"
            )
        return elements.spec_of(self.element(next(iter(self.items))))


class Random(Node):
    """Random integers without end: uint32 numbers as int64."""

    kind = "Random"
    BLOCK: ClassVar[int] = 1024

    def __init__(self, seed: Any, rerandomize: bool | None) -> None:
        super().__init__()
        self.seeds = Seeds(seed, bool(rerandomize))

    def make_spec(self) -> Any:
        return TensorSpec([], dtypes.int64)

    def num_elements(self) -> int:
        return INFINITE

    def start(self, run: Run) -> Stage:
        return RandomStage(self.seeds)


class RandomStage(Stage):
    """A pass over random numbers."""

    def __init__(self, seeds: Seeds) -> None:
        super().__init__()
        self.seeds = seeds
        self.epoch = seeds.next_epoch()
        self.position = 0
        self.block = (-1, [0])

    def next(self) -> Any:
        number, offset = divmod(self.position, Random.BLOCK)
        if self.block[0] != number:
            draws = blocks(self.seeds, self.epoch, number)
            self.block = number, draws.integers(0, 2**32, Random.BLOCK).tolist()
        self.position += 1
        return _core.convert(self.block[1][offset], dtypes.int64)

    def save(self) -> State:
        return {"epoch": self.epoch, "position": self.position}

    def restore(self, state: State) -> None:
        self.epoch, self.position = state["epoch"], state["position"]
        self.seeds.go_to(self.epoch)
