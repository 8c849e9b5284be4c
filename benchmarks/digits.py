"""The digits in the package, for the workloads about input pipelines."""

from pathlib import Path

import numpy as np

BATCH = 32


def digits():
    """10,000 images [28, 28] of float32 and their labels as int64."""
    folder = Path(__file__).parent.parent / "src" / "agog" / "datasets" / "data"
    with np.load(folder / "mnist10k.npz") as file:
        return (file["x"] / 255).astype(np.float32), file["y"].astype(np.int64)


def endless(batches):
    """The batches of something that can be gone through again and again."""
    while True:
        yield from batches
