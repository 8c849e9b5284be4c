"""Events as TensorBoard's messages."""

from __future__ import annotations

import time
from typing import Any

try:
    from tensorboard.compat.proto import (  # type: ignore
        event_pb2,
        summary_pb2,
        tensor_pb2,
        tensor_shape_pb2,
    )
except ImportError as error:
    raise ImportError(
        f"agog.summary needs TensorBoard's messages ({error}): pip install 'agog[summary]'"
    ) from error


def first_event() -> bytes:
    """What an event file begins with."""
    event = event_pb2.Event(wall_time=time.time(), file_version="brain.Event:2")
    return _encoded(event)


def event_of_tensor(tag: str, tensor: Any, step: int, metadata: Any) -> bytes:
    """An event with the value of a tensor under a tag."""
    value = summary_pb2.Summary.Value(tag=tag, tensor=_tensor_message(tensor), metadata=metadata)
    return _event(summary_pb2.Summary(value=[value]), step)


def event_of_summary(encoded: bytes, step: int) -> bytes:
    """An event with an encoded `Summary`."""
    return _event(summary_pb2.Summary.FromString(encoded), step)


def metadata_of(metadata: Any) -> Any:
    """A message or its encoding as a message; None for none."""
    if isinstance(metadata, bytes):
        return summary_pb2.SummaryMetadata.FromString(metadata)
    return metadata


def _event(summary: Any, step: int) -> bytes:
    return _encoded(event_pb2.Event(wall_time=time.time(), step=step, summary=summary))


def _encoded(message: Any) -> bytes:
    encoded: bytes = message.SerializeToString()
    return encoded


def _tensor_message(tensor: Any) -> Any:
    sizes = tensor.shape.as_list()
    shape = tensor_shape_pb2.TensorShapeProto(
        dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=size) for size in sizes]
    )
    message = tensor_pb2.TensorProto(dtype=tensor.dtype.as_datatype_enum, tensor_shape=shape)
    values = tensor.numpy()
    if tensor.dtype.name == "string":
        strings = [values] if isinstance(values, bytes) else values.reshape(-1).tolist()
        message.string_val.extend(strings)
    else:
        message.tensor_content = values.tobytes()
    return message
