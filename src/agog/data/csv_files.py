"""`make_csv_dataset`: batches of named columns from CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog import _core, dtypes
from agog._core import public
from agog.data.dataset import Dataset
from agog.data.options import AUTOTUNE
from agog.data.readers import CsvDataset
from agog.io.compressed import kind_of, open_to_read
from agog.io.csv import ends_in_quotes, split
from agog.io.local import matching


@public
def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of CSV rows as dicts by column, or pairs of a dict and the column `label_name`.

    Without `column_names` the first row of the first file has them; without `column_defaults` the
    first rows tell the dtypes: int32, int64, float32, float64 or string. Without `num_epochs` it
    goes on without end and leaves out small batches.
    """
    paths = [path.decode() for path in matching(_core.convert(file_pattern, dtypes.string))]
    if not paths:
        raise ValueError(f"file_pattern {file_pattern!r} matches no file")
    kind = kind_of(compression_type)
    rows = _Rows(paths, kind, field_delim, use_quote_delim)
    names = list(column_names) if column_names is not None else rows.names(header)
    if len(set(names)) != len(names):
        raise ValueError("Cannot have duplicate column names.")
    chosen = _selected(select_columns, names)
    defaults = column_defaults
    if defaults is None:
        defaults = rows.defaults(len(names), chosen, header, na_value, num_rows_for_inference)
    elif len(defaults) == len(names) > len(chosen):
        defaults = [defaults[i] for i in chosen]
    kept = [names[i] for i in chosen]
    if label_name is not None and label_name not in kept:
        raise ValueError(f"label_name {label_name!r} is not one of the columns {kept}")
    read = CsvDataset(
        _files(paths, shuffle, shuffle_seed), defaults, kind, None, header, field_delim,
        use_quote_delim, na_value, chosen if len(chosen) < len(names) else None,
    )  # fmt: skip
    dataset: Any = read.ignore_errors() if ignore_errors else read
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    dataset = dataset.map(lambda *columns: _named(columns, kept, label_name))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _files(paths: list[str], shuffle: bool, seed: int | None) -> Dataset:
    dataset = Dataset.from_tensor_slices(paths)
    return dataset.shuffle(len(paths), seed) if shuffle else dataset


def _named(columns: tuple[Any, ...], names: list[str], label: str | None) -> Any:
    found = dict(zip(names, columns, strict=True))
    if label is None:
        return found
    return found, found.pop(label)


def _selected(select_columns: Sequence[Any] | None, names: list[str]) -> list[int]:
    """The numbers of the wanted columns, ascending."""
    if select_columns is None:
        return list(range(len(names)))
    numbers = [names.index(c) if isinstance(c, str) else int(c) for c in select_columns]
    if len(set(numbers)) != len(numbers):
        raise ValueError(f"select_columns has columns twice: {list(select_columns)}")
    return sorted(numbers)


class _Rows:
    """Rows of CSV files, split but not converted."""

    def __init__(self, paths: list[str], kind: str, delimiter: str, quoted: bool) -> None:
        self.paths, self.kind = paths, kind
        self.delimiter, self.quoted = delimiter.encode(), quoted

    def _of(self, path: str) -> Any:
        with open_to_read(path, self.kind) as file:
            while record := file.readline():
                while self.quoted and ends_in_quotes(record) and (more := file.readline()):
                    record += more
                record = record.removesuffix(b"\n").removesuffix(b"\r")
                if record:
                    yield split(record, self.delimiter, self.quoted, f"a row of {path}")

    def names(self, header: bool) -> list[str]:
        """The first row of the first file."""
        if not header:
            raise ValueError("Cannot infer column names without a header line: give column_names")
        first = next(self._of(self.paths[0]), None)
        if first is None:
            raise ValueError(f"{self.paths[0]} is empty: it has no header line")
        return [name.decode() for name in first]

    def defaults(
        self, count: int, chosen: list[int], header: bool, missing: str, limit: int | None
    ) -> list[Any]:
        """Defaults of the narrowest dtypes that the first rows fit."""
        kinds = [0] * count
        seen = 0
        for path in self.paths:
            for number, row in enumerate(self._of(path)):
                if header and number == 0:
                    continue
                if limit is not None and seen >= limit:
                    break
                seen += 1
                if len(row) != count:
                    raise ValueError(f"{path}: a row has {len(row)} fields, expected {count}")
                for i in chosen:
                    kinds[i] = max(kinds[i], _kind_of(row[i], missing.encode()))
        return [_DEFAULTS[kinds[i]] for i in chosen]


_INT32, _INT64, _FLOAT32, _FLOAT64, _STRING = range(5)
_LARGEST_FLOAT32 = 3.4028234e38
_DEFAULTS: list[Any] = [
    _core.convert([0], dtypes.int32),
    _core.convert([0], dtypes.int64),
    _core.convert([0.0], dtypes.float32),
    _core.convert([0.0], dtypes.float64),
    _core.convert([""], dtypes.string),
]


def _kind_of(field: bytes, missing: bytes) -> int:
    """The narrowest dtype that holds a field; one that is missing fits all."""
    if field == missing or not field:
        return _INT32
    try:
        number = int(field)
        if -(2**31) <= number < 2**31:
            return _INT32
        if -(2**63) <= number < 2**63:
            return _INT64
    except ValueError:
        pass
    try:
        value = float(field)
    except ValueError:
        return _STRING
    return _FLOAT32 if abs(value) <= _LARGEST_FLOAT32 or value != value else _FLOAT64


__all__ = ["make_csv_dataset"]
