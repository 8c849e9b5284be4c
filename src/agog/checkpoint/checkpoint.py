"""Checkpoint: saves the objects below a root, and restores them.

What reads and writes files is imported when it is needed: importing agog must stay fast.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import agog
from agog._core import convert, public
from agog.checkpoint import waiting
from agog.checkpoint.options import CheckpointOptions
from agog.checkpoint.status import CheckpointLoadStatus, InitializationOnlyStatus
from agog.checkpoint.trackable import Trackable, is_trackable

if TYPE_CHECKING:
    from agog.checkpoint.object_graph import Tracked
    from agog.checkpoint.report import RestoreReport


class Checkpoint(Trackable):
    """Saves and restores the values of objects, found by the names of their attributes.

    `root` or the keywords are modules, variables, optimizers, and lists and dicts of them. A value
    is restored into the object that stands at the same place, were it made only later. The files
    are TensorFlow's, and each reads those of the other.

    >>> import tempfile
    >>> prefix = f"{tempfile.mkdtemp()}/ckpt"
    >>> v = agog.Variable([1.0, 2.0])
    >>> path = agog.train.Checkpoint(v=v).save(prefix)
    >>> w = agog.Variable([0.0, 0.0])
    >>> status = agog.train.Checkpoint(v=w).restore(path).assert_consumed()
    >>> w.numpy().tolist()
    [1.0, 2.0]
    """

    @public
    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        for name, value in (("root", root), *kwargs.items()):
            if name == "root" and value is None:
                continue
            if not is_trackable(value) and not isinstance(value, list | tuple | dict):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (a module, "
                    f"variable, optimizer, or a list or dict of them), got {value!r}"
                )
        self._root = root
        self._save_counter: Any = None
        self._writing: _Writing | None = None
        for name in sorted(kwargs):
            setattr(self, name, kwargs[name])

    def checkpoint_children(self) -> dict[str, Any]:
        """The objects by name, and the counter of saves."""
        own = {name: value for name, value in vars(self).items() if name not in _PRIVATE}
        if self._save_counter is not None:
            own["save_counter"] = self._save_counter
        return own

    @property
    def save_counter(self) -> Any:
        """How often `save` was called, a variable that is saved, too."""
        if isinstance(self._root, Checkpoint):
            return self._root.save_counter
        if self._save_counter is None:
            self._save_counter = agog.Variable(
                0, dtype=agog.int64, trainable=False, name="save_counter"
            )
        return self._save_counter

    # ---- saving

    @public
    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a checkpoint with the next number behind its name; returns its path.

        The folder's `checkpoint` file then names it as the latest.
        """
        return self._save(file_prefix, options, self._as_latest)

    def _save(
        self, file_prefix: Any, options: CheckpointOptions | None, then: Callable[[str], None]
    ) -> str:
        self.sync()
        counter = self.save_counter
        before = counter.value()
        counter.assign_add(1)
        path = f"{os.fspath(file_prefix)}-{int(counter)}"
        try:
            return self._write(path, options, then)
        except BaseException:
            counter.assign(before)  # the number is still free
            raise

    @public
    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a checkpoint under exactly this name, in place of one that is there already."""
        self.sync()
        return self._write(os.fspath(file_prefix), options, lambda path: None)

    @public
    def sync(self) -> None:
        """Waits for a checkpoint that a thread is writing, and raises what kept it from it."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.finish()

    def _write(
        self, path: str, options: CheckpointOptions | None, then: Callable[[str], None]
    ) -> str:
        from agog.checkpoint.bundle_writer import write_bundle
        from agog.checkpoint.object_graph import GRAPH_KEY, to_messages
        from agog.checkpoint.wire import encode

        waiting.resume_all()
        graph, tensors = to_messages(self._survey())
        tensors[GRAPH_KEY] = convert(encode(graph), "string")

        def write() -> None:
            write_bundle(path, tensors)
            then(path)
            for callback in options.experimental_write_callbacks if options else ():
                _call_back(callback, path)

        if options is not None and options.enable_async:
            self._writing = _Writing(write)
        else:
            write()
        return path

    @staticmethod
    def _as_latest(path: str) -> None:
        from agog.checkpoint.state_file import write_state

        write_state(os.path.dirname(path), path)

    def _survey(self) -> list[Tracked]:
        from agog.checkpoint.object_graph import survey

        if self._root is None:
            return survey(self)
        return survey(self._root, self.checkpoint_children().items())

    # ---- restoring

    @public
    def restore(
        self,
        save_path: Any,
        options: CheckpointOptions | None = None,
        *,
        strict: bool | None = None,
    ) -> CheckpointLoadStatus:
        """Gives the objects the values of a checkpoint; values without an object yet wait for it.

        Either everything that has its object is restored or, where an error is raised, nothing is
        changed. A value of another dtype or shape than its variable is an InvalidArgumentError;
        `strict=False` leaves it out. `strict=True` raises unless every value of the checkpoint and
        of the program finds its counterpart at once. The status that is returned says what became
        of each value. NotFoundError if there is no such checkpoint, DataLossError if it is damaged.
        """
        if save_path is not None:
            _ = self.save_counter  # it is there from now on, and is restored with the rest
        return self.read(save_path, options, strict=strict)

    @public
    def read(
        self,
        save_path: Any,
        options: CheckpointOptions | None = None,
        *,
        strict: bool | None = None,
    ) -> CheckpointLoadStatus:
        """As `restore`, for a checkpoint of `write`: no counter of saves is needed."""
        self.sync()
        if save_path is None:
            return InitializationOnlyStatus()
        from agog.checkpoint.by_name import restore_by_name
        from agog.checkpoint.opening import graph_of, open_checkpoint
        from agog.checkpoint.restoration import Restoration

        waiting.resume_all()
        reader = open_checkpoint(os.fspath(save_path))
        graph = graph_of(reader)
        if graph is None:
            return restore_by_name(reader, self._survey(), strict)
        skip_slots = options is not None and options.experimental_skip_slot_variables
        restoration = Restoration(reader, graph, skip_slots, strict)
        restoration.optional = self._save_counter
        root = self if self._root is None else self._root
        restoration.start(root, {} if self._root is None else self.checkpoint_children())
        if restoration.ledger.left:
            reader.map_shards()  # what comes later may come after the files are gone

        def report() -> RestoreReport:
            restoration.resume()
            return restoration.report(self._survey())

        return CheckpointLoadStatus(report, restoration.ledger.silence)


_PRIVATE = ("_root", "_save_counter", "_writing")


class _Writing:
    """A checkpoint that a thread is writing."""

    def __init__(self, write: Callable[[], None]) -> None:
        self._error: BaseException | None = None
        # Not a daemon: the interpreter waits for the file to be whole before it ends.
        self._thread = threading.Thread(target=self._run, args=(write,), name="agog checkpoint")
        self._thread.start()

    def _run(self, write: Callable[[], None]) -> None:
        try:
            write()
        except BaseException as error:
            self._error = error

    def finish(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error


def _call_back(callback: Callable[..., Any], path: str) -> None:
    import inspect

    callback(*[path][: len(inspect.signature(callback).parameters)])
