"""Files of TensorFlow are read here, and files of agog there: the same script runs in both.

TensorFlow may live in another environment: AGOG_BENCH_TF names its Python, as for the benchmarks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
import numpy as np

package, what, folder = sys.argv[1:]
if package == "agog":
    import agog as tf
else:
    import tensorflow as tf

def feature(kind, values):
    lists = {"b": tf.train.BytesList, "f": tf.train.FloatList, "i": tf.train.Int64List}
    names = {"b": "bytes_list", "f": "float_list", "i": "int64_list"}
    return tf.train.Feature(**{names[kind]: lists[kind](value=values)})

def example(i):
    features = {
        "i": feature("i", [i, -i, 2**40 * i]),
        "f": feature("f", [0.1 * i] * 3),
        "b": feature("b", [b"x" * i, b"\\xff"]),
        "none": tf.train.Feature(),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

KINDS = ("", "GZIP", "ZLIB")
DTYPES = ("float32", "float64", "int8", "uint16", "int64", "bool", "complex64", "float16")

def write():
    for kind in KINDS:
        with tf.io.TFRecordWriter(f"{folder}/{kind or 'PLAIN'}", kind) as file:
            for i in range(50):
                file.write(example(i))
    for dtype in DTYPES:
        x = tf.constant(np.arange(6).reshape(2, 3).astype(dtype))
        tf.io.write_file(f"{folder}/{dtype}", tf.io.serialize_tensor(x))
    image = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    tf.io.write_file(f"{folder}/png", tf.io.encode_png(image))
    smooth = (np.add.outer(np.arange(16), np.arange(24))[:, :, None] * [3, 4, 5]).astype(np.uint8)
    tf.io.write_file(f"{folder}/jpeg", tf.io.encode_jpeg(smooth))

def read():
    found = {}
    spec = {
        "i": tf.io.FixedLenFeature([3], tf.int64),
        "f": tf.io.FixedLenFeature([3], tf.float32),
        "b": tf.io.FixedLenFeature([2], tf.string),
        "none": tf.io.FixedLenFeature([], tf.int64, 7),
    }
    for kind in KINDS:
        dataset = tf.data.TFRecordDataset(f"{folder}/{kind or 'PLAIN'}", kind).batch(50)
        (records,) = dataset
        parsed = tf.io.parse_example(records, spec)
        found[kind] = {key: repr(parsed[key].numpy().tolist()) for key in sorted(spec)}
    for dtype in DTYPES:
        x = tf.io.parse_tensor(tf.io.read_file(f"{folder}/{dtype}"), getattr(tf, dtype))
        found[dtype] = repr(x.numpy().tolist())
    found["png"] = tf.io.decode_png(tf.io.read_file(f"{folder}/png")).numpy().tolist()
    jpeg = tf.io.read_file(f"{folder}/jpeg")
    # The one method that both have: TensorFlow's default is another one.
    pixels = tf.io.decode_jpeg(jpeg, dct_method="INTEGER_ACCURATE")
    found["jpeg"] = pixels.numpy().tolist()
    return found

print(json.dumps(write() if what == "write" else read()))
"""


def run(package: str, what: str, folder: Path) -> dict:
    python = (
        sys.executable if package == "agog" else os.environ.get("AGOG_BENCH_TF", sys.executable)
    )
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    if package != "agog":
        environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-c", SCRIPT, package, what, str(folder)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )
    if "No module named 'tensorflow'" in done.stderr:
        pytest.skip("TensorFlow is not installed")
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.peers
@pytest.mark.parametrize("writer", ["agog", "tensorflow"])
def test_files_mean_the_same_to_both(writer: str, tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    run(writer, "write", tmp_path)
    here, there = run("agog", "read", tmp_path), run("tensorflow", "read", tmp_path)
    assert here == there
