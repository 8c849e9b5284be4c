"""Restores checkpoints of a v1 `Saver`, which know variables by their names only."""

from __future__ import annotations

from typing import Any

from agog._core import VariableBase
from agog.checkpoint.bundle_reader import BundleReader
from agog.checkpoint.object_graph import Tracked
from agog.checkpoint.report import RestoreReport, Value, raise_mismatches
from agog.checkpoint.restoration import assign_all, compare
from agog.checkpoint.status import NameBasedSaverStatus
from agog.checkpoint.trackable import full_name
from agog.errors import FailedPreconditionError


def restore_by_name(
    reader: BundleReader, found: list[Tracked], strict: bool | None
) -> NameBasedSaverStatus:
    """Gives each variable the value under its name: all that fit, or nothing on an error."""
    report = RestoreReport(reader.prefix)
    pairs = []
    for each in found:
        if not isinstance(each.value, VariableBase):
            continue
        name = full_name(each.value)
        if name not in reader:
            if each.path != "save_counter":
                report.missing.append(Value.here(each.path, each.value))
            continue
        mismatch = compare(each.value, reader, name)
        if mismatch:
            report.mismatched.append(mismatch)
        else:
            pairs.append((each.value, name))
    report.restored = [name for _, name in pairs]
    done = {*report.restored, *(each.key for each in report.mismatched)}
    report.unused = [Value.of(reader, key) for key in reader.names() if key not in done]
    if report.mismatched and strict is None:
        raise_mismatches(reader.prefix, report.mismatched)
    if strict and not report.is_complete:
        raise FailedPreconditionError(None, None, f"nothing was restored\n{report}")
    assign_pairs(reader, pairs)
    return NameBasedSaverStatus(lambda: report, lambda: None)


def assign_pairs(reader: BundleReader, pairs: list[tuple[Any, str]]) -> None:
    """Reads all values, then gives them to their variables."""
    tensors = [reader.tensor(name) for _, name in pairs]
    assign_all([variable for variable, _ in pairs], tensors)
