"""Opens checkpoints by their paths."""

from __future__ import annotations

import os

from agog._core import Tensor
from agog.checkpoint.bundle_reader import BundleReader
from agog.checkpoint.messages import ObjectGraph
from agog.checkpoint.object_graph import GRAPH_KEY
from agog.checkpoint.wire import decode
from agog.errors import DataLossError, InvalidArgumentError, NotFoundError


def open_checkpoint(path: str) -> BundleReader:
    """The reader of a checkpoint, or of the variables of a SavedModel's folder."""
    inner = os.path.join(path, "variables", "variables")
    if os.path.isdir(path) and os.path.exists(f"{inner}.index"):
        return BundleReader(inner)
    try:
        return BundleReader(path)
    except NotFoundError as error:
        raise NotFoundError(
            None, None, f"Error when restoring from checkpoint or SavedModel at {path}: {error}"
        ) from None


def graph_of(reader: BundleReader) -> ObjectGraph | None:
    """The object graph of a checkpoint; None where it knows variables by their names only."""
    if GRAPH_KEY not in reader:
        return None
    data: Tensor = reader.tensor(GRAPH_KEY)
    try:
        return decode(ObjectGraph, data.numpy())
    except (InvalidArgumentError, TypeError) as error:
        raise DataLossError(
            None, None, f"{reader.prefix}.index: damaged object graph: {error}"
        ) from None
