"""What `restore` returns: the report, and TensorFlow's ways to insist."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agog._core import public

if TYPE_CHECKING:
    from agog.checkpoint.report import Mismatch, RestoreReport, Value


class CheckpointLoadStatus:
    """How a restore went, up to this moment: values may still find their object later.

    `print(status)` shows everything; `restored`, `deferred`, `missing`, `unused` and `mismatched`
    are lists.
    """

    def __init__(self, make_report: Callable[[], RestoreReport], silence: Callable[[], None]):
        self._make_report = make_report
        self._silence = silence

    @property
    def report(self) -> RestoreReport:
        """The report of this moment."""
        return self._make_report()

    @property
    def restored(self) -> list[str]:
        """The keys of the values that were restored."""
        return self.report.restored

    @property
    def deferred(self) -> list[Value]:
        """The values whose object is not there yet."""
        return self.report.deferred

    @property
    def missing(self) -> list[Value]:
        """The program's values that the checkpoint lacks."""
        return self.report.missing

    @property
    def unused(self) -> list[Value]:
        """The checkpoint's values that nothing can take."""
        return self.report.unused

    @property
    def mismatched(self) -> list[Mismatch]:
        """The values of another dtype or shape than their variable."""
        return self.report.mismatched

    def __str__(self) -> str:
        return str(self.report)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.report}>"

    @public
    def assert_consumed(self) -> CheckpointLoadStatus:
        """Insists that every value of the checkpoint and of the program was restored."""
        report = self._asked()
        if not report.is_complete:
            raise AssertionError(f"not everything was restored\n{report}")
        return self

    @public
    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Insists that every value of the program was restored; others may wait."""
        report = self._asked()
        if report.missing or report.mismatched:
            raise AssertionError(
                f"Found {len(report.missing) + len(report.mismatched)} Python objects that were "
                f"not bound to checkpointed values\n{report}"
            )
        return self

    @public
    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Insists that at least one value was restored."""
        report = self._asked()
        if not any(not key.startswith("save_counter/") for key in report.restored):
            raise AssertionError(f"nothing but the root object was matched\n{report}")
        return self

    @public
    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that values may stay unused: nothing is logged about them."""
        self._silence()
        return self

    @public
    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing: values are restored at once."""

    @public
    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: values are restored at once, and variables always have one."""

    def _asked(self) -> RestoreReport:
        self._silence()
        return self.report


class NameBasedSaverStatus(CheckpointLoadStatus):
    """How the restore of a checkpoint by names went, one of a v1 `Saver`."""


class InitializationOnlyStatus(CheckpointLoadStatus):
    """What `restore(None)` returns: there was no checkpoint."""

    def __init__(self) -> None:
        super().__init__(_empty_report, lambda: None)

    @public
    def assert_consumed(self) -> CheckpointLoadStatus:
        """Always an AssertionError."""
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_consumed
    assert_nontrivial_match = assert_consumed


def _empty_report() -> RestoreReport:
    from agog.checkpoint.report import RestoreReport

    return RestoreReport("None")
