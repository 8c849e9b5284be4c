"""`Example` and its parts: named features of a training example, as TFRecord files hold them.

These are the messages of TensorFlow's example.proto, written and read here without the protobuf
package: `Example` {1: Features}, `Features` {1: map of name to Feature}, `Feature` {1: BytesList,
2: FloatList, 3: Int64List}, the lists {1: values, numbers packed}, `SequenceExample` {1: Features,
2: FeatureLists}, `FeatureLists` {1: map of name to FeatureList}, `FeatureList` {1: Feature, …}.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from agog._core import public
from agog.io import wire

_M = TypeVar("_M", bound="Message")


class Message:
    """What the messages have in common."""

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The message in the wire format; names are sorted."""
        raise NotImplementedError

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds what a serialized message says; InvalidArgumentError where it is none."""
        raise NotImplementedError

    def Clear(self) -> None:  # noqa: N802
        """Takes everything out."""
        type(self).__init__(self)

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Becomes what a serialized message says; InvalidArgumentError where it is none."""
        self.Clear()
        return self.MergeFromString(bytes(serialized))

    @classmethod
    def FromString(cls: type[_M], serialized: bytes) -> _M:  # noqa: N802
        """The message that was serialized."""
        message = cls()
        message.ParseFromString(serialized)
        return message

    def CopyFrom(self, other: Message) -> None:  # noqa: N802
        """Becomes a copy of another message of the same type."""
        if type(other) is not type(self):
            raise TypeError(f"CopyFrom needs a {type(self).__name__}, got {type(other).__name__}")
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other: Message) -> None:  # noqa: N802
        """Adds what another message says."""
        self.MergeFromString(other.SerializeToString())

    def ByteSize(self) -> int:  # noqa: N802
        """The length of the serialized message."""
        return len(self.SerializeToString())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Message)
            and type(other) is type(self)
            and self.SerializeToString() == other.SerializeToString()
        )

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self: _M, memo: Any) -> _M:
        return type(self).FromString(self.SerializeToString())

    def __reduce__(self) -> Any:
        return type(self).FromString, (self.SerializeToString(),)


class _List(Message):
    """A list of values of one kind."""

    @public
    def __init__(self, value: Iterable[Any] = ()) -> None:
        self.value = [self._checked(v) for v in value]

    def _checked(self, value: Any) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "".join(f"value: {_text(v)}\n" for v in self.value)


class BytesList(_List):
    """A list of strings of bytes."""

    def _checked(self, value: Any) -> bytes:
        if isinstance(value, str):
            return value.encode()
        if not isinstance(value, (bytes, bytearray)):
            raise TypeError(
                f"a BytesList holds bytes, got {value!r} of type {type(value).__name__}"
            )
        return bytes(value)

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The list in the wire format."""
        return b"".join(wire.field(1, self._checked(value)) for value in self.value)

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds the values of a serialized list."""
        for number, kind, value in wire.fields(serialized):
            if number == 1 and kind == wire.BYTES:
                self.value.append(value)
        return len(serialized)


class FloatList(_List):
    """A list of float32 numbers."""

    def _checked(self, value: Any) -> float:
        return struct.unpack("<f", struct.pack("<f", value))[0]

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The list in the wire format."""
        values = self.value
        return wire.field(1, struct.pack(f"<{len(values)}f", *values)) if values else b""

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds the values of a serialized list."""
        for number, kind, value in wire.fields(serialized):
            if number == 1 and kind in (wire.BYTES, wire.FIXED32):
                if len(value) % 4:
                    raise wire.broken(f"{len(value)} bytes are no list of floats")
                self.value += struct.unpack(f"<{len(value) // 4}f", value)
        return len(serialized)


class Int64List(_List):
    """A list of int64 numbers."""

    def _checked(self, value: Any) -> int:
        if isinstance(value, float) or not hasattr(value, "__index__"):
            raise TypeError(
                f"an Int64List holds integers, got {value!r} of type {type(value).__name__}"
            )
        number = value.__index__()
        if not -(2**63) <= number < 2**63:
            raise ValueError(f"the number {number} is out of range for int64")
        return number

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The list in the wire format."""
        values = [self._checked(v) for v in self.value]
        return wire.field(1, wire.packed_varints(values)) if values else b""

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds the values of a serialized list."""
        for number, kind, value in wire.fields(serialized):
            if number == 1 and kind == wire.BYTES:
                self.value += wire.read_varints(value)
            elif number == 1 and kind == wire.VARINT:
                self.value.append(wire.signed(value))
        return len(serialized)


