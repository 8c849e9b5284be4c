"""The kinds of summaries that TensorBoard has a page for."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from agog._core import Tensor, convert, public
from agog.errors import InvalidArgumentError
from agog.summary.experimental import summary_scope
from agog.summary.recording import recording_writer, write

_BUCKETS = 30
_PICTURE_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


def _write(
    plugin: str, name: str, make: Callable[[], Any], step: Any, description: str | None
) -> Tensor:
    if recording_writer() is None:
        return convert(False)
    with summary_scope(name, f"{plugin}_summary") as (tag, _):
        return write(tag, make, step, _metadata(plugin, description))


def _metadata(plugin: str, description: str | None) -> Any:
    """What tells TensorBoard which page a summary belongs to."""
    import importlib

    module = importlib.import_module(f"tensorboard.plugins.{plugin}.metadata")
    return module.create_summary_metadata(display_name=None, description=description)


@public
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes a number, as float32; returns whether it was written.

    ValueError if `data` is no scalar, or without a step.

    >>> bool(agog.summary.scalar("loss", 0.5, step=1))  # there is no writer
    False
    """

    def make() -> Tensor:
        import agog

        value = convert(data)
        if value.shape.rank != 0:
            raise ValueError(f"Expected scalar shape, saw shape: {value.shape}.")
        return agog.cast(value, agog.float32)

    return _write("scalar", name, make, step, description)


@public
def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes how the numbers in `data` are spread over `buckets` (30) ranges of equal width.

    >>> bool(agog.summary.histogram("weights", [0.5, 1.5], step=1))  # there is no writer
    False
    """
    count = _BUCKETS if buckets is None else int(buckets)
    if count < 0:
        raise ValueError(f"buckets must not be negative, got {count}")
    return _write("histogram", name, lambda: _spread(data, count), step, description)


def _spread(data: Any, count: int) -> Tensor:
    """Rows of lower edge, upper edge and how many numbers lie between, float64."""
    import numpy as np

    numbers = np.asarray(convert(data).numpy()).astype("float64").reshape(-1)
    rows = np.zeros((count, 3))
    if count and numbers.size:
        low, high = numbers.min(), numbers.max()
        edges = np.linspace(low, high, count + 1)
        rows[:, 0], rows[:, 1] = edges[:-1], edges[1:]
        if low == high:
            rows[-1, 2] = numbers.size
        elif np.isfinite(edges).all():
            places = np.floor((numbers - low) / ((high - low) / count)).astype("int64")
            rows[:, 2] = np.bincount(np.minimum(places, count - 1), minlength=count)
    return convert(rows)


@public
def image(
    name: str, data: Any, step: Any = None, max_outputs: int = 3, description: str | None = None
) -> Tensor:
    """Writes the first `max_outputs` pictures of [pictures, height, width, channels].

    Floats are brightnesses from 0 to 1, integers from 0 to the largest of their dtype; there are 1
    (grey), 2 (grey, opacity), 3 (colours) or 4 channels.

    >>> bool(agog.summary.image("digits", agog.zeros([1, 4, 4, 1]), step=1))  # there is no writer
    False
    """
    return _write("image", name, lambda: _pictures(data, max_outputs), step, description)


def _pictures(data: Any, max_outputs: int) -> Tensor:
    """Width, height and PNG files, as strings."""
    import numpy as np

    value = convert(data)
    if value.shape.rank != 4:
        raise ValueError(
            f"data must have rank 4 (pictures, height, width, channels), got shape {value.shape}"
        )
    if max_outputs < 0:
        raise InvalidArgumentError(None, None, f"max_outputs must be >= 0, got {max_outputs}")
    _, height, width, channels = value.shape.as_list()
    if channels not in _PICTURE_MODES:
        raise InvalidArgumentError(
            None, None, f"image must have 1, 2, 3, or 4 channels, got {channels}"
        )
    pixels = _eight_bits(np.asarray(value.numpy())[:max_outputs])
    files = [_png(picture) for picture in pixels]
    return convert([str(width).encode(), str(height).encode(), *files], "string")


def _eight_bits(pixels: Any) -> Any:
    import numpy as np

    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype.kind in "iu":
        largest = int(np.iinfo(pixels.dtype).max) + 1
        if largest < 256:  # int8: from 7 bits
            return np.clip(pixels, 0, None).astype("uint8") * 2
        return np.clip(pixels // (largest // 256), 0, 255).astype("uint8")
    scaled = pixels.astype("float64") * 255.5
    return np.nan_to_num(np.clip(scaled, 0, 255), nan=0.0).astype("uint8")


def _png(pixels: Any) -> bytes:
    from PIL import Image  # type: ignore[import-not-found, import-untyped, unused-ignore]

    mode = _PICTURE_MODES[pixels.shape[-1]]
    size = pixels.shape[1], pixels.shape[0]
    file = io.BytesIO()
    Image.frombytes(mode, size, pixels.tobytes()).save(file, "PNG")
    return file.getvalue()


@public
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Writes strings; TensorBoard shows a tensor of them as a table. TypeError for other dtypes.

    >>> bool(agog.summary.text("note", "hello", step=1))  # there is no writer
    False
    """

    def make() -> Tensor:
        value = convert(data)
        if value.dtype.name != "string":
            raise TypeError(f"tensor must be of type tf.string; got {value.dtype!r}")
        return value

    return _write("text", name, make, step, description)
