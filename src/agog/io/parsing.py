"""Serialized Examples as tensors: parse_example and its relatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.errors import InvalidArgumentError, UnimplementedError
from agog.io import wire
from agog.io.example import map_entry
from agog.sparse_tensor import SparseTensor
from agog.tensor_shape import TensorShape

_BYTES_LIST, _FLOAT_LIST, _INT64_LIST = 1, 2, 3
_DTYPES = {_BYTES_LIST: dtypes.string, _FLOAT_LIST: dtypes.float32, _INT64_LIST: dtypes.int64}


class FixedLenFeature(NamedTuple):
    """A feature of this shape in every example; required unless there is a default."""

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any length, parsed to a SparseTensor."""

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of items of this shape; shorter ones are padded in batches."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A SparseTensor of a feature with indices and one with values."""

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class RaggedFeature(NamedTuple):
    """A ragged tensor; parsing it raises UnimplementedError."""

    dtype: Any
    value_key: Any = None
    partitions: Any = ()
    row_splits_dtype: Any = dtypes.int32
    validate: bool = False


# The values of a feature: the number of its list (0 where none is set), and an array or a list.
Values = tuple[int, Any]


@public
def parse_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of serialized Examples, by name; `serialized` is a vector or a scalar.

    FixedLenFeature gives tensors of shape [batch, *shape], VarLenFeature and SparseFeature
    SparseTensors, FixedLenSequenceFeature (with `allow_missing`) tensors padded to the longest.
    Raises InvalidArgumentError for what is no Example, and for a feature that is missing or has
    another dtype or length.

    >>> year = agog.train.Feature(int64_list=agog.train.Int64List(value=[1999]))
    >>> features = agog.train.Features(feature={"year": year})
    >>> data = agog.train.Example(features=features).SerializeToString()
    >>> parsed = agog.io.parse_example([data], {"year": agog.io.FixedLenFeature([], agog.int64)})
    >>> parsed["year"].numpy().tolist()
    [1999]
    """
    tensor = _core.convert(serialized, dtypes.string)
    if tensor.shape.rank == 0:
        return parse_single_example(tensor, features)
    if tensor.shape.rank != 1:
        raise InvalidArgumentError(
            None, None, f"serialized must be a vector or a scalar, got shape {tensor.shape}"
        )
    _check_features(features)
    names = None if example_names is None else _core.convert(example_names, dtypes.string).numpy()
    rows = [
        Row(parse_features(data, 1), i, None if names is None else names[i])
        for i, data in enumerate(tensor.numpy().tolist())
    ]
    return {key: _column(key, features[key], rows) for key in sorted(features)}


@public
def parse_single_example(
    serialized: Any, features: dict[str, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized Example, by name: as `parse_example` without a batch."""
    tensor = _core.convert(serialized, dtypes.string)
    if tensor.shape.rank:
        raise ValueError(f"Input serialized must be a scalar, got shape {tensor.shape}")
    _check_features(features)
    row = Row(parse_features(tensor.numpy(), 1), 0, None)
    found = {key: _column(key, features[key], [row]) for key in sorted(features)}
    return {key: _without_batch(value) for key, value in found.items()}


def _without_batch(value: Any) -> Any:
    if isinstance(value, SparseTensor):
        return SparseTensor(value.indices[:, 1:], value.values, value.dense_shape[1:])
    return value[0]


def _check_features(features: Any) -> None:
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features!r}")
    for key, feature in features.items():
        if type(feature) not in _PARSERS:
            raise ValueError(f"Unsupported {type(feature).__name__} {feature!r} for key {key!r}")
        if dtypes.as_dtype(feature.dtype) not in _DTYPES.values():
            raise InvalidArgumentError(
                None,
                None,
                f"the feature {key!r} must be of dtype float32, int64 or string, got "
                f"{feature.dtype!r}; cast it afterwards",
            )


class Row:
    """The features of one example."""

    def __init__(self, features: dict[bytes, bytes], number: int, name: bytes | None) -> None:
        self.features, self.number = features, number
        self.name = "<unknown>" if name is None else name.decode()

    def values(self, key: str, dtype: dtypes.DType) -> Any:
        """The values of a feature; None where it is missing or empty of any kind."""
        data = self.features.get(key.encode())
        if data is None:
            return None
        kind, values = feature_values(data)
        if kind == 0:
            return None
        if _DTYPES[kind] is not dtype:
            raise InvalidArgumentError(
                None,
                None,
                f"Name: {self.name}, Key: {key}, Index: {self.number}.  Data types don't match. "
                f"Data type: {_DTYPES[kind].name} but expected type: {dtype.name}",
            )
        return values


