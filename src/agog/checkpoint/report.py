"""What became of each value when a checkpoint was restored."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from agog.errors import InvalidArgumentError

_SHOWN = 10  # of each kind; `str(report)` is for reading, the lists have all
_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"


@dataclass(frozen=True)
class Value:
    """A value of a checkpoint, or one of the program that has none there."""

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None

    @classmethod
    def of(cls, reader: Any, key: str) -> Value:
        """The value under a key."""
        return cls(key, reader.dtype(key).name, reader.shape(key))

    @classmethod
    def here(cls, name: str, value: Any) -> Value:
        """The value of an object of the program."""
        if not hasattr(value, "dtype"):
            return cls(name, type(value).__name__, ())
        rank = value.shape.rank
        return cls(name, value.dtype.name, None if rank is None else tuple(value.shape.as_list()))

    def __str__(self) -> str:
        return f"{_short(self.name)} {self.kind}"

    @property
    def size(self) -> int | None:
        """How many elements it has, None where that is not fixed."""
        if self.shape is None or None in self.shape:
            return None
        return math.prod(size for size in self.shape if size is not None)

    @property
    def kind(self) -> str:
        """Dtype and shape as text."""
        shape = "of any shape" if self.shape is None else str(list(self.shape))
        return f"{self.dtype} {shape}".replace("None", "?")


@dataclass(frozen=True)
class Mismatch:
    """A value that does not fit the variable in its place."""

    stored: Value
    here: Value

    @property
    def key(self) -> str:
        """The key of the value."""
        return self.stored.name

    def __str__(self) -> str:
        return f"{self.stored} in the checkpoint, {self.here.kind} here"


@dataclass
class RestoreReport:
    """Which values were restored, and why the others were not.

    `restored` has keys. `deferred` are values that wait for their object: it may still be made.
    `unused` are those that nothing can take any more. `missing` are the program's values that the
    checkpoint lacks, and `mismatched` those of another dtype or shape. `print` shows them all.
    """

    path: str
    restored: list[str] = field(default_factory=list)
    deferred: list[Value] = field(default_factory=list)
    missing: list[Value] = field(default_factory=list)
    unused: list[Value] = field(default_factory=list)
    mismatched: list[Mismatch] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether every value of the checkpoint and of the program was restored."""
        return not (self.deferred or self.missing or self.unused or self.mismatched)

    def __str__(self) -> str:
        total = len(self.restored) + len(self.deferred) + len(self.unused) + len(self.mismatched)
        lines = [f"checkpoint {self.path}: {len(self.restored)} of {total} values restored"]
        lines += _section("deferred", self.deferred, "the object that takes it is not there yet")
        lines += _section("missing", self.missing, "in the program, but not in the checkpoint")
        lines += _section("unused", self.unused, "in the checkpoint, and nothing can take it")
        lines += _section("mismatched", self.mismatched, "another dtype or shape")
        lines += [f"  {hint}" for hint in self._hints()]
        return "\n".join(lines)

    def _hints(self) -> list[str]:
        """For each missing value, the one in the checkpoint that it may have been."""
        free = [*self.deferred, *self.unused]
        hints = []
        for value in self.missing[:_SHOWN]:
            alike = [_short(each.name) for each in free if each.kind == value.kind]
            for name in difflib.get_close_matches(value.name, alike, 1):
                hints.append(f"perhaps {value.name} was saved as {name}")
        return hints


def _section(title: str, values: Sequence[Any], why: str) -> list[str]:
    if not values:
        return []
    lines = [f"  {title} {len(values)}: {why}", *(f"    {value}" for value in values[:_SHOWN])]
    if len(values) > _SHOWN:
        lines.append(f"    and {len(values) - _SHOWN} more")
    return lines


def _short(name: str) -> str:
    return name.removesuffix(_SUFFIX)


def raise_mismatches(path: str, mismatches: Sequence[Mismatch]) -> NoReturn:
    """The error for values that do not fit; nothing was changed yet."""
    first = mismatches[0]
    if first.stored.dtype == first.here.dtype:
        said = (
            f"Received incompatible tensor with shape {first.stored.shape} when attempting to "
            f"restore variable with shape {first.here.shape} and name {first.here.name}"
        )
    else:
        said = (
            f"tensor_name = {first.key}; expected dtype {first.here.dtype} does not equal "
            f"original dtype {first.stored.dtype}"
        )
    lines = [f"    {_short(each.key)}: {each}" for each in mismatches[:_SHOWN]]
    raise InvalidArgumentError(
        None,
        None,
        f"{said}. Nothing was restored from {path}; restore(path, strict=False) leaves out what "
        f"does not fit:\n" + "\n".join(lines),
    )
