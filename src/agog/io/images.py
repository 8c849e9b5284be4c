"""PNG, JPEG, GIF and BMP, through Pillow: `pip install agog[image]`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from agog import _core, dtypes
from agog._core import Tensor, public
from agog.errors import InvalidArgumentError, UnimplementedError

if TYPE_CHECKING:
    import numpy as np

_SIGNATURES = {
    "PNG": b"\x89PNG\r\n\x1a\n",
    "JPEG": b"\xff\xd8\xff",
    "GIF": b"GIF8",
    "BMP": b"BM",
}
# How many thirty-two-thousandths of red, green and blue make grey, as in libpng.
_GREY = (6968, 23434, 2366)


def pillow() -> Any:
    """Pillow's module Image; an ImportError that says how to get it where it is missing."""
    try:
        from PIL import Image  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ImportError(
            "reading and writing images needs Pillow, which is not installed: "
            "pip install agog[image]"
        ) from None
    return Image


@public
def decode_png(
    contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None
) -> Tensor:
    """An image [height, width, channels] from the bytes of a PNG file, or of another known kind.

    `channels` is 1, 3 or 4, or 0 for those of the file; `dtype` uint8, or uint16 for grey images.
    Raises InvalidArgumentError for what is no image.

    >>> data = agog.io.encode_png(agog.constant([[[1, 2, 3]]], agog.uint8))
    >>> agog.io.decode_png(data).numpy().tolist()
    [[[1, 2, 3]]]
    """
    return _decode("decode_png", contents, channels, dtype)


