"""Saver: the checkpoints of TensorFlow 1, which know variables by their names."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import agog
from agog._core import VariableBase, public
from agog.checkpoint.trackable import VALUE, full_name
from agog.errors import NotFoundError, UnimplementedError

if TYPE_CHECKING:
    from agog.checkpoint.bundle_reader import BundleReader


class Saver:
    """Saves variables under their names, or under the keys of a dict, as `tf.train.Saver` does.

    `var_list` is a list or dict of variables. The `max_to_keep` latest checkpoints are kept (all
    of them if it is None or 0). `reshape` lets a value take its variable's shape. The session of
    `save` and `restore` may be None.

    >>> import tempfile
    >>> v = agog.Variable([1.0, 2.0], name="v")
    >>> saver = agog.train.Saver([v])
    >>> path = saver.save(None, f"{tempfile.mkdtemp()}/model", global_step=3)
    >>> _ = v.assign([0.0, 0.0])
    >>> saver.restore(None, path)
    >>> path.rpartition("/")[2], v.numpy().tolist()
    ('model-3', [1.0, 2.0])
    """

    @public
    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of "
                "variables to save"
            )
        if saver_def is not None or builder is not None or write_version != 2:
            raise UnimplementedError(
                None, None, "Saver: saver_def, builder and write_version other than 2"
            )
        self._variables = _by_name(var_list)
        if not self._variables and not allow_empty:
            raise ValueError("No variables to save")
        self._reshape = reshape
        self._max_to_keep = max_to_keep or 0
        self._keep_seconds = keep_checkpoint_every_n_hours * 3600.0
        self._next_kept = time.time() + self._keep_seconds
        self._pad = pad_step_number
        self._relative = save_relative_paths
        self._last: dict[str, float] = {}  # path -> time of writing, oldest first

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, oldest first."""
        return list(self._last)

    @public
    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Any) -> None:
        """Takes these pairs of path and time for the checkpoints written so far."""
        self._last = dict(last_checkpoints_with_time)

    @public
    def recover_last_checkpoints(self, checkpoint_paths: Iterable[str]) -> None:
        """Takes those of these checkpoints that are there for the ones written so far."""
        there = [path for path in checkpoint_paths if os.path.exists(f"{path}.index")]
        self._last = {path: os.stat(f"{path}.index").st_mtime for path in there}

    @public
    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Writes the variables; returns the path, with the step behind it if one is given."""
        from agog.checkpoint.bundle_writer import write_bundle

        path = os.fspath(save_path)
        if global_step is not None:
            step = int(agog.convert_to_tensor(global_step))
            path = f"{path}-{step:08d}" if self._pad else f"{path}-{step}"
        if os.path.basename(path) == (latest_filename or "checkpoint"):
            raise ValueError(
                f"latest_filename collides with save_path: {path!r} would be the file of the "
                "folder's state"
            )
        write_bundle(path, {name: var.value() for name, var in self._variables.items()})
        if write_state:
            self._note(path, latest_filename)
        return path

    def _note(self, path: str, latest_filename: str | None) -> None:
        """Names the new checkpoint as the latest, then removes the oldest."""
        from agog.checkpoint.bundle_writer import remove_bundle
        from agog.checkpoint.state_file import write_state

        self._last.pop(path, None)
        self._last[path] = time.time()
        count = len(self._last) - self._max_to_keep if self._max_to_keep else 0
        old = {known: self._last.pop(known) for known in list(self._last)[: max(0, count)]}
        write_state(
            os.path.dirname(path),
            path,
            self._last,
            latest_filename=latest_filename,
            relative=self._relative,
        )
        for known, written in old.items():
            if written > self._next_kept:
                self._next_kept += self._keep_seconds
            else:
                remove_bundle(known)

    @public
    def restore(self, sess: Any, save_path: Any) -> None:
        """Gives all variables the values under their names, or none of them on an error.

        A checkpoint of `train.Checkpoint` will do: it has the names as well.
        """
        from agog.checkpoint.bundle_reader import BundleReader

        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = os.fspath(save_path)
        if not os.path.exists(f"{path}.index"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        reader = BundleReader(path)
        keys = _keys(reader)
        lacking = [name for name in self._variables if name not in keys]
        if lacking:
            raise NotFoundError(
                None,
                None,
                "Restoring from checkpoint failed. This is most likely due to a Variable name that "
                f"is missing from the checkpoint {path}. Key {lacking[0]} not found in checkpoint"
                + (f", nor are {', '.join(lacking[1:])}" if lacking[1:] else ""),
            )
        self._assign(reader, {name: keys[name] for name in self._variables})

    def _assign(self, reader: BundleReader, keys: dict[str, str]) -> None:
        from agog.checkpoint.report import raise_mismatches
        from agog.checkpoint.restoration import assign_all, compare

        found = (compare(var, reader, keys[name]) for name, var in self._variables.items())
        mismatches = [each for each in found if each and not self._may_reshape(each)]
        if mismatches:
            raise_mismatches(reader.prefix, mismatches)
        tensors = [reader.tensor(keys[name]) for name in self._variables]
        if self._reshape:
            pairs = zip(tensors, self._variables.values(), strict=True)
            tensors = [agog.reshape(tensor, var.shape) for tensor, var in pairs]
        assign_all(list(self._variables.values()), tensors)

    def _may_reshape(self, mismatch: Any) -> bool:
        stored, here = mismatch.stored, mismatch.here
        return self._reshape and stored.dtype == here.dtype and stored.size == here.size


def _by_name(var_list: Any) -> dict[str, Any]:
    """The variables by the names under which they are saved."""
    if isinstance(var_list, dict):
        named = list(var_list.items())
    else:
        named = [(full_name(var), var) for var in var_list]
    found: dict[str, Any] = {}
    for name, var in named:
        if not isinstance(var, VariableBase):
            raise TypeError(f"Saver saves variables, got {name!r}: {type(var).__name__}")
        if found.setdefault(name, var) is not var:
            raise ValueError(
                f"Two different variables with the same name {name!r} were passed to the Saver; "
                "give it a dict with a name for each"
            )
    return found


def _keys(reader: BundleReader) -> dict[str, str]:
    """The key of each variable by its name."""
    from agog.checkpoint.opening import graph_of

    graph = graph_of(reader)
    if graph is None:
        return {key: key for key in reader.names()}
    attributes = (each for node in graph.nodes for each in node.attributes)
    return {each.full_name: each.checkpoint_key for each in attributes if each.name == VALUE}
