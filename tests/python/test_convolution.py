"""Convolutions and pools as functions: forms of arguments, layouts, threads, packed weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agog as tf
from tests.spec.conv_ops import conv, depthwise
from tests.spec.pool_ops import max_pool

nn = tf.nn


def normal(*shape: int, seed: int = 0, dtype: str = "float64") -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


IMAGES, FILTERS = normal(2, 6, 5, 3), normal(3, 2, 3, 4, seed=1)


def close(got: Any, want: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(np.asarray(got), want, tolerance, tolerance)


@pytest.mark.parametrize("strides", [2, [2], [2, 2], (1, 2, 2, 1), np.array([2, 2])])
def test_forms_of_strides(strides: Any) -> None:
    want = conv(IMAGES, FILTERS, strides=[1, 2, 2, 1], padding="SAME")
    close(nn.conv2d(IMAGES, FILTERS, strides, "SAME"), want)


def test_channels_first() -> None:
    """The same numbers, moved."""
    moved = np.moveaxis(IMAGES, -1, 1)
    y = nn.conv2d(moved, FILTERS, [2, 1], "SAME", data_format="NCHW", dilations=[1, 2])
    want = nn.conv2d(IMAGES, FILTERS, [2, 1], "SAME", dilations=[1, 2])
    close(np.moveaxis(y.numpy(), 1, -1), want.numpy())
    y = nn.max_pool2d(moved, 2, 1, [[0, 0], [0, 0], [1, 0], [0, 1]], data_format="NCHW")
    want = nn.max_pool2d(IMAGES, 2, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])
    close(np.moveaxis(y.numpy(), 1, -1), want.numpy())


def test_pairs_of_padding() -> None:
    pads = [[0, 0], [1, 2], [0, 1], [0, 0]]
    want = conv(np.pad(IMAGES, pads), FILTERS, strides=[1, 1, 1, 1], padding="VALID")
    close(nn.conv2d(IMAGES, FILTERS, 1, pads), want)


def test_more_dimensions_of_batch() -> None:
    stacked = normal(2, 3, 6, 5, 3)
    want = nn.conv2d(stacked.reshape(6, 6, 5, 3), FILTERS, 1, "SAME").numpy()
    close(nn.conv2d(stacked, FILTERS, 1, "SAME"), want.reshape(2, 3, 6, 5, 4))
    assert nn.conv2d(np.zeros((2, 0, 6, 5, 3)), FILTERS, 1, "SAME").shape == [2, 0, 6, 5, 4]
    lines = normal(2, 3, 7, 3)
    want = nn.conv1d(lines.reshape(6, 7, 3), FILTERS[:, 0], 2, "SAME").numpy()
    close(nn.conv1d(lines, FILTERS[:, 0], 2, "SAME"), want.reshape(2, 3, 4, 4))


@pytest.mark.parametrize("data_format", ["NWC", "NCW"])
def test_lines_are_images_of_height_one(data_format: str) -> None:
    lines, filters = normal(2, 7, 3), normal(3, 3, 4)
    want = conv(
        lines[:, None], filters[None], strides=[1, 1, 2, 1], dilations=[1, 1, 2, 1], padding="SAME"
    )[:, 0]
    first = data_format == "NCW"
    given = np.moveaxis(lines, -1, 1) if first else lines
    y = nn.conv1d(given, filters, 2, "SAME", data_format, dilations=2).numpy()
    close(np.moveaxis(y, 1, -1) if first else y, want)


@pytest.mark.parametrize(
    "transpose, forward, filters, strides",
    [
        (nn.conv1d_transpose, nn.conv1d, (3, 4, 3), 2),
        (nn.conv2d_transpose, nn.conv2d, (3, 2, 4, 3), [2, 1]),
        (nn.conv3d_transpose, nn.conv3d, (2, 3, 1, 4, 3), [1, 2, 2]),
    ],
)
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_transposes(transpose: Any, forward: Any, filters: Any, strides: Any, padding: str) -> None:
    """<conv(x), y> = <x, transpose(y)>; and `conv_transpose` finds the function by itself."""
    x = normal(2, *[5, 6, 7][: len(filters) - 2], filters[-2])
    w = normal(*filters, seed=1)
    forwards = forward(x, w, strides, padding).numpy()
    y = normal(*forwards.shape, seed=2)
    back = transpose(y, w, x.shape, strides, padding).numpy()
    close(np.sum(forwards * y), np.sum(x * back))
    close(nn.conv_transpose(y, w, x.shape, strides, padding), back, 0)


def test_sizes_of_space_are_enough() -> None:
    w = FILTERS.transpose(0, 1, 3, 2).copy()
    whole = nn.conv2d_transpose(IMAGES, w, [2, 12, 10, 4], 2)
    close(nn.conv2d_transpose(IMAGES, w, [12, 10], 2), whole.numpy(), 0)


def test_separable() -> None:
    deep, mix = normal(3, 2, 3, 2), normal(1, 1, 6, 5)
    between = depthwise(IMAGES, deep, strides=[1, 2, 2, 1], padding="SAME")
    close(nn.separable_conv2d(IMAGES, deep, mix, [1, 2, 2, 1], "SAME"), between @ mix[0, 0])
    with pytest.raises(ValueError, match=r"pointwise_filter must have shape \[1, 1"):
        nn.separable_conv2d(IMAGES, deep, normal(2, 1, 6, 5), [1, 1, 1, 1], "SAME")


def test_convolution_by_rank() -> None:
    close(nn.convolution(IMAGES, FILTERS), nn.conv2d(IMAGES, FILTERS, 1, "VALID").numpy(), 0)
    volumes, filters = normal(1, 4, 3, 3, 2), normal(2, 2, 2, 2, 3)
    close(nn.convolution(volumes, filters), nn.conv3d(volumes, filters, 1, "VALID").numpy(), 0)
    with pytest.raises(ValueError, match="filters must have 3, 4 or 5"):
        nn.convolution(IMAGES, FILTERS[0, 0])


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: nn.conv2d(IMAGES, FILTERS, [1, 1, 1], "SAME"), "strides must have 1, 2 or 4"),
        (lambda: nn.conv2d(IMAGES, FILTERS, 1, [[1, 1]]), "4 pairs"),
        (lambda: nn.conv2d(IMAGES, FILTERS, 1, "EXPLICIT"), "list of pairs"),
        (lambda: nn.conv2d(IMAGES, FILTERS, 1, "SAME", "NWC"), "data_format must be"),
        (lambda: nn.max_pool(IMAGES[0, 0], 2, 2, "SAME"), "3, 4 or 5 dimensions"),
        (lambda: nn.pool(IMAGES, [2, 2], "MIN"), "'MAX' or 'AVG'"),
        (lambda: nn.pool(IMAGES, [2], "MAX"), "window_shape"),
        (lambda: nn.pool(IMAGES, [2, 2], "MAX", [2, 2], dilations=[2, 2]), "strides must be 1"),
        (lambda: nn.pool(IMAGES, [2, 2], "MAX", padding="SAME", dilations=[2, 2]), "'VALID'"),
    ],
)
def test_wrong_arguments(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()


# --- Pools -----------------------------------------------------------------------------------


def test_pools_by_rank() -> None:
    lines = IMAGES[:, 0]
    close(
        nn.max_pool(lines, 2, 2, "SAME"),
        nn.max_pool2d(lines[:, None], [1, 2], [1, 2], "SAME").numpy()[:, 0],
        0,
    )
    close(
        nn.avg_pool1d(lines, 3, 1, "VALID"),
        nn.avg_pool(lines[:, None], [1, 3], 1, "VALID").numpy()[:, 0],
        0,
    )
    padded = nn.max_pool1d(lines, 3, 2, [[0, 0], [1, 2], [0, 0]])
    image = nn.max_pool2d(lines[:, None], [1, 3], [1, 2], [[0, 0], [0, 0], [1, 2], [0, 0]])
    close(padded, image.numpy()[:, 0], 0)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_dilated_pool(data_format: str) -> None:
    """Every second row and every third column of each window."""
    x = normal(2, 9, 10, 3)
    rows = [
        max_pool(x[:, i : i + 3 : 2], ksize=[1, 2, 1, 1], strides=[1] * 4, padding="VALID")
        for i in range(7)
    ]
    tall = np.concatenate(rows, 1)
    parts = [np.maximum(tall[:, :, j], tall[:, :, j + 3]) for j in range(7)]
    want = np.stack(parts, 2)
    first = data_format == "NCHW"
    given = np.moveaxis(x, -1, 1) if first else x
    y = nn.pool(given, [2, 2], "MAX", data_format=data_format, dilations=[2, 3]).numpy()
    close(np.moveaxis(y, 1, -1) if first else y, want, 0)


def volume_gradients(op: Any, x: Any, dy: Any) -> list[np.ndarray]:
    """Of a pool along height and width: its gradient, and what flows back to dy from there."""
    x, dy = tf.constant(x), tf.constant(dy)
    with tf.GradientTape() as outer:
        outer.watch(dy)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = op(x)
        dx = tape.gradient(y, x, dy)
        loss = tf.reduce_sum(
            dx * tf.constant(normal(*dx.shape, seed=9, dtype="float32").reshape(dx.shape))
        )
    return [y.numpy(), dx.numpy(), outer.gradient(loss, dy).numpy()]


@pytest.mark.parametrize("name", ["max_pool", "avg_pool"])
def test_gradients_of_volumes(name: str) -> None:
    """A pool of volumes of depth 1 is one of images, with its gradients of both orders."""
    x, dy = normal(2, 1, 5, 4, 3, dtype="float32"), normal(2, 1, 3, 2, 3, seed=1, dtype="float32")
    pool3d, pool2d = getattr(nn, name + "3d"), getattr(nn, name + "2d")
    of_volumes = volume_gradients(lambda x: pool3d(x, [1, 3, 2], [1, 2, 2], "SAME"), x, dy)
    of_images = volume_gradients(lambda x: pool2d(x, [3, 2], 2, "SAME"), x[:, 0], dy[:, 0])
    for got, want in zip(of_volumes, of_images, strict=True):
        close(got.reshape(want.shape), want, 1e-6)


def test_explicit_padding_to_order_two() -> None:
    """MaxPoolGradGrad takes the paddings that TensorFlow's has no name for."""
    pads = [[0, 0], [1, 1], [0, 1], [0, 0]]
    x, dy = normal(1, 4, 4, 2, dtype="float32"), normal(1, 3, 2, 2, seed=1, dtype="float32")
    padded = np.pad(x, pads, constant_values=-9)
    got = volume_gradients(lambda x: nn.max_pool2d(x, 2, 2, pads), x, dy)
    inner = (slice(None), slice(1, 5), slice(0, 4))
    want = volume_gradients(
        lambda x: nn.max_pool2d(tf.pad(x, pads, constant_values=-9.0), 2, 2, "VALID"), x, dy
    )
    assert padded[inner].shape == x.shape
    for a, b in zip(got, want, strict=True):
        close(a, b, 1e-6)


