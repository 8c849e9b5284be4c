"""TFRecord files, checksums and damaged data: what is refused says which file and where."""

from __future__ import annotations

import contextlib
import gzip
import random
from pathlib import Path

import numpy as np
import pytest

import agog as tf
from agog._core import crc32c, crc32c_by_table
from agog.io import wire

# Test vectors of RFC 3720, appendix B.4.
VECTORS = {
    bytes(32): 0x8A9136AA,
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(reversed(range(32))): 0x113FDB5C,
    b"123456789": 0xE3069283,
    b"": 0,
}


@pytest.mark.parametrize("checksum", [crc32c, crc32c_by_table])
def test_checksums(checksum) -> None:
    for data, want in VECTORS.items():
        assert checksum(data) == want
    data = random.Random(0).randbytes(3000)
    for cut in (0, 1, 7, 8, 9, 100, 2999):
        assert checksum(data[cut:], checksum(data[:cut])) == crc32c_by_table(data)
    assert checksum(np.arange(5)) == checksum(np.arange(5).tobytes())
    with pytest.raises(TypeError):
        checksum("text")


def written(path: Path, records: list[bytes], options=None) -> str:
    with tf.io.TFRecordWriter(path, options) as file:
        for record in records:
            file.write(record)
    return str(path)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB", None])
def test_records_come_back(kind, tmp_path: Path) -> None:
    rng = random.Random(1)
    records = [rng.randbytes(n) for n in (0, 1, 100, 300_000, 5)]
    name = written(tmp_path / "r", records, kind)
    assert list(tf.data.TFRecordDataset(name, kind).as_numpy_iterator()) == records
    assert list(tf.io.tf_record_iterator(name, kind)) == records


def test_writer_takes_text_and_tensors_and_a_level(tmp_path: Path) -> None:
    options = tf.io.TFRecordOptions("GZIP", compression_level=1)
    name = written(tmp_path / "r", ["é", tf.constant(b"two"), bytearray(b"x")], options)
    assert list(tf.io.tf_record_iterator(name, options)) == ["é".encode(), b"two", b"x"]
    with pytest.raises(TypeError, match="must be bytes, got int"):
        written(tmp_path / "q", [5])
    with pytest.raises(ValueError, match="LZMA"):
        tf.io.TFRecordWriter(str(tmp_path / "p"), "LZMA")
    with pytest.raises(tf.errors.NotFoundError, match="no/r"):
        tf.io.TFRecordWriter(str(tmp_path / "no" / "r"))


def test_joined_gzip_files_are_read_on(tmp_path: Path) -> None:
    name = tmp_path / "lines.gz"
    name.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    assert list(tf.data.TextLineDataset(name, "GZIP").as_numpy_iterator()) == [b"one", b"two"]


DAMAGE = {
    "cut header": (lambda d: d[:25], 19, "6 of 12 bytes"),
    "cut data": (lambda d: d[:35], 19, "4 of 7 bytes"),
    "length": (lambda d: b"\1" + d[1:], 0, "wrong length checksum"),
    "data": (lambda d: d[:13] + b"\0" + d[14:], 0, "wrong data checksum"),
    "second": (lambda d: d[:-1] + b"\0", 19, "wrong data checksum"),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damage_is_named_with_file_and_offset(how: str, tmp_path: Path) -> None:
    change, offset, what = DAMAGE[how]
    path = tmp_path / "r"
    good = written(tmp_path / "good", [b"more"])
    path.write_bytes(change(Path(written(path, [b"one", b"two"])).read_bytes()))
    iterator = iter(tf.data.TFRecordDataset([str(path), good]))
    for _ in range(1 if offset else 0):
        next(iterator)
    with pytest.raises(tf.errors.DataLossError, match=f"{path}: .*{what}.* at offset {offset}"):
        next(iterator)
    assert next(iterator).numpy() == b"more"  # it goes on with the next file


def test_damaged_compression(tmp_path: Path) -> None:
    path = tmp_path / "r"
    data = Path(written(path, [b"x" * 1000] * 50, "GZIP")).read_bytes()
    path.write_bytes(data[:-20])
    with pytest.raises(tf.errors.DataLossError, match=f"{path}.*break off"):
        list(tf.data.TFRecordDataset(path, "GZIP"))
    path.write_bytes(b"plain")
    with pytest.raises(tf.errors.DataLossError, match=f"{path}.*cannot decompress"):
        list(tf.data.TFRecordDataset(path, "ZLIB"))


@pytest.mark.parametrize("seed", range(30))
def test_any_damage_is_an_error_or_the_same_records(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "r"
    records = [rng.randbytes(rng.randint(0, 40)) for _ in range(5)]
    data = bytearray(Path(written(path, records)).read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    got = []
    with pytest.raises(tf.errors.DataLossError):
        for record in tf.data.TFRecordDataset(path):
            got.append(record.numpy())
    assert got == records[: len(got)]


# ---- the wire format


def test_varints() -> None:
    rng = random.Random(3)
    values = [0, 1, 127, 128, -1, 2**63 - 1, -(2**63)]
    values += [rng.randint(-(2**63), 2**63 - 1) >> rng.randrange(64) for _ in range(200)]
    data = wire.packed_varints(values)
    assert wire.read_varints(data) == values
    assert wire.read_varint_array(data).tolist() == values
    for value in values:
        assert wire.read_varints(wire.varint(value)) == [value]
    with pytest.raises(tf.errors.InvalidArgumentError):
        wire.read_varints(b"\x80" * 20 + b"\x01")
    with pytest.raises(tf.errors.InvalidArgumentError):
        wire.read_varints(b"\x80")


@pytest.mark.parametrize("seed", range(60))
def test_garbage_is_refused_and_does_no_harm(seed: int) -> None:
    rng = random.Random(seed)
    good = tf.train.Example(
        features=tf.train.Features(
            feature={
                "a": tf.train.Feature(int64_list=tf.train.Int64List(value=range(30))),
                "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x" * 20])),
            }
        )
    ).SerializeToString()
    data = bytearray(good)
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    spec = {"a": tf.io.VarLenFeature(tf.int64), "b": tf.io.VarLenFeature(tf.string)}
    for read in (
        lambda: tf.train.Example.FromString(bytes(data)),
        lambda: tf.io.parse_single_example(bytes(data), spec),
        lambda: tf.io.parse_tensor(bytes(data), tf.int64),
    ):
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            read()
    assert tf.train.Example.FromString(good).SerializeToString() == good


