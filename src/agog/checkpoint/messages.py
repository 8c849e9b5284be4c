"""The messages in a checkpoint: tables of TensorFlow's field numbers.

| message | defined in TensorFlow's |
|---|---|
| BundleHeader, BundleEntry | tensor_bundle.proto |
| Version, Shape, Dim, Slice, Extent | versions.proto, tensor_shape.proto, tensor_slice.proto |
| ObjectGraph and its parts | trackable_object_graph.proto |
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as default

from agog.checkpoint.wire import Field, Message


@dataclass
class Version(Message):
    """Who wrote, and the oldest reader that can read it."""

    producer: int = 0
    min_consumer: int = 0

    FIELDS = {1: Field("producer", "int"), 2: Field("min_consumer", "int")}


@dataclass
class BundleHeader(Message):
    """What stands under the empty key of an index."""

    num_shards: int = 0
    endianness: int = 0  # 0: little
    version: Version = default(default_factory=Version)

    FIELDS = {
        1: Field("num_shards", "int"),
        2: Field("endianness", "int"),
        3: Field("version", Version),
    }


@dataclass
class Dim(Message):
    """One dimension; -1 is an unknown one."""

    size: int = 0

    FIELDS = {1: Field("size", "int")}


@dataclass
class Shape(Message):
    """The shape of a tensor."""

    dim: list[Dim] = default(default_factory=list)
    unknown_rank: int = 0

    FIELDS = {2: Field("dim", Dim, repeated=True), 3: Field("unknown_rank", "int")}


@dataclass
class Extent(Message):
    """A part of one dimension; without a length, all of it."""

    start: int = 0
    length: int | None = None

    FIELDS = {1: Field("start", "int"), 2: Field("length", "int")}


@dataclass
class Slice(Message):
    """A part of a tensor, a block."""

    extent: list[Extent] = default(default_factory=list)

    FIELDS = {1: Field("extent", Extent, repeated=True)}


@dataclass
class BundleEntry(Message):
    """Where a tensor lies: `size` bytes from `offset` of a shard, or in slices of their own."""

    dtype: int = 0
    shape: Shape = default(default_factory=Shape)
    shard_id: int = 0
    offset: int = 0
    size: int = 0
    crc32c: int = 0
    slices: list[Slice] = default(default_factory=list)

    FIELDS = {
        1: Field("dtype", "int"),
        2: Field("shape", Shape),
        3: Field("shard_id", "int"),
        4: Field("offset", "int"),
        5: Field("size", "int"),
        6: Field("crc32c", "fixed32"),
        7: Field("slices", Slice, repeated=True),
    }


@dataclass
class Child(Message):
    """An edge to another object, under the name that it has there."""

    node_id: int = 0
    local_name: str = ""

    FIELDS = {1: Field("node_id", "int"), 2: Field("local_name", "string")}


@dataclass
class Attribute(Message):
    """A value of an object, and the key of its tensor."""

    name: str = ""
    full_name: str = ""
    checkpoint_key: str = ""

    FIELDS = {
        1: Field("name", "string"),
        2: Field("full_name", "string"),
        3: Field("checkpoint_key", "string"),
    }


@dataclass
class Slot(Message):
    """A variable that an optimizer keeps beside another one."""

    original_variable_node_id: int = 0
    slot_name: str = ""
    slot_variable_node_id: int = 0

    FIELDS = {
        1: Field("original_variable_node_id", "int"),
        2: Field("slot_name", "string"),
        3: Field("slot_variable_node_id", "int"),
    }


@dataclass
class BoolValue(Message):
    """A truth value that may also be absent."""

    value: int = 0

    FIELDS = {1: Field("value", "int")}


@dataclass
class Node(Message):
    """One object."""

    children: list[Child] = default(default_factory=list)
    attributes: list[Attribute] = default(default_factory=list)
    slot_variables: list[Slot] = default(default_factory=list)
    has_checkpoint_values: BoolValue | None = None

    FIELDS = {
        1: Field("children", Child, repeated=True),
        2: Field("attributes", Attribute, repeated=True),
        3: Field("slot_variables", Slot, repeated=True),
        5: Field("has_checkpoint_values", BoolValue),
    }


@dataclass
class ObjectGraph(Message):
    """All objects; the first one is the root."""

    nodes: list[Node] = default(default_factory=list)

    FIELDS = {1: Field("nodes", Node, repeated=True)}
