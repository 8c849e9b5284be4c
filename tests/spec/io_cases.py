"""Calls of `io` whose results are to be TensorFlow's: one source for both, as in data_cases.py.

Each case is a function of the package and of a folder, and gives a structure of tensors, bytes and
plain values. `golden.py io` runs them with TensorFlow and writes tests/golden/io.json.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any, Path], Any]] = {}
NEEDS_PILLOW: set[str] = set()


def add(name: str, make: Callable[[Any, Path], Any]) -> None:
    assert name not in CASES, name
    CASES[name] = make


def image(name: str, make: Callable[[Any], Any]) -> None:
    """Lists a case that reads or writes images."""
    NEEDS_PILLOW.add(name)
    add(name, lambda tf, folder: make(tf))


# ---- Example


def feature(tf: Any, values: list[Any]) -> Any:
    kind = type(values[0]) if values else bytes
    if kind is bytes:
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if kind is float:
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def features(tf: Any, named: dict[str, list[Any]]) -> Any:
    return tf.train.Features(feature={key: feature(tf, named[key]) for key in named})


def example(tf: Any, **named: list[Any]) -> bytes:
    made = tf.train.Example(features=features(tf, named))
    return made.SerializeToString(deterministic=True)


def two(tf: Any) -> list[bytes]:
    return [
        example(tf, i=[1], f=[1.5, 2.5], s=[b"x"], big=[2**62, -1, 300]),
        example(tf, i=[-7], f=[3.5, 4.5], s=[b"y"], v=[1, 2, 3], big=[0, 1, -(2**63)]),
    ]


def parsed(name: str, make: Callable[[Any], dict[str, Any]], single: int | None = None) -> None:
    def run(tf: Any, folder: Path) -> Any:
        if single is not None:
            return tf.io.parse_single_example(two(tf)[single], make(tf))
        return tf.io.parse_example(two(tf), make(tf))

    add(name, run)


def fixed(tf: Any, shape: Any, dtype: str, *default: Any) -> Any:
    return tf.io.FixedLenFeature(shape, getattr(tf, dtype), *default)


def steps(tf: Any, shape: Any, dtype: str, **how: Any) -> Any:
    return tf.io.FixedLenSequenceFeature(shape, getattr(tf, dtype), **how)


add("example_bytes", lambda tf, folder: two(tf))
add("example_empty", lambda tf, folder: [example(tf), example(tf, a=[])])
add("example_many", lambda tf, folder: example(tf, a=list(range(-50, 500, 7)), b=[0.1] * 40))
parsed("parse", lambda tf: {
    "i": fixed(tf, [], "int64"), "f": fixed(tf, [2], "float32"), "s": fixed(tf, [1], "string")
})  # fmt: skip
parsed("parse_big", lambda tf: {"big": fixed(tf, [3], "int64")})
parsed("parse_single", lambda tf: {"i": fixed(tf, [], "int64")}, 0)
parsed("parse_single_shape", lambda tf: {"f": fixed(tf, [1, 2], "float32")}, 0)
parsed("parse_missing", lambda tf: {"z": fixed(tf, [], "int64")})
parsed("parse_single_missing", lambda tf: {"z": fixed(tf, [], "int64")}, 0)
parsed("parse_default", lambda tf: {"z": fixed(tf, [2], "int64", [8, 9])})
parsed("parse_default_string", lambda tf: {"z": fixed(tf, [], "string", "none")})
parsed("parse_default_shape", lambda tf: {"z": fixed(tf, [2], "int64", -1)})
parsed("parse_wrong_dtype", lambda tf: {"i": fixed(tf, [], "float32")})
parsed("parse_wrong_length", lambda tf: {"f": fixed(tf, [3], "float32")})
parsed("parse_int32", lambda tf: {"i": fixed(tf, [], "int32")})
parsed("parse_nothing", lambda tf: {})
parsed("parse_unknown_kind", lambda tf: {"i": 3})
parsed("parse_var", lambda tf: {"v": tf.io.VarLenFeature(tf.int64)})
parsed("parse_var_strings", lambda tf: {"s": tf.io.VarLenFeature(tf.string)})
parsed("parse_var_single", lambda tf: {"v": tf.io.VarLenFeature(tf.int64)}, 1)
parsed("parse_var_missing", lambda tf: {"v": tf.io.VarLenFeature(tf.int64)}, 0)
parsed("parse_var_wrong_dtype", lambda tf: {"v": tf.io.VarLenFeature(tf.string)})
parsed("parse_steps", lambda tf: {"v": steps(tf, [], "int64", allow_missing=True)})
parsed(
    "parse_steps_default",
    lambda tf: {"v": steps(tf, [], "int64", allow_missing=True, default_value=-5)},
)
parsed("parse_steps_shape", lambda tf: {"f": steps(tf, [2], "float32", allow_missing=True)})
parsed("parse_steps_not_allowed", lambda tf: {"v": steps(tf, [], "int64")})
parsed("parse_steps_single", lambda tf: {"v": steps(tf, [], "int64", allow_missing=True)}, 1)
add("parse_garbage", lambda tf, folder: tf.io.parse_example(
    [b"garbage"], {"i": fixed(tf, [], "int64")}
))  # fmt: skip
add("parse_scalar", lambda tf, folder: tf.io.parse_example(
    two(tf)[0], {"i": fixed(tf, [], "int64")}
))  # fmt: skip
add("parse_single_vector", lambda tf, folder: tf.io.parse_single_example(
    two(tf), {"i": fixed(tf, [], "int64")}
))  # fmt: skip
add("parse_sparse", lambda tf, folder: tf.io.parse_example(
    [example(tf, k=[2, 0], w=[1.0, 2.0]), example(tf, k=[3], w=[5.0])],
    {"sp": tf.io.SparseFeature("k", "w", tf.float32, 4)},
))  # fmt: skip


def sequence(tf: Any) -> bytes:
    def lists(values: list[list[int]]) -> Any:
        return tf.train.FeatureList(feature=[feature(tf, part) for part in values])

    made = tf.train.SequenceExample(
        context=features(tf, {"n": [4]}),
        feature_lists=tf.train.FeatureLists(
            feature_list={"t": lists([[1], [2], [3]]), "u": lists([[1], [2, 3]])}
        ),
    )
    return made.SerializeToString(deterministic=True)


def sequenced(name: str, make: Callable[[Any], dict[str, Any]], batch: bool = False) -> None:
    def run(tf: Any, folder: Path) -> Any:
        context = {"n": fixed(tf, [], "int64")}
        if batch:
            return tf.io.parse_sequence_example([sequence(tf)] * 2, context, make(tf))
        return tf.io.parse_single_sequence_example(sequence(tf), context, make(tf))

    add(name, run)


add("sequence_bytes", lambda tf, folder: sequence(tf))
sequenced("sequence", lambda tf: {"t": steps(tf, [], "int64")})
sequenced("sequence_shape", lambda tf: {"t": steps(tf, [1], "int64")})
sequenced("sequence_var", lambda tf: {"u": tf.io.VarLenFeature(tf.int64)})
sequenced("sequence_missing", lambda tf: {"zz": steps(tf, [], "int64")})
sequenced("sequence_missing_allowed", lambda tf: {"zz": steps(tf, [], "int64", allow_missing=True)})
sequenced("sequence_wrong_length", lambda tf: {"u": steps(tf, [], "int64")})
sequenced("sequence_batch", lambda tf: {"t": steps(tf, [], "int64")}, batch=True)

# ---- TensorProto and raw bytes

ARRAYS: dict[str, Any] = {
    "float32": np.float32([[1.0, -2.5]]),
    "float64": np.float64(3.5),
    "float16": np.float16([1, 2]),
    "int8": np.int8([1, -1]),
    "uint8": np.uint8([[1], [255]]),
    "int32": np.int32([1, -2, 3]),
    "int64": np.int64(2**40),
    "uint64": np.uint64([2**63]),
    "bool": np.bool_([True, False]),
    "complex64": np.complex64([1 + 2j]),
    "complex128": np.complex128(1 - 2j),
    "empty": np.zeros([0, 2], np.float32),
    "string": np.array(["a", "bc"]),
}


def serialized(key: str) -> Callable[[Any, Path], Any]:
    def run(tf: Any, folder: Path) -> Any:
        x = tf.constant(ARRAYS[key])
        data = tf.io.serialize_tensor(x)
        return data, tf.io.parse_tensor(data, x.dtype)

    return run


for key in ARRAYS:
    add(f"tensor_{key}", serialized(key))

# What other writers of TensorProto make: values in fields of their own, the last one repeated.
PROTOS = {
    "floats": (b"\x08\x01\x12\x04\x12\x02\x08\x03*\x08\x00\x00\x80?\x00\x00\x00@", "float32"),
    "float": (b"\x08\x01\x12\x00-\x00\x00`@", "float32"),
    "ints": (b"\x08\x03\x12\x04\x12\x02\x08\x02:\x03\x01\xac\x02", "int32"),
    "negative": (b"\x08\x03\x12\x008\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "int32"),
    "int64s": (b"\x08\x09\x12\x04\x12\x02\x08\x02R\x02\x05\x06", "int64"),
    "bools": (b"\x08\x0a\x12\x04\x12\x02\x08\x02Z\x02\x01\x00", "bool"),
    "halves": (b"\x08\x13\x12\x04\x12\x02\x08\x02j\x03\x80x\x00", "float16"),
    "strings": (b"\x08\x07\x12\x04\x12\x02\x08\x02B\x01aB\x02bc", "string"),
    "complex": (b"\x08\x12\x12\x00b\x10\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00@",
                "complex128"),
    "nothing": (b"\x08\x01\x12\x04\x12\x02\x08\x02", "float32"),
    "wrong_dtype": (b"\x08\x03\x12\x00:\x01\x05", "float32"),
    "garbage": (b"zzz", "float32"),
}  # fmt: skip
for key in PROTOS:
    add(f"proto_{key}", lambda tf, folder, key=key: tf.io.parse_tensor(
        PROTOS[key][0], getattr(tf, PROTOS[key][1])
    ))  # fmt: skip


def raw(name: str, *args: Any, **how: Any) -> None:
    data, dtype = args
    add(f"raw_{name}", lambda tf, folder: tf.io.decode_raw(data, getattr(tf, dtype), **how))


raw("int16", [b"\1\0\2\0", b"\3\0\4\0"], "int16")
raw("big_endian", [b"\0\1"], "int16", little_endian=False)
raw("scalar", b"abc", "uint8")
raw("fixed", [b"abc", b"d"], "uint8", fixed_length=2)
raw("float32", [b"\0\0\x80?"], "float32")
raw("odd", [b"abc"], "int16")
raw("lengths", [b"abc", b"a"], "uint8")

# ---- CSV


def csv(name: str, lines: Any, defaults: Any, **how: Any) -> None:
    add(f"csv_{name}", lambda tf, folder: tf.io.decode_csv(
        lines, defaults(tf) if callable(defaults) else defaults, **how
    ))  # fmt: skip


csv("columns", ["1,2.5,a", '3,,"b,""c"""'], [[0], [1.0], [""]])
csv("matrix", [["1,2"], ["3,4"]], [[0], [0]])
csv("scalar", "1,2", [[0], [0]])
csv("spaces", ["1 , 2"], [[0], [""]])
csv("spaces_before", [" 1, 2"], [[0], [0]])
csv("too_few", ["1,2", "3"], [[0], [0]])
csv("too_many", ["1,2,3"], [[0], [0]])
csv("required", ["1,"], lambda tf: [[0], tf.constant([], tf.int32)])
csv("not_a_number", ["1,x"], [[0], [0]])
csv("too_large", ["3000000000"], [[0]])
csv("int64", ["3000000000"], lambda tf: [tf.constant([0], tf.int64)])
csv("hex", ["0x10"], [[0]])
csv("underscore", ["1_0"], [[0]])
csv("float_forms", ["inf,1e5,-.5"], [[0.0], [0.0], [0.0]])
csv("quote_inside", ['1,x"y'], [[0], [""]])
csv("quote_then_more", ['"1","xy"z'], [[0], [""]])
csv("quote_open", ['"1","xy'], [[0], [""]])
csv("line_end", ["1,2\n"], [[0], [0]])
csv("line_end_in_quotes", ['1,"a\nb"'], [[0], [""]])
csv("selected", ["1,2,3"], [[0], [0]], select_cols=[0, 2])
csv("missing", ["1,NA"], [[0], [7]], na_value="NA")
csv("empty", [""], [["z"]])
csv("trailing", ["1,"], [[0], ["z"]])
csv("delimiter", ["1;2"], [[0], [0]], field_delim=";")
csv("no_quotes", ['"1",2'], [[""], [0]], use_quote_delim=False)
csv("no_records", np.zeros([0], "S1"), [[0]])

