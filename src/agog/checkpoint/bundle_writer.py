"""Writes a bundle: tensors by key, as `PREFIX.index` and `PREFIX.data-00000-of-00001`."""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agog.checkpoint.files import (
    StagedFile,
    flush_folder,
    remove_leftovers,
    write_file,
)
from agog.checkpoint.messages import BundleEntry, BundleHeader, Dim, Shape, Version
from agog.checkpoint.strings import encode_strings
from agog.checkpoint.table import TableReader, write_table
from agog.checkpoint.wire import decode, encode
from agog.errors import DataLossError, InvalidArgumentError, UnimplementedError
from agog.io.crc32c import crc32c, mask
from agog.io.paths import os_errors

_ALIGNMENT = 64  # so that what a reader maps can be used where it is


def shard_name(prefix: str, shard: int, num_shards: int) -> Path:
    """The file of a shard."""
    return Path(f"{prefix}.data-{shard:05d}-of-{num_shards:05d}")


def shard_files(prefix: str) -> list[Path]:
    """The files of all shards that there are of a prefix, whoever needs them."""
    return [Path(name) for name in glob.glob(f"{glob.escape(prefix)}.data-?????-of-?????")]


def write_bundle(prefix: str, tensors: Mapping[str, Any]) -> None:
    """Writes tensors so that at every moment the prefix is the old bundle, or the new, or none.

    Readers find a bundle by its index, which appears last. An index says how many shards there
    are, and that number is part of their names: a bundle that takes the place of one with a single
    shard has two (the second one empty), so that the old index never meets new data.
    """
    folder = Path(prefix).parent
    with os_errors(prefix):
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
        old_shards = _num_shards(f"{prefix}.index")
        _remove_shards_except(prefix, old_shards)  # of a writer that was killed
        num_shards = 2 if old_shards == 1 else 1
        entries = _write_shards(prefix, num_shards, tensors)
        try:
            write_file(Path(f"{prefix}.index"), _index(num_shards, entries))
        except BaseException:
            if _num_shards(f"{prefix}.index") != num_shards:  # shards that nobody would look for
                _remove_shards_except(prefix, old_shards)
            raise
        _remove_shards_except(prefix, num_shards)


def _num_shards(index: str) -> int:
    """How many shards the bundle of an index has; 0 if there is no index that can be read."""
    try:
        with open(index, "rb") as file:
            _, header = next(TableReader(file.read(), index).pairs())
        return decode(BundleHeader, header).num_shards
    except (
        FileNotFoundError,
        DataLossError,
        InvalidArgumentError,
        UnimplementedError,
        StopIteration,
    ):
        return 0


def _remove_shards_except(prefix: str, num_shards: int) -> None:
    for path in shard_files(prefix):
        if not path.name.endswith(f"-of-{num_shards:05d}"):
            path.unlink(missing_ok=True)


def remove_bundle(prefix: str) -> None:
    """Removes a bundle, its index first: without it nobody looks for the rest."""
    with os_errors(prefix):
        for path in (Path(f"{prefix}.index"), *shard_files(prefix), Path(f"{prefix}.meta")):
            path.unlink(missing_ok=True)


def _write_shards(
    prefix: str, num_shards: int, tensors: Mapping[str, Any]
) -> dict[str, BundleEntry]:
    with contextlib.ExitStack() as stack:
        shards = [
            stack.enter_context(StagedFile(shard_name(prefix, i, num_shards)))
            for i in range(num_shards)
        ]
        entries = {key: _write_tensor(shards[0], key, tensors[key]) for key in sorted(tensors)}
        for shard in shards:
            shard.flush()
        for shard in shards:
            shard.commit()
    flush_folder(Path(prefix).parent)
    return entries


def _write_tensor(shard: StagedFile, key: str, tensor: Any) -> BundleEntry:
    if tensor.dtype.name in ("resource", "variant"):
        raise InvalidArgumentError(
            None, None, f"{key}: a tensor of dtype {tensor.dtype.name} cannot be saved"
        )
    if tensor.dtype.name == "string":
        data, crc = encode_strings(_strings(tensor))
    else:
        data = _bytes_of(tensor)
        crc = crc32c(data)
        if len(data) >= _ALIGNMENT:
            shard.write(b"\0" * (-shard.size % _ALIGNMENT))
    entry = BundleEntry(
        dtype=tensor.dtype.as_datatype_enum,
        shape=Shape([Dim(size) for size in tensor.shape.as_list()]),
        offset=shard.size,
        size=len(data),
        crc32c=mask(crc),
    )
    shard.write(data)
    return entry


def _strings(tensor: Any) -> list[bytes]:
    values = tensor.numpy()
    return [values] if isinstance(values, bytes) else values.reshape(-1).tolist()


def _bytes_of(tensor: Any) -> Any:
    import numpy as np

    return np.asarray(tensor).reshape(-1).view(np.uint8)


def _index(num_shards: int, entries: dict[str, BundleEntry]) -> bytes:
    header = BundleHeader(num_shards=num_shards, version=Version(producer=1))
    pairs = [(b"", encode(header))]
    pairs += sorted((key.encode(), encode(entry)) for key, entry in entries.items())
    return write_table(pairs)
