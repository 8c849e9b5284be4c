"""Tensors in the wire format of TensorFlow's TensorProto, and numbers in raw bytes."""

from __future__ import annotations

from typing import Any

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.errors import InvalidArgumentError
from agog.io import wire
from agog.types import TensorLike

_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8
# Field of the values of each dtype, where they are not in tensor_content, and how they are stored.
_FIELDS = {
    5: "<f4",  # float32
    6: "<f8",  # float64
    7: "int",  # int32, and the narrower integers
    9: "<f4",  # complex64, as pairs
    10: "int",  # int64
    11: "int",  # bool
    12: "<f8",  # complex128, as pairs
    13: "half",  # float16 and bfloat16, as bits
    16: "int",  # uint32
    17: "int",  # uint64
}


@public
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The tensor as a string scalar in the wire format of TensorProto.

    >>> data = agog.io.serialize_tensor([1.0, 2.0])
    >>> agog.io.parse_tensor(data, agog.float32).numpy().tolist()
    [1.0, 2.0]
    """
    value = _core.convert(tensor)
    return _core.convert(to_proto(value))


def to_proto(value: Tensor) -> bytes:
    """A tensor in the wire format of TensorProto."""
    lengths = value.shape.as_list()
    dims = b"".join(
        wire.field(2, wire.number_field(1, n) if n else b"") for n in lengths if n is not None
    )
    head = wire.number_field(_DTYPE, value.dtype.as_datatype_enum) + wire.field(_SHAPE, dims)
    array = value.numpy()
    if value.dtype is dtypes.string:
        flat = array.reshape(-1).tolist() if lengths else [array]
        return head + b"".join(wire.field(_STRINGS, item) for item in flat)
    content = array.tobytes()
    return head + (wire.field(_CONTENT, content) if content else b"")


@public
def parse_tensor(serialized: TensorLike, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor of a serialized TensorProto, which must have the dtype `out_type`.

    InvalidArgumentError where it has another one, and for what is no TensorProto.
    """
    data = _core.convert(serialized, dtypes.string)
    if data.shape.rank:
        raise InvalidArgumentError(
            None, None, f"Expected `serialized` to be a scalar, got shape: {data.shape}"
        )
    wanted = dtypes.as_dtype(out_type)
    found = from_proto(data.numpy())
    if found.dtype is not wanted:
        raise InvalidArgumentError(
            None,
            None,
            f"Type mismatch between parsed tensor ({found.dtype.name}) and dtype ({wanted.name})",
        )
    return found


def from_proto(data: bytes) -> Tensor:
    """The tensor of a serialized TensorProto."""
    try:
        return _read(data)
    except (InvalidArgumentError, ValueError, TypeError) as error:
        raise InvalidArgumentError(
            None, None, f"Could not parse `serialized` as TensorProto: {error}"
        ) from None


def _read(data: bytes) -> Tensor:
    import numpy as np

    dtype: Any = None
    lengths: list[int] = []
    content: bytes | None = None
    strings: list[bytes] = []
    parts: list[Any] = []
    for number, kind, value in wire.fields(data):
        if number == _DTYPE:
            dtype = dtypes.as_dtype(value)
        elif number == _SHAPE:
            lengths = _lengths(value)
        elif number == _CONTENT:
            content = value
        elif number == _STRINGS:
            strings.append(value)
        elif number in _FIELDS:
            parts.append(_numbers(number, kind, value))
    if dtype is None:
        raise wire.broken("it has no dtype")
    if dtype is dtypes.string:
        array: Any = np.array([None, *strings], object)[1:]
    elif content is not None:
        array = np.frombuffer(content, dtype.as_numpy_dtype)
    else:
        array = _cast(np.concatenate(parts) if parts else np.empty(0), dtype)
    return _core.convert(_filled(array, lengths, dtype), dtype)


def _lengths(data: bytes) -> list[int]:
    found = []
    for number, _, value in wire.fields(data):
        if number == 2:
            sizes = [wire.signed(v) for n, _, v in wire.fields(value) if n == 1]
            found.append(sizes[-1] if sizes else 0)
        elif number == 3 and value:
            raise wire.broken("the rank is unknown")
    return found


def _numbers(number: int, kind: int, value: Any) -> Any:
    import numpy as np

    stored = _FIELDS[number]
    if stored in ("int", "half"):
        numbers = (
            wire.read_varint_array(value)
            if kind == wire.BYTES
            else np.array([wire.signed(value)], np.int64)
        )
        return numbers.astype(np.uint16) if stored == "half" else numbers
    array = np.frombuffer(value, stored)
    return (
        array.view(array.dtype.str.replace("f4", "c8").replace("f8", "c16"))
        if number
        in (
            9,
            12,
        )
        else array
    )


def _cast(array: Any, dtype: dtypes.DType) -> Any:
    if array.dtype.name == "uint16" and dtype in (dtypes.float16, dtypes.bfloat16):
        return array.view(dtype.as_numpy_dtype)
    return array.astype(dtype.as_numpy_dtype)


def _filled(array: Any, lengths: list[int], dtype: dtypes.DType) -> Any:
    """The values in their shape; where there are fewer, the last one counts for the rest."""
    import numpy as np

    total = int(np.prod(lengths, dtype=object)) if lengths else 1
    if len(array) > total or total > 2**40:
        raise wire.broken(f"it has {len(array)} values for the shape {lengths}")
    if len(array) < total:
        padding = array[-1] if len(array) else (b"" if dtype is dtypes.string else 0)
        array = np.concatenate([array, np.full(total - len(array), padding, array.dtype)])
    return array.reshape(lengths)


@public
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The bytes of each string as numbers: [*shape, numbers per string].

    Strings must be equally long, unless `fixed_length` (in bytes) cuts or fills them up with 0.

    >>> agog.io.decode_raw([b"ab", b"cd"], agog.uint8).numpy().tolist()
    [[97, 98], [99, 100]]
    """
    import numpy as np

    tensor = _core.convert(input_bytes, dtypes.string)
    dtype = dtypes.as_dtype(out_type)
    if dtype.size == 0:
        raise TypeError(f"decode_raw makes numbers, not elements of dtype {dtype.name}")
    flat = tensor.numpy().reshape(-1).tolist() if tensor.shape.rank else [tensor.numpy()]
    if fixed_length is not None:
        flat = [item[:fixed_length].ljust(fixed_length, b"\0") for item in flat]
    length = len(flat[0]) if flat else 0
    for i, item in enumerate(flat):
        if len(item) != length:
            raise InvalidArgumentError(
                None,
                None,
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{i} has size {len(item)} != {length}",
            )
    if length % dtype.size:
        raise InvalidArgumentError(
            None,
            None,
            f"Input to DecodeRaw has length {length} that is not a multiple of {dtype.size}, the "
            f"size of {dtype.name}",
        )
    array = np.frombuffer(b"".join(flat), dtype.as_numpy_dtype)
    if not little_endian and dtype.size > 1:
        array = array.byteswap()
    return _core.convert(array.reshape([*tensor.shape.as_list(), length // dtype.size]), dtype)


__all__ = ["decode_raw", "parse_tensor", "serialize_tensor"]
