"""`agog.io`: files, records, and the formats of what is in them."""

from __future__ import annotations

from agog.io import gfile
from agog.io.csv import decode_csv
from agog.io.images import (
    decode_bmp,
    decode_gif,
    decode_image,
    decode_jpeg,
    decode_png,
    encode_jpeg,
    encode_png,
    extract_jpeg_shape,
    is_jpeg,
)
from agog.io.local import matching_files, read_file, write_file
from agog.io.parsing import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    parse_example,
    parse_single_example,
)
from agog.io.sequence_parsing import parse_sequence_example, parse_single_sequence_example
from agog.io.tensor_proto import decode_raw, parse_tensor, serialize_tensor
from agog.io.tfrecord import TFRecordOptions, TFRecordWriter, tf_record_iterator
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_bmp",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_png",
    "decode_raw",
    "encode_jpeg",
    "encode_png",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_tensor",
    "tf_record_iterator",
    "write_file",
]