class Feature(Message):
    """A list of values of one of three kinds: `bytes_list`, `float_list` or `int64_list`."""

    _KINDS: ClassVar[dict[str, tuple[int, type[_List]]]] = {
        "bytes_list": (1, BytesList),
        "float_list": (2, FloatList),
        "int64_list": (3, Int64List),
    }

    @public
    def __init__(
        self,
        bytes_list: BytesList | None = None,
        float_list: FloatList | None = None,
        int64_list: Int64List | None = None,
    ) -> None:
        self._lists: dict[str, _List] = {}
        given = {"bytes_list": bytes_list, "float_list": float_list, "int64_list": int64_list}
        for name, values in given.items():
            if values is None:
                continue
            kind = self._KINDS[name][1]
            if not isinstance(values, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {type(values).__name__}")
            self._lists = {name: values}

    def __getattr__(self, name: str) -> Any:
        if name not in Feature._KINDS:
            raise AttributeError(f"a Feature has no attribute {name!r}")
        found = self._lists.get(name)
        # Values that are put into a list of another kind count once there are some.
        return _Lazy(self, name) if found is None else found

    def WhichOneof(self, oneof_group: str = "kind") -> str | None:  # noqa: N802
        """The name of the list that is set, or None."""
        return next(iter(self._lists), None)

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """Whether this list is set."""
        return field_name in self._lists

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The feature in the wire format."""
        return b"".join(
            wire.field(self._KINDS[name][0], values.SerializeToString())
            for name, values in self._lists.items()
        )

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Takes the list of a serialized feature."""
        for number, kind, value in wire.fields(serialized):
            for name, (own, make) in self._KINDS.items():
                if number == own and kind == wire.BYTES:
                    found = self._lists.get(name) or make()
                    found.MergeFromString(value)
                    self._lists = {name: found}
        return len(serialized)

    def __repr__(self) -> str:
        return "".join(_block(name, values) for name, values in self._lists.items())


class _Lazy:
    """A list that is not set yet: it is, once its values are asked for to be changed."""

    def __init__(self, feature: Feature, name: str) -> None:
        self._feature, self._name = feature, name
        self._list = Feature._KINDS[name][1]()

    @property
    def value(self) -> _Values:
        """The values: none yet."""
        return _Values(self)

    def CopyFrom(self, other: Message) -> None:  # noqa: N802
        """Becomes a copy of another list."""
        self._list.CopyFrom(other)
        self._feature._lists = {self._name: self._list}


class _Values(list[Any]):
    """No values; the first that come set the list."""

    def __init__(self, owner: _Lazy) -> None:
        super().__init__()
        self._owner = owner

    def append(self, value: Any) -> None:
        """Sets the list to one value."""
        self.extend([value])

    def extend(self, values: Iterable[Any]) -> None:
        """Sets the list to values."""
        found = self._owner._list
        found.value.extend(found._checked(v) for v in values)
        self._owner._feature._lists = {self._owner._name: found}


class _Map(Message):
    """A map of names to messages."""

    _FIELD: ClassVar[str]
    _KIND: ClassVar[type[Message]]

    def _take(self, given: Any) -> None:
        entries = _Entries(self._KIND)
        for name, message in dict(given or {}).items():
            if not isinstance(message, self._KIND):
                raise TypeError(
                    f"{self._FIELD}[{name!r}] must be a {self._KIND.__name__}, got "
                    f"{type(message).__name__}"
                )
            entries[name] = message
        setattr(self, self._FIELD, entries)

    @property
    def _entries(self) -> dict[str, Any]:
        return getattr(self, self._FIELD)

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The map in the wire format, names sorted."""
        entries = self._entries
        return b"".join(
            wire.field(
                1, wire.field(1, name.encode()) + wire.field(2, entries[name].SerializeToString())
            )
            for name in sorted(entries)
        )

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds the entries of a serialized map."""
        for number, kind, value in wire.fields(serialized):
            if number == 1 and kind == wire.BYTES:
                name, message = map_entry(value)
                try:
                    key = name.decode()
                except UnicodeDecodeError:
                    raise wire.broken(f"the name {name!r} is not UTF-8") from None
                self._entries[key] = self._KIND.FromString(message)
        return len(serialized)

    def __repr__(self) -> str:
        return "".join(
            f'{self._FIELD} {{\n  key: "{name}"\n  value {{\n'
            + _indented(repr(message), 4)
            + "  }\n}\n"
            for name, message in self._entries.items()
        )


class _Entries(dict[str, Any]):
    """Messages by name; one that is asked for and is not there is made, as protobuf does."""

    def __init__(self, kind: type[Message]) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, name: str) -> Any:
        self[name] = self._kind()
        return self[name]