# ---- messages


def test_messages_are_built_step_by_step() -> None:
    example = tf.train.Example()
    example.features.feature["n"].int64_list.value.append(3)
    example.features.feature["n"].int64_list.value.extend([4, 5])
    example.features.feature["s"].bytes_list.value.append(b"x")
    again = tf.train.Example.FromString(example.SerializeToString())
    assert again == example
    assert again.features.feature["n"].int64_list.value == [3, 4, 5]
    assert again.features.feature["n"].WhichOneof("kind") == "int64_list"
    assert again.features.feature["s"].HasField("bytes_list")
    assert not again.features.feature["s"].HasField("int64_list")
    assert again.features.feature["s"].float_list.value == []
    assert set(again.features.feature) == {"n", "s"}


def test_messages_copy_compare_and_print() -> None:
    import copy
    import pickle

    one = tf.train.Example(
        features=tf.train.Features(
            feature={"f": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))}
        )
    )
    two = copy.deepcopy(one)
    assert pickle.loads(pickle.dumps(one)) == two == one
    two.features.feature["f"].float_list.value.append(1.5)
    assert two != one
    three = tf.train.Example()
    three.CopyFrom(two)
    assert three == two
    assert three.ByteSize() == len(two.SerializeToString())
    three.Clear()
    assert three == tf.train.Example()
    assert str(one).split() == (
        'features { feature { key: "f" value { float_list { value: 0.5 } } } }'.split()
    )


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: tf.train.Int64List(value=[1.5]), TypeError),
        (lambda: tf.train.Int64List(value=[2**63]), ValueError),
        (lambda: tf.train.BytesList(value=[3]), TypeError),
        (lambda: tf.train.Feature(int64_list=tf.train.FloatList(value=[1.0])), TypeError),
        (lambda: tf.train.Features(feature={"a": 3}), TypeError),
        (lambda: tf.train.Example(features=3), TypeError),
        (lambda: tf.train.Feature().nothing, AttributeError),
    ],
)
def test_messages_refuse(make, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def test_examples_through_a_pipeline(tmp_path: Path) -> None:
    def serialized(i: int) -> bytes:
        feature = {"i": tf.train.Feature(int64_list=tf.train.Int64List(value=[i, i * i]))}
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    name = written(tmp_path / "r", [serialized(i) for i in range(6)])
    spec = {"i": tf.io.FixedLenFeature([2], tf.int64)}
    one = tf.data.TFRecordDataset(name).map(lambda r: tf.io.parse_single_example(r, spec)).batch(3)
    many = tf.data.TFRecordDataset(name).batch(3)
    many = many.apply(tf.data.experimental.parse_example_dataset(spec))
    for a, b in zip(one, many):
        np.testing.assert_array_equal(a["i"].numpy(), b["i"].numpy())
        assert a["i"].shape == (3, 2)
    writer = tf.data.experimental.TFRecordWriter(str(tmp_path / "again"))
    writer.write(tf.data.TFRecordDataset(name))
    assert (tmp_path / "again").read_bytes() == (tmp_path / "r").read_bytes()


def test_a_missing_pillow_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"pip install agog\[image\]"):
        tf.io.encode_png(np.zeros([1, 1, 1], np.uint8))


def test_images_have_a_namespace_of_their_own() -> None:
    pytest.importorskip("PIL")
    pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    assert tf.image.decode_png(tf.image.encode_png(pixels)).numpy().tolist() == pixels.tolist()
    jpeg = tf.image.encode_jpeg(np.zeros([8, 8, 3], np.uint8))
    for refused in (
        lambda: tf.io.decode_jpeg(jpeg, fancy_upscaling=False),
        lambda: tf.io.decode_jpeg(jpeg, try_recover_truncated=True),
        lambda: tf.io.encode_png(np.zeros([1, 1, 3], np.uint16)),
    ):
        with pytest.raises(tf.errors.UnimplementedError):
            refused()
    with pytest.raises(tf.errors.InvalidArgumentError, match="damaged"):
        tf.io.decode_jpeg(jpeg.numpy()[:200])


def test_gifs_have_frames() -> None:
    pytest.importorskip("PIL")
    import io

    from PIL import Image

    frames = [Image.new("RGB", (3, 2), (40 * i, 0, 0)) for i in range(3)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    assert tf.io.decode_gif(out.getvalue()).shape == (3, 2, 3, 3)
    assert tf.io.decode_image(out.getvalue()).numpy()[:, 0, 0, 0].tolist() == [0, 40, 80]
    assert tf.io.decode_image(out.getvalue(), expand_animations=False).shape == (2, 3, 3)