def parse_features(data: bytes, number: int) -> dict[bytes, bytes]:
    """The serialized features of a message, by name: its field `number` holds the map."""
    found: dict[bytes, bytes] = {}
    try:
        for field, kind, value in wire.fields(data):
            if field != number or kind != wire.BYTES:
                continue
            for inner, inner_kind, entry in wire.fields(value):
                if inner == 1 and inner_kind == wire.BYTES:
                    key, message = map_entry(entry)
                    found[key] = message
    except InvalidArgumentError as error:
        shown = data[:64]
        raise InvalidArgumentError(
            None, None, f"Could not parse example input, value: {shown!r} ({error})"
        ) from None
    return found


def feature_values(data: bytes) -> Values:
    """The values of a serialized Feature."""
    import numpy as np

    for number, kind, value in wire.fields(data):
        if kind != wire.BYTES or number not in _DTYPES:
            continue
        if number == _BYTES_LIST:
            return number, [item for n, k, item in wire.fields(value) if n == 1 and k == wire.BYTES]
        parts: list[Any] = []
        for n, inner_kind, item in wire.fields(value):
            if n == 1:
                parts.append(_numbers(number, inner_kind, item))
        empty = np.empty(0, np.float32 if number == _FLOAT_LIST else np.int64)
        return number, parts[0] if len(parts) == 1 else np.concatenate([empty, *parts])
    return 0, None


def _numbers(number: int, kind: int, item: Any) -> Any:
    """The numbers of a field of a FloatList or Int64List, packed or not."""
    import numpy as np

    if number == _FLOAT_LIST and kind in (wire.BYTES, wire.FIXED32):
        if len(item) % 4:
            raise wire.broken(f"{len(item)} bytes are no list of floats")
        return np.frombuffer(item, "<f4")
    if number == _INT64_LIST and kind == wire.BYTES:
        return wire.read_varint_array(item)
    if number == _INT64_LIST and kind == wire.VARINT:
        return np.array([wire.signed(item)])
    raise wire.broken(f"a list of numbers has a field of wire type {kind}")


# ---- one feature of all examples


def _column(key: str, feature: Any, rows: list[Row]) -> Any:
    return _PARSERS[type(feature)](key, feature, rows)


def _array(values: list[Any], dtype: dtypes.DType, shape: list[Any]) -> Tensor:
    """A tensor of the values of several examples one after another."""
    import numpy as np

    if dtype is dtypes.string:
        flat = np.empty(sum(map(len, values)), object)
        flat[:] = [item for part in values for item in part]
        return _core.convert(flat.reshape(shape), dtype)
    kind = dtype.as_numpy_dtype
    joined = np.concatenate([np.empty(0, kind), *[np.asarray(v, kind) for v in values]])
    return _core.convert(joined.reshape(shape), dtype)


def _fixed(key: str, feature: Any, rows: list[Row]) -> Tensor:
    dtype = dtypes.as_dtype(feature.dtype)
    shape = TensorShape(feature.shape).as_list()
    if None in shape:
        raise ValueError(
            f"the shape of a FixedLenFeature must be known, got {shape} for {key!r}; "
            "FixedLenSequenceFeature takes unknown lengths"
        )
    count = TensorShape(shape).num_elements()
    default = None
    if feature.default_value is not None:
        default = _flat_default(feature.default_value, dtype, shape)
    found = []
    for row in rows:
        values = row.values(key, dtype)
        if values is None:
            values = default
        if values is None:
            raise InvalidArgumentError(
                None,
                None,
                f"Name: {row.name}, Feature: {key} (data type: {dtype.name}) is required but "
                "could not be found.",
            )
        if len(values) != count:
            raise InvalidArgumentError(
                None,
                None,
                f"Name: {row.name}, Key: {key}, Index: {row.number}.  Number of {dtype.name} "
                f"values != expected.  Values size: {len(values)} but output shape: {shape}",
            )
        found.append(values)
    return _array(found, dtype, [len(rows), *shape])


