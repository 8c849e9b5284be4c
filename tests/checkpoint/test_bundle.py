"""The bundle format: round trips, and files that are damaged, cut or made to mislead."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest

import agog as tf
from agog.checkpoint.bundle_reader import BundleReader
from agog.checkpoint.bundle_writer import shard_files, write_bundle
from agog.checkpoint.messages import BundleEntry, BundleHeader, Extent, Slice
from agog.checkpoint.slices import slice_key
from agog.checkpoint.table import TableReader, write_table
from agog.checkpoint.wire import decode, encode
from agog.io.crc32c import crc32c, mask, unmask
from agog.io.wire import varint

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex64 complex128"
).split()
SHAPES = [(), (0, 3), (5,), (40, 3), (1, 2, 1, 3)]


def tensors() -> dict[str, tf.Tensor]:
    rng = np.random.default_rng(0)
    found = {
        f"{dtype}/{shape}": tf.cast(tf.constant(rng.integers(0, 2, shape)), dtype)
        for dtype in DTYPES
        for shape in SHAPES
    }
    found["string/()"] = tf.constant("hello")
    found["string/(4,)"] = tf.constant(["a", "", b"\xff\x00", "x" * 500])
    found["string/(0,)"] = tf.zeros([0], "string")
    return found


def same(a: tf.Tensor, b: tf.Tensor) -> bool:
    return a.dtype is b.dtype and a.shape == b.shape and np.array_equal(a.numpy(), b.numpy())


def test_round_trip(tmp_path: Path) -> None:
    prefix, written = str(tmp_path / "c"), tensors()
    write_bundle(prefix, written)
    reader = BundleReader(prefix)
    assert sorted(reader.names()) == sorted(written)
    for key, tensor in written.items():
        assert same(reader.tensor(key), tensor), key
        assert reader.shape(key) == tuple(tensor.shape.as_list())


def test_special_values_keep_their_bits(tmp_path: Path) -> None:
    value = np.array([0.0, -0.0, np.inf, np.nan, 1e-45], "float32")
    write_bundle(str(tmp_path / "c"), {"x": tf.constant(value)})
    assert BundleReader(str(tmp_path / "c")).tensor("x").numpy().tobytes() == value.tobytes()


def test_many_keys_fill_several_blocks(tmp_path: Path) -> None:
    count = 20_000
    written = {f"model/layer_{i}/w": tf.constant(i) for i in range(count)}
    write_bundle(str(tmp_path / "c"), written)
    assert (tmp_path / "c.index").stat().st_size > 1 << 18
    reader = BundleReader(str(tmp_path / "c"))
    assert [int(reader.tensor(f"model/layer_{i}/w")) for i in (0, 777, count - 1)] == [
        0,
        777,
        count - 1,
    ]


def test_a_resource_cannot_be_saved(tmp_path: Path) -> None:
    handle = tf.Variable(1.0).handle
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"v: .*resource"):
        write_bundle(str(tmp_path / "c"), {"v": handle})
    assert list(tmp_path.iterdir()) == []


def test_overwriting_leaves_one_bundle(tmp_path: Path) -> None:
    prefix = str(tmp_path / "c")
    for i in range(5):
        write_bundle(prefix, {"x": tf.constant(i)})
        assert int(BundleReader(prefix).tensor("x")) == i
    assert len({path.name[-5:] for path in shard_files(prefix)}) == 1


def test_values_outlive_the_files(tmp_path: Path) -> None:
    prefix = str(tmp_path / "c")
    write_bundle(prefix, {"x": tf.range(1000)})
    reader = BundleReader(prefix)
    reader.map_shards()
    for path in tmp_path.iterdir():
        path.unlink()
    assert int(reader.tensor("x")[-1]) == 999


def test_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        BundleReader(str(tmp_path / "none"))
    write_bundle(str(tmp_path / "c"), {"x": tf.constant(1)})
    with pytest.raises(tf.errors.NotFoundError, match="Key y not found in checkpoint"):
        BundleReader(str(tmp_path / "c")).tensor("y")
    shard_files(str(tmp_path / "c"))[0].unlink()
    with pytest.raises(tf.errors.NotFoundError, match="data-00000-of-00001"):
        BundleReader(str(tmp_path / "c")).tensor("x")


# ---- damage


def read_everything(prefix: str) -> dict[str, tf.Tensor]:
    reader = BundleReader(prefix)
    return {key: reader.tensor(key) for key in reader.names()}


FINE = (tf.errors.DataLossError, tf.errors.NotFoundError, tf.errors.UnimplementedError)


@pytest.mark.parametrize("which", [".index", ".data-00000-of-00001"])
def test_every_cut_is_noticed(tmp_path: Path, which: str) -> None:
    prefix = str(tmp_path / "c")
    write_bundle(prefix, {"x": tf.range(20), "s": tf.constant(["ab", "cde"])})
    path = Path(prefix + which)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(tf.errors.DataLossError, match=r"c\.(index|data).*byte \d+"):
            read_everything(prefix)


@pytest.mark.parametrize("which", [".index", ".data-00000-of-00001"])
def test_every_changed_byte_is_noticed(tmp_path: Path, which: str) -> None:
    prefix = str(tmp_path / "c")
    written = {"x": tf.range(5), "s": tf.constant(["ab", "cde"])}
    write_bundle(prefix, written)
    path = Path(prefix + which)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes((whole[at] ^ 1 << at % 8,)) + whole[at + 1 :])
        try:
            found = read_everything(prefix)
        except FINE:
            continue
        # Padding, and the unused tail of the footer, mean nothing.
        assert all(same(found[key], tensor) for key, tensor in written.items()), at


def rewrite_index(prefix: str, change) -> None:
    """The index with changed pairs, and all checksums right: what only a liar could write."""
    path = Path(f"{prefix}.index")
    pairs = dict(TableReader(path.read_bytes(), "t").pairs())
    change(pairs)
    path.write_bytes(write_table(sorted(pairs.items())))


HUGE = 1 << 62
LIES = {
    "too far": lambda e: setattr(e, "offset", HUGE),
    "too long": lambda e: setattr(e, "size", HUGE),
    "before the start": lambda e: setattr(e, "offset", -8),
    "other shard": lambda e: setattr(e, "shard_id", 3),
    "negative shard": lambda e: setattr(e, "shard_id", -1),
    "huge shape": lambda e: setattr(e.shape.dim[0], "size", HUGE),
    "negative shape": lambda e: setattr(e.shape.dim[0], "size", -1),
    "unknown rank": lambda e: setattr(e.shape, "unknown_rank", 1),
    "a string": lambda e: setattr(e, "dtype", tf.string.as_datatype_enum),
    "a resource": lambda e: setattr(e, "dtype", tf.resource.as_datatype_enum),
    "no dtype": lambda e: setattr(e, "dtype", 9999),
    "slices that are not there": lambda e: e.slices.append(Slice([Extent(0, 2)])),
    "slices of another rank": lambda e: e.slices.append(Slice([Extent(), Extent()])),
    "slices outside": lambda e: e.slices.append(Slice([Extent(4, HUGE)])),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_in_an_entry(tmp_path: Path, lie: str) -> None:
    prefix = str(tmp_path / "c")
    write_bundle(prefix, {"x": tf.range(5)})

    def change(pairs: dict[bytes, bytes]) -> None:
        entry = decode(BundleEntry, pairs[b"x"])
        LIES[lie](entry)
        pairs[b"x"] = encode(entry)

    rewrite_index(prefix, change)
    with pytest.raises(FINE, match="c.index|c.data|Key"):
        read_everything(prefix)


@pytest.mark.parametrize(
    "header", [b"", b"\xff", encode(BundleHeader(num_shards=HUGE)), encode(BundleHeader(1, 1))]
)
def test_lies_in_the_header(tmp_path: Path, header: bytes) -> None:
    prefix = str(tmp_path / "c")
    write_bundle(prefix, {"x": tf.range(5)})
    rewrite_index(prefix, lambda pairs: pairs.update({b"": header}))
    with pytest.raises(FINE):
        read_everything(prefix)


def test_keys_that_grow_without_end_are_refused() -> None:
    """Each entry of 4 bytes stands for a key of all bytes before: sizes grow with the square."""
    first = b"k" * 30_000
    block = b"".join(map(varint, (0, len(first), 0))) + first
    for i in range(60_000):
        block += b"".join(map(varint, (len(first) + i, 1, 0))) + b"k"
    block += struct.pack("<II", 0, 1)

    def with_trailer(contents: bytes) -> bytes:
        return contents + b"\0" + struct.pack("<I", mask(crc32c(contents + b"\0")))

    entry = varint(0) + varint(len(block))
    index = b"\0" + b"".join(map(varint, (1, len(entry)))) + b"k" + entry
    index += struct.pack("<II", 0, 1)
    table = with_trailer(block)
    footer = varint(0) + varint(0)
    footer += varint(len(table)) + varint(len(index))
    table += with_trailer(index)
    table += footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
    with pytest.raises(tf.errors.DataLossError, match="longer than any table's"):
        list(TableReader(table, "t").pairs())


def test_random_bytes_are_no_table() -> None:
    source = random.Random(0)
    for _ in range(300):
        data = source.randbytes(source.randrange(200))
        data += struct.pack("<Q", 0xDB4775248B80FB57) if source.random() < 0.5 else b""
        with pytest.raises(tf.errors.DataLossError):
            list(TableReader(data, "t").pairs())


def test_random_bytes_are_no_message() -> None:
    source = random.Random(1)
    for _ in range(2000):
        try:
            decode(BundleEntry, source.randbytes(source.randrange(30)))
        except tf.errors.InvalidArgumentError:
            continue


# ---- small parts


def test_negative_numbers_take_ten_bytes() -> None:
    entry = decode(BundleEntry, encode(BundleEntry(offset=-5)))
    assert entry.offset == -5


SLICE_KEYS = {  # of TensorFlow 2.21: SaveV2 with the shape_and_slices in the comments
    b"\x00pv\x00\x01\x01\x02\xc0d\xc0d\x80\x83": ("pv", (100, 100), (0, 3)),  # 300 3 100,100:0,3
    b"\x00p/v\x00\x01\x01\x02\x80\xe0#(\x80\x7f": ("p/v", (0, 9000), (0, None)),  # 0,9000:-
    b"\x00p/v\x00\x01\x01\x02\xe0#(\xe0\xeeH\x80\x7f": ("p/v", (9000, 61000), (0, None)),
}


@pytest.mark.parametrize("key", SLICE_KEYS)
def test_slice_keys(key: bytes) -> None:
    name, *extents = SLICE_KEYS[key]
    assert slice_key(name, Slice([Extent(*each) for each in extents]), [70000, 2]) == key


def test_crc_of_parts_and_masks() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # the check value in the CRC catalogue
    assert crc32c(memoryview(b"6789"), crc32c(b"12345")) == 0xE3069283
    assert crc32c(np.arange(4, dtype="int32")) == crc32c(np.arange(4, dtype="int32").tobytes())
    assert all(unmask(mask(crc)) == crc for crc in (0, 1, 0xFFFFFFFF, 0xE3069283))
