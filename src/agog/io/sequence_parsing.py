"""Serialized SequenceExamples as tensors."""

from __future__ import annotations

from typing import Any

from agog import _core, dtypes
from agog._core import public
from agog.errors import InvalidArgumentError, UnimplementedError
from agog.io import wire
from agog.io.parsing import (
    FixedLenSequenceFeature,
    Row,
    VarLenFeature,
    _array,
    _check_features,
    _column,
    _without_batch,
    padded_lists,
    parse_features,
)
from agog.sparse_tensor import SparseTensor
from agog.tensor_shape import TensorShape

_CONTEXT, _FEATURE_LISTS = 1, 2


@public
def parse_single_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialized SequenceExample: those of the context, and those of the steps.

    Features of steps are FixedLenSequenceFeature, giving tensors of shape [steps, *shape], or
    VarLenFeature, giving SparseTensors of shape [steps, longest].
    """
    tensor = _core.convert(serialized, dtypes.string)
    if tensor.shape.rank:
        raise ValueError(f"Input serialized must be a scalar, got shape {tensor.shape}")
    context, sequences, _ = _parse([tensor.numpy()], context_features, sequence_features)
    return (
        {key: _without_batch(value) for key, value in context.items()},
        {key: _without_batch(value) for key, value in sequences.items()},
    )


@public
def parse_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The features of a vector of serialized SequenceExamples: of contexts and of steps.

    Steps are padded to the longest; the third result has their numbers.
    """
    tensor = _core.convert(serialized, dtypes.string)
    if tensor.shape.rank != 1:
        raise InvalidArgumentError(
            None, None, f"serialized must be a vector, got shape {tensor.shape}"
        )
    return _parse(tensor.numpy().tolist(), context_features, sequence_features)


def _parse(
    serialized: list[bytes], context: dict[str, Any] | None, sequences: dict[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not context and not sequences:
        raise ValueError("Both `context_features` and `sequence_features` are empty.")
    for features in (context, sequences):
        if features:
            _check_features(features)
    rows = [Row(parse_features(data, _CONTEXT), i, None) for i, data in enumerate(serialized)]
    found = {key: _column(key, context[key], rows) for key in sorted(context or {}) if context}
    lists = [parse_features(data, _FEATURE_LISTS) for data in serialized]
    steps: dict[str, Any] = {}
    lengths: dict[str, Any] = {}
    for key in sorted(sequences or {}):
        feature = (sequences or {})[key]
        values = [_steps(key, feature, found_lists) for found_lists in lists]
        if isinstance(feature, VarLenFeature):
            steps[key] = _sparse_steps(feature, values)
        else:
            steps[key] = _padded_steps(key, feature, values)
            lengths[key] = _core.convert([len(v) for v in values], dtypes.int64)
    return found, steps, lengths


def _steps(key: str, feature: Any, lists: dict[bytes, bytes]) -> list[Any]:
    """The values of each step of a feature."""
    if not isinstance(feature, (FixedLenSequenceFeature, VarLenFeature)):
        raise UnimplementedError(
            None,
            None,
            f"a feature of steps is a FixedLenSequenceFeature or a VarLenFeature, got "
            f"{type(feature).__name__} for {key!r}",
        )
    data = lists.get(key.encode())
    if data is None:
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise InvalidArgumentError(
                None,
                None,
                f"Feature list '{key}' is required but could not be found. Did you mean to "
                "include it with allow_missing=True?",
            )
        return []
    dtype = dtypes.as_dtype(feature.dtype)
    found: list[Any] = []
    for number, kind, value in wire.fields(data):
        if number == 1 and kind == wire.BYTES:
            row = Row({key.encode(): value}, len(found), None)
            values = row.values(key, dtype)
            found.append([] if values is None else values)
    return found


def _padded_steps(key: str, feature: Any, examples: list[list[Any]]) -> Any:
    size = TensorShape(feature.shape).num_elements()
    for steps in examples:
        for i, values in enumerate(steps):
            if len(values) != size:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Feature list: {key}, Index: {i}.  Number of values != expected.  Values "
                    f"size: {len(values)} but feature shape: {TensorShape(feature.shape)}",
                )
    joined = [[value for values in steps for value in values] for steps in examples]
    return padded_lists(key, feature, joined)


def _sparse_steps(feature: Any, examples: list[list[Any]]) -> SparseTensor:
    import numpy as np

    indices = [
        [i, j, k]
        for i, steps in enumerate(examples)
        for j, values in enumerate(steps)
        for k in range(len(values))
    ]
    flat = [values for steps in examples for values in steps]
    shape = [
        len(examples),
        max((len(steps) for steps in examples), default=0),
        max((len(values) for values in flat), default=0),
    ]
    values = _array(flat, dtypes.as_dtype(feature.dtype), [len(indices)])
    return SparseTensor(np.array(indices, np.int64).reshape(-1, 3), values, shape)


__all__ = ["parse_sequence_example", "parse_single_sequence_example"]
