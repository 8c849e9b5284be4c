"""Variables: named tensors that can be assigned."""

from __future__ import annotations

import enum
import weakref
from typing import Any

from agog import _core
from agog._core import Tensor, VariableBase, handle, public
from agog.errors import InvalidTypeError
from agog.framework import current_scope
from agog.tensor import Reference, numpy_repr
from agog.tensor_shape import TensorShape
from agog.variable_methods import VariableMethods

_gather = handle("ResourceGather")
_gather_nd = handle("ResourceGatherNd")

# Which Variable stands for a handle: tapes know handles only.
_by_handle: weakref.WeakValueDictionary[int, Variable] = weakref.WeakValueDictionary()


def variable_of_handle(handle_tensor: Any) -> Any:
    """The Variable with this handle: a new one when only its place lives on."""
    known = _by_handle.get(handle_tensor._id)
    if known is not None:
        return known
    again = Variable.__new__(Variable)
    again._adopt(handle_tensor)
    again._set_up(again._raw_name, None, None)
    return again


def _no_rebinding(self: Any, other: Any) -> Any:
    raise RuntimeError(
        f"an operator with = does not change variable '{self.name}': use assign_add, assign_sub or "
        "assign; for a new tensor write it out, as in y = v + 1"
    )


class VariableSynchronization(enum.Enum):
    """When replicas of a variable are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How replicas of a variable are brought together."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class Variable(VariableBase, VariableMethods):
    """A tensor that can be assigned: what a model learns.

    `initial_value` is anything convertible or a function that makes it. `trainable` variables are
    watched by tapes when they are read. `shape` may be wider than the first value's shape. A value
    read earlier never changes when the variable is assigned.

    >>> v = agog.Variable([1.0, 2.0], name="v")
    >>> before = v.value()
    >>> v.assign_add([1.0, 1.0]).numpy().tolist()
    [2.0, 3.0]
    >>> before.numpy().tolist()
    [1.0, 2.0]
    """

    SaveSliceInfo = None

    @public
    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError("a variable needs an initial_value: a value, or a function giving one")
        if constraint is not None and not callable(constraint):
            raise ValueError("constraint must be callable")
        if callable(initial_value):
            initial_value = initial_value()
        value = _core.convert(initial_value, dtype)
        place = value.shape if shape is None else TensorShape(shape)
        if not place.is_compatible_with(value.shape):
            raise ValueError(
                f"the initial value has shape {value.shape}, which is not the variable's {place}"
            )
        if name is not None and not isinstance(name, str):
            raise ValueError(f"name must be a string, got {name!r}")
        full_name = f"{current_scope()}{'Variable' if name is None else name}"
        dims = None if place.rank is None else place.as_list()
        self._create(full_name, value.dtype, dims, trainable is not False)
        self._assign(value)
        self._set_up(full_name, constraint, None if shape is None else place)
        self.synchronization = synchronization
        self.aggregation = aggregation

    def _set_up(self, full_name: str, constraint: Any, shape_hint: Any) -> None:
        self._name = f"{full_name}:0"
        self._constraint = constraint
        self._shape_hint = shape_hint
        self.synchronization = VariableSynchronization.AUTO
        self.aggregation = VariableAggregation.NONE
        _by_handle[self.handle._id] = self

    # ---- what it is

    @property
    def name(self) -> str:
        """The name, with TensorFlow's `:0` behind it."""
        return self._name

    @property
    def constraint(self) -> Any:
        """The function that optimizers apply after each step, if any."""
        return self._constraint

    @property
    def ndim(self) -> int | None:
        """The number of dimensions."""
        return self.shape.rank

    @property
    def device(self) -> str:
        """Where the values are."""
        return self.value().device

    @property
    def _shared_name(self) -> str:
        return self._name[:-2]

    @public
    def get_shape(self) -> TensorShape:
        """The shape that every value has."""
        return self.shape

    @public
    def set_shape(self, shape: Any) -> None:
        """Checks that the variable has this shape."""
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"the variable has shape {self.shape}, which is not {shape}")

    @public
    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value; always true once it was made."""
        return _core.convert(self._initialized)

    @public
    def initialized_value(self) -> Any:
        """The current value, as a tensor."""
        return self.value()

    @public
    def numpy(self) -> Any:
        """A NumPy array with a copy of the values."""
        return self.value().numpy()

    @public
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.value().__array__(dtype, copy)

    __array_priority__ = 100

    @public
    def ref(self) -> Reference:
        """A hashable stand-in, for use as a key."""
        return Reference(self)

    def __iter__(self) -> Any:
        return iter(self.value())

    def __reversed__(self) -> Any:
        return reversed(self.value())

    def __repr__(self) -> str:
        return (
            f"<tf.Variable '{self._name}' shape={self.shape} dtype={self.dtype.name}, "
            f"numpy={numpy_repr(self)}>"
        )

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.numpy(), spec) if spec else str(self)

    # ---- changing it

    @public
    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Gives it a new value of its dtype and shape."""
        value = _core.convert(value, None, self.dtype)
        self._check_fits(value)
        self._assign(value)
        return self if read_value else None

    def _check_fits(self, value: Any) -> None:
        if value.dtype is not self.dtype:
            raise InvalidTypeError(
                None,
                None,
                f"variable '{self._name}' holds {self.dtype.name}, got a value of dtype "
                f"{value.dtype.name}; convert it, as in agog.cast(value, '{self.dtype.name}')",
            )
        if not self.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"cannot assign a value of shape {value.shape} to variable '{self._name}' of "
                f"shape {self.shape}"
            )

    @public
    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to it, in place when no reader holds the old value."""
        self._assign_add(delta)
        return self if read_value else None

    @public
    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from it, in place when no reader holds the old value."""
        self._assign_sub(delta)
        return self if read_value else None

    @public
    def sparse_read(self, indices: Any, name: str | None = None) -> Any:
        """The rows that `indices` name."""
        return _gather(self, indices, dtype=self.dtype)

    @public
    def gather_nd(self, indices: Any, name: str | None = None) -> Any:
        """The elements or slices that the rows of `indices` name."""
        return _gather_nd(self, indices, dtype=self.dtype)

    @public
    def load(self, value: Any, session: Any = None) -> None:
        """Gives it a new value."""
        self.assign(value)

    @public
    def __getitem__(self, key: Any) -> Tensor:
        part = super().__getitem__(key)
        part._slice_of = (self, key)
        return part

    # `v += 1` would put a tensor in the place of the variable, which then trains no more.
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = public(_no_rebinding)
    __ipow__ = __imatmul__ = __iand__ = __ior__ = __ixor__ = __iadd__

    # ---- copies

    def __reduce__(self) -> Any:
        shape = None if self._shape_hint is None else self._shape_hint
        return _restore, (
            type(self),
            self.numpy(),
            self.trainable,
            self._name[:-2],
            self.dtype.name,
            self._constraint,
            shape,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        copy = type(self)(
            self.value(),
            trainable=self.trainable,
            name=self._name[:-2],
            constraint=self._constraint,
            shape=self._shape_hint,
        )
        memo[id(self)] = copy
        return copy

    __copy__ = None


def _restore(
    kind: type, value: Any, trainable: bool, name: str, dtype: str, constraint: Any, shape: Any
) -> Any:
    return kind(
        value, trainable=trainable, name=name, dtype=dtype, constraint=constraint, shape=shape
    )
