"""Options of saving and restoring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agog._core import public
from agog.errors import UnimplementedError


class CheckpointOptions:
    """How to save and restore.

    With `enable_async` (or `experimental_enable_async_checkpoint`) `save` returns at once and a
    thread writes: tensors never change, so what is written is the state of that moment.
    `experimental_write_callbacks` are called after a checkpoint was written, with its path if they
    take an argument. `experimental_skip_slot_variables` leaves out optimizers' slots when
    restoring. `experimental_io_device` means nothing on one machine.

    >>> agog.train.CheckpointOptions(enable_async=True).enable_async
    True
    """

    @public
    def __init__(
        self,
        experimental_io_device: str | None = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        if experimental_sharding_callback is not None:
            raise UnimplementedError(
                None, None, "CheckpointOptions: a checkpoint is written as one shard"
            )
        for callback in experimental_write_callbacks or ():
            if not callable(callback):
                raise ValueError(
                    f"experimental_write_callbacks must be functions, got {callback!r}"
                )
        self.experimental_io_device = experimental_io_device
        self.enable_async = enable_async or experimental_enable_async_checkpoint
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = list(experimental_write_callbacks or ())
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = None