@public
def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """An image [height, width, channels] of uint8 from the bytes of a JPEG file.

    `channels` is 1 or 3, or 0 for those of the file; `ratio` (1, 2, 4 or 8) makes it that much
    smaller. The pixels are those of TensorFlow's `dct_method="INTEGER_ACCURATE"`, whatever is
    asked for: its faster method, the default there, differs from them by up to 6.
    """
    if ratio not in (1, 2, 4, 8):
        raise InvalidArgumentError(None, None, f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if not fancy_upscaling or try_recover_truncated:
        raise UnimplementedError(
            None,
            None,
            "decode_jpeg always smoothes colours (fancy_upscaling=True) and refuses truncated "
            "files (try_recover_truncated=False)",
        )
    return _decode("decode_jpeg", contents, channels, dtypes.uint8, ratio)


@public
def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """An image [height, width, channels] of uint8 from the bytes of a BMP file."""
    return _decode("decode_bmp", contents, channels, dtypes.uint8)


@public
def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames [count, height, width, 3] of uint8 from the bytes of a GIF file."""
    data = _bytes_of(contents)
    return _core.convert(_frames(data, "decode_gif"))


@public
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """An image from the bytes of a PNG, JPEG, GIF or BMP file.

    A GIF gives [count, height, width, 3], or its first frame with `expand_animations=False`. A
    floating `dtype` gives values from 0 to 1.
    """
    import numpy as np

    data = _bytes_of(contents)
    wanted = dtypes.as_dtype(dtype)
    raw = dtypes.uint16 if wanted is dtypes.uint16 else dtypes.uint8
    if data.startswith(_SIGNATURES["GIF"]):
        frames = _frames(data, "decode_image")
        array = frames if expand_animations else frames[0]
    else:
        array = _decode("decode_image", contents, channels or 0, raw).numpy()
    if wanted.is_floating:
        scaled = array.astype(np.float32) / np.float32(255)
        return _core.convert(scaled.astype(wanted.as_numpy_dtype))
    if wanted is not raw:
        raise InvalidArgumentError(
            None,
            None,
            f"dtype of decode_image must be uint8, uint16 or a floating one, got {wanted.name}",
        )
    return _core.convert(array)


def _bytes_of(contents: Any) -> bytes:
    tensor = _core.convert(contents, dtypes.string)
    if tensor.shape.rank:
        raise InvalidArgumentError(
            None, None, f"`contents` must be a scalar string, got shape {tensor.shape}"
        )
    return tensor.numpy()


def _decode(op: str, contents: Any, channels: int, dtype: Any, ratio: int = 1) -> Tensor:
    wanted = dtypes.as_dtype(dtype)
    if channels not in (0, 1, 3, 4):
        raise InvalidArgumentError(
            None, None, f"`channels` of {op} must be 0, 1, 3 or 4 but got {channels}"
        )
    if wanted not in (dtypes.uint8, dtypes.uint16):
        raise InvalidArgumentError(
            None, None, f"`dtype` of {op} must be uint8 or uint16, got {wanted.name}"
        )
    image = _open(op, _bytes_of(contents))
    try:
        array = _pixels(image, channels, ratio)
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidArgumentError(None, None, f"{op}: the image is damaged ({error})") from None
    return _core.convert(_with_depth(array, wanted, image.mode))


def _open(op: str, data: bytes) -> Any:
    image_module = pillow()
    if not any(data.startswith(signature) for signature in _SIGNATURES.values()):
        raise InvalidArgumentError(
            None,
            None,
            f"{op}: Unknown image file format. One of {', '.join(_SIGNATURES)} required; the data "
            f"are {len(data)} bytes that start with {data[:8]!r}",
        )
    try:
        return image_module.open(io.BytesIO(data), formats=list(_SIGNATURES))
    except (OSError, SyntaxError, ValueError) as error:
        raise InvalidArgumentError(None, None, f"{op}: the image is damaged ({error})") from None


def _pixels(image: Any, channels: int, ratio: int) -> np.ndarray:
    """The pixels [height, width, channels], as 8 or 16 bits."""
    import numpy as np

    size = tuple(-(-length // ratio) for length in image.size)
    if image.format == "JPEG" and (ratio > 1 or channels == 1):
        image.draft("L" if channels == 1 else image.mode, size)  # the decoder does both itself
    if image.mode in ("I;16", "I;16B", "I"):
        array = np.asarray(image).astype(np.uint16)[:, :, None]
    else:
        modes = {"1": "L", "P": "RGBA" if "transparency" in image.info else "RGB", "CMYK": "RGB"}
        image = image.convert(modes.get(image.mode, image.mode))
        array = np.asarray(image)
        array = array if array.ndim == 3 else array[:, :, None]
    return _with_channels(array, channels)


def _with_channels(array: np.ndarray, channels: int) -> np.ndarray:
    import numpy as np

    have = array.shape[2]
    if channels in (0, have):
        return array
    alpha = array[:, :, -1:] if have in (2, 4) else None
    colors = array[:, :, : have - (alpha is not None)]
    if channels == 1 and colors.shape[2] == 3:
        weighted = (colors.astype(np.int64) * np.array(_GREY)).sum(axis=2, keepdims=True)
        return (weighted >> 15).astype(array.dtype)
    if channels >= 3 and colors.shape[2] == 1:
        colors = np.repeat(colors, 3, axis=2)
    if channels == 4:
        opaque = np.full_like(colors[:, :, :1], np.iinfo(array.dtype).max)
        colors = np.concatenate([colors, opaque if alpha is None else alpha], axis=2)
    return np.ascontiguousarray(colors)


def _with_depth(array: np.ndarray, wanted: dtypes.DType, mode: str) -> np.ndarray:
    import numpy as np

    deep = array.dtype == np.uint16
    if wanted is dtypes.uint16:
        return array if deep else array.astype(np.uint16) * np.uint16(257)
    return (array >> 8).astype(np.uint8) if deep else array


def _frames(data: bytes, op: str) -> np.ndarray:
    import numpy as np

    image = _open(op, data)
    try:
        frames = []
        for i in range(getattr(image, "n_frames", 1)):
            image.seek(i)
            frames.append(np.asarray(image.convert("RGB")))
        return np.stack(frames)
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise InvalidArgumentError(None, None, f"{op}: the image is damaged ({error})") from None


@public
def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether the bytes are those of a JPEG file, by how they start."""
    return _core.convert(_bytes_of(contents).startswith(_SIGNATURES["JPEG"]))


@public
def extract_jpeg_shape(
    contents: Any, output_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG file, without decoding it."""
    image = _open("extract_jpeg_shape", _bytes_of(contents))
    shape = [image.size[1], image.size[0], len(image.getbands())]
    return _core.convert(shape, output_type)


@public
def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """The bytes of a PNG file for an image [height, width, channels] of uint8, or for each of many.

    There are 1 (grey), 2 (with alpha), 3 (colours) or 4 channels; uint16 takes 1. `compression` is
    a level from 0 to 9, or -1 for the default.
    """
    tensor = _core.convert(image)
    if not -1 <= compression <= 9:
        raise InvalidArgumentError(
            None, None, f"compression should be in [-1, 9], got {compression}"
        )
    if tensor.dtype not in (dtypes.uint8, dtypes.uint16):
        raise InvalidArgumentError(
            None, None, f"image of encode_png must be uint8 or uint16, got {tensor.dtype.name}"
        )
    if (tensor.shape.rank or 0) < 3:
        raise InvalidArgumentError(
            None, None, f"images must be at least rank 3, got shape {tensor.shape}"
        )
    channels = tensor.shape[-1]
    if not 1 <= channels <= 4:
        raise InvalidArgumentError(
            None, None, f"image must have 1, 2, 3, or 4 channels, got {channels}"
        )
    if tensor.dtype is dtypes.uint16 and channels > 1:
        raise UnimplementedError(
            None, None, f"encode_png writes uint16 images with 1 channel only, got {channels}"
        )
    array = tensor.numpy()
    flat = array.reshape(-1, *array.shape[-3:])
    level = 6 if compression == -1 else compression
    found = [_written(one, "PNG", compress_level=level) for one in flat]
    return _strings(found, array.shape[:-3])


@public
def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """The bytes of a JPEG file for an image [height, width, 1 or 3] of uint8."""
    tensor = _core.convert(image)
    if tensor.dtype is not dtypes.uint8 or tensor.shape.rank != 3 or tensor.shape[2] not in (1, 3):
        raise InvalidArgumentError(
            None,
            None,
            "image of encode_jpeg must be uint8 of shape [height, width, 1 or 3], got "
            f"{tensor.dtype.name} {tensor.shape}",
        )
    if not 0 <= quality <= 100:
        raise InvalidArgumentError(None, None, f"quality must be in [0,100], got {quality}")
    if format and format != {1: "grayscale", 3: "rgb"}[tensor.shape[2]]:
        raise InvalidArgumentError(
            None, None, f"format {format!r} does not fit an image of {tensor.shape[2]} channels"
        )
    density = x_density, y_density
    if density_unit == "cm":
        density = round(x_density * 2.54), round(y_density * 2.54)
    options: dict[str, Any] = {"dpi": density}
    if tensor.shape[2] == 3:
        options["subsampling"] = 2 if chroma_downsampling else 0
    if xmp_metadata:
        options["xmp"] = xmp_metadata.encode()
    data = _written(
        tensor.numpy(), "JPEG", quality=quality, progressive=progressive, optimize=optimize_size,
        **options,
    )  # fmt: skip
    return _core.convert(data)


def _written(array: np.ndarray, form: str, **options: Any) -> bytes:
    image_module = pillow()
    pixels = array[:, :, 0] if array.shape[2] == 1 else array
    out = io.BytesIO()
    image_module.fromarray(pixels).save(out, form, **options)
    return out.getvalue()


def _strings(found: list[bytes], shape: tuple[int, ...]) -> Tensor:
    import numpy as np

    array = np.empty(len(found), object)
    array[:] = found
    return _core.convert(array.reshape(shape)) if shape else _core.convert(found[0])


__all__ = [
    "decode_bmp",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "is_jpeg",
]
