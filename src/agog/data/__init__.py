"""`agog.data`: input pipelines.

>>> dataset = agog.data.Dataset.from_tensor_slices([3, 1, 2])
>>> dataset = dataset.map(lambda x: x * 10).batch(2)
>>> [batch.numpy().tolist() for batch in dataset]
[[30, 10], [20]]
"""

from __future__ import annotations

from agog.data.dataset import Dataset
from agog.data.iterator import Iterator, IteratorSpec, NumpyIterator
from agog.data.nesting import DatasetSpec
from agog.data.node import INFINITE as INFINITE_CARDINALITY
from agog.data.node import UNKNOWN as UNKNOWN_CARDINALITY
from agog.data.options import AUTOTUNE, Options, ThreadingOptions
from agog.data.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from agog.near_names import missing

from agog.data import experimental  # isort: skip - uses the classes above

__getattr__ = missing(__name__)

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "INFINITE_CARDINALITY",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
]
