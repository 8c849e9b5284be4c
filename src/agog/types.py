"""Names for type hints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

if TYPE_CHECKING:
    import numpy as np

    from agog._core import Tensor, VariableBase
    from agog.dtypes import DType
    from agog.tensor_shape import TensorShape

# Whatever an operation takes as a tensor: it is converted.
TensorLike: TypeAlias = Union[
    "Tensor", "VariableBase", "np.ndarray", bool, int, float, complex, str, bytes, Sequence[Any]
]
DTypeLike: TypeAlias = Union["DType", str, type, "np.dtype[Any]", int]
ShapeLike: TypeAlias = Union["TensorShape", "Tensor", "np.ndarray", Sequence[Any], int]
# One axis, several, or None for all of them.
Axis: TypeAlias = Union[int, Sequence[int], "Tensor", None]

__all__ = ["Axis", "DTypeLike", "ShapeLike", "TensorLike"]