def _flat_default(value: Any, dtype: dtypes.DType, shape: list[Any]) -> Any:
    tensor = _core.convert(value, dtype)
    if tensor.shape.num_elements() != TensorShape(shape).num_elements():
        raise InvalidArgumentError(
            None,
            None,
            f"default_value has shape {tensor.shape}, but the feature has shape {shape}",
        )
    array = tensor.numpy()
    return array.reshape(-1) if hasattr(array, "reshape") else [array]


def _variable(key: str, feature: Any, rows: list[Row]) -> SparseTensor:
    import numpy as np

    dtype = dtypes.as_dtype(feature.dtype)
    found = [row.values(key, dtype) for row in rows]
    lists: list[Any] = [() if values is None else values for values in found]
    lengths = np.array([len(values) for values in lists], np.int64)
    indices = np.empty([int(lengths.sum()), 2], np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), lengths)
    starts = np.cumsum(lengths) - lengths
    indices[:, 1] = np.arange(len(indices)) - np.repeat(starts, lengths)
    longest = int(lengths.max(initial=0))
    values = _array(lists, dtype, [len(indices)])
    return SparseTensor(indices, values, np.array([len(rows), longest], np.int64))


def _sequence(key: str, feature: Any, rows: list[Row]) -> Tensor:
    if not feature.allow_missing:
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    dtype = dtypes.as_dtype(feature.dtype)
    lists = [row.values(key, dtype) for row in rows]
    return padded_lists(key, feature, [[] if values is None else values for values in lists])


def padded_lists(key: str, feature: Any, lists: list[Any]) -> Tensor:
    """Lists of items, padded to the longest: [batch, longest, *shape]."""
    import numpy as np

    dtype = dtypes.as_dtype(feature.dtype)
    shape = TensorShape(feature.shape).as_list()
    size = TensorShape(shape).num_elements() or 1
    for i, values in enumerate(lists):
        if len(values) % size:
            raise InvalidArgumentError(
                None,
                None,
                f"Key: {key}, Index: {i}.  Number of {dtype.name} values is not a multiple of the "
                f"item length. Values size: {len(values)} but item shape: {shape}",
            )
    longest = max((len(values) for values in lists), default=0)
    padding: Any = b"" if dtype is dtypes.string else 0
    if feature.default_value is not None:
        padding = _core.convert(feature.default_value, dtype).numpy()
    result = np.full([len(lists), longest], padding, dtype.as_numpy_dtype)
    for i, values in enumerate(lists):
        result[i, : len(values)] = values
    return _core.convert(result.reshape([len(lists), longest // size, *shape]), dtype)


def _sparse(key: str, feature: Any, rows: list[Row]) -> SparseTensor:
    import numpy as np

    keys = [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)
    sizes = list(feature.size) if isinstance(feature.size, (list, tuple)) else [feature.size]
    dtype = dtypes.as_dtype(feature.dtype)
    indices, lists = [], []
    for row in rows:
        columns = [row.values(k, dtypes.int64) for k in keys]
        found = row.values(feature.value_key, dtype)
        values = [] if found is None else list(found)
        places = [[] if column is None else list(column) for column in columns]
        if any(len(place) != len(values) for place in places):
            raise InvalidArgumentError(
                None,
                None,
                f"Key: {key}, Index: {row.number}: {keys} and {feature.value_key!r} must have the "
                "same number of values",
            )
        pairs = list(zip(*places, range(len(values)), strict=True))
        pairs = pairs if feature.already_sorted else sorted(pairs)
        indices += [[row.number, *pair[:-1]] for pair in pairs]
        lists.append([values[pair[-1]] for pair in pairs])
    total = np.array(indices, np.int64).reshape(len(indices), 1 + len(keys))
    flat = _array(lists, dtype, [len(indices)])
    return SparseTensor(total, flat, np.array([len(rows), *sizes], np.int64))


def _ragged(key: str, feature: Any, rows: list[Row]) -> Any:
    raise UnimplementedError(
        None,
        None,
        f"there are no ragged tensors, so the RaggedFeature {key!r} cannot be parsed: use "
        "VarLenFeature, or FixedLenSequenceFeature with allow_missing=True",
    )


_PARSERS: dict[type, Callable[[str, Any, list[Row]], Any]] = {
    FixedLenFeature: _fixed,
    VarLenFeature: _variable,
    FixedLenSequenceFeature: _sequence,
    SparseFeature: _sparse,
    RaggedFeature: _ragged,
}

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "VarLenFeature",
    "parse_example",
    "parse_single_example",
]
