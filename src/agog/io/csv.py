"""CSV records: fields, quotes, and their conversion to columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.errors import InvalidArgumentError

_QUOTE = b'"'


class Column:
    """What a column holds: its dtype, and the default where a field may be empty."""

    def __init__(self, default: Any, number: int) -> None:
        self.default: Any = None
        self.required = True
        if isinstance(default, dtypes.DType):
            self.dtype = default
        else:
            self._take(_core.convert(default), number)
        allowed = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)
        if self.dtype not in allowed:
            raise TypeError(
                f"record_defaults[{number}] must be of one of the dtypes "
                f"{', '.join(d.name for d in allowed)}, got {self.dtype.name}"
            )

    def _take(self, default: Tensor, number: int) -> None:
        self.dtype = default.dtype
        count = default.shape.num_elements()
        if default.shape.rank and (default.shape.rank > 1 or count not in (0, 1)):
            raise InvalidArgumentError(
                None,
                None,
                f"record_defaults[{number}] must be a scalar, or a vector of at most one element, "
                f"got shape {default.shape}",
            )
        self.required = count == 0
        if count:
            value = default.numpy()
            self.default = value.reshape(-1)[0] if default.shape.rank else value

    def value(self, field: bytes, column: int, record: str) -> Any:
        """A field as a number or bytes; InvalidArgumentError where it is none."""
        if not field:
            if self.required:
                raise InvalidArgumentError(
                    None, None, f"Field {column} is required but missing in {record}!"
                )
            return self.default
        if self.dtype is dtypes.string:
            return field
        try:
            return _number(field, self.dtype)
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                None,
                None,
                f"Field {column} in {record} is not a valid {self.dtype.name}: "
                f"{field.decode(errors='replace')}",
            ) from None


def _number(field: bytes, dtype: dtypes.DType) -> Any:
    if b"_" in field:
        raise ValueError
    if dtype.is_floating:
        return float(field)
    value = int(field)
    if not dtype.min <= value <= dtype.max:
        raise ValueError
    return value


def columns_of(record_defaults: Sequence[Any]) -> list[Column]:
    """The columns that the defaults describe."""
    return [Column(default, i) for i, default in enumerate(record_defaults)]


def split(record: bytes, delimiter: bytes, quoted: bool, name: str) -> list[bytes]:
    """The fields of a record; InvalidArgumentError where quotes are misplaced."""
    if not quoted:
        return record.split(delimiter)
    if _QUOTE not in record:
        if b"\n" in record or b"\r" in record:
            raise _misplaced(name)
        return record.split(delimiter)
    fields, at = [], 0
    while True:
        if record[at : at + 1] == _QUOTE:
            field, at = _quoted_field(record, at, name)
            if at < len(record) and record[at : at + 1] != delimiter:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Quote inside a string has to be escaped by another quote, in {name}",
                )
        else:
            end = record.find(delimiter, at)
            end = len(record) if end < 0 else end
            field = record[at:end]
            if any(byte in field for byte in (b'"', b"\n", b"\r")):
                raise _misplaced(name)
            at = end
        fields.append(field)
        if at >= len(record):
            return fields
        at += 1


def _misplaced(name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, f"Unquoted fields cannot have quotes/CRLFs inside, in {name}"
    )


def _quoted_field(record: bytes, at: int, name: str) -> tuple[bytes, int]:
    """The field that begins with the quote at `at`, and where it ends."""
    end = at + 1
    while True:
        end = record.find(_QUOTE, end)
        if end < 0:
            raise InvalidArgumentError(
                None, None, f"Quoted field has to end with quote followed by delim, in {name}"
            )
        if record[end + 1 : end + 2] != _QUOTE:
            return record[at + 1 : end].replace(b'""', _QUOTE), end + 1
        end += 2


def ends_in_quotes(record: bytes) -> bool:
    """Whether a record ends inside a quoted field, so that it goes on in the next line."""
    return record.count(_QUOTE) % 2 == 1


class Format:
    """How records are written, and which of their fields are wanted."""

    def __init__(
        self,
        columns: list[Column],
        field_delim: str,
        use_quote_delim: bool,
        na_value: str,
        select_cols: Sequence[int] | None,
    ) -> None:
        self.columns = columns
        self.delimiter = field_delim.encode() if isinstance(field_delim, str) else field_delim
        if len(self.delimiter) != 1:
            raise InvalidArgumentError(
                None, None, f"field_delim should be only 1 char, got {field_delim!r}"
            )
        self.quoted = use_quote_delim
        self.missing = na_value.encode() if isinstance(na_value, str) else na_value
        self.selected = None if select_cols is None else list(select_cols)
        if self.selected is not None:
            self._check_selected()

    def _check_selected(self) -> None:
        chosen = self.selected or []
        if chosen != sorted(set(chosen)) or any(i < 0 for i in chosen):
            raise ValueError(f"select_cols must be increasing and not negative, got {chosen}")
        if len(chosen) != len(self.columns):
            raise ValueError(
                f"Length of select_cols and record_defaults must match, got {len(chosen)} and "
                f"{len(self.columns)}"
            )

    def values(self, record: bytes, name: str) -> list[Any]:
        """The wanted fields of a record, converted."""
        fields = split(record, self.delimiter, self.quoted, name)
        if self.selected is not None:
            if self.selected and self.selected[-1] >= len(fields):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Expect at least {self.selected[-1] + 1} fields but have {len(fields)} in "
                    f"{name}",
                )
            fields = [fields[i] for i in self.selected]
        if len(fields) != len(self.columns):
            raise InvalidArgumentError(
                None, None, f"Expect {len(self.columns)} fields but have {len(fields)} in {name}"
            )
        if self.missing:
            fields = [b"" if field == self.missing else field for field in fields]
        rows = zip(self.columns, fields, strict=True)
        return [column.value(field, i, name) for i, (column, field) in enumerate(rows)]


@public
def decode_csv(
    records: Any,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of CSV records, one tensor of the shape of `records` for each of the defaults.

    A default is a value of the column's dtype, which empty fields and those equal to `na_value`
    take, or a dtype where a field must not be empty. Raises InvalidArgumentError for a record that
    does not fit, naming it and the field.

    >>> a, b = agog.io.decode_csv(["1,x", ",y"], [[0], [""]])
    >>> a.numpy().tolist(), b.numpy().tolist()
    ([1, 0], [b'x', b'y'])
    """
    tensor = _core.convert(records, dtypes.string)
    columns = columns_of(record_defaults)
    form = Format(columns, field_delim, use_quote_delim, na_value, select_cols)
    flat = tensor.numpy().reshape(-1).tolist() if tensor.shape.rank else [tensor.numpy()]
    for i, record in enumerate(flat):
        if not record:
            raise InvalidArgumentError(
                None, None, f"Expect {len(columns)} fields but have 0 in record {i}"
            )
    rows = [form.values(record, f"record {i}") for i, record in enumerate(flat)]
    return [
        column_tensor([row[i] for row in rows], column.dtype, tensor.shape)
        for i, column in enumerate(columns)
    ]


def column_tensor(values: list[Any], dtype: dtypes.DType, shape: Any) -> Tensor:
    """A tensor of these values."""
    import numpy as np

    array = np.empty(len(values), dtype=dtype.as_numpy_dtype)
    array[:] = values
    return _core.convert(array.reshape(shape.as_list()), dtype)


__all__ = ["decode_csv"]
