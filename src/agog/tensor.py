"""What a Tensor does beyond its operators: printing, NumPy, iteration, copies."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from agog import _core
from agog._core import Tensor, handle, public

# NumPy has no arrays without elements whose other sizes are too large to multiply.
_BEYOND_NUMPY = "<not representable>"
_CPU = "/job:localhost/replica:0/task:0/device:CPU:0"

_DOC = """An array that never changes, with a dtype, a shape and TensorFlow's operators.

Functions make them, `agog.constant` for one; the class itself cannot be called.

>>> x = agog.constant([[1.0, 2.0]])
>>> x.shape, x.dtype
(TensorShape([1, 2]), tf.float32)
>>> print(x + 1)
tf.Tensor([[2. 3.]], shape=(1, 2), dtype=float32)
"""


class Reference:
    """A hashable stand-in for a tensor or variable, equal when it stands for the same object."""

    __slots__ = ("_wrapped", "__weakref__")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The object that this stands for."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def _text(value: Any) -> str:
    """The values as NumPy prints them."""
    import numpy as np

    try:
        shown = value.numpy()
    except ValueError:
        return _BEYOND_NUMPY
    return str(shown) if isinstance(shown, (np.ndarray, np.generic)) else repr(shown)


def format_tensor(value: Any, is_repr: bool) -> str:
    """`str` or `repr` of a tensor, in TensorFlow's form."""
    dtype = value.dtype.name
    if dtype in ("resource", "variant"):
        body = f"shape={value.shape}, dtype={dtype}, value=<{dtype}>"
        return f"<tf.Tensor: {body}>" if is_repr else f"tf.Tensor({body})"
    if not is_repr:
        text = _text(value)
        text = "\n" + text if "\n" in text else text
        return f"tf.Tensor({text}, shape={value.shape}, dtype={dtype})"
    return f"<tf.Tensor: shape={value.shape}, dtype={dtype}, numpy={numpy_repr(value)}>"


def numpy_repr(value: Any) -> str:
    """The `numpy=` part of a repr: scalars plain, arrays on lines of their own when long."""
    import numpy as np

    try:
        array = value.numpy()
    except ValueError:
        return _BEYOND_NUMPY
    if not isinstance(array, np.ndarray):
        return str(array) if isinstance(array, np.generic) else repr(array)
    text = repr(array)
    return "\n" + text if "\n" in text else text


@public
def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    if self.dtype.name == "string":
        import numpy as np

        array = np.asarray(self.numpy(), dtype=object)
    else:
        array = self._view() if not copy else self.numpy()
    if copy:
        array = array if self.ndim else _as_array(array)
    if dtype is not None and dtype != array.dtype:
        if copy is False:
            raise ValueError(f"a tensor of dtype {self.dtype.name} needs a copy to be {dtype}")
        array = array.astype(dtype)
    return array


def _as_array(value: Any) -> Any:
    import numpy as np

    return np.array(value)


@public
def _iterate(self: Any) -> Iterator[Any]:
    if self.ndim == 0:
        raise TypeError("a scalar tensor cannot be iterated over")
    return iter(_unstack(self))


def _unstack(value: Any) -> list[Any]:
    return handle("Unpack")(value, value.shape[0], 0)


@public
def _reversed(self: Any) -> Iterator[Any]:
    return reversed(list(_iterate(self)))


@public
def _ref(self: Any) -> Reference:
    """A hashable stand-in, for use as a key."""
    return Reference(self)


def _restore(array: Any, dtype: str) -> Any:
    return _core.convert(array, dtype)


def _reduce(self: Any) -> Any:
    return _restore, (self.numpy(), self.dtype.name)


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    # A tensor never changes: a copy may be the tensor itself, as for Python's numbers.
    return self


def _set_shape(self: Any, shape: Any) -> None:
    """Checks that the tensor has this shape, which may be partly unknown."""
    if not self.shape.is_compatible_with(shape):
        raise ValueError(f"the tensor has shape {self.shape}, which is not {shape}")


def _format(self: Any, spec: str) -> str:
    return format(self.numpy(), spec)


def _setitem(self: Any, key: Any, value: Any) -> None:
    raise TypeError(
        "tensors are immutable: use agog.tensor_scatter_nd_update for a changed copy, "
        "or a Variable, whose slices take assign: v[key].assign(value)"
    )


_OF_GRAPHS = ("graph", "name", "op", "value_index")


def _getattr(self: Any, name: str) -> Any:
    if name in _OF_GRAPHS:
        raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
    if name.startswith("__") or name in ("_keras_mask", "_keras_history"):
        raise AttributeError(f"'Tensor' object has no attribute '{name}'")
    hint = ""
    if name in ("astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "T", "data"):
        hint = f"; convert with .numpy() first, or use the function agog.{name}"
    raise AttributeError(f"'Tensor' object has no attribute '{name}'{hint}")


def _consumers(self: Any) -> Any:
    """Raises NotImplementedError: only graphs know who takes a tensor."""
    raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")


def _eval(self: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """Raises NotImplementedError: the value is there already, as `numpy()`."""
    raise NotImplementedError(
        "eval is not supported when eager execution is enabled, is .numpy() what you're looking "
        "for?"
    )


def _experimental_ref(self: Any) -> Reference:
    """The older name of `ref`."""
    warnings.warn("experimental_ref is called ref now", DeprecationWarning, stacklevel=2)
    return Reference(self)


def _cpu(self: Any) -> Any:
    """The tensor itself: it is on the CPU."""
    return self


def _gpu(self: Any, gpu_index: int = 0) -> Any:
    """Raises RuntimeError: there is no GPU."""
    raise RuntimeError(f"GPU:{gpu_index} unknown device.")


def install() -> None:
    """Adds the methods to the type and hands the formatter to the core."""
    members: dict[str, Any] = {
        "__doc__": _DOC,
        "__array__": _array,
        "__array_priority__": 100,
        "__iter__": _iterate,
        "__reversed__": _reversed,
        "__reduce__": _reduce,
        "__deepcopy__": _deepcopy,
        "__copy__": lambda self: self,
        "__format__": _format,
        "__setitem__": public(_setitem),
        "__getattr__": public(_getattr),
        "ref": _ref,
        "get_shape": public(lambda self: self.shape),
        "set_shape": public(_set_shape),
        "device": property(lambda self: _CPU),
        "backing_device": property(lambda self: _CPU),
        "is_symbolic": False,
        "is_packed": False,
        "_handle_data": None,
        "consumers": public(_consumers),
        "eval": public(_eval),
        "experimental_ref": public(_experimental_ref),
        "cpu": _cpu,
        "gpu": public(_gpu),
        "_shape_as_list": lambda self: self.shape.as_list(),
        "_shape_tuple": lambda self: tuple(self.shape.as_list()),
        "_tensor_shape": property(lambda self: self.shape),
        "_rank": lambda self: self.ndim,
        "_num_elements": lambda self: self.shape.num_elements(),
        "_numpy": lambda self: self.numpy(),
        "_datatype_enum": lambda self: self.dtype.as_datatype_enum,
        "_copy": lambda self, ctx=None, device_name=None: self,
        "OVERLOADABLE_OPERATORS": _OPERATORS,
    }
    for name, member in members.items():
        setattr(Tensor, name, member)
    Tensor.__module__ = "agog"


_OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        "abs add and bool div eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pow "
        "radd rand rdiv rfloordiv rmatmul rmod rmul ror rpow rsub rtruediv rxor sub truediv xor"
    ).split()
)
