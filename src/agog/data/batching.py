"""Elements put together along a new first axis, and taken apart again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agog import _core, dtypes
from agog._core import Tensor
from agog.data import elements
from agog.data.node import UNKNOWN, Node
from agog.data.stage import Run, Stage, State, decode, encode
from agog.data.table import Table
from agog.errors import DataLossError, InvalidArgumentError
from agog.tensor_shape import TensorShape, as_shape
from agog.tensor_spec import NoneTensorSpec, TensorSpec, TypeSpec

if TYPE_CHECKING:
    import numpy as np


def check_batch_size(batch_size: Any) -> int:
    """A batch size as an int; InvalidArgumentError where it is not positive."""
    size = int(batch_size)
    if size < 1:
        raise InvalidArgumentError(
            None, None, f"Batch size must be greater than zero, got batch_size = {size}"
        )
    return size


class Batch(Node):
    """Every `size` elements stacked."""

    kind = "Batch"

    def __init__(self, source: Node, size: int, drop_remainder: bool) -> None:
        super().__init__(source)
        self.size, self.drop_remainder = size, drop_remainder

    def make_spec(self) -> Any:
        length = self.size if self.drop_remainder else None

        def batched(spec: TypeSpec) -> TypeSpec:
            if isinstance(spec, NoneTensorSpec):
                return spec
            if not isinstance(spec, TensorSpec):
                raise TypeError(f"elements with {spec} in them cannot be batched")
            return TensorSpec(TensorShape([length]).concatenate(spec.shape), spec.dtype)

        return elements.map_leaves(batched, self.inputs[0].spec)

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        if size < 0:
            return size
        return size // self.size if self.drop_remainder else -(-size // self.size)

    def start(self, run: Run) -> Stage:
        return BatchStage(run.start(self.inputs[0]), self)


class BatchStage(Stage):
    """A pass in batches. The input stacks them, as a table gathers a whole batch at once."""

    def __init__(self, source: Stage, node: Batch) -> None:
        super().__init__(source)
        self.size, self.drop_remainder = node.size, node.drop_remainder
        self.next_of_input = source.next_batch

    def next(self) -> Any:
        batch, size = self.next_of_input(self.size)
        if size < self.size and (size == 0 or self.drop_remainder):
            raise StopIteration
        return batch


class PaddedBatch(Batch):
    """Every `size` elements stacked, padded to one shape."""

    kind = "PaddedBatch"

    def __init__(
        self,
        source: Node,
        size: int,
        padded_shapes: Any,
        padding_values: Any,
        drop_remainder: bool,
    ) -> None:
        super().__init__(source, size, drop_remainder)
        self.padded_shapes, self.padding_values = padded_shapes, padding_values
        self._plan: list[tuple[Any, Any]] | None = None
        if source.spec_is_free:
            self.plan(source.spec)

    def make_spec(self) -> Any:
        source = self.inputs[0].spec
        length = self.size if self.drop_remainder else None
        shapes = iter([shape for shape, _ in self.plan(source)])

        def batched(spec: Any) -> TypeSpec:
            shape = next(shapes)
            shape = spec.shape if shape is None else shape
            return TensorSpec(TensorShape([length]).concatenate(shape), spec.dtype)

        return elements.map_leaves(batched, source)

    def plan(self, spec: Any) -> list[tuple[Any, Any]]:
        """For each leaf the shape that is asked for (None: the longest) and the padding."""
        if self._plan is None:
            leaves = elements.flatten(spec)
            shapes = _per_leaf(self.padded_shapes, leaves, _is_shape, "padded_shapes")
            values = _per_leaf(self.padding_values, leaves, _is_value, "padding_values")
            self._plan = [
                (_checked_shape(shape, leaf), _checked_value(value, leaf))
                for shape, value, leaf in zip(shapes, values, leaves, strict=True)
            ]
        return self._plan

    def start(self, run: Run) -> Stage:
        return PaddedBatchStage(run.start(self.inputs[0]), self)


def _is_shape(value: Any) -> bool:
    if isinstance(value, (TensorShape, list, Tensor)) or hasattr(value, "__array__"):
        return True
    return isinstance(value, tuple) and all(v is None or isinstance(v, int) for v in value)


def _is_value(value: Any) -> bool:
    return not elements.is_nested(value)


def _per_leaf(given: Any, leaves: list[Any], is_leaf: Callable[..., bool], name: str) -> list[Any]:
    """One shape or value for each leaf; a single one, or None, counts for all."""
    if given is None or (is_leaf(given) and (len(leaves) == 1 or name == "padding_values")):
        return [given] * len(leaves)

    def parts(value: Any) -> list[Any]:
        if value is None or is_leaf(value) or not elements.is_nested(value):
            return [value]
        return [leaf for part in elements.parts_of(value) for leaf in parts(part)]

    found = parts(given)
    if len(found) != len(leaves):
        raise ValueError(
            f"{name} must be nested as the elements are: it has {len(found)} entries, the "
            f"elements have {len(leaves)} components"
        )
    return found


def _checked_shape(shape: Any, spec: Any) -> TensorShape | None:
    if shape is None:
        return None
    if not isinstance(shape, TensorShape):
        listed = shape if isinstance(shape, (list, tuple)) else _core.convert(shape).numpy()
        shape = TensorShape([None if v is None or int(v) == -1 else int(v) for v in listed])
    shape = as_shape(shape)
    rank = spec.shape.rank
    if rank is not None and shape.rank != rank:
        raise ValueError(
            f"The padded shape {shape} is not compatible with the shape {spec.shape} of the "
            "corresponding input component."
        )
    for length, wanted in zip(spec.shape if rank else (), shape, strict=False):
        if length is not None and wanted is not None and wanted < length:
            raise ValueError(
                f"The padded shape {shape} is not compatible with the shape {spec.shape} of the "
                "corresponding input component."
            )
    return shape


def _checked_value(value: Any, spec: Any) -> Any:
    """The padding as an element of a NumPy array."""
    if value is None:
        return b"" if spec.dtype is dtypes.string else spec.dtype.as_numpy_dtype(0)
    tensor = _core.convert(value)
    if tensor.shape.rank:
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` must be scalars, got shape {tensor.shape}"
        )
    if tensor.dtype is not spec.dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not "
            f"match type {spec.dtype} of the corresponding input component."
        )
    return tensor.numpy()


class PaddedBatchStage(Stage):
    """A pass in padded batches."""

    def __init__(self, source: Stage, node: PaddedBatch) -> None:
        super().__init__(source)
        self.node = node

    def next(self) -> Any:
        found = self.inputs[0].next_elements(self.node.size)
        if not found or (len(found) < self.node.size and self.node.drop_remainder):
            raise StopIteration
        columns = list(zip(*map(elements.flatten, found), strict=True))
        first = found[0]
        plan = self.node.plan(elements.spec_of(first) if self.node._plan is None else None)
        padded = [_padded(column, *how) for column, how in zip(columns, plan, strict=True)]
        return elements.pack_like(first, iter(padded))


def _padded(tensors: tuple[Any, ...], shape: TensorShape | None, padding: Any) -> Tensor:
    import numpy as np

    arrays = [np.asarray(tensor) for tensor in tensors]
    for array in arrays:
        if array.ndim != arrays[0].ndim:
            raise InvalidArgumentError(
                None,
                None,
                f"All elements in a batch must have the same rank when padding, got the shapes "
                f"{list(arrays[0].shape)} and {list(array.shape)}",
            )
    longest = [max(lengths) for lengths in zip(*[a.shape for a in arrays], strict=True)]
    lengths = _batch_shape(longest, shape)
    result = np.full([len(arrays), *lengths], padding, dtype=arrays[0].dtype)
    for i, array in enumerate(arrays):
        place: tuple[Any, ...] = (i, *(slice(0, n) for n in array.shape))
        result[place] = array
    return _core.convert(result, tensors[0].dtype)


def _batch_shape(longest: list[int], shape: TensorShape | None) -> list[int]:
    if shape is None:
        return longest
    if shape.rank != len(longest):
        raise InvalidArgumentError(
            None,
            None,
            f"the padded shape {shape} has another rank than an element of shape {longest}",
        )
    for wanted, length in zip(shape, longest, strict=True):
        if wanted is not None and wanted < length:
            raise DataLossError(
                None,
                None,
                "Attempted to pad to a smaller size than the input element: the padded shape is "
                f"{shape}, an element has {longest}",
            )
    return [
        length if wanted is None else wanted for wanted, length in zip(shape, longest, strict=True)
    ]


class Unbatch(Node):
    """The slices of each element along the first axis."""

    kind = "Unbatch"

    def __init__(self, source: Node) -> None:
        super().__init__(source)
        if source.spec_is_free:
            self._spec = self.make_spec()

    def make_spec(self) -> Any:
        return elements.map_leaves(self._slice_spec, self.inputs[0].spec)

    def _slice_spec(self, spec: Any) -> TypeSpec:
        if isinstance(spec, NoneTensorSpec):
            return spec
        if spec.shape.rank == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        return TensorSpec(spec.shape[1:] if spec.shape.rank else None, spec.dtype)

    def num_elements(self) -> int:
        size = self.inputs[0].num_elements()
        if size <= 0 or not self.inputs[0].spec_is_free:
            return size if size <= 0 else UNKNOWN
        for leaf in elements.flatten(self.inputs[0].spec):
            if leaf.shape.rank and leaf.shape[0] is not None:
                return size * leaf.shape[0]
        return UNKNOWN

    def start(self, run: Run) -> Stage:
        return UnbatchStage(run.start(self.inputs[0]), self)


class UnbatchStage(Stage):
    """A pass over the slices."""

    def __init__(self, source: Stage, node: Unbatch) -> None:
        super().__init__(source)
        self.node = node
        self.element: Any = None
        self.slices = Table((), [], 0)
        self.position = 0

    def next(self) -> Any:
        while self.position >= self.slices.length:
            self._open(self.inputs[0].next())
        self.position += 1
        return self.slices.row(self.position - 1)

    def _open(self, element: Any) -> None:
        leaves = [leaf for leaf in elements.flatten(element) if leaf is not None]
        lengths = []
        for leaf in leaves:
            if not leaf.shape.rank:
                raise ValueError("Cannot unbatch an input with scalar components.")
            lengths.append(len(leaf))
        if len(set(lengths)) > 1:
            raise InvalidArgumentError(
                None,
                None,
                "`unbatch()` is only supported for datasets of elements whose components have a "
                f"matching leading dimension. Encountered {' and '.join(map(str, lengths))}.",
            )
        columns = [_Nones() if leaf is None else leaf for leaf in elements.flatten(element)]
        self.slices = Table(element, columns, lengths[0] if lengths else 0)
        self.element, self.position = element, 0

    def save(self) -> State:
        state = {"element": encode(self.element), "position": self.position}
        return {**state, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        if state["element"] is not None:
            self._open(decode(state["element"], self.node.inputs[0]))
            self.position = state["position"]


class _Nones:
    """A column of None."""

    def __getitem__(self, key: Any) -> None:
        return None


class Rebatch(Node):
    """Batches cut and joined to other sizes, which are taken in turn."""

    kind = "Rebatch"

    def __init__(self, source: Node, sizes: np.ndarray, drop_remainder: bool) -> None:
        super().__init__(source)
        self.slices = Unbatch(source)
        self.sizes = [check_batch_size(size) for size in sizes.reshape(-1)]
        self.drop_remainder = drop_remainder

    def make_spec(self) -> Any:
        fixed = self.drop_remainder and len(set(self.sizes)) == 1
        return Batch(self.slices, self.sizes[0], fixed).spec

    def num_elements(self) -> int:
        size = self.slices.num_elements()
        if size < 0 or len(self.sizes) > 1:
            return size if size < 0 else UNKNOWN
        return Batch(self.slices, self.sizes[0], self.drop_remainder).num_elements()

    def start(self, run: Run) -> Stage:
        return RebatchStage(run.start(self.slices), self)


class RebatchStage(Stage):
    """A pass in batches of changing sizes."""

    def __init__(self, source: Stage, node: Rebatch) -> None:
        super().__init__(source)
        self.node = node
        self.count = 0

    def next(self) -> Any:
        size = self.node.sizes[self.count % len(self.node.sizes)]
        batch, given = self.inputs[0].next_batch(size)
        if given < size and (given == 0 or self.node.drop_remainder):
            raise StopIteration
        self.count += 1
        return batch

    def save(self) -> State:
        return {"count": self.count, **super().save()}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.count = state["count"]
