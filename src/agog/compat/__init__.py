"""Names of other versions of TensorFlow (`v1`, `v2`), and texts as bytes and back."""

from __future__ import annotations

from agog.compat import v1, v2
from agog.compat.text import as_bytes, as_str, as_str_any, as_text, path_to_str
from agog.near_names import missing

__getattr__ = missing(__name__)

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "path_to_str", "v1", "v2"]
