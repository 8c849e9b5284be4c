"""CheckpointManager: keeps the last checkpoints of a folder and removes older ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from agog._core import public
from agog.checkpoint.checkpoint import Checkpoint
from agog.checkpoint.folder import get_checkpoint_state, latest_checkpoint
from agog.checkpoint.options import CheckpointOptions


class CheckpointManager:
    """Saves numbered checkpoints into a folder and keeps the `max_to_keep` latest of them.

    With `keep_checkpoint_every_n_hours` one checkpoint of every so many hours stays for good. With
    `checkpoint_interval`, `save` does nothing until `step_counter` has grown by so much. Older
    files are removed only after the new checkpoint is whole and named in the folder's state.

    >>> import tempfile
    >>> v = agog.Variable(0.0)
    >>> manager = agog.train.CheckpointManager(
    ...     agog.train.Checkpoint(v=v), tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     _ = manager.save()
    >>> [path.rpartition("/")[2] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    @public
    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._keep_seconds = (keep_checkpoint_every_n_hours or 0) * 3600.0
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._kept: dict[str, float] = {}  # path -> time of writing, oldest first
        self._last_preserved = time.time()
        self._take_over()

    def _take_over(self) -> None:
        """Goes on with what an earlier manager of the folder noted."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        if state.last_preserved_timestamp is not None:
            self._last_preserved = state.last_preserved_timestamp
        paths = list(state.all_model_checkpoint_paths)
        stamps = state.all_model_checkpoint_timestamps
        if len(stamps) != len(paths):
            stamps = [self._last_preserved] * len(paths)
        if state.model_checkpoint_path not in paths:
            paths.append(state.model_checkpoint_path)
            stamps = [*stamps, self._last_preserved]
        known = zip(paths, stamps, strict=True)
        self._kept = {path: stamp for path, stamp in known if os.path.exists(f"{path}.index")}

    @property
    def directory(self) -> str:
        """The folder of the checkpoints."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How much the step counter must grow between two saves."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, oldest first."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, as `restore` takes it; None before the first."""
        return next(reversed(self._kept), None)

    @public
    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Saves under the next number, or the one given; returns the path.

        None if the step counter has not yet grown by `checkpoint_interval`.
        """
        if check_interval and not self._is_due():
            return None
        if checkpoint_number is None:
            path = self._checkpoint._save(self._prefix, options, self._written)
        else:
            _ = self._checkpoint.save_counter
            self.sync()
            path = f"{self._prefix}-{int(checkpoint_number)}"
            self._checkpoint._write(path, options, self._written)
        if self._interval is not None:
            self._last_step = int(self._step_counter)
        return path

    @public
    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint and returns its path; calls `init_fn` if there is none."""
        if self.latest_checkpoint is not None:
            self._checkpoint.restore(self.latest_checkpoint)
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return self.latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
        return None

    @public
    def sync(self) -> None:
        """Waits for a checkpoint that a thread is writing, and raises what kept it from it."""
        self._checkpoint.sync()

    def _is_due(self) -> bool:
        if self._interval is None or self._last_step is None:
            return True
        return int(self._step_counter) - self._last_step >= self._interval

    def _written(self, path: str) -> None:
        """A new checkpoint is whole: name it as the latest, then remove the oldest."""
        from agog.checkpoint.bundle_writer import remove_bundle
        from agog.checkpoint.state_file import write_state

        kept = {known: stamp for known, stamp in self._kept.items() if known != path}
        kept[path] = time.time()
        old, preserved = self._surplus(kept)
        kept = {known: stamp for known, stamp in kept.items() if known not in old}
        write_state(self._directory, path, kept, kept.values(), preserved)
        self._kept, self._last_preserved = kept, preserved
        for known in old:
            if known != path and known not in kept and not old[known]:
                remove_bundle(known)

    def _surplus(self, kept: dict[str, float]) -> tuple[dict[str, bool], float]:
        """The oldest that are too many, whether each is preserved, and when the last one was."""
        count = 0 if self._max_to_keep is None else max(0, len(kept) - self._max_to_keep)
        old, preserved = {}, self._last_preserved
        for path in list(kept)[:count]:
            old[path] = bool(self._keep_seconds) and kept[path] - preserved >= self._keep_seconds
            if old[path]:
                preserved = kept[path]
        return old, preserved


@public
def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], Any] | None = None,
) -> Iterator[str]:
    """Yields each latest checkpoint of a folder as it appears, to be evaluated beside a training.

    It waits for a new one for `timeout` seconds, without an end if that is None; then it is over,
    or it goes on while `timeout_fn()` is false.

    >>> list(agog.train.checkpoints_iterator("/no/such/folder", timeout=0))
    []
    """
    last = None
    while True:
        new = _next_checkpoint(checkpoint_dir, last, timeout)
        if new is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.monotonic()
        last = new
        yield new
        time.sleep(max(0.0, start + min_interval_secs - time.monotonic()))


_POLL_SECONDS = 0.1


def _next_checkpoint(folder: Any, last: str | None, timeout: float | None) -> str | None:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        path = latest_checkpoint(folder)
        if path is not None and path != last:
            return path
        if end is not None and time.monotonic() + _POLL_SECONDS > end:
            return None
        time.sleep(_POLL_SECONDS)