def map_entry(data: bytes) -> tuple[bytes, bytes]:
    """Name and message of an entry of a serialized map."""
    name = message = b""
    for number, kind, value in wire.fields(data):
        if kind == wire.BYTES and number == 1:
            name = value
        elif kind == wire.BYTES and number == 2:
            message = value
    return name, message


class Features(_Map):
    """Features by name."""

    _FIELD, _KIND = "feature", Feature
    feature: dict[str, Feature]

    @public
    def __init__(self, feature: Any = None) -> None:
        self._take(feature)


class FeatureList(Message):
    """Features one after another, such as the steps of a sequence."""

    @public
    def __init__(self, feature: Iterable[Feature] = ()) -> None:
        self.feature = list(feature)

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The list in the wire format."""
        return b"".join(wire.field(1, item.SerializeToString()) for item in self.feature)

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds the features of a serialized list."""
        for number, kind, value in wire.fields(serialized):
            if number == 1 and kind == wire.BYTES:
                self.feature.append(Feature.FromString(value))
        return len(serialized)

    def __repr__(self) -> str:
        return "".join(_block("feature", item) for item in self.feature)


class FeatureLists(_Map):
    """Lists of features by name."""

    _FIELD, _KIND = "feature_list", FeatureList
    feature_list: dict[str, FeatureList]

    @public
    def __init__(self, feature_list: Any = None) -> None:
        self._take(feature_list)


class _Pair(Message):
    """A message of messages, each in a field of its own."""

    _PARTS: ClassVar[dict[str, tuple[int, type[Message]]]]

    def _take(self, **given: Any) -> None:
        # Protobuf writes a part that was set even where there is nothing in it.
        self._set = {name for name, message in given.items() if message is not None}
        for name, (_, kind) in self._PARTS.items():
            message = given[name]
            if message is not None and not isinstance(message, kind):
                raise TypeError(f"{name} must be {kind.__name__}, got {type(message).__name__}")
            setattr(self, name, kind() if message is None else message)

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The message in the wire format."""
        found = b""
        for name, (number, _) in self._PARTS.items():
            part = getattr(self, name).SerializeToString()
            found += wire.field(number, part) if part or name in self._set else b""
        return found

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Adds what a serialized message says."""
        for number, kind, value in wire.fields(serialized):
            for name, (own, _) in self._PARTS.items():
                if number == own and kind == wire.BYTES:
                    self._set.add(name)
                    getattr(self, name).MergeFromString(value)
        return len(serialized)

    def __repr__(self) -> str:
        return "".join(_block(name, getattr(self, name)) for name in self._PARTS)


class Example(_Pair):
    """A training example: features by name.

    >>> tf = agog
    >>> year = tf.train.Feature(int64_list=tf.train.Int64List(value=[1999]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"year": year}))
    >>> again = tf.train.Example.FromString(example.SerializeToString())
    >>> again.features.feature["year"].int64_list.value
    [1999]
    """

    _PARTS: ClassVar[dict[str, tuple[int, type[Message]]]] = {"features": (1, Features)}
    features: Features

    @public
    def __init__(self, features: Features | None = None) -> None:
        self._take(features=features)


class SequenceExample(_Pair):
    """A training example with features of the whole (`context`) and of each step."""

    _PARTS: ClassVar[dict[str, tuple[int, type[Message]]]] = {
        "context": (1, Features),
        "feature_lists": (2, FeatureLists),
    }
    context: Features
    feature_lists: FeatureLists

    @public
    def __init__(
        self, context: Features | None = None, feature_lists: FeatureLists | None = None
    ) -> None:
        self._take(context=context, feature_lists=feature_lists)


def _text(value: Any) -> str:
    return '"' + repr(value)[2:-1] + '"' if isinstance(value, bytes) else repr(value)


def _indented(text: str, width: int = 2) -> str:
    return "".join(" " * width + line + "\n" for line in text.splitlines())


def _block(name: str, message: Message) -> str:
    return f"{name} {{\n{_indented(repr(message))}}}\n"


__all__ = [
    "BytesList",
    "Example",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "Int64List",
    "SequenceExample",
]