# ---- files


def tree(folder: Path) -> Path:
    (folder / "d" / "e").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"one\ntwo\n")
    (folder / "b.txt").write_bytes(b"three")
    (folder / "d" / "c").write_bytes(b"")
    return folder


def files(name: str, make: Callable[[Any, Path], Any]) -> None:
    add(f"files_{name}", lambda tf, folder: make(tf, tree(folder)))


files("read", lambda tf, f: tf.io.read_file(str(f / "a.txt")))
files("read_missing", lambda tf, f: tf.io.read_file(str(f / "no")))
files("read_folder", lambda tf, f: tf.io.read_file(str(f)))
files("write", lambda tf, f: (tf.io.write_file(str(f / "x/y"), "hi"), (f / "x/y").read_bytes())[1])
files("matching", lambda tf, f: [
    Path(n.decode()).name for n in tf.io.matching_files(str(f / "*.txt")).numpy()
])  # fmt: skip
files("exists", lambda tf, f: [tf.io.gfile.exists(str(f / n)) for n in ("a.txt", "d", "no")])
files("isdir", lambda tf, f: [tf.io.gfile.isdir(str(f / n)) for n in ("a.txt", "d", "no")])
files("listdir", lambda tf, f: sorted(tf.io.gfile.listdir(str(f))))
files("listdir_missing", lambda tf, f: tf.io.gfile.listdir(str(f / "no")))
files("mkdir", lambda tf, f: tf.io.gfile.mkdir(str(f / "d")))
files("mkdir_deep", lambda tf, f: tf.io.gfile.mkdir(str(f / "no/x")))
files("makedirs", lambda tf, f: [tf.io.gfile.makedirs(str(f / "p/q")) or (f / "p/q").is_dir()])
files("remove", lambda tf, f: [tf.io.gfile.remove(str(f / "a.txt")) or (f / "a.txt").exists()])
files("remove_missing", lambda tf, f: tf.io.gfile.remove(str(f / "no")))
files("rmtree", lambda tf, f: [tf.io.gfile.rmtree(str(f / "d")) or (f / "d").exists()])
files("rmtree_missing", lambda tf, f: tf.io.gfile.rmtree(str(f / "no")))
files("copy", lambda tf, f: [
    tf.io.gfile.copy(str(f / "a.txt"), str(f / "z")) or (f / "z").read_bytes()
])  # fmt: skip
files("copy_exists", lambda tf, f: tf.io.gfile.copy(str(f / "a.txt"), str(f / "b.txt")))
files("copy_over", lambda tf, f: [
    tf.io.gfile.copy(str(f / "a.txt"), str(f / "b.txt"), True) or (f / "b.txt").read_bytes()
])  # fmt: skip
files("rename_exists", lambda tf, f: tf.io.gfile.rename(str(f / "a.txt"), str(f / "b.txt")))
files("rename", lambda tf, f: [
    tf.io.gfile.rename(str(f / "a.txt"), str(f / "z")) or sorted(p.name for p in f.iterdir())
])  # fmt: skip
files("stat", lambda tf, f: [
    [s.length, s.is_directory] if not s.is_directory else [s.is_directory]
    for s in (tf.io.gfile.stat(str(f / n)) for n in ("a.txt", "d"))
])  # fmt: skip
files("stat_missing", lambda tf, f: tf.io.gfile.stat(str(f / "no")))
files("walk", lambda tf, f: [
    [Path(top).name if top != str(f) else ".", sorted(dirs), sorted(names)]
    for top, dirs, names in tf.io.gfile.walk(str(f))
])  # fmt: skip
files("glob", lambda tf, f: sorted(Path(n).name for n in tf.io.gfile.glob(str(f / "?.txt"))))
files("glob_two", lambda tf, f: sorted(
    Path(n).name for n in tf.io.gfile.glob([str(f / "a*"), str(f / "b*")])
))  # fmt: skip
files("gfile_lines", lambda tf, f: tf.io.gfile.GFile(str(f / "a.txt")).readlines())
files("gfile_bytes", lambda tf, f: tf.io.gfile.GFile(str(f / "a.txt"), "rb").read(5))
files("gfile_missing", lambda tf, f: tf.io.gfile.GFile(str(f / "no")).read())
files("gfile_folder", lambda tf, f: tf.io.gfile.GFile(str(f)).read())
files("gfile_not_for_writing", lambda tf, f: tf.io.gfile.GFile(str(f / "a.txt")).write("x"))
files("gfile_no_folder", lambda tf, f: tf.io.gfile.GFile(str(f / "no/x"), "w").write("x"))
files("gfile_mode", lambda tf, f: tf.io.gfile.GFile(str(f / "a.txt"), "q"))


