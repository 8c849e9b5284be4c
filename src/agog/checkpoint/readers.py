"""Looks into checkpoints without objects: names, shapes, dtypes and values."""

from __future__ import annotations

import os
from typing import Any

from agog._core import public
from agog.checkpoint.folder import latest_checkpoint


class CheckpointReader:
    """The values of a checkpoint by their keys."""

    def __init__(self, filename: Any) -> None:
        from agog.checkpoint.bundle_reader import BundleReader

        self._bundle = BundleReader(os.fspath(filename))

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a value under a key."""
        return tensor_str in self._bundle

    def get_tensor(self, tensor_str: str) -> Any:
        """The value under a key, a NumPy array; NotFoundError without one."""
        return self._bundle.tensor(tensor_str).numpy()

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each value, by key."""
        return {key: list(self._bundle.shape(key)) for key in self._bundle.names()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """The dtype of each value, by key."""
        return {key: self._bundle.dtype(key) for key in self._bundle.names()}

    def debug_string(self) -> bytes:
        """A line for each value: key, dtype, shape."""
        lines = [
            f"{key} (DT_{self._bundle.dtype(key).name.upper()}) {list(self._bundle.shape(key))}"
            for key in sorted(self._bundle.names())
        ]
        return "\n".join([*lines, ""]).encode()


@public
def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint, or of the latest one in a folder.

    NotFoundError if there is none, ValueError for a folder without checkpoints.

    >>> import tempfile
    >>> path = agog.train.Checkpoint(v=agog.Variable([1, 2])).write(f"{tempfile.mkdtemp()}/c")
    >>> agog.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1, 2]
    """
    path = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = latest
    return CheckpointReader(path)


@public
def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """The key and shape of every value of a checkpoint, in order of keys.

    >>> import tempfile
    >>> path = agog.train.Checkpoint(v=agog.Variable([1, 2])).write(f"{tempfile.mkdtemp()}/c")
    >>> agog.train.list_variables(path)[1]
    ('v/.ATTRIBUTES/VARIABLE_VALUE', [2])
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@public
def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The value under a key of a checkpoint, a NumPy array; NotFoundError without one.

    >>> import tempfile
    >>> path = agog.train.Checkpoint(v=agog.Variable([1, 2])).write(f"{tempfile.mkdtemp()}/c")
    >>> agog.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist()
    [1, 2]
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
