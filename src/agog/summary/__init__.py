"""Summaries for TensorBoard: numbers, histograms, images and text, in event files.

Writing needs TensorBoard's messages: `pip install agog[summary]`.
"""

from agog.near_names import missing
from agog.summary import experimental
from agog.summary.kinds import histogram, image, scalar, text
from agog.summary.recording import flush, record_if, should_record_summaries, write
from agog.summary.writer import SummaryWriter, create_file_writer, create_noop_writer

__getattr__ = missing(__name__)

__all__ = [
    "SummaryWriter",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "write",
]