# --- How they are computed -------------------------------------------------------------------


@pytest.fixture
def threads() -> Any:
    before = tf.config.threading.get_intra_op_parallelism_threads()
    yield tf.config.threading.set_intra_op_parallelism_threads
    tf.config.threading.set_intra_op_parallelism_threads(before)


@pytest.mark.parametrize(
    "x, w, strides",
    [
        ((16, 14, 14, 16), (3, 3, 16, 32), 1),
        ((1, 61, 28, 32), (3, 3, 32, 64), 2),
        ((3, 21, 20, 48), (3, 3, 48, 1), 1),
        ((2, 9, 12, 10, 8), (3, 3, 3, 8, 16), 1),
    ],
    ids=["images", "rows", "depthwise", "volumes"],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_any_number_of_threads(threads: Any, x: Any, w: Any, strides: int, dtype: str) -> None:
    """The same bits, forwards and backwards."""
    images, filters = tf.constant(normal(*x, dtype=dtype)), tf.constant(normal(*w, dtype=dtype))
    found = []
    for count in (1, 2, 7):
        threads(count)
        with tf.GradientTape() as tape:
            tape.watch([images, filters])
            if w[-1] == 1:
                y = nn.depthwise_conv2d(images, filters, [1, strides, strides, 1], "SAME")
            else:
                y = nn.convolution(images, filters, strides, "SAME")
        dy = tf.constant(normal(*y.shape, seed=3, dtype=dtype))
        gradients = tape.gradient(y, [images, filters], dy)
        found.append([t.numpy().tobytes() for t in (y, *gradients)])
    assert found[0] == found[1] == found[2]


def test_weights_that_change() -> None:
    """Weights in oneDNN's order are kept by value: every way to change a variable is seen."""
    x = normal(1, 8, 8, 16, dtype="float32")
    w = tf.Variable(normal(3, 3, 16, 32, dtype="float32"))

    def agree() -> None:
        for _ in range(2):
            y = nn.conv2d(x, w, 1, "SAME").numpy()
            want = conv(x, w.numpy(), strides=[1] * 4, padding="SAME")
            close(y, want, 1e-4)

    agree()
    w.assign_add(tf.ones_like(w))
    agree()
    w.assign(normal(3, 3, 16, 32, seed=5, dtype="float32"))
    agree()
    for step in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(nn.conv2d(x, w, 1, "SAME") ** 2)
        w.assign_sub(1e-4 * tape.gradient(loss, w))
        if step:
            agree()


def test_packed_weights_do_not_pile_up() -> None:
    """The copies of dead weights go, and there is a most that is kept."""
    x = tf.ones([1, 4, 4, 64])
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    for seed in range(200):
        nn.conv2d(x, tf.constant(normal(3, 3, 64, 64, seed=seed, dtype="float32")), 1, "SAME")
    grown = tf.config.experimental.get_memory_info("CPU:0")["current"] - before
    assert grown < 4 * 2 * 3 * 3 * 64 * 64 * 4


def test_many_shapes() -> None:
    """More shapes than primitives are kept for; the first one again in the end."""
    w = normal(3, 3, 8, 8, dtype="float32")
    first = nn.conv2d(normal(1, 3, 3, 8, dtype="float32"), w, 1, "SAME").numpy()
    for height in range(1, 40):
        for width in range(1, 30):
            assert nn.conv2d(np.ones((1, height, width, 8), "f"), w, 1, "SAME").shape[1] == height
    again = nn.conv2d(normal(1, 3, 3, 8, dtype="float32"), w, 1, "SAME").numpy()
    close(again, first, 0)
