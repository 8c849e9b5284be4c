"""`py_function` and `numpy_function`: Python where TensorFlow's graphs would not call it.

Operations run at once here, so both just call the function and check what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agog import _core, dtypes
from agog._core import public
from agog.errors import InvalidArgumentError


@public
def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: Any = None
) -> Any:
    """`func` of the tensors in `inp`, its results as tensors of the dtypes `Tout`.

    A list of dtypes gives a list of tensors. Tapes record what the function does. Raises
    InvalidArgumentError where results do not fit; errors of the function stay as they are.

    >>> agog.py_function(lambda x: x + 1, [agog.constant([1.0])], agog.float32).numpy().tolist()
    [2.0]
    """
    tensors = [_core.convert(value) for value in _listed(inp)]
    return _checked(func, _called(func, tensors), Tout, exact=False)


@public
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: Any = None,
) -> Any:
    """`func` of the arrays of the tensors in `inp`, its results as tensors of the dtypes `Tout`.

    The results must have these dtypes: InvalidArgumentError otherwise. No gradient flows through.

    >>> import numpy as np
    >>> agog.numpy_function(np.sinh, [agog.constant([0.0])], agog.float32).numpy().tolist()
    [0.0]
    """
    import numpy as np

    values = [_core.convert(value).numpy() for value in _listed(inp)]
    arrays = [v if isinstance(v, (bytes, np.ndarray)) else np.asarray(v) for v in values]
    return _checked(func, _called(func, arrays), Tout, exact=True)


def _listed(inp: Any) -> list[Any]:
    if inp is None:
        return []
    return list(inp) if isinstance(inp, (list, tuple)) else [inp]


def _called(func: Callable[..., Any] | None, values: Sequence[Any]) -> Any:
    if not callable(func):
        raise ValueError(f"func must be callable, got {func!r}")
    return func(*values)


def _checked(func: Any, result: Any, wanted: Any, exact: bool) -> Any:
    if not isinstance(wanted, (list, tuple)):
        return _tensor(result, wanted, exact)
    results = result if isinstance(result, (list, tuple)) else [result]
    if result is None:
        results = []
    if len(results) != len(wanted):
        raise InvalidArgumentError(
            None,
            None,
            f"{getattr(func, '__name__', func)} returned {len(results)} values, Tout lists "
            f"{len(wanted)}",
        )
    return [_tensor(value, dtype, exact) for value, dtype in zip(results, wanted, strict=True)]


def _tensor(value: Any, wanted: Any, exact: bool) -> Any:
    dtype = dtypes.as_dtype(getattr(wanted, "dtype", wanted))  # of a TensorSpec, too
    try:
        tensor = _core.convert(value) if exact else _core.convert(value, dtype)
    except (ValueError, TypeError) as error:
        message = f"the function returned {value!r}: {error}"
        raise InvalidArgumentError(None, None, message) from None
    if tensor.dtype is not dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"the function returned {tensor.dtype.name}, but Tout says {dtype.name}; convert the "
            "result, as with .astype",
        )
    return tensor


__all__ = ["numpy_function", "py_function"]
