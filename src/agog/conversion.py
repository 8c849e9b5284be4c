"""What becomes a tensor besides numbers, lists and arrays."""

from __future__ import annotations

from typing import Any


def convert_other(value: Any, dtype: Any) -> Any:
    """Called by the core for types it does not know; gives a tensor, list or array."""
    from agog.tensor_shape import Dimension, TensorShape

    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"cannot convert a partly known shape {value} to a tensor")
        return value.as_list()
    if isinstance(value, Dimension):
        return value.value
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__(dtype)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        import numpy as np

        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        import numpy as np

        return np.from_dlpack(value)
    if hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, dict):
        return list(value)
    raise ValueError(
        f"cannot convert a value of type {type(value).__name__} to a tensor: {value!r}"
    )
