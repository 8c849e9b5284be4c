"""Questions about shapes, and the same elements in another shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog import dtypes
from agog._core import Tensor, convert, handle, public, public_op
from agog.dtypes import DType
from agog.tensor_shape import TensorShape, as_shape
from agog.types import Axis, ShapeLike, TensorLike

_broadcast_args = handle("BroadcastArgs")
_broadcast_to = handle("BroadcastTo")
_conjugate_transpose = handle("ConjugateTranspose")
_ensure_shape = handle("EnsureShape")
_expand_dims = handle("ExpandDims")
_identity = handle("Identity")
_range = handle("Range")
_rank = handle("Rank")
_reshape = handle("Reshape")
_shape = handle("Shape")
_size = handle("Size")
_squeeze = handle("Squeeze")
_stop_gradient = handle("StopGradient")
_transpose = handle("Transpose")


@public
def shape(input: TensorLike, out_type: DType | None = None, name: str | None = None) -> Tensor:
    """The shape of `input` as a tensor, int32 unless `out_type` says int64.

    >>> agog.shape([[1, 2, 3]]).numpy().tolist()
    [1, 3]
    """
    return _shape(input, dtypes.int32 if out_type is None else out_type, name)


@public
def shape_n(
    input: Sequence[TensorLike], out_type: DType = dtypes.int32, name: str | None = None
) -> list[Tensor]:
    """The shapes of several tensors, as a list.

    >>> [s.numpy().tolist() for s in agog.shape_n([[1, 2], 3])]
    [[2], []]
    """
    return [_shape(x, out_type) for x in input]


@public
def size(input: TensorLike, out_type: DType | None = None, name: str | None = None) -> Tensor:
    """The number of elements of `input` as a tensor, int32 unless `out_type` says int64.

    >>> agog.size([[1, 2, 3]]).numpy().item()
    3
    """
    return _size(input, dtypes.int32 if out_type is None else out_type, name)


@public_op(_rank)
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of dimensions of `input` as a tensor.

    >>> agog.rank([[1, 2, 3]]).numpy().item()
    2
    """
    return _rank(input, name)


@public_op(_reshape)
def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same elements, in row-major order, in another shape; one length may be -1: the rest.

    >>> agog.reshape([1, 2, 3, 4], [2, -1]).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    return _reshape(tensor, shape, name)


@public_op(_expand_dims)
def expand_dims(input: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`input` with a new axis of length 1 at `axis`.

    >>> agog.expand_dims([1, 2], -1).numpy().tolist()
    [[1], [2]]
    """
    return _expand_dims(input, axis, name)


@public
def squeeze(input: TensorLike, axis: Axis = None, name: str | None = None) -> Tensor:
    """`input` without its axes of length 1, or without those given.

    >>> agog.squeeze([[[1], [2]]]).numpy().tolist()
    [1, 2]
    """
    axes: Any = [] if axis is None else axis
    return _squeeze(input, axes if isinstance(axes, (list, tuple)) else [int(axes)], name)


_REVERSED: dict[int, Tensor] = {}


def _reversed_axes(a: Tensor) -> Tensor:
    """All axes of `a`, last first."""
    rank = a.ndim
    if rank is None:
        return _range(_rank(a) - 1, -1, -1)
    axes = _REVERSED.get(rank)
    if axes is None:
        axes = _REVERSED[rank] = convert(list(range(rank))[::-1], dtypes.int32)
    return axes


@public
def transpose(
    a: TensorLike,
    perm: Sequence[int] | Tensor | None = None,
    conjugate: bool = False,
    name: str | None = "transpose",
) -> Tensor:
    """`a` with its axes in the order `perm`, reversed if None; `conjugate` conjugates, too.

    >>> agog.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    a = convert(a)
    if perm is None:
        perm = _reversed_axes(a)
    if conjugate and a.dtype.is_complex:
        return _conjugate_transpose(a, perm, name)
    return _transpose(a, perm, name)


@public_op(_broadcast_to)
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`input` repeated along new leading axes and axes of length 1 to fill `shape`.

    >>> agog.broadcast_to([1, 2], [2, 2]).numpy().tolist()
    [[1, 2], [1, 2]]
    """
    return _broadcast_to(input, shape, name)


@public_op(_broadcast_args)
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape, as a tensor, that tensors of two shapes broadcast to.

    >>> agog.broadcast_dynamic_shape([2, 1], [3]).numpy().tolist()
    [2, 3]
    """
    return _broadcast_args(shape_x, shape_y)


@public
def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The TensorShape that tensors of two shapes broadcast to; ValueError where they do not.

    >>> agog.broadcast_static_shape(agog.TensorShape([2, 1]), agog.TensorShape([3]))
    TensorShape([2, 3])
    """
    x, y = as_shape(shape_x), as_shape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    rank = max(x.rank, y.rank)
    x_dims = [1] * (rank - x.rank) + x.as_list()
    y_dims = [1] * (rank - y.rank) + y.as_list()
    return TensorShape([_broadcast(a, b, x, y) for a, b in zip(x_dims, y_dims, strict=True)])


def _broadcast(a: int | None, b: int | None, x: TensorShape, y: TensorShape) -> int | None:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if a is None or b is None:
        return b if a is None else a
    raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}")


@public
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`x`, whose shape must fit `shape`, where None stands for any length.

    >>> agog.ensure_shape([[1, 2]], [None, 2]).numpy().tolist()
    [[1, 2]]
    """
    return _ensure_shape(x, as_shape(shape), name)


@public_op(_identity)
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the elements of `input`; of a variable, its value now.

    >>> agog.identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    return _identity(input, name)


@public
def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """`identity` of each entry of a list.

    >>> [x.numpy().tolist() for x in agog.identity_n([1, [2.0]])]
    [1, [2.0]]
    """
    return [_identity(x) for x in input]


@public_op(_stop_gradient)
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """`input`, through which no gradient flows.

    >>> agog.stop_gradient([1.0]).numpy().tolist()
    [1.0]
    """
    return _stop_gradient(input, name)
