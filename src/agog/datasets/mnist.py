"""MNIST: handwritten digits, 28 by 28 grey pixels."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from agog._core import public

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    Arrays = tuple[np.ndarray, np.ndarray]

NUM_TRAIN = 8_500  # of the 10,000 digits in the package; the other 1,500 are for testing

_IDX_NAMES = (
    ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
)
_IDX_UBYTE = 8  # the idx format's number for unsigned bytes


@public
def mnist(path: str | os.PathLike[str] | None = None) -> tuple[Arrays, Arrays]:
    """Digits as `((x_train, y_train), (x_test, y_test))`, images uint8 [n, 28, 28], labels uint8.

    Without `path`, the 10,000 digits in the package: the first 8,500 to train, the last 1,500 to
    test. `path` is a full `mnist.npz` (arrays x_train, y_train, x_test, y_test) or a folder with
    the four idx files, gzipped or not. A file that is not what it should be is a ValueError.

    >>> (x_train, y_train), (x_test, y_test) = agog.datasets.mnist()
    >>> x_train.shape, y_train.shape, x_test.shape, y_test.shape
    ((8500, 28, 28), (8500,), (1500, 28, 28), (1500,))
    """
    from pathlib import Path

    if path is None:
        packaged = Path(__file__).parent / "data" / "mnist10k.npz"
        arrays = _read_npz(packaged, ("x", "y"))
        x, y = _checked(packaged, arrays["x"], arrays["y"])
        return (x[:NUM_TRAIN], y[:NUM_TRAIN]), (x[NUM_TRAIN:], y[NUM_TRAIN:])
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.is_dir():
        train, test = (_read_idx_pair(path, images, labels) for images, labels in _IDX_NAMES)
        return train, test
    arrays = _read_npz(path, ("x_train", "y_train", "x_test", "y_test"))
    return (
        _checked(path, arrays["x_train"], arrays["y_train"]),
        _checked(path, arrays["x_test"], arrays["y_test"]),
    )


def _read_npz(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    import zipfile
    import zlib

    import numpy as np

    try:
        with path.open("rb") as opened:
            if not zipfile.is_zipfile(opened):
                raise ValueError("it is no zip archive")
        with np.load(path, allow_pickle=False) as file:
            missing = [name for name in names if name not in file.files]
            if missing:
                raise ValueError(f"the array {missing[0]} is missing")
            return {name: file[name] for name in names}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"{path}: not a readable npz file of digits ({reason})") from None


def _read_idx_pair(folder: Path, images: str, labels: str) -> Arrays:
    image_file = _find(folder, images)
    x = _read_idx(image_file, 3)
    return _checked(image_file, x, _read_idx(_find(folder, labels), 1))


def _find(folder: Path, name: str) -> Path:
    """The idx file of that name, gzipped or not, with a dot before `idx` or a dash."""
    for stem in (name, name.replace("-idx", ".idx")):
        for ending in ("", ".gz"):
            if (folder / (stem + ending)).is_file():
                return folder / (stem + ending)
    raise FileNotFoundError(f"{folder}: has no file {name} or {name}.gz")


def _read_idx(path: Path, rank: int) -> np.ndarray:
    import numpy as np

    data = _bytes_of(path)
    start = 4 + 4 * rank
    if len(data) < start or data[:4] != bytes((0, 0, _IDX_UBYTE, rank)):
        raise ValueError(
            f"{path}: not an idx file of {'images' if rank == 3 else 'labels'} "
            f"(it starts with the bytes {data[:4].hex(' ') or 'none'}, "
            f"expected 00 00 08 {rank:02x})"
        )
    shape = [int.from_bytes(data[i : i + 4], "big") for i in range(4, start, 4)]
    size = int(np.prod(shape, dtype=object))
    if len(data) - start != size:
        state = "truncated" if len(data) - start < size else "too long"
        raise ValueError(
            f"{path}: {state} (its header promises {size} bytes of data, it has "
            f"{len(data) - start})"
        )
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)


def _bytes_of(path: Path) -> bytes:
    if path.suffix != ".gz":
        return path.read_bytes()
    import gzip
    import zlib

    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path}: truncated or not gzip ({error})") from None


def _checked(path: Path, x: np.ndarray, y: np.ndarray) -> Arrays:
    if x.ndim != 3 or x.shape[1:] != (28, 28) or x.dtype != "uint8":
        raise ValueError(f"{path}: images must be uint8 [n, 28, 28], got {x.dtype} {list(x.shape)}")
    if y.shape != x.shape[:1] or y.dtype.kind not in "ui":
        raise ValueError(
            f"{path}: labels must be {len(x)} integers, one for each image, got {y.dtype} "
            f"{list(y.shape)}"
        )
    if not len(x):
        raise ValueError(f"{path}: holds no images")
    if y.min() < 0 or y.max() > 9:
        raise ValueError(f"{path}: labels must be 0 to 9, got {y.min()} to {y.max()}")
    return x, y.astype("uint8", copy=False)
