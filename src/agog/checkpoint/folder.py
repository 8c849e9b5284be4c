"""What a folder with checkpoints says of itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from agog._core import public

if TYPE_CHECKING:
    from agog.checkpoint.state_file import CheckpointState


@public
def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """The state of a folder with checkpoints, with whole paths; None where it has none.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = agog.train.Checkpoint(v=agog.Variable(1.0)).save(f"{folder}/ckpt")
    >>> agog.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True
    """
    from agog.checkpoint.state_file import read_state

    return read_state(os.fspath(checkpoint_dir), latest_filename)


@public
def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint in a folder, as `restore` takes it; None without one.

    >>> agog.train.latest_checkpoint("/no/such/folder") is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not state.model_checkpoint_path:
        return None
    path = state.model_checkpoint_path
    if os.path.exists(f"{path}.index"):
        return path
    import logging

    logging.getLogger("agog").warning("the latest checkpoint %s is not there", path)
    return None
