"""Datasets of files, as classes: TextLineDataset, TFRecordDataset and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agog import _core, dtypes
from agog._core import public
from agog.data import files
from agog.data.dataset import Dataset
from agog.data.nesting import Interleave
from agog.data.node import DatasetBase, Node, as_dataset
from agog.data.sources import Slices
from agog.io.compressed import kind_of
from agog.io.csv import Format, columns_of


def _names(filenames: Any) -> Node:
    """A node of file names: one, several, or those of a dataset."""
    if isinstance(filenames, DatasetBase):
        node = filenames._node
        if node.spec_is_free and getattr(node.spec, "dtype", None) is not dtypes.string:
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements, got a dataset of "
                f"{node.spec}."
            )
        return node
    names = [filenames] if hasattr(filenames, "__fspath__") else filenames
    if isinstance(names, (list, tuple)):
        names = [name.__fspath__() if hasattr(name, "__fspath__") else name for name in names]
        names = names or _core.convert([], dtypes.string)
    tensor = _core.convert(names)
    if tensor.dtype is not dtypes.string:
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got {tensor.dtype!r} "
            "elements."
        )
    flat = tensor.numpy().reshape(-1).tolist() if tensor.shape.rank else [tensor.numpy()]
    return Slices(_core.convert(flat, dtypes.string))


def _in_parallel(names: Node, make: Callable[[Node], Node], reads: int | None) -> Node:
    """The files one after another, or `reads` of them at a time in turns."""
    if reads is None:
        return make(names)

    def one(name: Any) -> Any:
        return as_dataset(make(Slices(_core.convert([name.numpy()]))))

    return Interleave(names, one, int(reads), 1, int(reads))


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    `filenames` is one name, several, or a dataset of names; `num_parallel_reads` files are read at
    a time, lines in turns. NotFoundError where a file is missing.
    """

    @public
    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        kind, size = kind_of(compression_type), int(buffer_size or 0)
        self._node = _in_parallel(
            _names(filenames), lambda n: files.TextLines(n, kind, size), num_parallel_reads
        )


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as string scalars; see `io.TFRecordWriter`.

    DataLossError, with the file and the offset, where a record is damaged; the next element is
    then of the next file.
    """

    @public
    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        kind, size = kind_of(compression_type), int(buffer_size or 0)
        self._node = _in_parallel(
            _names(filenames), lambda n: files.Records(n, kind, size), num_parallel_reads
        )


class FixedLengthRecordDataset(Dataset):
    """Records of `record_bytes` bytes each, between a header and a footer.

    InvalidArgumentError where the length of a file is no multiple.
    """

    @public
    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        kind, size = kind_of(compression_type), int(buffer_size or 0)
        lengths = int(record_bytes), int(header_bytes or 0), int(footer_bytes or 0)
        self._node = _in_parallel(
            _names(filenames),
            lambda n: files.FixedLength(n, *lengths, kind, size),
            num_parallel_reads,
        )


class CsvDataset(Dataset):
    """The rows of CSV files as tuples of scalars, one for each of `record_defaults`.

    Defaults, quotes and missing values are those of `io.decode_csv`; `header` says that the first
    row of a file is to be passed over.
    """

    @public
    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: Any = None,
        buffer_size: Any = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Sequence[int] | None = None,
        exclude_cols: Sequence[int] | None = None,
    ) -> None:
        if exclude_cols is not None:
            if select_cols is not None:
                raise ValueError("select_cols and exclude_cols cannot both be given")
            kept = len(record_defaults)
            dropped = set(exclude_cols)
            numbers = [i for i in range(kept + len(dropped)) if i not in dropped]
            select_cols = numbers[:kept]
        columns = columns_of(record_defaults)
        form = Format(columns, field_delim, use_quote_delim, na_value, select_cols)
        kind, size = kind_of(compression_type), int(buffer_size or 0)
        self._node = files.Csv(_names(filenames), form, bool(header), kind, size)


__all__ = ["CsvDataset", "FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"]