def moves(tf: Any, f: Path) -> Any:
    with tf.io.gfile.GFile(str(f / "a.txt")) as file:
        found = [file.size(), file.readline(), file.tell()]
        file.seek(1)
        return [*found, file.read(2), file.tell(), file.read(), file.read()]


def appends(tf: Any, f: Path) -> Any:
    for mode in ("w", "a", "ab"):
        with tf.io.gfile.GFile(str(f / "n"), mode) as file:
            file.write(b"x" if "b" in mode else "y")
    return (f / "n").read_bytes()


files("gfile_moves", moves)
files("gfile_appends", appends)

# ---- images

RGB = np.arange(24, dtype=np.uint8).reshape(2, 4, 3) * 10
GREY = np.arange(6, dtype=np.uint8).reshape(2, 3, 1) * 40


def png(tf: Any, pixels: Any, **how: Any) -> Any:
    return tf.io.decode_png(tf.io.encode_png(pixels), **how)


image("png_rgb", lambda tf: png(tf, RGB))
image("png_grey", lambda tf: png(tf, GREY))
image("png_grey_alpha", lambda tf: png(tf, np.concatenate([GREY, GREY], 2), channels=4))
image("png_rgba", lambda tf: png(tf, np.concatenate([RGB, RGB[:, :, :1]], 2)))
image("png_rgba_to_rgb", lambda tf: png(tf, np.concatenate([RGB, RGB[:, :, :1]], 2), channels=3))
image("png_rgb_to_grey", lambda tf: png(tf, RGB, channels=1))
image("png_grey_to_rgb", lambda tf: png(tf, GREY, channels=3))
image("png_rgb_to_rgba", lambda tf: png(tf, RGB, channels=4))
image("png_16", lambda tf: png(tf, np.uint16([[[1000], [65535]]]), dtype=tf.uint16))
image("png_16_to_8", lambda tf: png(tf, np.uint16([[[1000], [65535]]])))
image("png_8_to_16", lambda tf: png(tf, GREY, dtype=tf.uint16))
image("png_channels_5", lambda tf: png(tf, GREY, channels=5))
image("png_garbage", lambda tf: tf.io.decode_png(b"zz"))
image("png_cut", lambda tf: tf.io.decode_png(tf.io.encode_png(RGB).numpy()[:40]))
image("png_5_channels", lambda tf: tf.io.encode_png(np.zeros([1, 1, 5], np.uint8)))
image("png_rank_2", lambda tf: tf.io.encode_png(np.zeros([1, 1], np.uint8)))
image("png_float", lambda tf: tf.io.encode_png(np.zeros([1, 1, 1], np.float32)))
image("png_many", lambda tf: [
    tf.io.decode_png(data) for data in tf.io.encode_png(np.stack([GREY, GREY + 1]))
])  # fmt: skip
image("jpeg_flat", lambda tf: tf.io.decode_jpeg(
    tf.io.encode_jpeg(np.full([8, 8, 3], 100, np.uint8))
))  # fmt: skip
image("jpeg_grey", lambda tf: tf.io.decode_jpeg(
    tf.io.encode_jpeg(np.full([8, 8, 1], 100, np.uint8))
))  # fmt: skip
image("jpeg_shape", lambda tf: tf.io.extract_jpeg_shape(
    tf.io.encode_jpeg(np.full([8, 9, 3], 100, np.uint8))
))  # fmt: skip
image("jpeg_ratio", lambda tf: tf.io.decode_jpeg(
    tf.io.encode_jpeg(np.full([16, 8, 3], 100, np.uint8)), ratio=2
))  # fmt: skip
image("jpeg_is", lambda tf: [
    tf.io.is_jpeg(tf.io.encode_jpeg(np.full([8, 9, 3], 100, np.uint8))), tf.io.is_jpeg(b"abc")
])  # fmt: skip
image("image_float", lambda tf: tf.io.decode_image(tf.io.encode_png(RGB), dtype=tf.float32))
image("image_channels", lambda tf: tf.io.decode_image(tf.io.encode_png(GREY), channels=3))
image("image_garbage", lambda tf: tf.io.decode_image(b"garbage!!!!"))
image("image_png_by_jpeg", lambda tf: tf.io.decode_jpeg(tf.io.encode_png(RGB)))
image("image_bmp", lambda tf: tf.io.decode_image(
    b"BM:\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0\0\0\4\0\0\0"
    + b"\0" * 16 + b"\1\2\3\0"
))  # fmt: skip
