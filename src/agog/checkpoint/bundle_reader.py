"""Reads a bundle: tensors by key, from an index and one or more data shards."""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Iterator
from typing import Any, NoReturn

from agog import dtypes
from agog._core import Tensor, convert
from agog.checkpoint.bundle_writer import shard_name
from agog.checkpoint.messages import BundleEntry, BundleHeader, Slice
from agog.checkpoint.slices import slice_bounds, slice_key
from agog.checkpoint.strings import decode_strings
from agog.checkpoint.table import TableReader
from agog.checkpoint.wire import decode
from agog.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from agog.io.crc32c import crc32c, unmask
from agog.io.paths import from_os_error

_READER_VERSION = 1
_MOST_SHARDS = 100_000  # five digits


class BundleReader:
    """The tensors of a bundle; shards are mapped, not read, and a value is checked when taken."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._index = f"{prefix}.index"
        try:
            with open(self._index, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise NotFoundError(None, None, _not_found(prefix)) from None
        except OSError as error:
            raise from_os_error(error, self._index) from error
        self._raw: dict[bytes, bytes] = dict(TableReader(data, self._index).pairs())
        self._num_shards = self._check_header()
        self._entries: dict[bytes, BundleEntry] = {}
        self._shards: dict[int, Any] = {}

    def names(self) -> list[str]:
        """The keys of all tensors; the slices of partitioned ones have none of their own."""
        return [key.decode(errors="replace") for key in self._raw if key[:1] > b"\0"]

    def __contains__(self, key: str) -> bool:
        return key.encode() in self._raw

    def entry(self, key: str) -> BundleEntry:
        """Where a tensor lies."""
        return self._entry(key.encode())

    def dtype(self, key: str) -> Any:
        """The dtype of a tensor."""
        return self._dtype(key, self.entry(key))

    def shape(self, key: str) -> tuple[int, ...]:
        """The shape of a tensor."""
        return tuple(dim.size for dim in self.entry(key).shape.dim)

    def tensor(self, key: str) -> Tensor:
        """The value of a tensor, which agog then owns."""
        entry = self.entry(key)
        if entry.slices:
            return convert(self._joined(key, entry), self._dtype(key, entry))
        return convert(self._value(key, entry), self._dtype(key, entry))

    def map_shards(self) -> None:
        """Maps all shards now: their values can be read even after the files are gone."""
        for entry in self._all_entries():
            self._shard(entry.shard_id)

    def _all_entries(self) -> Iterator[BundleEntry]:
        return (self._entry(key) for key in self._raw if key)

    def _check_header(self) -> int:
        try:
            header = decode(BundleHeader, self._raw[b""])
        except (KeyError, InvalidArgumentError) as error:
            self._fail(f"no header under the empty key: {error}")
        if not 1 <= header.num_shards < _MOST_SHARDS:
            self._fail(f"{header.num_shards} shards")
        if header.endianness != 0:
            raise UnimplementedError(None, None, f"{self._index}: big-endian tensors")
        if header.version.min_consumer > _READER_VERSION:
            raise UnimplementedError(
                None,
                None,
                f"{self._index} is for readers of version {header.version.min_consumer}; this one "
                f"has version {_READER_VERSION}",
            )
        return header.num_shards

    def _entry(self, key: bytes) -> BundleEntry:
        known = self._entries.get(key)
        if known is None:
            raw = self._raw.get(key)
            if raw is None or not key:
                name = key.decode(errors="replace")
                raise NotFoundError(None, None, f"Key {name} not found in checkpoint {self.prefix}")
            known = self._entries[key] = self._checked(key, raw)
        return known

    def _checked(self, key: bytes, raw: bytes) -> BundleEntry:
        """The entry of a key, with a shape and a place that can be."""
        name = key.decode(errors="replace")
        try:
            entry = decode(BundleEntry, raw)
        except InvalidArgumentError as error:
            self._fail(f"the entry of {name}: {error}")
        if entry.shape.unknown_rank or any(dim.size < 0 for dim in entry.shape.dim):
            self._fail(f"the entry of {name} has no shape")
        if not 0 <= entry.shard_id < self._num_shards or min(entry.offset, entry.size) < 0:
            self._fail(f"the entry of {name} lies nowhere: {entry}")
        return entry

    def _dtype(self, key: str, entry: BundleEntry) -> Any:
        try:
            return dtypes.as_dtype(entry.dtype)
        except TypeError:
            raise UnimplementedError(
                None, None, f"{self._index}: {key} has the dtype number {entry.dtype}, unknown here"
            ) from None

    def _value(self, key: str, entry: BundleEntry) -> Any:
        """The array of an entry without slices, in the mapped file; strings are made."""
        import numpy as np

        dtype = self._dtype(key, entry)
        shape = [dim.size for dim in entry.shape.dim]
        data = self._data(key, entry)
        if dtype.name in ("resource", "variant"):
            raise UnimplementedError(None, None, f"{self._index}: {key} is of dtype {dtype.name}")
        if dtype.name == "string":
            return self._string_array(key, entry, data, shape)
        if len(data) != math.prod(shape) * dtype.size:
            self._fail(f"{key}: {len(data)} bytes for shape {shape} of {dtype.name}")
        self._check_crc(key, entry, crc32c(data))
        return np.frombuffer(data, dtype.as_numpy_dtype).reshape(shape)

    def _string_array(self, key: str, entry: BundleEntry, data: Any, shape: list[int]) -> Any:
        import numpy as np

        try:
            strings, crc = decode_strings(data, math.prod(shape))
        except InvalidArgumentError as error:
            self._fail_in_shard(key, entry, str(error))
        self._check_crc(key, entry, crc)
        array = np.empty(len(strings), object)
        array[:] = strings
        return array.reshape(shape)

    def _joined(self, key: str, entry: BundleEntry) -> Any:
        """The array of a partitioned tensor, put together from its slices."""
        import numpy as np

        shape = [dim.size for dim in entry.shape.dim]
        parts = [self._slice(key, shape, each) for each in entry.slices]
        if sum(part.size for _, part in parts) != math.prod(shape):
            self._fail(f"the slices of {key} do not fill its shape {shape}")
        whole = np.empty(shape, self._dtype(key, entry).as_numpy_dtype)
        for bounds, part in parts:
            whole[bounds] = part
        return whole

    def _slice(self, key: str, shape: list[int], part: Slice) -> tuple[Any, Any]:
        bounds = slice_bounds(part, shape)
        if bounds is None:
            self._fail(f"{key}: the slice {part} is none of the shape {shape}")
        entry = self._entry(slice_key(key, part, shape))
        value = self._value(key, entry)
        if list(value.shape) != [place.stop - place.start for place in bounds]:
            self._fail(f"{key}: the slice {part} has the shape {value.shape}")
        return bounds, value

    def _data(self, key: str, entry: BundleEntry) -> Any:
        shard = self._shard(entry.shard_id)
        if entry.offset + entry.size > len(shard):
            self._fail_in_shard(key, entry, f"{entry.size} bytes go past the end at {len(shard)}")
        return shard[entry.offset : entry.offset + entry.size]

    def _check_crc(self, key: str, entry: BundleEntry, found: int) -> None:
        if found != unmask(entry.crc32c):
            self._fail_in_shard(
                key,
                entry,
                f"Checksum does not match: stored {unmask(entry.crc32c)} vs. calculated on the "
                f"restored bytes {found}",
            )

    def _shard(self, shard_id: int) -> Any:
        if shard_id not in self._shards:
            path = shard_name(self.prefix, shard_id, self._num_shards)
            try:
                with open(path, "rb") as file:
                    self._shards[shard_id] = _mapped(file)
            except OSError as error:
                raise from_os_error(error, path) from error
        return self._shards[shard_id]

    def _fail(self, why: str) -> NoReturn:
        raise DataLossError(None, None, f"{self._index}: {why}")

    def _fail_in_shard(self, key: str, entry: BundleEntry, why: str) -> NoReturn:
        path = shard_name(self.prefix, entry.shard_id, self._num_shards)
        raise DataLossError(None, None, f"{path}: byte {entry.offset}: {key}: {why}")


def _mapped(file: Any) -> memoryview:
    if os.fstat(file.fileno()).st_size == 0:
        return memoryview(b"")
    return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _not_found(prefix: str) -> str:
    return (
        f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
        f"{prefix}: there is no {prefix}.index. The path of a checkpoint is what save() returned, "
        "with its number, as in 'folder/ckpt-1'"
    )
